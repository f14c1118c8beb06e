import type { INodeExecutionData, INodeParameters, IPairedItemData } from 'n8n-workflow';
import { binaryItem, readBinary } from '../support/binary';
import { textFile } from '../support/files';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { useService } from '../support/useService';
import { arranged, SCENARIOS } from './scenarios';

const LETTER = textFile('letter.txt', 'Invoice number: 1\n');

describe('of two items one fails', () => {
	const mode = 'filesystem';
	const used = useService({ profile: 'atlas', extractionMs: 20, startMs: 5 });

	/** The second item names a workflow that the service does not know. */
	const runOf = async (name: string, settings: RunOptions) => {
		const { parameters, items } = await arranged(name, used, mode);
		const [{ json }] = items;
		return await runNode({
			credential: used.service.credential(),
			binaryMode: mode,
			parameters: {
				...parameters,
				options: {
					...(parameters.options as INodeParameters),
					workflowId: '={{ $json.workflow }}',
					settleTime: 0.1,
				},
			},
			items: await Promise.all(
				[used.client.workflow.id, 'unknown-workflow'].map(
					async (workflow) =>
						await binaryItem({ json: { ...json, workflow }, files: { data: LETTER }, mode }),
				),
			),
			...settings,
		});
	};

	// Check Setup does not fail for an unknown workflow: it says so in a row of its output.
	const names = Object.keys(SCENARIOS).filter((name) => name !== 'workflow.checkSetup');

	/** The first item may have given several. */
	const itemsOf = (output: INodeExecutionData[]) => [
		...new Set(output.map(({ pairedItem }) => (pairedItem as IPairedItemData).item)),
	];

	const NOT_FOUND = 'The service cannot find what was requested (404)';

	it.each(names)('%s goes on with both, paired, when it continues on fail', async (name) => {
		const { error, output, errorOutput } = await runOf(name, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(errorOutput).toEqual([]);
		expect(itemsOf(output)).toEqual([0, 1]);
		const failed = output.filter(({ json }) => 'error' in json);
		expect(itemsOf(failed)).toEqual([1]);
		expect(failed[0].json).toMatchObject({
			workflow: 'unknown-workflow',
			error: NOT_FOUND,
			message: expect.stringContaining('(unknown-workflow): it must be the ID from'),
			details: { httpCode: '404' },
		});
		expect(await readBinary(failed[0], 'data')).toEqual(LETTER.data);
	});

	it.each(names)('%s routes the failed one to the error output', async (name) => {
		const { error, output, errorOutput } = await runOf(name, { onError: 'continueErrorOutput' });

		expect(error).toBeUndefined();
		expect(itemsOf(output)).toEqual([0]);
		expect(itemsOf(errorOutput)).toEqual([1]);
		expect(errorOutput[0].json).toMatchObject({ workflow: 'unknown-workflow', error: NOT_FOUND });
		expect(await readBinary(errorOutput[0], 'data')).toEqual(LETTER.data);
	});

	it.each(names)('%s stops with the item that failed when it does not continue', async (name) => {
		const { error, output, status } = await runOf(name, {});

		expect(status).toBe('error');
		expect(output).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: NOT_FOUND,
			httpCode: '404',
			context: { itemIndex: 1 },
		});
	});
});

describe('fields of the input that are called like those of a failure', () => {
	const used = useService({ profile: 'atlas' });
	const own = { message: 'Please pay', error: null, details: { from: 'a@b.example' }, kept: 1 };

	const failing = async (onError: 'continueRegularOutput' | 'continueErrorOutput') =>
		await used.run(
			{ resource: 'document', operation: 'upload', binaryPropertyName: 'none' },
			{ onError, items: [{ json: own }] },
		);

	const NO_FILE = expect.stringContaining("says 'none', but this item has no file there") as string;

	it('are kept in its details', async () => {
		const { output } = await failing('continueRegularOutput');

		const { kept, ...input } = own;
		expect(output).toMatchObject([{ json: { kept, error: NO_FILE, details: { input } } }]);
		expect(output[0].json.message).toContain('The item has no file');
	});

	it('give way in the error output, in which n8n allows no other field', async () => {
		const { errorOutput } = await failing('continueErrorOutput');

		const { kept, details } = own;
		expect(errorOutput).toMatchObject([{ json: { kept, details, error: NO_FILE } }]);
	});
});
