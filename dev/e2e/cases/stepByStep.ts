import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailNodes } from '../../demo/emails.ts';
import { findingsIn, nothingMissing } from '../../demo/findings.ts';
import { findingsTable } from '../../demo/findingsTable.ts';
import { chain, extractionNode } from '../../n8n/workflow.ts';
import { profiles, samples, type Stage } from '../stage.ts';

/** What Extract From Files does in one node, in a node each, by signed URL. */
const stepByStep = chain('Upload, extract, read', [
	...emailNodes(samples),
	extractionNode(
		{
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: 'attachment_*',
			uploadMethod: 'signed',
		},
		{ name: 'Upload' },
	),
	extractionNode(
		{
			resource: 'extraction',
			operation: 'extractDocuments',
			documentIds: '={{ $json.documentId }}',
			wait: true,
		},
		{ name: 'Extract' },
	),
	extractionNode(
		{
			resource: 'extraction',
			operation: 'getAll',
			returnAll: true,
			documentIdFilter: '={{ $json.documentId }}',
		},
		{ name: 'Read' },
	),
]);

export default ({ account, run }: Stage) => {
	for (const profile of profiles) {
		test(`signed upload, extraction and results in a node each, with ${profile}`, async () => {
			const used = await account(profile);
			const { columns } = used.service.account.environments.test.workflows.main;

			const execution = await run(stepByStep, used);

			assert.equal(execution.status, 'success', execution.errorMessage);
			const uploaded = execution.items('Upload');
			const results = execution.items('Read').map(({ json, pairedItem }) => {
				const { file } = uploaded[(pairedItem as { item: number }).item].json;
				return { json: { ...json, fileName: (file as { name: string }).name } };
			});
			const findings = await findingsIn(samples, columns, results);
			assert.ok(nothingMissing(findings), `\n${findingsTable(findings)}`);

			const { uploads, extractions } = await used.service.control.ledger();
			assert.ok(uploads.every(({ method, confirmed }) => method === 'signed' && confirmed));
			assert.deepEqual(
				extractions.map(({ documentIds }) => [...documentIds].sort()),
				[uploads.map(({ documentId }) => documentId).sort()],
			);
		});
	}
};
