import type { INodeParameters } from 'n8n-workflow';
import { binaryItem } from './support/binary';
import { textFile } from './support/files';
import { logOf } from './support/log';
import { useVirtualService } from './support/useVirtualService';

describe('A run tells what it does', () => {
	const used = useVirtualService({ extractionMs: 3_000, startMs: 1_000 });
	const files = Object.fromEntries(
		['one', 'two', 'three'].map((name) => [name, textFile(`${name}.txt`, 'Total: 1.00')]),
	);

	const run = async (parameters: INodeParameters = {}) =>
		await used.run(
			{ binaryPropertyName: '*', ...parameters },
			{ items: [await binaryItem({ files })] },
		);

	const tellsNothingElse = expect.stringMatching(
		/^Uploaded 3 of 3 files\. Waited \d+\.\d s for the extraction\.$/,
	);

	it('above the output: how many files it uploaded and how long it waited', async () => {
		const { hints } = await run();

		expect(hints).toEqual([{ message: tellsNothingElse, location: 'outputPane' }]);
	});

	it.each([
		['continueRegularOutput', "'error' in the output says why"],
		['continueErrorOutput', 'the Error branch says why, in its Table or JSON view'],
	] as const)(
		'above the output: how many failed, and where they are (%s)',
		async (onError, where) => {
			await used.fault(
				'upload',
				{ type: 'status', status: 400, body: { detail: 'no document' } },
				{ skip: 1, times: 2 },
			);
			const { hints } = await used.run(
				{ resource: 'document', operation: 'upload', binaryPropertyName: '*, one' },
				{ items: [await binaryItem({ files }), { json: {} }], onError },
			);

			expect(hints).toEqual([
				{
					message: `Uploaded 1 of 3 files. 3 items failed: ${where}.`,
					location: 'outputPane',
				},
			]);
		},
	);

	it('above the output: what it had to do again', async () => {
		await used.fault(
			'upload',
			{ type: 'status', status: 429, headers: { 'retry-after': '0' } },
			{ times: 2 },
		);

		const { hints } = await run({ resource: 'document', operation: 'upload' });

		expect(hints).toEqual([
			{
				message: 'Uploaded 3 of 3 files. Retried 2 requests after rate limits or brief failures.',
				location: 'outputPane',
			},
		]);
	});

	it("in n8n's log at info level: each stage, with the node's name", async () => {
		const lines = await logOf(run);

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
