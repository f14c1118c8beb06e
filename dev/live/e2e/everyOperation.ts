import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import { chain, extractionNode, type NodeSettings } from '../../n8n/workflow.ts';
import { emailNodes } from '../stage/emails.ts';
import { live } from '../stage/live.ts';
import { assertMerged } from '../stage/mergedPdf.ts';
import { assertExtracted, samples } from '../stage/samples.ts';

const step = (
	name: string,
	[resource, operation]: [resource: string, operation: string],
	parameters: INodeParameters = {},
	settings: NodeSettings = {},
) => extractionNode({ resource, operation, ...parameters }, { name, ...settings });

const documentId = '={{ $json.documentId }}';
const binaryPropertyName = 'attachment_*';
const once = { executeOnce: true };

/** What Extract From Files does in one node, in a node each; then the rest of the operations. */
const flow = (uploadMethod: string, collection: INodeParameters, merging: INodeParameters) =>
	chain('Every operation', [
		...emailNodes(samples),
		step('Upload', ['document', 'upload'], {
			binaryPropertyName,
			collection,
			options: { uploadMethod },
		}),
		step('Extract one', ['extraction', 'extractOne'], { documentId }),
		step('Extract', ['extraction', 'extractDocuments'], { documentIds: documentId, wait: true }),
		step('Read', ['extraction', 'getAll'], { returnAll: true, documentIdFilter: documentId }),
		step('Wait', ['workflow', 'waitUntilExtracted'], { options: { settleTime: 1 } }, once),
		step('Workflow', ['workflow', 'get']),
		step('Documents', ['document', 'getAll'], { returnAll: true }),
		step('Merge', ['collection', 'merge'], { collection, options: merging }, once),
	]);

live('works in one flow', { everyProfile: true }, async (stage) => {
	const { n8n, service, profile, workflow, run } = stage;
	const [{ id: collectionId }] = workflow.collections;
	const collection = { __rl: true, mode: 'id', value: collectionId };
	// The other account has no way to name the collection of a signed upload.
	const uploadMethod = profile === 'atlas' ? 'signed' : 'direct';

	const { downloadUrlField } = service.account;
	const execution = await run(flow(uploadMethod, collection, { downloadUrlField }));

	const uploaded = execution.items('Upload');
	const results = execution.items('Read').map(({ json, pairedItem }) => {
		const { file } = uploaded[(pairedItem as { item: number }).item].json;
		return { ...json, fileName: (file as { name: string }).name };
	});
	assertExtracted(results);
	const { uploads, extractions } = await service.control.ledger();
	assert.ok(uploads.every(({ method }) => method === uploadMethod));
	const uploadedIds = uploads.map((upload) => upload.documentId).sort();
	const idsOf = (kind: string) =>
		extractions.filter((each) => each.kind === kind).flatMap(({ documentIds }) => documentIds);
	assert.deepEqual(idsOf('single').sort(), uploadedIds);

	assert.equal(execution.items('Wait')[0].json.finished, true);
	const columns = JSON.stringify(execution.items('Workflow')[0].json);
	for (const { name } of workflow.columns) assert.ok(columns.includes(name), name);
	const listed = JSON.stringify(execution.items('Documents').map(({ json }) => json));
	for (const id of uploadedIds) assert.ok(listed.includes(id));
	const [{ binary }] = execution.items('Merge');
	assert.equal(binary?.data.mimeType, 'application/pdf');
	await assertMerged(service, collectionId, new Uint8Array(await n8n.binary(binary.data)));
});
