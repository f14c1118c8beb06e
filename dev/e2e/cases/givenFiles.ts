import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { WorkflowSettingsBinaryMode } from 'n8n-workflow';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import {
	chain,
	codeNode,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
	readFiles,
} from '../../n8n/workflow.ts';
import { sampleNames, samples, type Stage } from '../stage.ts';

const readNode = 'Read PDFs';

const readPdfs = readFiles(`${samples}/*.pdf`, readNode);

const withoutFiles = codeNode(
	'No files',
	'return $input.all().map((_, item) => ({ json: { n: item }, pairedItem: { item } }));',
);

/** Uploads what an expression gives for each item of a node that hands on no files. */
const uploadGiven = (
	expression: string,
	binaryMode?: WorkflowSettingsBinaryMode,
	json = withoutFiles,
) => ({
	...chain('Files of an earlier node', [
		manualTrigger,
		readPdfs,
		json,
		extractionNode({
			resource: 'document',
			operation: 'upload',
			uploadMethod: 'direct',
			binaryPropertyName: `={{ ${expression} }}`,
		}),
	]),
	settings: { executionOrder: 'v1' as const, ...(binaryMode && { binaryMode }) },
});

/** In both modes, with the spelling for a workflow that keeps files in its JSON. */
const modes = [
	['default', `$items('${readNode}')[$itemIndex].binary.data`],
	['filesystem', `$('${readNode}').item._files.data`],
] as const;
const ofItem = `$('${readNode}').item.binary.data`;

export default ({ n8n: { version }, account }: Stage) => {
	for (const [mode, ofJson] of modes) {
		describe(`n8n's files in ${mode}`, () => {
			let n8n: RunningN8n;
			let credential: SavedCredential;

			before(async () => {
				n8n = await startN8n({
					version,
					binaryMode: mode,
					env: { N8N_RESTRICT_FILE_ACCESS_TO: samples },
				});
				const { service } = await account();
				credential = await n8n.createCredential(
					credentialType,
					'Files of an earlier node',
					service.credential(),
				);
			});
			after(async () => await n8n.stop());

			const run = async (workflow: ReturnType<typeof uploadGiven>) =>
				await n8n.runManually(await n8n.importWorkflow(workflow, [credential]));

			const uploads = async () => {
				const { service } = await account();
				return async () => (await service.control.ledger()).uploads;
			};

			const spellings: Array<[string, WorkflowSettingsBinaryMode | undefined]> = [
				[ofItem, undefined],
				// n8n 1 keeps no files in the JSON.
				...(version === 'oldest'
					? []
					: ([[ofJson, 'combined']] as Array<[string, WorkflowSettingsBinaryMode]>)),
			];

			for (const [expression, binaryMode] of spellings) {
				test(`come from an earlier node by ${expression}`, async () => {
					const uploaded = await uploads();

					const execution = await run(uploadGiven(expression, binaryMode));

					assert.equal(execution.status, 'success', execution.errorMessage);
					assert.deepEqual((await uploaded()).map(({ fileName }) => fileName).sort(), sampleNames);
					const items = execution.items(extractionNodeName);
					assert.deepEqual(
						items.map(({ pairedItem }) => pairedItem),
						sampleNames.map((_, item) => ({ item })),
					);
				});
			}

			test('come as a list of all', async () => {
				const uploaded = await uploads();

				const execution = await run(
					uploadGiven(`$('${readNode}').all().map((item) => item.binary.data)`),
				);

				assert.equal(execution.status, 'success', execution.errorMessage);
				assert.equal((await uploaded()).length, sampleNames.length ** 2);
			});

			test('of another execution are refused, though the JSON has their ID', async () => {
				const uploaded = await uploads();
				const earlier = await run(uploadGiven(ofItem));
				const [{ binary }] = earlier.items(readNode);
				const already = (await uploaded()).length;
				const { id = 'filesystem-v2:none', mimeType } = binary?.data ?? {};
				const file = JSON.stringify({ id, mimeType });

				for (const binaryMode of version === 'oldest' ? [undefined] : [undefined, 'combined']) {
					const execution = await run(
						uploadGiven(
							'$json.file',
							binaryMode as WorkflowSettingsBinaryMode | undefined,
							codeNode('A request', `return [{ json: { file: ${file} } }];`),
						),
					);

					assert.equal(execution.status, 'error');
					assert.match(execution.errorMessage ?? '', /does not come from a node before this one/);
				}
				assert.equal((await uploaded()).length, already);
			});

			test('of $binary are taken or explained', async () => {
				const uploaded = await uploads();

				const execution = await run({
					...chain('Own file', [
						manualTrigger,
						readPdfs,
						extractionNode({
							resource: 'document',
							operation: 'upload',
							uploadMethod: 'direct',
							binaryPropertyName: '={{ $binary.data }}',
						}),
					]),
					settings: { executionOrder: 'v1' as const },
				});

				const isInMemory = mode === 'default';
				assert.equal((await uploaded()).length, isInMemory ? 0 : sampleNames.length);
				assert.equal(execution.status, isInMemory ? 'error' : 'success', execution.errorMessage);
				assert.match(execution.errorMessage ?? '', isInMemory ? /has no content/ : /^$/);
			});
		});
	}
};
