import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import { PROFILES } from '../../../test/support/profiles.ts';
import { sha256 } from '../../../test/support/files.ts';
import { emailsNode, emailsThrough } from '../../demo/emails.ts';
import { findingsIn, nothingMissing } from '../../demo/findings.ts';
import { findingsTable } from '../../demo/findingsTable.ts';
import type { Execution } from '../../n8n/execution.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { sampleNames, samples, type Stage } from '../stage.ts';

const hashOf = async (fileName: string) => sha256(await readFile(join(samples, fileName)));

/** Whether the item that an output item came from really holds the file that it names. */
function isPaired(execution: Execution, { json, pairedItem }: INodeExecutionData) {
	const email = execution.items(emailsNode)[(pairedItem as IPairedItemData).item];
	return Object.values(email.binary ?? {}).some(({ fileName }) => fileName === json.fileName);
}

export default ({ account, run }: Stage) => {
	for (const profile of PROFILES) {
		test(`gives the values of all attachments, with the API Details of ${profile}`, async () => {
			const { service, credential } = await account(profile);
			const { columns } = service.account.environments.test.workflows.main;

			const execution = await run(emailsThrough(samples, { binaryPropertyName: 'attachment_*' }), {
				service,
				credential,
			});

			const results = execution.items(extractionNodeName);
			const findings = await findingsIn(samples, columns, results);
			assert.ok(nothingMissing(findings), `\n${findingsTable(findings)}`);

			assert.deepEqual(
				results.map(({ json }) => json.fileName),
				sampleNames,
			);
			assert.ok(results.every((result) => isPaired(execution, result)));

			const { uploads, extractions } = await service.control.ledger();
			assert.deepEqual(
				uploads.map((upload) => [upload.fileName, upload.sha256]).sort(),
				await Promise.all(sampleNames.map(async (name) => [name, await hashOf(name)])),
			);
			assert.deepEqual(
				extractions.map(({ kind, documentIds }) => [kind, [...documentIds].sort()]),
				[['bulk', uploads.map(({ documentId }) => documentId).sort()]],
			);
		});
	}
};
