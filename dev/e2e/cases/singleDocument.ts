import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailNodes } from '../../demo/emails.ts';
import { chain, extractionNode } from '../../n8n/workflow.ts';
import { profiles, samples, type Stage } from '../stage.ts';

const oneByOne = chain('Documents one by one', [
	...emailNodes(samples),
	extractionNode(
		{
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: 'attachment_*',
			uploadMethod: 'direct',
		},
		{ name: 'Upload' },
	),
	extractionNode(
		{
			resource: 'extraction',
			operation: 'extractOne',
			documentId: '={{ $json.documentId }}',
		},
		{ name: 'Extract' },
	),
	extractionNode(
		{ resource: 'workflow', operation: 'waitUntilExtracted', options: { settleTime: 1 } },
		{ name: 'Wait', executeOnce: true },
	),
	extractionNode({ resource: 'workflow', operation: 'get' }, { name: 'Workflow' }),
	extractionNode(
		{ resource: 'document', operation: 'getAll', returnAll: true },
		{ name: 'Documents' },
	),
]);

export default ({ account, run }: Stage) => {
	for (const profile of profiles) {
		test(`each is extracted once, then workflow and documents are read, with ${profile}`, async () => {
			const used = await account(profile);

			const execution = await run(oneByOne, used);

			assert.equal(execution.status, 'success', execution.errorMessage);
			const { uploads, extractions } = await used.service.control.ledger();
			assert.deepEqual(
				extractions.map(({ kind, documentIds }) => [kind, ...documentIds]).sort(),
				uploads.map(({ documentId }) => ['single', documentId]).sort(),
			);
			assert.equal(execution.items('Wait')[0].json.finished, true);

			const workflow = JSON.stringify(execution.items('Workflow')[0].json);
			for (const { name } of used.service.account.environments.test.workflows.main.columns) {
				assert.ok(workflow.includes(name), `the workflow lacks the column ${name}`);
			}
			const documents = JSON.stringify(execution.items('Documents').map(({ json }) => json));
			for (const { documentId } of uploads) assert.ok(documents.includes(documentId));
		});
	}
};
