import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { IPairedItemData } from 'n8n-workflow';
import { emailsNode, emailsThrough } from '../../demo/emails.ts';
import { findingsIn, nothingMissing } from '../../demo/findings.ts';
import { findingsTable } from '../../demo/findingsTable.ts';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { profiles, samples, type Stage } from '../stage.ts';

interface SourceFile {
	field: string;
	name: string;
}

const fileNames = (await readdir(samples)).sort();

const sha256 = async (fileName: string) =>
	createHash('sha256')
		.update(await readFile(join(samples, fileName)))
		.digest('hex');

/** The file that an output item speaks of, as its source item really holds it. */
function sourceFileName(execution: Execution, json: { file?: unknown }, paired: unknown) {
	const email = execution.items(emailsNode)[(paired as IPairedItemData).item];
	return email.binary?.[(json.file as SourceFile).field].fileName;
}

export default ({ account, run }: Stage) => {
	for (const profile of profiles) {
		test(`gives the values of all attachments, with the API Details of ${profile}`, async () => {
			const { service, credential } = await account(profile);
			const { columns } = service.account.environments.test.workflows.main;

			const execution = await run(emailsThrough(samples, { binaryPropertyName: 'attachment_*' }), {
				service,
				credential,
			});

			assert.equal(execution.status, 'success', execution.errorMessage);
			const results = execution.items(extractionNodeName);
			const findings = await findingsIn(samples, columns, results);
			assert.ok(nothingMissing(findings), `\n${findingsTable(findings)}`);

			const named = results.map(({ json }) => (json.file as SourceFile).name);
			assert.deepEqual([...new Set(named)], fileNames);
			assert.deepEqual(
				results.map(({ json, pairedItem }) => sourceFileName(execution, json, pairedItem)),
				named,
			);

			const { uploads, extractions } = await service.control.ledger();
			assert.deepEqual(
				uploads.map(({ fileName, sha256: hash }) => [fileName, hash]).sort(),
				await Promise.all(fileNames.map(async (name) => [name, await sha256(name)])),
			);
			assert.deepEqual(
				extractions.map(({ kind, documentIds }) => [kind, [...documentIds].sort()]),
				[['bulk', uploads.map(({ documentId }) => documentId).sort()]],
			);
		});
	}
};
