import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { PROFILES } from '../../../test/support/profiles.ts';
import { emailNodes } from '../../demo/emails.ts';
import { findingsIn, nothingMissing } from '../../demo/findings.ts';
import { findingsTable } from '../../demo/findingsTable.ts';
import { assertMerged, downloadUrlField } from '../../demo/mergedPdf.ts';
import { chain, extractionNode, type NodeSettings } from '../../n8n/workflow.ts';
import { samples, type Stage } from '../stage.ts';

const step = (name: string, parameters: INodeParameters, settings: NodeSettings = {}) =>
	extractionNode(parameters, { name, ...settings });

const upload = (parameters: INodeParameters) =>
	step('Upload', {
		resource: 'document',
		operation: 'upload',
		binaryPropertyName: 'attachment_*',
		...parameters,
	});

/** What Extract From Files does in one node, in a node each, by signed URL. */
const inBulk = chain('Upload, extract, read', [
	...emailNodes(samples),
	upload({ uploadMethod: 'signed' }),
	step('Extract', {
		resource: 'extraction',
		operation: 'extractDocuments',
		documentIds: '={{ $json.documentId }}',
		wait: true,
	}),
	step('Read', {
		resource: 'extraction',
		operation: 'getAll',
		returnAll: true,
		documentIdFilter: '={{ $json.documentId }}',
	}),
]);

/** The rest of the operations: documents one by one, what can be read, and one PDF of all. */
const oneByOne = (collectionId: string, urlField: string) => {
	const collection = { __rl: true, mode: 'id', value: collectionId };
	const once = { executeOnce: true };
	return chain('Documents one by one', [
		...emailNodes(samples),
		upload({ uploadMethod: 'direct', collection }),
		step('Extract', {
			resource: 'extraction',
			operation: 'extractOne',
			documentId: '={{ $json.documentId }}',
		}),
		step(
			'Wait',
			{ resource: 'workflow', operation: 'waitUntilExtracted', options: { settleTime: 1 } },
			once,
		),
		step('Workflow', { resource: 'workflow', operation: 'get' }),
		step('Documents', { resource: 'document', operation: 'getAll', returnAll: true }),
		step(
			'Merge',
			{
				resource: 'collection',
				operation: 'merge',
				collection,
				options: urlField ? { downloadUrlField: urlField } : {},
			},
			once,
		),
	]);
};

export default ({ n8n, account, run }: Stage) => {
	for (const profile of PROFILES) {
		test(`signed upload, extraction and results in a node each, with ${profile}`, async () => {
			const used = await account(profile);
			const { columns } = used.service.account.environments.test.workflows.main;

			const execution = await run(inBulk, used);

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

		test(`documents one by one, the workflow, lists and one PDF of all, with ${profile}`, async () => {
			const used = await account(profile);
			const { collections, columns } = used.service.account.environments.test.workflows.main;
			const [{ id: collectionId }] = collections;

			const execution = await run(oneByOne(collectionId, downloadUrlField[profile]), used);

			const { uploads, extractions } = await used.service.control.ledger();
			assert.deepEqual(
				extractions.map(({ kind, documentIds }) => [kind, ...documentIds]).sort(),
				uploads.map(({ documentId }) => ['single', documentId]).sort(),
			);
			assert.equal(execution.items('Wait')[0].json.finished, true);

			const workflow = JSON.stringify(execution.items('Workflow')[0].json);
			for (const { name } of columns) assert.ok(workflow.includes(name), name);
			const documents = JSON.stringify(execution.items('Documents').map(({ json }) => json));
			for (const { documentId } of uploads) assert.ok(documents.includes(documentId));

			const [{ binary }] = execution.items('Merge');
			assert.equal(binary?.data.mimeType, 'application/pdf');
			await assertMerged(used.service, collectionId, new Uint8Array(await n8n.binary(binary.data)));
		});
	}
};
