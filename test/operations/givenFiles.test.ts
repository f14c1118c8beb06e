import type { IDataObject } from 'n8n-workflow';
import { BINARY_MODES, binaryItem, type BinaryMode, readBinary } from '../support/binary';
import { textFile } from '../support/files';
import { asTool, runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { useService } from '../support/useService';

const FILE = "'Input Data Field Name'";

/** How an expression names the file in the field `data` of Start's item. */
const SPELLINGS: Array<[inJson: 'separate' | 'combined', BinaryMode, expression: string]> = [
	['separate', 'memory', "$('Start').item.binary.data"],
	['separate', 'filesystem', "$('Start').item.binary.data"],
	['combined', 'memory', "$items('Start')[$itemIndex].binary.data"],
	['combined', 'filesystem', "$('Start').item._files.data"],
];

const ADVICE = {
	separate: "{{ $('Node').item.binary.data }}, with the names",
	combined:
		"{{ $('Node').item._files.data }}, or {{ $items('Node')[$itemIndex].binary.data }} if that gives nothing, with the names",
};

describe('files that an expression gives', () => {
	const used = useService({ profile: 'cobalt' });

	const optionsFor = (
		expression: string,
		{ parameters, ...options }: RunOptions = {},
	): RunOptions => ({
		credential: used.service.credential(),
		...options,
		parameters: {
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: `={{ ${expression} }}`,
			...parameters,
		},
	});

	const upload = async (expression: string, options: RunOptions = {}) =>
		await runNode(optionsFor(expression, options));

	const uploaded = async () =>
		(await used.control.ledger()).uploads.map(({ fileName, size }) => [fileName, size]);

	const expectNothingSent = async () => {
		expect(await used.control.requests()).toEqual([]);
	};

	const itemWith = async (name: string, mode: BinaryMode, json: IDataObject = {}) =>
		await binaryItem({ json, files: { data: textFile(name) }, mode });

	/** A file as n8n describes it, of no node of the workflow that runs. */
	const foreignFile = async (mode: BinaryMode) => {
		const { binary } = await itemWith('foreign.txt', mode);
		return { ...binary?.data } as IDataObject;
	};

	describe.each(SPELLINGS)('in %s JSON and %s', (binaryMode, mode, expression) => {
		const settings = { binaryMode: mode, workflowSettings: { binaryMode } };

		it('come from an earlier node, item by item', async () => {
			const { output } = await upload(expression, {
				...settings,
				items: [await itemWith('first.txt', mode), await itemWith('second, too.txt', mode)],
				between: [{ json: { n: 1 } }, { json: { n: 2 } }],
				parameters: { options: { keepInputFiles: true } },
			});

			expect(output).toMatchObject([
				{ json: { file: { field: 'data', name: 'first.txt' } }, pairedItem: { item: 0 } },
				{ json: { file: { field: 'data', name: 'second, too.txt' } }, pairedItem: { item: 1 } },
			]);
			const [, { json, binary }] = output;
			const kept = { ...(json._files as typeof binary), ...binary };
			expect(String(await readBinary({ json, binary: kept }, 'data'))).toBe('second, too.txt');
		});

		it("come as a list: beside the item's own, under another name, with their content", async () => {
			const text = Buffer.from('made by a Code node').toString('base64');
			const made = {
				data: text.replace(/(.{4})/g, '$1\r\n'),
				mimeType: 'text/plain',
				fileName: 'made.txt',
			};
			const renamed = `{ ...${expression}, fileName: 'renamed ü.txt' }`;

			const { output } = await upload(`[${expression}, 'own', ${renamed}, $json.made]`, {
				...settings,
				items: [await itemWith('earlier.txt', mode)],
				between: [await binaryItem({ json: { made }, files: { own: textFile('own.txt') }, mode })],
			});

			const files = output.map(({ json }) => json.file as IDataObject);
			expect(files.map(({ field }) => field)).toEqual(['data', 'own', 'data_1', 'data_2']);
			expect((await uploaded()).sort()).toEqual([
				['earlier.txt', 11],
				['made.txt', 19],
				['own.txt', 7],
				['renamed ü.txt', 11],
			]);
		});

		it('leave by the error output when they fail', async () => {
			await used.fault('upload', { type: 'status', status: 400 }, { skip: 1 });
			const own = async (name: string) => await itemWith(name, mode, { name });

			const { output, errorOutput } = await upload(expression, {
				...settings,
				items: [await itemWith('good.txt', mode), await itemWith('bad.txt', mode)],
				between: [await own('own of good.txt'), await own('own of bad.txt')],
				onError: 'continueErrorOutput',
			});

			expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
			expect(errorOutput).toMatchObject([
				{ json: { name: 'own of bad.txt' }, pairedItem: { item: 1 } },
			]);
			const [{ json, binary }] = errorOutput;
			const files = Object.values({ ...(json._files as typeof binary), ...binary });
			// Beside JSON that may hold files, n8n would not recognize a failed item that has others.
			const expected = binaryMode === 'separate' ? 'bad.txt' : 'own of bad.txt';
			expect(files.map(({ fileName }) => fileName)).toEqual(
				binaryMode === 'combined' && mode === 'memory' ? [] : [expected],
			);
		});
	});

	it('are not whole in $binary in memory, which the message explains', async () => {
		const { error } = await upload('$binary.data', { items: [await itemWith('a.txt', 'memory')] });

		expect(error?.message).toBe(`${FILE} does not give a file with its content`);
		expect(error?.description).toContain('$binary and $node may give a file without its content.');
		expect(error?.description).toContain('enter the name of its field alone, e.g. data.');
		expect(error?.description).toContain(ADVICE.separate);
		await expectNothingSent();
	});

	it('are whole in $binary in storage', async () => {
		await upload('$binary.data', {
			binaryMode: 'filesystem',
			items: [await itemWith('letter.txt', 'filesystem')],
		});

		expect(await uploaded()).toEqual([['letter.txt', 10]]);
	});

	it.each(['separate', 'combined'] as const)(
		'may be told by an ID that stands in %s JSON, if a node before has that file',
		async (binaryMode) => {
			const item = await itemWith('earlier.txt', 'filesystem');
			await upload('$json.file', {
				binaryMode: 'filesystem',
				workflowSettings: { binaryMode },
				items: [item],
				between: [{ json: { file: { ...item.binary?.data } as IDataObject } }],
			});

			expect(await uploaded()).toEqual([['earlier.txt', 11]]);
		},
	);

	it.each([
		['separate', '$json.body.file'],
		['combined', '$json.body.file'],
		['separate', '[$json.body.file]'],
	] as const)(
		'are refused if somebody else’s ID stands in %s JSON: %s',
		async (binaryMode, expression) => {
			const file = await foreignFile('filesystem');
			const { error } = await upload(expression, {
				binaryMode: 'filesystem',
				workflowSettings: { binaryMode },
				items: [{ json: { body: { file } } }],
			});

			expect(error?.message).toBe(
				`The file from ${FILE} does not come from a node before this one`,
			);
			expect(error?.description).toContain('so that it runs before this one. ');
			expect(error?.description).toContain(ADVICE[binaryMode]);
			expect(JSON.stringify(error)).not.toContain(file.id);
			await expectNothingSent();
		},
	);

	it('obey the filters for their size', async () => {
		const file = { data: Buffer.alloc(2000).toString('base64'), mimeType: 'text/plain' };
		const { error, hints } = await upload('$json.file', {
			items: [{ json: { file } }],
			parameters: { options: { maxFileSizeMb: 0.001 } },
		});

		expect(error).toBeUndefined();
		expect(hints[0].message).toMatch(/^Skipped data: it is larger than 0\.001 MB/);
		await expectNothingSent();
	});

	it.each([
		["$('Start').item", 'does not give a file', 'What it gives has these fields: '],
		["$('Start').item.binary", 'does not give a file', 'What it gives has these fields: data.'],
		['$binary', 'does not give a file', ADVICE.separate],
		['{}', 'does not give a file', 'What it gives has these fields: no fields.'],
		["[$('Start').item.binary.data, null]", 'does not give a file', 'no fields.'],
		["{ data: 'Ä€', mimeType: 'text/plain' }", "'data' of the file", 'must be Base64 alone'],
		["{ data: 'data:text/plain;base64,YQ==' }", "'data' of the file", "without 'data:…'"],
		["{ id: 7, mimeType: 'text/plain' }", 'does not give a file', 'name of its field'],
		['undefined', `${FILE} is empty`, ADVICE.separate],
		['[]', `${FILE} is empty`, ADVICE.separate],
	])('are explained where it gives none: %s', async (expression, message, description) => {
		const { error } = await upload(expression, { items: [await itemWith('a.txt', 'memory')] });

		expect(error?.message).toContain(message);
		expect(error?.description).toContain(description);
		await expectNothingSent();
	});

	it.each([
		"= {{ $('Start').item.binary.data }}",
		"={{ $('Start').item.binary.data }}, {{ $('Start').item.binary.data }}",
	])('stand alone in the field: %s', async (binaryPropertyName) => {
		const { error } = await upload('', {
			items: [await itemWith('a.txt', 'memory')],
			parameters: { binaryPropertyName },
		});

		expect(error?.message).toBe(`${FILE} must have no space or text around the expression {{ … }}`);
		expect(error?.description).toContain('{{ [first, second] }}');
		await expectNothingSent();
	});

	it('have a name and a type even where somebody gave numbers', async () => {
		await upload("{ data: 'YQ==', fileName: 7, mimeType: 8, fileExtension: 9 }");

		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject([
			{ fileName: 'data', contentType: 'application/octet-stream', size: 1 },
		]);
	});

	it.each(BINARY_MODES)('are nothing that an agent may hand over, in %s', async (mode) => {
		const items = [
			{ json: { file: await foreignFile(mode) } },
			{ json: { file: { data: 'YQ==', mimeType: 'text/plain' } } },
			await itemWith('own.txt', mode),
		];
		for (const item of items) {
			const expression = "$json.file ?? $('Start').item.binary.data";
			const options = optionsFor(expression, { binaryMode: mode, items: [item] });
			const { output } = await asTool().runNode(options);

			expect(output).toMatchObject([{ json: { error: 'An agent cannot hand files to a tool' } }]);
		}
		await expectNothingSent();
	});
});
