import type { INodeParameters } from 'n8n-workflow';
import { parseRows, rowsText } from '../../nodes/DocumentExtraction/account/rows';
import { binaryItem } from '../support/binary';
import { sample } from '../support/files';
import type { RunOnService } from '../support/usedService';
import { useService } from '../support/useService';

const LIST = { resource: 'extraction', operation: 'getAll' };
const INCLUDE = { includeConfidence: true };
const CONTINUE = { onError: 'continueRegularOutput' } as const;

const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

/** Fields in boxes of their own, each with its confidence. */
const document = (id: string, fields: Record<string, [value: unknown, confidence?: unknown]>) => ({
	document_id: id,
	fields: Object.fromEntries(
		Object.entries(fields).map(([name, [value, confidence]]) => [name, { value, confidence }]),
	),
});

const ROWS = 'fields = value ~ confidence';
const list = async (options: INodeParameters, more: RunOnService = {}) =>
	await used.run({ ...LIST, options }, { credential: { rows: ROWS }, ...more });

const confidencesOf = ({ output }: Awaited<ReturnType<typeof list>>) =>
	output.map(({ json }) => [json.confidence, json.lowestConfidence]);

const column = (name: string) => ({ column: { __rl: true, mode: 'name', value: name } });

it.each([ROWS, 'cells: name = value | text ~ "how sure".score', 'a = b ~ c + d: e = f ~ [0]'])(
	'is a part of a place in Rows: %s',
	(rows) => expect(rowsText(parseRows(rows))).toBe(rows),
);

it.each(['fields ~ confidence', 'fields = value ~', 'fields = value ~ a | b', '~ a'])(
	'stands behind a value only: %s',
	(rows) => expect(() => parseRows(rows)).toThrow(/cannot be read|is not complete/),
);

describe('Include Confidence', () => {
	it('adds one for each column, and the lowest', async () => {
		await used.answerResults([
			document('a', { Total: [641.28, 0.41], Supplier: ['Acme', 0.9], Note: [null, 0] }),
		]);

		const run = await list(INCLUDE);

		expect(run.output[0].json).toEqual({
			Total: 641.28,
			Supplier: 'Acme',
			Note: null,
			documentId: 'a',
			confidence: { Total: 0.41, Supplier: 0.9 },
			lowestConfidence: 0.41,
		});
	});

	it('adds nothing where it is off, whatever Rows says', async () => {
		const values = document('a', { Total: [1, 0.4], 'Line items': [[{ Item: 'x' }], 0.2] });
		await used.answerResults([values]);

		const [rated] = (await list({})).output;
		const [plain] = (await list({}, { credential: { rows: 'fields = value' } })).output;

		expect(rated).toEqual(plain);
	});

	it.each<[title: string, results: unknown[], rows: string, expected: unknown[]]>([
		[
			'cells with names',
			[{ document_id: 'a', cells: [{ name: 'Total', value: 1, sure: { score: 0.7 } }] }],
			'cells: name = value ~ sure.score',
			[{ Total: 0.7 }, 0.7],
		],
		[
			'an entry for each value, two of one column',
			[0.7, 0.5].map((sure) => ({ document_id: 'a', name: 'Total', value: sure * 10, sure })),
			'.: name = value ~ sure',
			[{ Total: 0.7, 'Total (2)': 0.5 }, 0.5],
		],
		[
			'a table: its lowest cell',
			[
				document('a', {
					Lines: [[{ Item: { value: 'x', confidence: 0.9 }, Of: { value: 1, confidence: 0.3 } }]],
				}),
			],
			ROWS,
			[{ Lines: 0.3 }, 0.3],
		],
		[
			'an object of fields',
			[document('a', { Address: [{ city: 'Bonn', zip: '1' }, 0.6] })],
			ROWS,
			[{ 'Address.city': 0.6, 'Address.zip': 0.6 }, 0.6],
		],
		['values without any', [document('a', { Total: [1] })], ROWS, [{}, null]],
		['numbers as text', [document('a', { Total: [1, '0.93'] })], ROWS, [{ Total: 0.93 }, 0.93]],
		[
			'a column that is called value',
			[document('a', { name: ['x', 0.4], value: [5, 0.5] })],
			ROWS,
			[{ name: 0.4, value: 0.5 }, 0.4],
		],
		[
			'a column whose name is taken, after another without any',
			[document('a', { extraction: [1, 0.5], Total: [2] })],
			ROWS,
			[{ 'extraction (2)': 0.5 }, 0.5],
		],
		[
			'a column that is called confidence',
			[document('a', { confidence: [5, 0.5] })],
			ROWS,
			[{ 'confidence (2)': 0.5 }, 0.5],
		],
	])('reads %s', async (_, results, rows, expected) => {
		await used.answerResults(results);

		const run = await list(INCLUDE, { credential: { rows } });

		expect(run.error).toBeUndefined();
		expect(confidencesOf(run)).toEqual([expected]);
	});

	it.each<[title: string, given: unknown[], shown: unknown[], lowest: Array<number | null>]>([
		['percentages', [97, 41.5, 1, 0], [0.97, 0.415, 0.01, 0], [0.97, 0.415, 0.01, 0]],
		['shares', [1, 0.5, 0], [1, 0.5, 0], [1, 0.5, 0]],
		['both', [97, 0.5], [97, 0.5], [null, 0.5]],
		['words', ['high', 0.5], ['high', 0.5], [null, 0.5]],
		['what is above 100', [400, 50], [400, 50], [null, null]],
	])('takes %s for what they are in the whole run', async (title, given, shown, lowest) => {
		await used.answerResults(given.map((one, at) => document(`d${at}`, { Total: [1, one] })));

		const run = await list(INCLUDE);

		expect(confidencesOf(run)).toEqual(
			shown.map((confidence, at) => [{ Total: confidence }, lowest[at]]),
		);
		const said = run.hints.filter(({ message }) => message.includes('cannot be compared'));
		expect(said).toHaveLength(['percentages', 'shares'].includes(title) ? 0 : 1);
		expect(run.hints.filter(({ message }) => message.startsWith('Needs'))).toEqual([]);
	});

	it('gives each row of a table the confidence of its own cells', async () => {
		const line = (confidence: number) => ({ Item: { value: 'x', confidence } });
		await used.answerResults([
			document('a', { No: [1, 0.8], Lines: [[line(0.9), line(0.4)]] }),
			document('b', { No: [2, 0.7], Lines: [[]] }),
		]);

		const run = await list({ ...INCLUDE, rowsOf: { __rl: true, mode: 'name', value: 'Lines' } });

		expect(confidencesOf(run)).toEqual([
			[{ No: 0.8, Lines: 0.9 }, 0.8],
			[{ No: 0.8, Lines: 0.4 }, 0.4],
			[{ No: 0.7 }, 0.7],
		]);
	});

	it('gives rows of a table that has no confidences that of the document', async () => {
		const fields = { Total: { value: 5, sure: 0.9 } };
		await used.answerResults([{ document_id: 'a', fields, lines: [{ no: 1 }, { no: 2 }] }]);
		const options = { ...INCLUDE, rowsOf: { __rl: true, mode: 'name', value: 'lines' } };

		const run = await list(options, { credential: { rows: 'fields = value ~ sure + lines' } });

		expect(confidencesOf(run)).toEqual([
			[{ Total: 0.9 }, 0.9],
			[{ Total: 0.9 }, 0.9],
		]);
	});

	it('gives the rows of an object the confidence of its fields', async () => {
		await used.answerResults([document('a', { No: [1, 0.8], Address: [{ city: 'Bonn' }, 0.6] })]);
		const rowsOf = { __rl: true, mode: 'name', value: 'Address' };

		const run = await list({ ...INCLUDE, rowsOf });

		expect(confidencesOf(run)).toEqual([[{ No: 0.8, Address: 0.6 }, 0.6]]);
	});

	it('adds tables of one column, of which the first is empty', async () => {
		const rows = 'lines[*].cells: name = value ~ sure';
		const cells = [{ name: 'Item', value: [{ name: 'x', value: 1, sure: 0.3 }], sure: 0.9 }];
		const empty = [{ name: 'Item', value: [], sure: 0.9 }];
		await used.answerResults([{ document_id: 'a', lines: [{ cells: empty }, { cells }] }]);

		expect(confidencesOf(await list(INCLUDE, { credential: { rows } }))).toMatchObject([
			[{ 'Item (2)': 0.3 }, 0.3],
		]);
	});

	it('reads a table of any length, and its own confidence where cells have none', async () => {
		const lines = Array.from({ length: 200_000 }, (_, number) => ({ Item: number }));
		await used.answerResults([document('a', { Lines: [lines, 0.7] })]);

		expect(confidencesOf(await list(INCLUDE))).toEqual([[{ Lines: 0.7 }, 0.7]]);
	});

	it('counts the lowest cell of a table, whatever the table itself has', async () => {
		const line = { Item: { value: 'x', confidence: 0.2 } };
		await used.answerResults([document('a', { Lines: [[line], 0.9] })]);

		expect(confidencesOf(await list(INCLUDE))).toEqual([[{ Lines: 0.2 }, 0.2]]);
	});

	it('gives an agent those of the columns that it gets', async () => {
		await used.answerResults([document('a', { Total: [1, 0.4], Supplier: ['Acme', 0.9] })]);

		const { output } = await used.run(
			{ ...LIST, output: 'selectedFields', selectedFields: ['Supplier'], options: INCLUDE },
			{ credential: { rows: ROWS }, isTool: true },
		);

		expect(output[0].json).toEqual({
			Supplier: 'Acme',
			documentId: 'a',
			confidence: { Supplier: 0.9 },
			lowestConfidence: 0.9,
		});
	});

	it('gives an agent those of the rows that it gets', async () => {
		const line = (confidence: number) => ({ Item: { value: 'x', confidence } });
		await used.answerResults([document('a', { No: [1, 0.8], Lines: [[line(0.9), line(0.4)]] })]);
		const options = { ...INCLUDE, rowsOf: { __rl: true, mode: 'name', value: 'Lines' } };

		const run = await used.run(
			{ ...LIST, output: 'selectedFields', selectedFields: ['No'], options },
			{ credential: { rows: ROWS }, isTool: true },
		);

		expect(confidencesOf(run)).toEqual([
			[{ No: 0.8, Lines: 0.9 }, 0.8],
			[{ No: 0.8, Lines: 0.4 }, 0.4],
		]);
	});
});

describe('Min Confidence', () => {
	const VALUES = [
		document('a', { Total: [641.28, 0.41], Supplier: ['Acme', 0.6], No: ['7', 0.99] }),
		document('b', { Total: [5, 0.8], Supplier: ['Acme', 0.9], No: [null, 0.1] }),
	];

	it('fails a document with a value below it, with its row', async () => {
		await used.answerResults(VALUES);

		const { output, hints } = await list({ minConfidence: 0.8 }, CONTINUE_WITH);

		expect(output[0].json).toMatchObject({
			error: "Below 'Min Confidence' (0.8): Total 641.28 (0.41), Supplier Acme (0.6)",
			Total: 641.28,
			details: { documentId: 'a' },
		});
		expect(output[0].json.message).toContain('The document has: Total: 641.28, Supplier: Acme');
		expect(output[1].json).toEqual({ Total: 5, Supplier: 'Acme', No: null, documentId: 'b' });
		expect(hints.map(({ message }) => message)).toContain(
			'Needs attention: 1 below Min Confidence.',
		);
	});

	const CONTINUE_WITH = { ...CONTINUE, credential: { rows: ROWS } };

	it.each<[INodeParameters, failed: boolean[]]>([
		[{ requiredColumns: { columns: [column('No')] }, minConfidence: 0.9 }, [false, true]],
		[{ requiredColumns: { columns: [column('Total')] }, minConfidence: 0.5 }, [true, false]],
		[{ minConfidence: 0 }, [false, false]],
		[{ minConfidence: '={{ 0.41 }}' }, [false, false]],
		[{ minConfidence: '0.42' }, [true, false]],
		[{ minConfidence: 1 }, [true, true]],
	])('with %j', async (options, failed) => {
		await used.answerResults(VALUES);

		const { output } = await list(options, CONTINUE_WITH);

		expect(output.map(({ json }) => 'error' in json)).toEqual(failed);
	});

	it.each<[title: string, confidence: unknown, rows: string, isSaid: boolean]>([
		['a path that is misspelt', 0.1, 'fields = value ~ confidense', true],
		['null', null, ROWS, true],
		['a list', [0.1], ROWS, true],
		['an object', { score: 0.1 }, ROWS, true],
		['a word', 'low', ROWS, true],
		['a share', 0.9, ROWS, false],
	])('says that nothing was compared with %s', async (_, confidence, rows, isSaid) => {
		const names = ['a', 'b', 'c'];
		await used.answerResults([
			...names.map((name) => document(name, { Total: [1, confidence] })),
			document('empty', { Total: [null, confidence] }),
		]);

		const { output, hints } = await list({ minConfidence: 0.8 }, { credential: { rows } });

		const messages = hints.map(({ message }) => message);
		expect(output).toHaveLength(4);
		expect(messages.filter((text) => text.includes('cannot be compared'))).toHaveLength(
			isSaid ? 1 : 0,
		);
		expect(messages.includes('Needs attention: 3 without a confidence.')).toBe(isSaid);
	});

	it('compares the columns that are required, and says so where these have no confidence', async () => {
		await used.answerResults([document('a', { Total: [1], Note: ['x', 0.9] })]);
		const required = { columns: [column('Total')] };

		const { hints } = await list({ requiredColumns: required, minConfidence: 0.8 });

		expect(hints.map(({ message }) => message)).toContain(
			'Needs attention: 1 without a confidence.',
		);
	});

	it('stops a run that does not continue, and names the document', async () => {
		await used.answerResults(VALUES);

		const { error } = await list({ minConfidence: 0.8 });

		expect(error?.message).toContain('Total 641.28 (0.41)');
		expect(error?.description).toContain('Document ID: a.');
	});

	it.each<[INodeParameters, credential: object, said: string]>([
		[{ minConfidence: 80 }, { rows: ROWS }, "'Min Confidence' must be a number from 0 to 1"],
		[{ minConfidence: -1 }, { rows: ROWS }, "'Min Confidence' must be a number from 0 to 1"],
		[{ minConfidence: 0.8 }, {}, "'Min Confidence' needs a line 'Rows' that names a confidence"],
		[INCLUDE, {}, "'Include Confidence' needs a line 'Rows' that names a confidence"],
		[INCLUDE, { rows: '' }, "'Include Confidence' needs simplified output"],
	])('says what is missing, before any request: %j', async (options, credential, said) => {
		const { error } = await list(options, { credential });

		expect(error?.message).toContain(said);
		expect(await used.control.requests()).toEqual([]);
	});
});

describe('confidences after an extraction', () => {
	const extract = async (operation: string, options: INodeParameters) => {
		const isNew = operation === 'extractFromFiles';
		const id = isNew ? '' : await used.client.uploadedId({ bytes: 'Total: 1' });
		// Whatever document is asked for, its results say so themselves.
		const results = { fields: document('', { Total: [641.28, 0.41], No: ['7', 0.9] }).fields };
		await used.answerResults([results], { path: 'document_id=' });
		const items = [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })];
		const parameters = isNew ? {} : { documentIds: id, wait: true };
		const { output } = await used.run(
			{ resource: 'extraction', operation, ...parameters, options },
			{ items, ...CONTINUE, credential: { rows: ROWS } },
		);
		return output[0].json;
	};

	it('are in the item of a file', async () => {
		expect(await extract('extractFromFiles', INCLUDE)).toMatchObject({
			documentId: expect.any(String) as string,
			confidence: { Total: 0.41, No: 0.9 },
			lowestConfidence: 0.41,
		});
	});

	it.each(['extractFromFiles', 'extractDocuments'])(
		'let a document of %s fail, with its row',
		async (operation) => {
			expect(await extract(operation, { minConfidence: 0.5 })).toMatchObject({
				error: "Below 'Min Confidence' (0.5): Total 641.28 (0.41)",
				Total: 641.28,
				No: '7',
				details: { documentId: expect.any(String) as string },
			});
		},
	);
});
