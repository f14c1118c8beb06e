import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { BINARY_MODES, binaryItem, itemWith, readBinary } from '../support/binary';
import { sample, textFile } from '../support/files';
import type { RunOnService } from '../support/usedService';
import { PROFILES } from '../support/serviceContract';
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

describe.each(PROFILES)('with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const fromFiles = async (
		files: Array<typeof INVOICE>,
		options: INodeParameters,
		run: RunOnService = {},
	) => {
		const json = { from: 'ann' };
		const mode = run.binaryMode;
		const items = files.map(async (data) => await binaryItem({ json, files: { data }, mode }));
		return await used.run({ options }, { items: await Promise.all(items), ...run });
	};

	it.each(BINARY_MODES)(
		'Required Columns hands a document that lacks one to the error output, with its file in %s',
		async (binaryMode) => {
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
			expect(errorOutput[0].json.message).toMatch(/File: note\.txt\. Document ID: \S+\.$/);
			expect(await readBinary(errorOutput[0], 'data')).toEqual(NOTE.data);
		},
	);

	it('Rows Of pairs each row with the item of its document, and keeps its file there', async () => {
		const options = { rowsOf: byName('Line items'), keepInputFiles: true };
		const { output } = await fromFiles([NOTE, INVOICE], options);

		expect(output.length).toBeGreaterThan(4);
		expect(output.map(itemOf)).toEqual(output.map((_, row) => Math.min(row, 1)));
		expect(await readBinary(output[4], 'data')).toEqual(INVOICE.data);
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

	const rowsOfLineItems = { rowsOf: byName('Line items') };
	it.each<[INodeParameters, IDataObject]>([
		[{ simple: false, options: rowsOfLineItems }, {}],
		[{ options: rowsOfLineItems }, NO_PLACE],
		[{ options: { requiredColumns: 'Total' } }, NO_PLACE],
		[{ ...GET_MANY, simple: false, options: { requiredColumns: 'Total' } }, {}],
	])(
		'%j fails before any request where results are returned raw',
		async (parameters, credential) => {
			const { error } = await used.run(parameters, { items: [await itemWith(NOTE)], credential });

			expect(error?.message).toMatch(/^'(Rows Of|Required Columns)' needs one item per document$/);
			expect(await used.control.requests()).toEqual([]);
		},
	);
});

describe('of results of every form', () => {
	const used = useService({ profile: 'atlas' });

	/** Get Many of documents with these values. */
	const gotten = async (
		documents: unknown[],
		options: INodeParameters,
		{ onError, ...parameters }: INodeParameters & Pick<RunOnService, 'onError'> = {},
	) => {
		await used.answerResults(
			documents.map((values, index) => ({ document_id: `D-${index + 1}`, values })),
		);
		const isTool = 'output' in parameters;
		const credential = { ...NO_PLACE, valuesField: 'values' };
		const { output, ...others } = await used.run(
			{ ...GET_MANY, options, ...parameters },
			{ credential, onError, isTool },
		);
		return { ...others, rows: output.map(({ json }) => json) };
	};

	const LINES = { rowsOf: byName('Lines') };

	const D1 = { documentId: 'D-1', row: 1 };
	const D2 = { documentId: 'D-2', row: 1 };
	const line = { Total: 1, documentId: 'x', row: 7, Lines: 'l', 'Lines Total': 'r' };
	const unsafeLine = JSON.parse('{ "__proto__": 1, "extraction": null }') as object;

	it.each<[what: string, documents: object[], rows: object[]]>([
		[
			'what a cell holds is kept as it is',
			[{ No: 'A', ' Lines': [{ Item: 'x', Taxes: [1, 2], Box: { a: 1 } }, { Item: null }] }],
			[
				{ No: 'A', ...D1, Item: 'x', Taxes: [1, 2], Box: { a: 1 } },
				{ No: 'A', ...D1, row: 2, Item: null },
			],
		],
		[
			'a cell named like another field gets the name of the table in front, in all documents',
			[{ Total: 3, Lines: [line] }, { Lines: [{ Total: 2 }] }],
			[
				{
					Total: 3,
					...D1,
					'Lines Total': 1,
					'Lines documentId': 'x',
					'Lines row': 7,
					Lines: 'l',
					'Lines Lines Total': 'r',
				},
				{ ...D2, 'Lines Total': 2 },
			],
		],
		[
			'a column that is called row keeps its name, and its value',
			[
				{ row: 'own', Lines: [{ row: 7 }] },
				{ No: 2, Lines: [] },
			],
			[
				{ row: 'own', documentId: 'D-1', 'Lines row': 1, 'Lines Lines row': 7 },
				{ No: 2, documentId: 'D-2', 'Lines row': null },
			],
		],
		[
			'a cell gets no name that n8n loses, or that says that nothing was found',
			[{ Lines: [unsafeLine] }],
			[{ ...D1, 'Lines __proto__': 1, 'Lines extraction': null }],
		],
		[
			'rows that are no objects are kept under the name of the table',
			[{ Lines: ['x', ['y', 1], null] }],
			[
				{ ...D1, Lines: 'x' },
				{ ...D1, row: 2, Lines: ['y', 1] },
				{ ...D1, row: 3, Lines: null },
			],
		],
		['a number is one row', [{ Lines: 641.28 }], [{ ...D1, Lines: 641.28 }]],
		['a text is one row', [{ Lines: 'one, two' }], [{ ...D1, Lines: 'one, two' }]],
		['an object is one row', [{ Lines: { Item: 'x', No: 1 } }], [{ ...D1, Item: 'x', No: 1 }]],
	])('%s', async (_, documents, expected) => {
		const { rows, hints } = await gotten(documents, { rowsOf: byName(' Lines ') });

		expect(rows).toEqual(expected);
		expect(hints).toEqual([]);
	});

	it.each([
		['is empty', { No: 1, Lines: [] }],
		['is null', { No: 1, Lines: null }],
		['has only empty rows', { No: 1, Lines: [{ Item: null }, { Item: '' }] }],
		['is left out', { No: 1 }],
		['is not there, nor anything else,', {}],
	])('a table that %s gives one item', async (_, values) => {
		const { rows, hints } = await gotten([values, { Lines: [{ Item: 'x' }] }], LINES);

		const others = 'No' in values ? { No: 1 } : { extraction: null };
		expect(rows).toEqual([
			{ ...others, ...D1, row: null },
			{ ...D2, Item: 'x' },
		]);
		expect(hints).toEqual([]);
	});

	it('of two values of the column the first gives the rows, and the second is kept', async () => {
		const values = ['x', 'y'].map((Item) => ({ Lines: [{ Item }] }));
		await used.answerResults(values.map((one) => ({ document_id: 'D-1', values: one })));
		const { rows } = await gotten([], LINES);

		expect(rows).toEqual([{ Item: 'x', 'Lines (2)': [{ Item: 'y' }], ...D1 }]);
	});

	it('a table that no document has is said once', async () => {
		const { rows, hints } = await gotten([{ Total: 1 }, { Total: 2 }], { rowsOf: byName('Lins') });

		expect(rows).toHaveLength(2);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining("'Lins'")]);
	});

	it.each([
		[{ Total: 0 }, false],
		[{ ' Total ': false }, false],
		[{ Total: [{ Item: 0 }] }, false],
		[{ Total: ' ' }, true],
		[{ Total: null }, true],
		[{ Total: [] }, true],
		[{ Total: [{ Item: null }] }, true],
		[{ total: 1 }, true],
	])('of %j the required Total is missing: %s', async (values, isMissing) => {
		const { rows } = await gotten(
			[values],
			{ requiredColumns: 'Total' },
			{ onError: 'continueRegularOutput' },
		);

		expect(rows.map(({ error }) => error)).toEqual([
			isMissing ? "No value for 'Total'" : undefined,
		]);
	});

	it('a required table gives one failed item, and no rows', async () => {
		const { rows, errorOutput } = await gotten(
			[{ Lines: [] }, { Lines: ['x', 'y'] }],
			{ ...LINES, requiredColumns: 'Lines' },
			{ onError: 'continueErrorOutput' },
		);

		expect(rows.map(({ Lines }) => Lines)).toEqual(['x', 'y']);
		expect(errorOutput.map(({ json }) => json.error)).toEqual(["No value for 'Lines'"]);
	});

	const NOTHING = '={{ $json.none }}';

	it.each<INodeParameters>([{ requiredColumns: NOTHING }, { rowsOf: byName(NOTHING) }])(
		'an expression that gives nothing is no missing option: %j',
		async (options) => {
			const { error } = await gotten([{ Total: 1 }], options);

			expect(error?.message).toMatch(/^The expression in '.+' gives nothing$/);
		},
	);

	it.each<[output: string, options: INodeParameters, row: IDataObject]>([
		['simplified', LINES, { No: 1, Total: 3, Item: 'x', ...D1 }],
		['selectedFields', LINES, { Total: 3, Item: 'x', ...D1 }],
		[
			'simplified',
			{ requiredColumns: 'Currency' },
			expect.objectContaining({ No: 1, documentId: 'D-1', error: "No value for 'Currency'" }),
		],
		[
			'raw',
			LINES,
			expect.objectContaining({
				error: "'Rows Of' needs one item per document",
				message: expect.stringContaining("'Output'"),
			}),
		],
	])('an agent gets, as Output is %s, with %j: %j', async (output, options, row) => {
		const values = { No: 1, Total: 3, Lines: [{ Item: 'x' }] };
		const { rows } = await gotten([values], options, { output, selectedFields: ['Total'] });

		expect(rows).toEqual([row]);
	});
});
