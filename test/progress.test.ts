import type { INodeParameters } from 'n8n-workflow';
import { binaryItem } from './support/binary';
import { textFile } from './support/files';
import { logOf } from './support/log';
import type { RunOptions } from './support/nodeEngine';
import { useVirtualService } from './support/useVirtualService';

describe('A run tells what it does', () => {
	const used = useVirtualService({ extractionMs: 3_000, startMs: 1_000 });
	const files = Object.fromEntries(
		['one', 'two', 'three'].map((name) => [name, textFile(`${name}.txt`, 'Total: 1.00')]),
	);
	const UPLOAD = { resource: 'document', operation: 'upload' };

	/** What stands above the output of a run with three files. */
	const hintsOf = async (parameters: INodeParameters, options: RunOptions = {}) => {
		const items = [await binaryItem({ files })];
		const run = { binaryPropertyName: '*', ...parameters };
		return (await used.run(run, { items, ...options })).hints;
	};

	it('above the output: how many files it uploaded and how long it waited', async () => {
		const [hint, ...others] = await hintsOf({});

		expect(hint.location).toBe('outputPane');
		expect(hint.message).toMatch(/^Uploaded 3 of 3 files\. Waited \d+\.\d s for the extraction\.$/);
		expect(others).toEqual([]);
	});

	it.each([
		['continueRegularOutput', "'error' in the output says why"],
		['continueErrorOutput', 'the Error branch says why, in its Table or JSON view'],
	] as const)('how many failed, and where they are (%s)', async (onError, where) => {
		await used.fault('upload', { type: 'status', status: 400 }, { skip: 1, times: 2 });

		const items = [await binaryItem({ files }), { json: {} }];
		const hints = await hintsOf({ ...UPLOAD, binaryPropertyName: '*, one' }, { items, onError });

		expect(hints).toMatchObject([{ message: `Uploaded 1 of 3 files. 3 items failed: ${where}.` }]);
	});

	it('what it had to do again', async () => {
		const headers = { 'retry-after': '0' };
		await used.fault('upload', { type: 'status', status: 429, headers }, { times: 2 });

		expect(await hintsOf(UPLOAD)).toMatchObject([
			{
				message: expect.stringMatching(
					/ Retried 2 requests after rate limits or brief failures\.$/,
				),
			},
		]);
	});

	it("in n8n's log at info level: each stage, with the node's name", async () => {
		const lines = await logOf(async () => await hintsOf({}));

		const told = lines.filter(({ message }) => message.startsWith('Document Extraction: '));
		expect(told.map(({ level, message }) => [level, message])).toEqual([
			['info', 'Document Extraction: uploaded 3 of 3 files'],
			['info', 'Document Extraction: extraction of 3 documents started'],
			[
				'info',
				expect.stringMatching(
					/^Document Extraction: 3 of 3 extractions are finished, after \d+\.\d s$/,
				),
			],
		]);
		expect(told[0].metadata).toMatchObject({ nodeName: expect.any(String) });
	});
});
