import assert from 'node:assert/strict';
import {
	chain,
	codeNode,
	extractionNode,
	extractionNodeName,
	manualTrigger,
	readFiles,
} from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';
import { sampleNames, samples } from '../stage/samples.ts';

const readNode = 'Read PDFs';

const withoutFiles = codeNode(
	'No files',
	'return $input.all().map((_, item) => ({ json: { n: item }, pairedItem: { item } }));',
);

/** Uploads what an expression gives for each item of a node that hands on no files. */
const uploadGiven = (expression: string, before = withoutFiles) =>
	chain('Files of an earlier node', [
		manualTrigger,
		readFiles(`${samples}/*.pdf`, readNode),
		before,
		extractionNode({
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: `={{ ${expression} }}`,
		}),
	]);

// In memory, and in the JSON of items: test/operations/givenFiles.test.ts.
live('come from this execution alone', { ownN8n: true }, async (stage) => {
	const { control } = stage.service;
	const { run, attempt } = await stage.inN8n({
		env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
	});
	const uploads = async () => (await control.ledger()).uploads.map(({ fileName }) => fileName);
	const ofItem = uploadGiven(`$('${readNode}').item.binary.data`);
	const earlier = await run(ofItem);
	for (const workflow of [ofItem, uploadGiven(`$items('${readNode}')[$itemIndex].binary.data`)]) {
		await control.reset();
		const execution = await run(workflow);
		assert.deepEqual((await uploads()).sort(), sampleNames);
		assert.deepEqual(
			execution.items(extractionNodeName).map(({ pairedItem }) => pairedItem),
			sampleNames.map((_, item) => ({ item })),
		);
	}

	await control.reset();
	const { id, mimeType } = earlier.items(readNode)[0].binary?.data ?? {};
	const file = JSON.stringify({ id, mimeType });
	const request = codeNode('A request', `return [{ json: { file: ${file} } }];`);
	const { status, errorMessage } = await attempt(uploadGiven('$json.file', request));
	assert.equal(status, 'error');
	assert.match(errorMessage ?? '', /does not come from a node before this one/);
	assert.deepEqual(await uploads(), [], 'the JSON has the ID of a file of another execution');
});
