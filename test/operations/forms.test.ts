import fc from 'fast-check';
import { parseRows, rowsText } from '../../nodes/DocumentExtraction/account/rows';
import { readingsOf } from '../../nodes/DocumentExtraction/rows/readings';
import {
	rowOf,
	rowsOfTable,
	tableNamed,
	tablesIn,
} from '../../nodes/DocumentExtraction/rows/items';
import { rowsReader, type ColumnValue } from '../../nodes/DocumentExtraction/rows/rows';
import { FORMS, INVOICES, type Invoice } from './publishedForms';

const rowOfInvoice = ({ number, date, supplier, total }: Invoice) => [
	number,
	date,
	supplier,
	total,
];

describe.each(Object.entries(FORMS))('results with %s', (_, { rows, result, ...form }) => {
	const results = INVOICES.map((invoice) => ({ document_id: invoice.number, ...result(invoice) }));
	const as = (value: unknown) => (form.isText ? String(value) : value);
	const reader = rowsReader(parseRows(rows), results);

	/** The row of a document. */
	const rowIn = (values: ColumnValue[]) => {
		const row = rowOf(values, {});
		return form.columns.map((column) => row[column]);
	};

	/** The lines of a document. */
	const linesIn = (values: ColumnValue[]) => {
		const [table, ...cells] = form.table;
		const columns = new Set(values.map(({ column }) => column));
		const { tables } = tablesIn(values, tableNamed(columns, columns, table) ?? table);
		// A cell may have the name of the object around it in front.
		const cellIn = (line: object, cell: string): unknown =>
			Object.entries(line).find(
				([name]) => name === `${table} ${cell}` || name.endsWith(`.${cell}`),
			)?.[1];
		return rowsOfTable({}, tables, table).map((line) => cells.map((cell) => cellIn(line, cell)));
	};

	const isTextOfTable = form.isText && form.table[0].startsWith('lines');
	const rightRow = (invoice: Invoice) => rowOfInvoice(invoice).map(as);
	const rightLines = ({ lines }: Invoice) =>
		lines.map((line) => line.map(isTextOfTable ? String : (value) => value));

	it.each([0, 1])('give the row of document %d', (index) => {
		expect(rowIn(reader.read([results[index]]))).toEqual(rightRow(INVOICES[index]));
	});

	it.each([0, 1])('give the lines of document %d', (index) => {
		expect(linesIn(reader.read([results[index]]))).toEqual(rightLines(INVOICES[index]));
	});

	it('offer what is right among the first three choices', () => {
		const documents = results.map((one) => ({ documentId: one.document_id, results: [one] }));
		const offered = readingsOf(documents).slice(0, 3);

		expect(
			offered.map(({ documents: read }) => [read.map(rowIn), read.map(linesIn)]),
		).toContainEqual([INVOICES.map(rightRow), INVOICES.map(rightLines)]);
	});
});

/** Whether a reading gives named columns; or its error. */
function outcomeOf(read: () => ColumnValue[]): string {
	try {
		return read().every(({ column }) => typeof column === 'string') ? 'columns' : 'no names';
	} catch (error) {
		return (error as Error).message;
	}
}

describe('Rows', () => {
	it.each([
		'data',
		'.',
		'cells: name = value',
		'fields = valueString | valueNumber | valueArray',
		'pages[*].cells: name = value',
		'cells: [0] = [1]',
		'general + productItems',
		'cells: column_id@title = answer',
		'a[0]."b c"."=": "x.y"."\\"" = "ä|ö"',
	])('%j is printed as it was entered', (text) => {
		expect(rowsText(parseRows(text))).toBe(text);
	});

	it.each(['', 'a b', 'a +', 'a: = b', 'a..b', 'a =', '"a', 'a: b = c = d', '[x]', 'a @ b'])(
		'%j is refused',
		(text) => {
			expect(() => parseRows(text)).toThrow(/Check Setup/);
		},
	);

	it.each(['.', 'a', 'a: b = c', 'a[*]: b = c | d', '. = value', 'a + b[*].c'])(
		'%j gives columns or an error, whatever results hold',
		(text) => {
			const key = fc.constantFrom('a', 'b', 'c', 'd', 'value', '__proto__', 'columns');
			const { json } = fc.letrec((tie) => ({
				json: fc.oneof(
					{ maxDepth: 5 },
					fc.constantFrom<unknown>(null, '', 'text', 7, true, '[{"b":"x","c":1}]'),
					fc.array(tie('json'), { maxLength: 4 }),
					fc.dictionary(key, tie('json'), { maxKeys: 4 }),
				),
			}));
			fc.assert(
				fc.property(fc.array(json, { maxLength: 4 }), (results) => {
					const reader = rowsReader(parseRows(text), results);
					expect(outcomeOf(() => reader.read(results))).toMatch(/'Rows'|^columns$/);
				}),
				{ numRuns: 1500 },
			);
		},
	);

	it('names columns by the workflow where results have their IDs', () => {
		const results = [
			{
				cells: [
					{ column_id: 'c1', answer: 5 },
					{ column_id: 'c9', answer: 6 },
				],
			},
		];
		const columns = [{ column_id: 'c1', title: 'Total' }];
		const reader = rowsReader(parseRows('cells: column_id@title = answer'), results, columns);

		expect(reader.read(results)).toEqual([
			{ column: 'Total', value: 5 },
			{ column: 'c9', value: 6 },
		]);
	});

	it("tells a table's rows by the numbers of their cells, where no name comes again", () => {
		const cells = [
			{ id: 'c1', row: 1, label: 'Item', text: 'Paper' },
			{ id: 'c2', row: 2, label: 'Amount', text: '5.00' },
		];
		const results = [
			{
				fields: [
					{ id: 'f1', label: 'Number', text: 'A1' },
					{ id: 'f2', label: 'Lines', cells },
				],
			},
		];
		const reader = rowsReader(parseRows('fields: label = cells | text'), results);

		expect(reader.read(results)).toMatchObject([
			{ column: 'Number', value: 'A1' },
			{ column: 'Lines', value: [{ Item: 'Paper' }, { Amount: '5.00' }] },
		]);
	});

	it('splits 100,000 rows of a table in linear time', () => {
		const table = Array.from({ length: 100_000 }, (_, row) => ({ Item: `x${row}`, Amount: row }));
		const started = process.cpuUsage();
		const items = rowsOfTable({ Total: 1 }, [{ column: 'Lines', value: table }], 'Lines');

		expect(items.at(-1)).toEqual({
			Total: 1,
			row: 100_000,
			'Lines Item': 'x99999',
			'Lines Amount': 99_999,
		});
		expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
	});
});

it('a table whose rows have a number, a name and a value keeps its other cells', () => {
	const lines = [
		{ row: 1, name: 'Paper', value: 12.5, quantity: 3 },
		{ row: 2, name: 'Pens', value: 2.5, quantity: 1 },
	];
	const entries = [
		{ name: 'Total', page: 1, value: 15 },
		{ name: 'Lines', page: 1, value: lines },
	];
	const results = [{ fields: entries }];

	expect(rowsReader(parseRows('fields: name = value'), results).read(results)).toMatchObject([
		{ column: 'Total', value: 15 },
		{ column: 'Lines', value: lines },
	]);
});
