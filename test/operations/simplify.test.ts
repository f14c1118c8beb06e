import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { BINARY_MODES, binaryItem, itemWith, readBinary } from '../support/binary';
import { sample, textFile } from '../support/files';
import type { NodeRun, RunOptions } from '../support/nodeEngine';
import type { RunOnService } from '../support/usedService';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';

const NO_PLACE = { rows: '' };

/** What the sample says, column by column; the same in every account. */
const INVOICE = {
	'Document number': 'HS-2024-0417',
	Supplier: 'Harbour Office Supplies Ltd',
	'Document date': '2024-03-14',
	'Line items': expect.arrayContaining([
		{
			Article: 'CH-033',
			Description: 'Desk chair, mesh back, grey',
			Quantity: '1',
			'Unit price': '129.00',
			Amount: '129.00',
		},
	]) as unknown,
};

const INVOICE_FILE = sample('invoice-harbour-supplies.pdf');

const FROM_FILES = { binaryPropertyName: '*' };
const GET_MANY = { resource: 'extraction', operation: 'getAll' };

/** Without the query of URLs: the service signs the URLs of files anew with each read. */
const unsigned = (json: unknown) =>
	JSON.parse(JSON.stringify(json).replace(/\?X-Amz-[^"]*/g, '')) as unknown;

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

describe.each(PROFILES)('Simplify, with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const columns = () => used.client.workflow.columns.map(({ name }) => name);

	const order = sample('purchase-order-larkfield.pdf');

	/** Documents with a value for each column, be that one result or several. */
	const seed = async (documents: number) => {
		const extractionsPerDocument = profile === 'borealis' ? columns().length : 1;
		return (await used.control.seed({ documents, extractionsPerDocument })).documentIds;
	};

	const rawRows = async () =>
		(await used.client.resultsPage({ limit: 200 })).items.map((row) => unsigned(row));

	it('gives one item per file, the values first, and tables as lists', async () => {
		const items = [await itemWith(INVOICE_FILE), await itemWith(order, INVOICE_FILE)];

		const { error, output } = await used.run({ binaryPropertyName: '*' }, { items });

		expect(error).toBeUndefined();
		expect(output.map(itemOf)).toEqual([0, 1, 1]);
		expect(output.map(({ json }) => json.fileName)).toEqual(
			[INVOICE_FILE, order, INVOICE_FILE].map(({ fileName }) => fileName),
		);
		expect(output[0].json).toMatchObject(INVOICE);
		expect({ ...output[2].json, documentId: '' }).toEqual({ ...output[0].json, documentId: '' });
		for (const { json } of output) {
			expect(Object.keys(json)).toEqual([...columns(), 'documentId', 'fileName']);
		}
		const { uploads } = await used.control.ledger();
		expect(output.map(({ json }) => String(json.documentId)).sort()).toEqual(
			uploads.map(({ documentId }) => documentId).sort(),
		);
	});

	it('counts whole documents where Get Many has a limit', async () => {
		const documentIds = await seed(30);

		for (const limit of [1, 29]) {
			const { output } = await used.run({ ...GET_MANY, limit });

			expect(output.map(({ json }) => json.documentId)).toEqual(documentIds.slice(0, limit));
			for (const { json } of output) {
				expect(Object.keys(json)).toEqual([...columns(), 'documentId']);
			}
		}
	});

	it('changes nothing without its API Details, and says once which line to add', async () => {
		const items = [await itemWith(INVOICE_FILE), await itemWith(order)];
		const unknown = { items, credential: NO_PLACE };
		const details = used.service.account.apiDetails;
		const right = `Rows: ${details.rows}`;

		const fromFiles = await used.run(FROM_FILES, unknown);
		const many = await used.run(GET_MANY, unknown);
		const rows = await rawRows();
		const off = [
			await used.run({ ...FROM_FILES, simple: false }, unknown),
			await used.run({ ...GET_MANY, simple: false }, unknown),
		];

		expect(many.output.map(({ json }) => unsigned(json))).toEqual([...rows, ...rows]);
		const extractions = fromFiles.output.map(({ json }) => unsigned(json.extraction));
		expect(extractions).toEqual(expect.arrayContaining(rows));
		expect(extractions).toHaveLength(rows.length);
		const advice = ({ hints }: NodeRun) =>
			hints.map(({ message }) => message).filter((message) => message.includes('raw JSON'));
		for (const run of [fromFiles, many]) {
			expect(advice(run)).toHaveLength(1);
			const [message] = advice(run);
			expect(message).toContain('Copy the line that shows your columns');
			const choices = message.split('<br>\n').filter((line) => line.includes(' → '));
			expect(choices.length).toBeLessThanOrEqual(3);
			expect(choices[0]).toContain(`${right} → Document number: HS-2024-0417 · Supplier: Harbour `);
		}
		expect(off.flatMap(advice)).toEqual([]);
	});

	describe('as an AI tool', () => {
		const tool = async (parameters: INodeParameters, credential = {}) =>
			await used.run({ ...GET_MANY, returnAll: true, ...parameters }, { isTool: true, credential });
		const selected = { output: 'selectedFields', selectedFields: ['Total', 'No such column'] };

		it('gives as much as Output says, whatever Simplify says', async () => {
			const documentIds = await seed(2);

			const simple = await tool({ simple: false });
			const unknown = await tool({ simple: false }, NO_PLACE);
			const raw = await tool({ output: 'raw' });
			const some = await tool(selected);

			expect(simple.output.map(({ json }) => Object.keys(json))).toEqual(
				documentIds.map(() => [...columns(), 'documentId']),
			);
			for (const { output, hints } of [unknown, raw]) {
				expect(output.map(({ json }) => unsigned(json))).toEqual(await rawRows());
				expect(hints).toEqual([]);
			}
			expect(some.output.map(({ json }) => Object.entries(json))).toEqual(
				documentIds.map((documentId) => [
					['Total', expect.any(Number)],
					['No such column', null],
					['documentId', documentId],
					['columnsNotFound', ['No such column']],
				]),
			);
		});

		it('says what selected columns need', async () => {
			await seed(1);

			const [{ json }] = (await tool(selected, NO_PLACE)).output;

			expect(json.error).toBe("'Selected Fields' needs simplified output");
			expect(json.message).toContain('one of the lines that Workflow › Check Setup shows for Rows');
		});
	});

	it('decides by item whether results are simplified, in one extraction', async () => {
		const item = await itemWith(INVOICE_FILE);
		const items = [true, false].map((simple) => ({ ...item, json: { simple } }));

		const { output } = await used.run(
			{ binaryPropertyName: '*', simple: '={{ $json.simple }}' },
			{ items },
		);

		expect(output[0].json).toMatchObject(INVOICE);
		expect(output[1].json).toHaveProperty('extraction');
		expect((await used.control.ledger()).extractions).toHaveLength(1);
	});

	it('says after an extraction where its results are, if they cannot be simplified', async () => {
		const credential = { ...NO_PLACE, rows: 'nowhere' };
		const wrong = { items: [await itemWith(INVOICE_FILE)], credential };

		const stopped = await used.run(FROM_FILES, wrong);
		const continued = await used.run(FROM_FILES, { ...wrong, onError: 'continueRegularOutput' });

		const { message, description } = stopped.error ?? {};
		expect(message).toBe("A result has no field 'nowhere' (see 'Rows' in the credential)");
		expect(description).toContain(
			'Already uploaded, with the extraction started; do not upload again',
		);
		const [{ json, binary }] = continued.output;
		expect(json).toMatchObject({ error: message, details: { documentId: expect.any(String) } });
		expect(binary).toMatchObject({ file_0: { fileName: INVOICE_FILE.fileName } });
	});
});

describe('Simplify does what the credential says', () => {
	const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

	/** What Get Many gives for results that the service holds. */
	const simplified = async (results: unknown[], details: IDataObject, run: RunOnService = {}) => {
		await used.answerResults(results, { times: 1 });
		const credential = { ...NO_PLACE, ...details };
		const { output, hints, ...others } = await used.run(GET_MANY, { credential, ...run });
		const rows = output.map(({ json }) => json);
		return { ...others, rows, hints: hints.map(({ message }) => message) };
	};

	const asObject = { rows: 'values' };
	const asEntries = { rows: 'cells: name = value' };
	const asTexts = { rows: 'cells: name = text' };
	const asResults = { rows: '.: name = value' };
	const a = (values: unknown) => ({ document_id: 'a', values });
	const cell = (id: string, name: string, value?: unknown) => ({ document_id: id, name, value });

	const PLAIN_VALUES = {
		Website: 'https://a.example/x',
		LinkedIn: 'https://b.example/y',
		'c-1': true,
		'c-2': true,
		document_id: 'a',
	};
	const ODD_VALUES = { ...PLAIN_VALUES, Total: { amount: 1, currency: 'EUR' } };
	const LINES = [{ Item: 'x' }];

	it.each<[string, IDataObject, unknown[], IDataObject[]]>([
		[
			'links, equal answers, objects and IDs as values, beside other fields',
			asObject,
			[{ meta: { pages: 2 }, ...a(ODD_VALUES) }],
			[{ ...PLAIN_VALUES, 'Total.amount': 1, 'Total.currency': 'EUR', documentId: 'a' }],
		],
		[
			'values in boxes, and a table without one',
			{ rows: 'values = value' },
			[a({ Total: { value: 1, sure: 0.9 }, Notes: { sure: 0.1 }, Lines: LINES, Empty: null })],
			[{ Total: 1, Notes: null, Lines: LINES, Empty: null, documentId: 'a' }],
		],
		[
			'document_id before Document ID Field, which may be the ID of the result',
			{ ...asObject, documentIdField: 'id' },
			['a', 'a', 'b'].map((document_id, part) => ({
				id: `r-${part}`,
				document: { document_id },
				values: { [`Column ${part}`]: part },
			})),
			[
				{ 'Column 0': 0, 'Column 1': 1, documentId: 'a' },
				{ 'Column 2': 2, documentId: 'b' },
			],
		],
		[
			'Document ID Field where there is no document_id but those of other documents',
			{ ...asObject, documentIdField: 'uuid' },
			[
				{ uuid: 'a', duplicate_of: { document_id: 'x' }, values: { Total: 1 } },
				{ uuid: 'b', previous: { document_id: 'x', uuid: 'y' }, values: { Total: 2 } },
				{ uuid: 'c', sources: [{ document_id: 'x' }, { document_id: 'z' }], values: { Total: 3 } },
			],
			['a', 'b', 'c'].map((documentId, index) => ({ Total: index + 1, documentId })),
		],
		[
			'the ID nearest to the top, and none of a column',
			{ ...asObject, documentIdField: 'docId' },
			[
				{ docId: 'a', conflict: { document_id: 'x' }, values: { document_id: 'y' } },
				{ docId: 'b', values: { Total: 2 } },
			],
			[
				{ document_id: 'y', documentId: 'a' },
				{ Total: 2, documentId: 'b' },
			],
		],
		[
			'columns that are called as other fields, with a number',
			asObject,
			[a(JSON.parse('{"documentId": 1, "extraction": null, "__proto__": 2, "constructor": 3}'))],
			[
				{
					'documentId (2)': 1,
					'extraction (2)': null,
					'__proto__ (2)': 2,
					constructor: 3,
					documentId: 'a',
				},
			],
		],
		[
			'columns of one name, with numbers that no column has',
			asResults,
			[
				cell('a', 'Total', 1),
				cell('a', 'Total', 2),
				cell('b', 'Total', 5),
				cell('a', 'Total (2)', 3),
				cell('a', 'Total', 1),
			],
			[
				{ Total: 1, 'Total (3)': 2, 'Total (2)': 3, 'Total (4)': 1, documentId: 'a' },
				{ Total: 5, documentId: 'b' },
			],
		],
		[
			'a column with an empty name, and one without',
			{ rows: 'values: name = value' },
			[a([{ name: 'Total', value: 1 }, { name: '', value: 2 }, { value: 3 }, { name: ' ' }])],
			[{ Total: 1, '(no name)': 2, '(no name) (2)': 3, documentId: 'a' }],
		],
	])('keeps every value, without a word: %s', async (_, details, results, expected) => {
		const { rows, hints } = await simplified(results, details);

		expect(rows).toEqual(expected);
		expect(hints).toEqual([]);
	});

	it('gives a result that names no document an item of its own, and says so', async () => {
		const nobodys = [2, 3].map((value) => ({ name: 'Total', value }));

		const { rows, hints } = await simplified([cell('a', 'Total', 1), ...nobodys], asResults);

		expect(rows).toEqual([
			{ Total: 1, documentId: 'a' },
			{ Total: 2, documentId: null },
			{ Total: 3, documentId: null },
		]);
		expect(hints).toEqual([expect.stringContaining("'Document ID Field' in the credential")]);
	});

	it.each<[RunOptions['onError'], number]>([
		['continueRegularOutput', 3],
		['continueErrorOutput', 2],
		['stopWorkflow', 0],
	])('fails one document alone, and names it (%s)', async (onError, count) => {
		const values = [{ Total: 1 }, 'Total: 2', { Total: 3 }];
		const results = values.map((one, at) => ({ document_id: `D "${at + 1}"`, values: one }));

		const { error, errorOutput, rows } = await simplified(results, asObject, { onError });

		expect(rows).toHaveLength(count);
		expect(rows.filter((row) => !row.error)).toEqual(
			count > 0 ? [1, 3].map((Total) => ({ Total, documentId: `D "${Total}"` })) : [],
		);
		const thrown = { error: error?.message, message: error?.description };
		const failed: IDataObject = rows.find((row) => row.error) ?? errorOutput.at(0)?.json ?? thrown;
		expect(failed.error).toBe("'values' (see 'Rows' in the credential) contains no columns");
		const { documentId } = { ...(failed.details as IDataObject) };
		expect([failed.message, documentId].join()).toContain('D "2"');
	});

	const NO_COLUMNS = 'contains no columns';
	const NO_NAME = "has no field 'name'";

	it.each<[string, IDataObject, IDataObject, string, string]>([
		['a single value', { values: 'Total: 1' }, asObject, NO_COLUMNS, 'It is: Total: 1.'],
		['no name', { cells: [{ label: 'Total', value: 1 }] }, asEntries, NO_NAME, 'label, value.'],
		['null for a name', { cells: [{ name: null, value: 1 }] }, asEntries, NO_NAME, 'name, value.'],
		['an object for a name', { cells: [{ name: { a: 1 } }] }, asEntries, NO_NAME, 'name.a.'],
		['no value', { cells: [{ name: 'T', n: 1 }] }, asEntries, "has no field 'value'", 'name, n.'],
		['nothing', { fields: { T: 1 } }, asObject, "no field 'values'", '\nRows: fields → T'],
	])('refuses %s, and says which fields there are', async (_, result, details, message, fields) => {
		await used.answerResults([], { skip: 1 });
		const { error, rows } = await simplified([{ document_id: 'a', ...result }], details);

		expect(rows).toEqual([]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(fields);
	});

	const scanned = (document_id: string, value: { value?: unknown }) => ({
		document_id,
		cells: [{ name: 'Total', ...value, confidence: { value: 0.97 } }],
	});
	const BLANK = scanned('blank', {});
	const READ = scanned('a', { value: 5 });
	const nothing = { document_id: 'blank', created_at: '2026-11-22' };
	const total = a({ Total: 1 });
	const NO_COLUMN = { extraction: null };
	const NO_TOTAL = { Total: null };

	it.each<[string, IDataObject, unknown[], IDataObject, unknown[]?]>([
		['whose values are null', asObject, [{ ...nothing, values: null }], NO_COLUMN],
		['whose values others have', asObject, [nothing, total], NO_COLUMN],
		['whose values only earlier results have', asObject, [nothing], NO_COLUMN, [total]],
		['whose entry leaves out its value', asResults, [cell('blank', 'Total')], NO_TOTAL],
		['with a confidence, after others', asEntries, [READ, BLANK], NO_TOTAL],
		['with a confidence alone', asEntries, [BLANK], NO_TOTAL, [READ]],
	])(
		'knows a blank document %s',
		async (_, details, results, row, earlier = [cell('a', 'Total', 1)]) => {
			await used.answerResults(earlier, { skip: 1, times: 1 });

			const { rows } = await simplified(results, details);

			expect(rows).toContainEqual({ ...row, documentId: 'blank' });
			expect(rows).toHaveLength(results.length);
		},
	);

	it.each<[string, unknown, IDataObject]>([
		['no values', { ...nothing, fields: { Total: 1 } }, asObject],
		['entries without a value', BLANK, asTexts],
	])(
		'fails a document with %s if no result has any, and says both reasons',
		async (_, result, details) => {
			await used.fault('getExtractions', { type: 'status', status: 500 }, { skip: 1 });

			const { rows } = await simplified([result], details, { onError: 'continueRegularOutput' });

			expect(rows).toHaveLength(1);
			expect(rows[0].error).toContain("(see 'Rows' in the credential)");
			expect(rows[0].message).toContain(
				"its extraction failed or is not over, or 'Rows' is wrong.",
			);
			expect(rows[0].message).toContain("switch off 'Simplify'");
			expect(rows[0].message).not.toContain('<br>');
		},
	);
});

/** It names no total, and has no table. */
const NOTE = textFile('note.txt', 'Document number: N-1\nSupplier: Somebody\n');
/** Nothing is found in it. */
const SCAN = textFile('scan.pdf', 'Illegible\n', 'application/pdf');

const byName = (value: string) => ({ __rl: true, mode: 'name', value });
const required = (...names: string[]) => ({
	requiredColumns: { columns: names.map((name) => ({ column: byName(name) })) },
});

describe.each(PROFILES)('Rows Of and Required Columns, with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const fromFiles = async (
		files: Array<typeof INVOICE_FILE>,
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
				[INVOICE_FILE, NOTE, SCAN],
				required('Document number', 'Total'),
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
		const { output } = await fromFiles([NOTE, INVOICE_FILE], options);

		expect(output.length).toBeGreaterThan(4);
		expect(output.map(itemOf)).toEqual(output.map((_, row) => Math.min(row, 1)));
		expect(await readBinary(output[4], 'data')).toEqual(INVOICE_FILE.data);
	});

	it('Required Columns leaves the values in the item where the node continues', async () => {
		const { output } = await fromFiles([INVOICE_FILE, NOTE], required('={{ ["Total"] }}'), {
			onError: 'continueRegularOutput',
		});

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
		[{ options: required('Total') }, NO_PLACE],
		[{ ...GET_MANY, simple: false, options: required('Total') }, {}],
	])('%j fails before any request where results are raw', async (parameters, credential) => {
		const { error } = await used.run(parameters, { items: [await itemWith(NOTE)], credential });

		expect(error?.message).toMatch(/^'(Rows Of|Required Columns)' needs simplified output$/);
		expect(await used.control.requests()).toEqual([]);
	});
});

describe('Rows Of and Required Columns, of results of every form', () => {
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
		const credential = { ...NO_PLACE, rows: 'values' };
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
			'a cell holds a plain value, or a list',
			[{ No: 'A', ' Lines': [{ Item: 'x', Taxes: [1, 2], Box: { a: 1 } }, { Item: null }] }],
			[
				{ No: 'A', ...D1, 'Lines Item': 'x', 'Lines Taxes': [1, 2], 'Lines Box.a': 1 },
				{ No: 'A', ...D1, row: 2, 'Lines Item': null },
			],
		],
		[
			'a cell has the name of the table in front, whatever other columns there are',
			[{ Total: 3, Lines: [line] }, { Lines: [{ Total: 2 }] }],
			[
				{
					Total: 3,
					...D1,
					'Lines Total': 1,
					'Lines documentId': 'x',
					'Lines row': 7,
					'Lines Lines': 'l',
					'Lines Lines Total': 'r',
				},
				{ ...D2, 'Lines Total': 2 },
			],
		],
		[
			'a column that is called row gets a number',
			[
				{ row: 'own', Lines: [{ row: 7 }] },
				{ No: 2, Lines: [] },
			],
			[
				{ 'row (2)': 'own', ...D1, 'Lines row': 7 },
				{ No: 2, ...D2, row: null },
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
		[
			'an object is one row',
			[{ Lines: { Item: 'x', No: 1 } }],
			[{ ...D1, 'Lines Item': 'x', 'Lines No': 1 }],
		],
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
			{ ...D2, 'Lines Item': 'x' },
		]);
		const messages = hints.map(({ message }) => message);
		expect(messages).toEqual('No' in values ? [] : ['Needs attention: 1 without results.']);
	});

	it('of two tables in a document all rows are given', async () => {
		const values = ['x', 'y'].map((Item) => ({ Lines: [{ Item }] }));
		await used.answerResults(values.map((one) => ({ document_id: 'D-1', values: one })));
		const { rows } = await gotten([], LINES);

		expect(rows).toEqual([
			{ ...D1, 'Lines Item': 'x' },
			{ ...D1, row: 2, 'Lines Item': 'y' },
		]);
	});

	it.each([641.28, 'one, two'])('%j is one row, and said to be no table', async (Lines) => {
		const { rows, hints } = await gotten([{ Lines }], LINES);

		expect(rows).toEqual([{ ...D1, Lines }]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining("'Lines', which 'Rows Of' names, is not a table"),
		]);
	});

	it('a hint says that rows hold tables themselves', async () => {
		const { rows, hints } = await gotten([{ Lines: [{ Page: 7, Rows: [{ Item: 'x' }] }] }], LINES);

		expect(rows).toEqual([{ ...D1, 'Lines Page': 7, 'Lines Rows': [{ Item: 'x' }] }]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The rows of 'Lines', which 'Rows Of' names, have lists of rows in/),
		]);
	});

	it('the column of this very name wins', async () => {
		const { rows } = await gotten([{ ' Total ': 1, Total: null }], required('Total'), {
			onError: 'continueRegularOutput',
		});

		expect(rows[0].error).toBe("No value for 'Total'");
	});

	it('says which column is probably meant where the workflow has none of that name', async () => {
		const [{ name }] = used.client.workflow.columns;
		const { rows } = await gotten([{ [name]: 1 }], required(name.toUpperCase()), {
			onError: 'continueRegularOutput',
		});

		expect(rows[0].error).toBe(`There is no column '${name.toUpperCase()}'`);
		expect(rows[0].message).toContain(`Did you mean '${name}'?`);
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
		const { rows } = await gotten([values], required('Total'), {
			onError: 'continueRegularOutput',
		});

		expect(rows.map(({ error }) => error)).toEqual([
			isMissing ? "No value for 'Total'" : undefined,
		]);
	});

	it('a required table gives one failed item, and no rows', async () => {
		const { rows, errorOutput } = await gotten(
			[{ Lines: [] }, { Lines: ['x', 'y'] }],
			{ ...LINES, ...required('Lines') },
			{ onError: 'continueErrorOutput' },
		);

		expect(rows.map(({ Lines }) => Lines)).toEqual(['x', 'y']);
		expect(errorOutput.map(({ json }) => json.error)).toEqual(["No value for 'Lines'"]);
	});

	const NOTHING = '={{ $json.none }}';

	it.each<INodeParameters>([required(NOTHING), { rowsOf: byName(NOTHING) }])(
		'an expression that gives nothing is no missing option: %j',
		async (options) => {
			const { error } = await gotten([{ Total: 1 }], options);

			expect(error?.message).toMatch(/^The expression in '.+' gives nothing$/);
		},
	);

	it.each<[output: string, options: INodeParameters, row: IDataObject]>([
		['simplified', LINES, { No: 1, Total: 3, 'Lines Item': 'x', ...D1 }],
		['selectedFields', LINES, { Total: 3, 'Lines Item': 'x', ...D1 }],
		[
			'simplified',
			required('Currency'),
			expect.objectContaining({ No: 1, documentId: 'D-1', error: "No value for 'Currency'" }),
		],
		[
			'raw',
			LINES,
			expect.objectContaining({
				error: "'Rows Of' needs simplified output",
				message: expect.stringContaining("'Output'"),
			}),
		],
	])('an agent gets, as Output is %s, with %j: %j', async (output, options, row) => {
		const values = { No: 1, Total: 3, Lines: [{ Item: 'x' }] };
		const { rows } = await gotten([values], options, { output, selectedFields: ['Total'] });

		expect(rows).toEqual([row]);
	});
});
