import type { INodeParameters } from 'n8n-workflow';
import { binaryItem } from './support/binary';
import { textFile } from './support/files';
import { logOf } from './support/log';
import type { RunOptions } from './support/nodeEngine';
import { useVirtualService } from './support/useService';

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
		const message = /^Uploaded 3 of 3 files\. Waited \d+\.\d s for the extraction\.$/;

		expect(await hintsOf({})).toEqual([
			{ location: 'outputPane', message: expect.stringMatching(message) },
		]);
	});

	it('how many failed, and where the reason is', async () => {
		await used.fault('upload', { type: 'status', status: 400 }, { skip: 1, times: 2 });

		const items = [await binaryItem({ files }), { json: {} }];
		const onError = 'continueErrorOutput';
		const hints = await hintsOf({ ...UPLOAD, binaryPropertyName: '*, one' }, { items, onError });

		const where = "'error' and 'message' in the JSON output say why";
		expect(hints).toMatchObject([{ message: `Uploaded 1 of 3 files. 3 items failed: ${where}.` }]);
	});

	it("in n8n's log at info level: each stage, with the node's name", async () => {
		const lines = await logOf(async () => await hintsOf({}));

		const told = lines.filter(({ message }) => message.startsWith('Document Extraction: '));
		expect(told.map(({ level, message }) => `${level} ${message.split(': ')[1]}`)).toEqual([
			'info uploaded 3 of 3 files',
			'info extraction of 3 documents started',
			expect.stringMatching(/^info 3 of 3 extractions finished, after \d+\.\d s$/),
		]);
		expect(told[0].metadata).toMatchObject({ nodeName: expect.any(String) });
	});
});
