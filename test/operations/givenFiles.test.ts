import type { IDataObject } from 'n8n-workflow';
import { BINARY_MODES, binaryItem, type BinaryMode, readBinary } from '../support/binary';
import { textFile } from '../support/files';
import { asTool, runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { useService } from '../support/useService';

const FILE = "'Input Data Field Name'";
const OF_START = "$('Start').item.binary.data";

const ADVICE = {
	separate: "{{ $('Node').item.binary.data }}, with the names",
	combined: [
		"{{ $('Node').item._files.data }},",
		"or {{ $items('Node')[$itemIndex].binary.data }} if that gives nothing, with the names",
	].join(' '),
};

describe('files that an expression gives', () => {
	const used = useService({ profile: 'borealis' });

	const optionsFor = (binaryPropertyName: string, { parameters, ...options }: RunOptions) => ({
		credential: used.service.credential(),
		...options,
		parameters: {
			resource: 'document',
			operation: 'upload',
			binaryPropertyName,
			...parameters,
		},
	});

	const upload = async (expression: string, options: RunOptions = {}) =>
		await runNode(optionsFor(`={{ ${expression} }}`, options));

	const uploaded = async () =>
		(await used.control.ledger()).uploads.map(({ fileName, size }) => [fileName, size]).sort();

	const expectNothingSent = async () => {
		expect(await used.control.requests()).toEqual([]);
	};

	const itemWith = async (name: string, mode: BinaryMode = 'filesystem', json: IDataObject = {}) =>
		await binaryItem({ json, files: { data: textFile(name) }, mode });

	/** A file as n8n describes it, of no node of the workflow that runs. */
	const foreignFile = async (mode: BinaryMode) => {
		const { binary } = await itemWith('foreign.txt', mode);
		return { ...binary?.data } as IDataObject;
	};

	describe.each<{ inJson: 'separate' | 'combined'; mode: BinaryMode; expression: string }>([
		{ inJson: 'separate', mode: 'memory', expression: OF_START },
		{ inJson: 'separate', mode: 'filesystem', expression: OF_START },
		{ inJson: 'combined', mode: 'memory', expression: "$items('Start')[$itemIndex].binary.data" },
		{ inJson: 'combined', mode: 'filesystem', expression: "$('Start').item._files.data" },
	])('in $inJson JSON and $mode', ({ inJson, mode, expression }) => {
		const settings = { binaryMode: mode, workflowSettings: { binaryMode: inJson } };

		it('come from an earlier node, item by item, and leave with the item, or its error', async () => {
			await used.fault('upload', { type: 'status', status: 400 }, { skip: 1 });
			const own = async (name: string) => await itemWith(name, mode, { name });

			const { output, errorOutput } = await upload(expression, {
				...settings,
				items: [await itemWith('good, too.txt', mode), await itemWith('bad.txt', mode)],
				between: [await own('own of good.txt'), await own('own of bad.txt')],
				parameters: { options: { keepInputFiles: true } },
				onError: 'continueErrorOutput',
			});

			const taken = { field: expect.stringMatching(/^data/) as string, name: 'good, too.txt' };
			expect(output).toMatchObject([{ json: { file: taken }, pairedItem: { item: 0 } }]);
			expect(errorOutput).toMatchObject([
				{ json: { name: 'own of bad.txt' }, pairedItem: { item: 1 } },
			]);
			const [kept, failed] = [...output, ...errorOutput].map(({ json, binary }) => {
				return { ...(json._files as typeof binary), ...binary };
			});
			const { field } = output[0].json.file as { field: string };
			expect(String(await readBinary({ json: {}, binary: kept }, field))).toBe('good, too.txt');
			// Beside JSON that may hold files, n8n would not recognize a failed item that has others.
			const expected = inJson === 'separate' ? ['bad.txt'] : ['own of bad.txt'];
			expect(Object.values(failed).map(({ fileName }) => fileName)).toEqual(
				inJson === 'combined' && mode === 'memory' ? [] : expected,
			);
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
			expect(await uploaded()).toEqual([
				['earlier.txt', 11],
				['made.txt', 19],
				['own.txt', 7],
				['renamed ü.txt', 11],
			]);
		});
	});

	describe.each(['separate', 'combined'] as const)('by an ID in %s JSON', (inJson) => {
		const settings = {
			binaryMode: 'filesystem',
			workflowSettings: { binaryMode: inJson },
		} as const;

		it.each(['$json.body.file', '[$json.body.file]'])(
			'are refused where no node before has that file: %s',
			async (expression) => {
				const file = await foreignFile('filesystem');
				const items = [{ json: { body: { file } } }];
				const { error } = await upload(expression, { ...settings, items });

				expect(error?.message).toBe(
					`The file from ${FILE} does not come from a node before this one`,
				);
				expect(error?.description).toContain('so that it runs before this one. ');
				expect(error?.description).toContain(ADVICE[inJson]);
				expect(JSON.stringify(error)).not.toContain(file.id);
				await expectNothingSent();
			},
		);
	});

	const NO_FILE = `${FILE} does not give a file with its content`;
	const NOT_BASE64 = "The 'data' of the file data_1 is not Base64";
	const EMPTY = `${FILE} is empty, or its expression gives nothing`;

	it.each([
		{ entry: "={{ $('Start').item }}", message: NO_FILE, said: 'What it gives has these fields: ' },
		{ entry: "={{ $('Start').item.binary }}", message: NO_FILE, said: 'has these fields: data.' },
		{ entry: '={{ $binary }}', message: NO_FILE, said: ADVICE.separate },
		{ entry: '={{ $binary.data }}', message: NO_FILE, said: 'a file without its content.' },
		{ entry: `={{ [${OF_START}, null] }}`, message: NO_FILE, said: 'no fields.' },
		{ entry: '={{ { id: 7 } }}', message: NO_FILE, said: 'name of its field' },
		{ entry: "={{ { data: 'Ä€' } }}", message: NOT_BASE64, said: 'must be Base64 alone' },
		{ entry: '={{ undefined }}', message: EMPTY, said: ADVICE.separate },
		{ entry: '={{ [] }}', message: EMPTY, said: 'enter the name of its field alone' },
		{ entry: `= {{ ${OF_START} }}`, message: NO_FILE, said: 'a space or text around' },
	])('are explained where it gives none: $entry', async ({ entry, message, said }) => {
		const { error } = await runNode(
			optionsFor(entry, { items: [await itemWith('a.txt', 'memory')] }),
		);

		expect(error?.message).toBe(message);
		expect(error?.description).toContain(said);
		await expectNothingSent();
	});

	it.each(BINARY_MODES)('are nothing that an agent may hand over, in %s', async (mode) => {
		const items = [
			{ json: { file: await foreignFile(mode) } },
			{ json: { file: { data: 'YQ==', mimeType: 'text/plain' } } },
			await itemWith('own.txt', mode),
		];
		for (const item of items) {
			const expression = `={{ $json.file ?? ${OF_START} }}`;
			const options = optionsFor(expression, { binaryMode: mode, items: [item] });
			const { output } = await asTool().runNode(options);

			expect(output).toMatchObject([{ json: { error: 'An agent cannot hand files to a tool' } }]);
		}
		await expectNothingSent();
	});
});
