import type { IDataObject } from 'n8n-workflow';
import { rowsText } from '../../nodes/DocumentExtraction/account/rows';
import type { DocumentResults } from '../../nodes/DocumentExtraction/service/extractions';
import {
	choicesIn,
	readingsOf,
	rowsWithConfidence,
} from '../../nodes/DocumentExtraction/rows/readings';

type Document = unknown[];

const asDocuments = (documents: Document[]): DocumentResults[] =>
	documents.map((results, index) => ({ documentId: `document-${index}`, results }));

/** The readings of some documents, each as its line. */
const readings = (...documents: Document[]) =>
	readingsOf(asDocuments(documents)).map(({ rows }) => rowsText(rows));

describe('the readings of results', () => {
	const cell = (name: string, sure: number, value?: number) => ({
		name,
		...(value && { value }),
		confidence: { value: sure },
	});

	it('begin with the right one where a document was extracted again and again', () => {
		const history = [1, 2, 3].map((run) => ({
			run,
			values: { Total: 10 * run, Supplier: `S${run}` },
		}));

		expect(readings(history)[0]).toEqual('values');
	});

	it('begin with the right one where one document is blank and its values are left out', () => {
		const blank = { cells: [cell('Total', 0.2), cell('Tax', 0.1)] };
		const filled = { cells: [cell('Total', 0.97, 12), cell('Tax', 0.99, 2)] };

		expect(readings([blank], [filled])[0]).toEqual('cells: name = value');
	});

	it('tell names from values by what recurs, whatever the fields are called', () => {
		const result = (total: string, supplier: string) => ({
			cells: [
				{ a: total, b: 'Total' },
				{ a: supplier, b: 'Supplier' },
			],
		});
		expect(readings([result('12', 'S')], [result('13', 'T')])[0]).toEqual('cells: b = a');
	});

	const line = (name: string, ...percents: number[]) => ({
		name,
		qty: 5,
		discounts: percents.map((percent) => ({ percent })),
	});
	const lines = [line('Screw', 3, 4), line('Nail')];
	const sure = (value: unknown) => ({ value, confidence: 0.9, alternatives: [{ value: 'x' }] });

	it.each<[what: string, first: string, result: object]>([
		['alone', 'fields + lines', { fields: { Number: 'A', Total: 5 }, lines }],
		[
			'in a named table',
			'fields: label = value + tables: name = rows | value',
			{
				fields: [
					{ label: 'Number', value: 'A' },
					{ label: 'Total', value: 5 },
				],
				tables: [{ name: 'lines', rows: lines }],
			},
		],
		[
			'in their cells',
			'fields = value + lines = value',
			{
				fields: { Number: sure('A'), Total: sure(5) },
				lines: [
					{ what: sure('Paper'), qty: sure(2) },
					{ what: sure('Ink'), qty: sure(1) },
				],
			},
		],
	])('keep rows whole that have a list of their own, %s', (_, first, result) => {
		expect(readings([result])[0]).toBe(first);
	});

	it('take columns that are called number or date for columns', () => {
		const fields = { number: 'A-1', date: '2026-01-05', supplier: 'Acme', total: 120.5 };

		expect(readings([{ data: { fields } }])[0]).toBe('data.fields');
	});

	it('prefer a name to an ID beside it', () => {
		const fields = ['Number', 'Total'].map((attribute, index) => ({
			field_id: `f_${index}`,
			attribute,
			value: index,
		}));

		expect(readings([{ fields }])[0]).toBe('fields: attribute = value');
	});

	it('count pages that are numbered by their fields as a list', () => {
		const page = (values: object) => ({ fields: values });
		const result = { pages: { 1: page({ Number: 'A', Date: 'May' }), 2: page({ Total: 5 }) } };

		expect(readings([result])[0]).toBe('pages[*].fields');
	});

	it('leave a value empty rather than take the text of its label', () => {
		const field = (type: string, text: string) => ({
			type,
			detection: { text, score: 0.9 },
			keyDetection: { text: `${type}:`, score: 0.8 },
		});
		const result = { fields: [field('Total', '5'), field('Order', '')] };

		expect(readings([result])[0]).toBe('fields: type = detection.text');
	});

	it('begin with the right one where a workflow has a single column', () => {
		const lines = [{ what: 'Paper', qty: 2 }];
		const boxed = (page: number) => [{ result: { values: { Lines: { text: lines, page } } } }];
		const alone = (value: number) => [{ column: { title: 'Total' }, value, pages: 1 }];

		expect(readings(boxed(1), boxed(2))[0]).toBe('result.values = text');
		expect(readings(alone(5), alone(7))[0]).toBe('.: column.title = value');
	});

	it('name all fields that hold the values of one type', () => {
		const kinds = {
			Total: { kind: 'number', number: 5 },
			Supplier: { kind: 'string', string: 'S' },
		};

		expect(readings([{ fields: kinds }])[0]).toBe('fields = number | string');
	});

	it('take a list whose entries hold nothing for no value of its own', () => {
		const field = (name: string, text: string | null) => ({
			name,
			value: [{ text, page: 1 }],
		});
		const result = { fields: [field('Total', '5'), field('Order', null)] };

		expect(readings([result])).toContain('fields: name = value[*].text');
	});

	it('offer boxes whose values are lists, of one value or of several', () => {
		const box = (...values: string[]) => ({ values, confidence: 0.9 });
		const result = { fields: { Total: box('5'), Tags: box('a', 'b') } };

		expect(readings([result]).slice(0, 2)).toEqual(['fields = values', 'fields = values[*]']);
	});

	it('have the confidence that stands beside the value, not beside the name', () => {
		const part = (text: string, confidence: number) => ({ text, confidence });
		const field = (name: string, value: string) => ({
			type: part(name, 0.99),
			value: part(value, 0.61),
		});
		const results = [{ fields: [field('Total', '5'), field('Date', 'May')] }];
		const [{ rows }] = readingsOf(asDocuments([results]));
		const rated = rowsWithConfidence(rows, results);

		expect(rated && rowsText(rated)).toBe('fields: type.text = value.text ~ value.confidence');
	});

	it.each<[string, Document]>([
		['there is nothing', []],
		['a result is no object', [5, 'text', null]],
		['there are no values yet', [{ values: {} }]],
	])('are none where %s', (_, results) => {
		expect(readings(results)).toEqual([]);
	});

	it('are tried in no time, however large the results are', () => {
		const wide = Object.fromEntries(
			Array.from({ length: 200 }, (_, index) => [`field${index}`, `value ${index}`]),
		);
		const documents = Array.from({ length: 50 }, () =>
			Array.from({ length: 50 }, () => ({ ...wide, list: [wide, wide, wide] })),
		);
		const started = process.cpuUsage();
		readings(...documents);
		expect(process.cpuUsage(started).user / 1e6).toBeLessThan(10);
	});

	it('are found behind the words of many pages', () => {
		const words = Array.from({ length: 20 }, (_, at) => ({ text: `w${at}`, box: { x: at, y: 1 } }));
		const lines = Array.from({ length: 50 }, () => ({ text: 'a line', words }));
		const pages = Array.from({ length: 20 }, (_, number) => ({ number, lines }));
		const document = (total: number) => {
			const fields = { Total: { value: total, score: 0.9 }, Date: { value: 'May', score: 0.8 } };
			return [{ pages, analysis: { documents: [{ fields }] } }];
		};
		const documents = Array.from({ length: 10 }, (_, index) => document(index));

		expect(readings(...documents)[0]).toBe('analysis.documents[*].fields = value');
	});

	it('are found in results that are nested without end', () => {
		const deep = JSON.parse(`${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}`) as object;
		const list = JSON.parse(`${'['.repeat(12_000)}1${']'.repeat(12_000)}`) as object;
		const results = [
			{ document_id: 'a', deep, list, values: { Total: 1, Deep: deep, Supplier: 'S' } },
		];
		expect(choicesIn(asDocuments([results]))).toContain('Rows: values → Total: 1');
	});
});

describe('a reading as a choice', () => {
	const choice = (...results: IDataObject[]) => choicesIn(asDocuments([results])).split('\n')[0];

	it('shows no more than is needed to recognize a row, and nothing that gives access', () => {
		const many = Object.fromEntries([...'abcdefgh'].map((name) => [name, name.repeat(90)]));
		const link = 'https://storage.example/a.pdf?X-Signature=secret';

		expect(choice({ values: many })).toMatch(/ a: a{40}… · .* · f: f{40}… · and 2 more$/);
		expect(choice({ values: { Scan: link, Lines: [{ a: 1 }, { a: 2 }], 'a <b>': 1 } })).toBe(
			'Rows: values → Scan: https://storage.example/a.pdf?… · Lines: a table with 2 rows · a ‹b›: 1',
		);
	});
});
