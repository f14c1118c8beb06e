import assert from 'node:assert/strict';
import { sha256 } from '../../../test/support/files.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
	readFiles,
} from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';
import { sampleFile, sampleNames } from '../stage/samples.ts';

const [known, ...others] = sampleNames;

live('a file whose hash is known is not sent again', async ({ service, folder, run }) => {
	const skipHashes = `={{ ["${sha256(await sampleFile(known))}"] }}`;
	const execution = await run(
		chain('Known files', [
			manualTrigger,
			readFiles(`${folder}/inbox/*.pdf`),
			extractionNode({ options: { skipHashes } }),
		]),
	);

	const items = execution.items(extractionNodeName).map(({ json }) => json);
	assert.deepEqual(
		items.filter(({ skipped }) => skipped).map(({ fileName }) => fileName),
		[known],
	);
	const { uploads } = await service.control.ledger();
	assert.deepEqual(uploads.map(({ fileName }) => fileName).sort(), others);
});

live('documents come with their files, byte for byte', { everyProfile: true }, async (stage) => {
	const { n8n, run, prepare } = stage;
	await prepare({ resource: 'extraction', operation: 'extractFromFiles' }, '*.pdf');
	const options = { includeFile: true };
	const read = extractionNode({ resource: 'extraction', operation: 'getAll', options });

	const execution = await run(chain('Documents with files', [manualTrigger, read]));

	const items = execution.items(extractionNodeName);
	assert.deepEqual(items.map(({ binary }) => binary?.data.fileName).sort(), sampleNames);
	for (const { json, binary } of items) {
		assert.ok(binary);
		const content = await n8n.binary(binary.data);
		assert.equal(sha256(content), sha256(await sampleFile(String(binary.data.fileName))));
		assert.ok(!JSON.stringify(json).includes('X-Amz-'));
	}
});

const body = {
	total: 2,
	page: 1,
	limit: 200,
	pages: 1,
	items: [0.41, 0.97].map((confidence, index) => ({
		document_id: `doc_${index}`,
		fields: { Total: { value: 641.28, confidence }, Supplier: { value: 'Acme', confidence: 0.9 } },
	})),
};

live('a document that the service is not sure of fails, with its values', async (stage) => {
	const { service, n8n, attempt } = stage;
	await service.control.faults([
		{ match: { operation: 'getExtractions' }, fault: { type: 'status', status: 200, body } },
	]);
	const data = service.credential({ rows: 'fields = value ~ confidence' });
	const credential = await n8n.createCredential(credentialType, 'With confidences', data);
	const options = { minConfidence: 0.8, includeConfidence: true };
	const parameters = { resource: 'extraction', operation: 'getAll', options };

	const execution = await attempt(
		chain('Doubtful documents', [
			manualTrigger,
			extractionNode(parameters, { onError: 'continueErrorOutput' }),
		]),
		[credential],
	);

	const [[sure], [doubtful]] = [0, 1].map((output) => execution.items(extractionNodeName, output));
	assert.deepEqual(sure.json.confidence, { Total: 0.97, Supplier: 0.9 });
	assert.equal(sure.json.lowestConfidence, 0.9);
	assert.equal(doubtful.json.error, "Below 'Min Confidence' (0.8): Total 641.28 (0.41)");
	assert.match(String(doubtful.json.message), /The document has: Total: 641\.28, Supplier: Acme/);
});
