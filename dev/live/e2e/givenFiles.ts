import assert from 'node:assert/strict';
import type { WorkflowSettingsBinaryMode } from 'n8n-workflow';
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
const uploadGiven = (
	expression: string,
	binaryMode?: WorkflowSettingsBinaryMode,
	before = withoutFiles,
) => ({
	...chain('Files of an earlier node', [
		manualTrigger,
		readFiles(`${samples}/*.pdf`, readNode),
		before,
		extractionNode({
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: `={{ ${expression} }}`,
		}),
	]),
	settings: { executionOrder: 'v1' as const, ...(binaryMode && { binaryMode }) },
});

// More of them, in memory, too, on the newest n8n: test/operations/givenFiles.test.ts.
live(
	'come from this execution alone',
	{ ownN8n: true },
	async ({ service: { control }, inN8n }) => {
		const { n8n, run, attempt } = await inN8n({
			env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
		});
		const uploads = async () => (await control.ledger()).uploads.map(({ fileName }) => fileName);
		// n8n 1 keeps no files in the JSON.
		const withCombined = n8n.version === 'oldest' ? [] : (['combined'] as const);
		const ofCombined = withCombined.map((mode) =>
			uploadGiven(`$('${readNode}').item._files.data`, mode),
		);
		const ofItem = uploadGiven(`$('${readNode}').item.binary.data`);
		const earlier = await run(ofItem);
		const byIndex = uploadGiven(`$items('${readNode}')[$itemIndex].binary.data`);
		for (const workflow of [ofItem, byIndex, ...ofCombined]) {
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
		for (const binaryMode of [undefined, ...withCombined]) {
			const { status, errorMessage } = await attempt(
				uploadGiven('$json.file', binaryMode, request),
			);
			assert.equal(status, 'error');
			assert.match(errorMessage ?? '', /does not come from a node before this one/);
		}
		assert.deepEqual(await uploads(), [], 'the JSON has the ID of a file of another execution');
	},
);
