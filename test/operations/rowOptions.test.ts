import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem, readBinary } from '../support/binary';
import { sample, textFile } from '../support/files';
import { asTool } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { BINARY_MODES, PROFILES } from '../support/profiles';
import { useService } from '../support/useService';

const NO_PLACE = { valuesField: '', columnNameField: '', columnValueField: '' };
const GET_MANY = { resource: 'extraction', operation: 'getAll' };

const INVOICE = sample('invoice-harbour-supplies.pdf');
/** It names no total, and has no table. */
const NOTE = textFile('note.txt', 'Document number: N-1\nSupplier: Somebody\n');
/** Nothing is found in it. */
const SCAN = textFile('scan.pdf', 'Illegible\n', 'application/pdf');

const byName = (value: string) => ({ __rl: true, mode: 'name', value });
const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;
const textsOf = (hints: Array<{ message: string }>) => hints.map(({ message }) => message);

describe.each(PROFILES)('with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const fromFiles = async (
		files: Array<typeof INVOICE>,
		options: INodeParameters,
		run: RunOptions = {},
	) =>
		await used.run(
			{ options },
			{
				items: await Promise.all(
					files.map(
						async (data) =>
							await binaryItem({ json: { from: 'ann' }, files: { data }, mode: run.binaryMode }),
					),
				),
				...run,
			},
		);

	describe.each(BINARY_MODES)('and files in %s', (binaryMode) => {
		it('Rows Of gives an item for each row, paired to its file, and one for a file without rows', async () => {
			const { error, output } = await fromFiles(
				[INVOICE, NOTE],
				{ rowsOf: byName('Line items'), keepInputFiles: true, fileHash: true },
				{ binaryMode },
			);

			expect(error).toBeUndefined();
			const invoice = output.filter((item) => itemOf(item) === 0);
			const [note, ...others] = output.filter((item) => itemOf(item) === 1);
			expect(others).toEqual([]);
			expect(invoice.map(({ json }) => json.row)).toEqual(invoice.map((_, index) => index + 1));
			expect(invoice.length).toBeGreaterThan(3);
			expect(invoice.map(({ json }) => json.Article)).toContain('CH-033');
			for (const { json } of invoice) {
				expect(json).toMatchObject({
					'Document number': 'HS-2024-0417',
					Total: 641.28,
					fileName: INVOICE.fileName,
				});
				expect(json).not.toHaveProperty('Line items');
				expect(json.fileHash).toBe(invoice[0].json.fileHash);
			}
			expect(note.json).toMatchObject({ 'Document number': 'N-1', row: null });
			expect(await readBinary(invoice[3], 'data')).toEqual(INVOICE.data);
		});

		it('Required Columns hands a document that lacks one to the error output, with its file and values', async () => {
			const { error, output, errorOutput } = await fromFiles(
				[INVOICE, NOTE, SCAN],
				{ requiredColumns: 'Document number, Total' },
				{ binaryMode, onError: 'continueErrorOutput' },
			);

			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json.Total)).toEqual([641.28]);
			expect(errorOutput.map(({ json }) => json.error)).toEqual([
				"No value for 'Total'",
				"No value for 'Document number', 'Total'",
			]);
			expect(errorOutput.map(itemOf)).toEqual([1, 2]);
			expect(errorOutput[0].json.from).toBe('ann');
			expect(errorOutput[0].json.message).toMatch(
				/^If the document contains it, .*File: note\.txt\. Document ID: \S+\.$/,
			);
			expect(await readBinary(errorOutput[0], 'data')).toEqual(NOTE.data);
		});
	});

	it('Required Columns leaves the values in the item where the node continues', async () => {
		const { output } = await fromFiles(
			[INVOICE, NOTE],
			{ requiredColumns: '={{ ["Total"] }}' },
			{ onError: 'continueRegularOutput' },
		);

		expect(output[1].json).toMatchObject({
			from: 'ann',
			'Document number': 'N-1',
			fileName: 'note.txt',
			error: "No value for 'Total'",
			details: { documentId: output[1].json.documentId as string, file: { name: 'note.txt' } },
		});
	});

	it('Required Columns ends a run that does not continue, and names what is uploaded', async () => {
		const { error, output } = await fromFiles([NOTE], { requiredColumns: 'Total' });

		expect(output).toEqual([]);
		expect(error?.message).toBe("No value for 'Total'");
		expect(error?.description).toMatch(
			/Already uploaded and extraction started, do not upload again: note\.txt/,
		);
	});

	it('both fail before any request where results are returned raw', async () => {
		const settings: Array<[INodeParameters, IDataObject]> = [
			[{ simple: false, options: { rowsOf: byName('Line items') } }, {}],
			[{ options: { rowsOf: byName('Line items') } }, NO_PLACE],
			[{ options: { requiredColumns: 'Total' } }, NO_PLACE],
			[{ ...GET_MANY, simple: false, options: { requiredColumns: 'Total' } }, {}],
		];
		for (const [parameters, credential] of settings) {
			const items = [await binaryItem({ files: { data: NOTE } })];
			const { error } = await used.run(parameters, { items, credential });

			expect(error?.message).toMatch(/^'(Rows Of|Required Columns)' needs one item per document$/);
			expect(error?.description).toContain("'Set Up One Row per Document'");
		}
		expect(await used.control.requests()).toEqual([]);
	});
});

describe('of results of every form', () => {
	const used = useService({ profile: 'atlas' });

	const gotten = async (
		documents: object[],
		parameters: INodeParameters,
		run: RunOptions & { tool?: true } = {},
	) => {
		const items = documents.map((values, index) => ({ document_id: `D-${index + 1}`, values }));
		const body = { total: items.length, page: 1, limit: 50, pages: 1, items };
		await used.fault('getExtractions', { type: 'status', status: 200, body });
		const { tool, ...options } = run;
		const details = { ...NO_PLACE, valuesField: 'values' };
		const all = { ...GET_MANY, ...parameters };
		const result = tool
			? await asTool().runNode({
					...options,
					parameters: all,
					credential: used.service.credential(details),
				})
			: await used.run(all, { ...options, credential: details });
		return { ...result, rows: result.output.map(({ json }) => json) };
	};

	const rowsOf = (name: string): INodeParameters => ({ options: { rowsOf: byName(name) } });

	it('cells follow the other columns; what a cell holds is kept as it is', async () => {
		const { rows } = await gotten(
			[{ No: 'A', Lines: [{ Item: 'x', Taxes: [1, 2], Box: { a: 1 } }, { Item: null }], Total: 3 }],
			rowsOf(' Lines '),
		);

		const document = [
			['No', 'A'],
			['Total', 3],
			['documentId', 'D-1'],
		];
		expect(rows.map((row) => Object.entries(row))).toEqual([
			[...document, ['row', 1], ['Item', 'x'], ['Taxes', [1, 2]], ['Box', { a: 1 }]],
			[...document, ['row', 2], ['Item', null]],
		]);
	});

	it('a cell named like another field gets the name of the table in front, in all documents', async () => {
		const line = { Total: 1, documentId: 'x', row: 7, Lines: 'l', 'Lines Total': 'r' };
		const { rows } = await gotten(
			[{ Total: 3, Lines: [line] }, { Lines: [{ Total: 2 }] }],
			rowsOf('Lines'),
		);

		expect(rows).toEqual([
			{
				Total: 3,
				documentId: 'D-1',
				row: 1,
				'Lines Total': 1,
				'Lines documentId': 'x',
				'Lines row': 7,
				Lines: 'l',
				'Lines Lines Total': 'r',
			},
			{ documentId: 'D-2', row: 1, 'Lines Total': 2 },
		]);
	});

	it('a column that is called row keeps its name, and its value', async () => {
		const { rows } = await gotten(
			[{ row: 'own', Lines: [{ row: 7 }] }, { Lines: [] }],
			rowsOf('Lines'),
		);

		expect(rows).toEqual([
			{ row: 'own', documentId: 'D-1', 'Lines row': 1, 'Lines Lines row': 7 },
			{ documentId: 'D-2', 'Lines row': null },
		]);
	});

	it.each([
		['empty', { No: 1, Lines: [] }],
		['null', { No: 1, Lines: null }],
		['of empty rows', { No: 1, Lines: [{ Item: null }, { Item: '' }] }],
		['left out', { No: 1 }],
	])('a table that is %s gives one item', async (_, document) => {
		const { rows, hints } = await gotten(
			[document, { No: 2, Lines: [{ Item: 'x' }] }],
			rowsOf('Lines'),
		);

		expect(rows).toEqual([
			{ No: 1, documentId: 'D-1', row: null },
			{ No: 2, Item: 'x', documentId: 'D-2', row: 1 },
		]);
		expect(textsOf(hints)).toEqual([]);
	});

	it('a document in which nothing was found gives one item', async () => {
		const { rows } = await gotten([{}, { Lines: [{ Item: 'x' }] }], rowsOf('Lines'));

		expect(rows[0]).toEqual({ extraction: null, documentId: 'D-1', row: null });
	});

	it('rows that are no objects are kept under the name of the table', async () => {
		const { rows } = await gotten([{ Lines: ['x', ['y', 1], null] }], rowsOf('Lines'));

		expect(rows.map(({ Lines, row }) => [Lines, row])).toEqual([
			['x', 1],
			[['y', 1], 2],
			[null, 3],
		]);
	});

	it.each([
		[641.28, { Lines: 641.28 }],
		['one, two', { Lines: 'one, two' }],
		[
			{ Item: 'x', Total: 1 },
			{ Item: 'x', Total: 1 },
		],
	])('what is no list of rows is one row: %j', async (held, cells) => {
		const { rows } = await gotten([{ Lines: held }, { Lines: [{ Item: 'y' }] }], rowsOf('Lines'));

		expect(rows).toEqual([
			{ documentId: 'D-1', row: 1, ...cells },
			{ documentId: 'D-2', row: 1, Item: 'y' },
		]);
	});

	it('of two values of the column the first gives the rows, and the second is kept', async () => {
		const body = {
			total: 2,
			page: 1,
			limit: 50,
			pages: 1,
			items: [
				{ document_id: 'D-1', values: { Lines: [{ Item: 'x' }] } },
				{ document_id: 'D-1', values: { Lines: [{ Item: 'y' }] } },
			],
		};
		await used.fault('getExtractions', { type: 'status', status: 200, body });
		const { output } = await used.run(
			{ ...GET_MANY, ...rowsOf('Lines') },
			{ credential: { ...NO_PLACE, valuesField: 'values' } },
		);

		expect(output.map(({ json }) => json)).toEqual([
			{ Item: 'x', 'Lines (2)': [{ Item: 'y' }], documentId: 'D-1', row: 1 },
		]);
	});

	it('a name that no document has is said once', async () => {
		const documents = [{ Total: 1 }, { Total: 2 }, { Total: 3 }];

		const table = await gotten(documents, rowsOf('Lins'));
		const required = await gotten(
			documents,
			{ options: { requiredColumns: 'total' } },
			{ onError: 'continueRegularOutput' },
		);

		expect(table.rows).toHaveLength(3);
		expect(textsOf(table.hints)).toEqual([
			"No document has the column 'Lins' that 'Rows Of' names: check its spelling, upper and lower case included.",
		]);
		expect(required.rows.map(({ error }) => error)).toEqual(Array(3).fill("No value for 'total'"));
	});

	it.each([
		[0, false],
		[false, false],
		['', true],
		[' ', true],
		[null, true],
		[[], true],
		[[{ Item: null }], true],
		[[{ Item: 0 }], false],
	])('a required column that holds %j is missing: %s', async (held, isMissing) => {
		const { rows } = await gotten(
			[{ Total: held }],
			{ options: { requiredColumns: 'Total' } },
			{ onError: 'continueRegularOutput' },
		);

		expect(rows.map((row) => 'error' in row)).toEqual([isMissing]);
	});

	it('spaces around the name of a column do not count', async () => {
		const { rows, hints } = await gotten([{ ' Total ': 3, 'Lines ': [{ Item: 'x' }] }], {
			options: { rowsOf: byName(' Lines'), requiredColumns: 'Total' },
		});

		expect(rows).toEqual([{ ' Total ': 3, documentId: 'D-1', row: 1, Item: 'x' }]);
		expect(textsOf(hints)).toEqual([]);
	});

	it('a cell gets no name that n8n loses, or that says that nothing was found', async () => {
		const line = JSON.parse('{"__proto__": 1, "extraction": null}') as object;
		const { rows } = await gotten([{ Lines: [line, { Item: 'x' }] }], rowsOf('Lines'));

		expect(Object.entries(rows[0]).slice(-2)).toEqual([
			['Lines __proto__', 1],
			['Lines extraction', null],
		]);
	});

	it('a required table gives one failed item, and no rows', async () => {
		const { output, errorOutput } = await gotten(
			[
				{ No: 1, Lines: [] },
				{ No: 2, Lines: [{ Item: 'x' }, { Item: 'y' }] },
			],
			{ options: { rowsOf: byName('Lines'), requiredColumns: 'Lines' } },
			{ onError: 'continueErrorOutput' },
		);

		expect(output.map(({ json }) => json.Item)).toEqual(['x', 'y']);
		expect(errorOutput.map(({ json }) => json.error)).toEqual(["No value for 'Lines'"]);
	});

	it('an expression that gives nothing is no missing option', async () => {
		for (const options of [
			{ requiredColumns: '={{ $json.none }}' },
			{ rowsOf: byName('={{ $json.none }}') },
		]) {
			const { error } = await gotten([{ Total: 1 }], { options: options as INodeParameters });

			expect(error?.message).toMatch(
				/^The expression in '(Rows Of|Required Columns)' gives nothing$/,
			);
		}
	});

	describe('for an agent', () => {
		const documents = [{ No: 1, Total: 3, Lines: [{ Item: 'x' }, { Item: 'y' }] }];

		it('Rows Of works with every column and with those that are selected', async () => {
			const all = await gotten(documents, rowsOf('Lines'), { tool: true });
			const some = await gotten(
				documents,
				{ ...rowsOf('Lines'), output: 'selectedFields', selectedFields: ['Total'] },
				{ tool: true },
			);

			expect(all.rows[1]).toEqual({ No: 1, Total: 3, Item: 'y', documentId: 'D-1', row: 2 });
			expect(some.rows).toEqual([
				{ Total: 3, Item: 'x', documentId: 'D-1', row: 1 },
				{ Total: 3, Item: 'y', documentId: 'D-1', row: 2 },
			]);
		});

		it('Required Columns tells what is missing and what is there', async () => {
			const { rows } = await gotten(
				documents,
				{ options: { requiredColumns: 'Currency' } },
				{ tool: true },
			);

			expect(rows).toMatchObject([
				{ No: 1, Total: 3, documentId: 'D-1', error: "No value for 'Currency'" },
			]);
		});

		it('both say which Output they need', async () => {
			const { rows } = await gotten(
				documents,
				{ ...rowsOf('Lines'), output: 'raw' },
				{ tool: true },
			);

			expect(rows).toMatchObject([
				{
					error: "'Rows Of' needs one item per document",
					message: expect.stringContaining("'Output'") as string,
				},
			]);
		});
	});
});
