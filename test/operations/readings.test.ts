import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { fittingReadings, misreadingOf } from '../../nodes/DocumentExtraction/api/readings';
import { byDocument, type DocumentResults } from '../../nodes/DocumentExtraction/api/rows';
import { binaryItem } from '../support/binary';
import { sample, textFile } from '../support/files';
import { runNode } from '../support/n8n';
import { PROFILES } from '../support/profiles';
import type { Profile } from '../support/serviceContract';
import { useService } from '../support/useService';
import { ApiReference } from './apiReference';

const NO_PLACE = { valuesField: '', columnNameField: '', columnValueField: '' };

type Document = unknown[];

/** The readings of some documents, each as its three fields. */
const readings = (...documents: Document[]) =>
	fieldsOf(documents.map((results, index) => ({ documentId: `document-${index}`, results })));

const fieldsOf = (documents: DocumentResults[]) =>
	fittingReadings(documents).map(({ fields: { values = '', column } }) => [
		values,
		column?.name ?? '',
		column?.value ?? '',
	]);

describe('the readings of results', () => {
	const value = (name: string, text: unknown, more: IDataObject = {}) => ({
		id: 'x1',
		column: { column_id: `col_${name.length}`, label: name, type: 'TEXT' },
		text,
		...more,
	});

	it('are one where only an object holds values', () => {
		expect(readings([{ id: 1, pages: 2, fields: { Total: 1, Supplier: 'S' } }])).toEqual([
			['fields', '', ''],
		]);
	});

	it('are one where each result is a value, and ids, types and what repeats are not it', () => {
		const source = { title: 'a.pdf', href: 'https://storage.example/a.pdf' };
		expect(
			readings([
				value('Total', '12', { source }),
				value('Supplier', 'S', { source }),
				value('Lines', [{ Item: 'x' }], { source }),
			]),
		).toEqual([['', 'column.label', 'text']]);
	});

	it('are one where a list has an entry for each column, deep inside', () => {
		const cells = (total: string) => [
			{ column_id: 101, caption: 'Total', content: total },
			{ column_id: 102, caption: 'Supplier', content: 'S' },
		];
		const result = (total: string) => ({
			payload: { file: { id: 'x', name: 'a' }, cells: cells(total) },
		});
		expect(readings([result('12')], [result('13')])).toEqual([
			['payload.cells', 'caption', 'content'],
		]);
	});

	it('tell names from values by a second document only, where all are texts', () => {
		const result = (total: string, supplier: string) => ({
			cells: [
				{ label: 'Total', text: total },
				{ label: 'Supplier', text: supplier },
			],
		});
		expect(readings([result('12', 'S')])).toEqual([
			['cells', 'label', 'text'],
			['cells', 'text', 'label'],
		]);
		expect(readings([result('12', 'S')], [result('13', 'T')])).toEqual([
			['cells', 'label', 'text'],
		]);
	});

	it('are all given where the results do not tell, as values from confidences', () => {
		const result = (total: number, sure: number) => ({
			cells: [
				{ label: 'Total', number: total, confidence: sure },
				{ label: 'Tax', number: total / 5, confidence: sure / 2 },
			],
		});
		expect(readings([result(10, 0.5)], [result(20, 0.75)])).toEqual([
			['cells', 'label', 'number'],
			['cells', 'label', 'confidence'],
		]);
	});

	it.each<[string, Document]>([
		['there is nothing', []],
		['a result is no object', [5, 'text', null]],
		['there are no values yet', [{ id: 'a', values: {} }]],
		['a value is neither one value nor a table', [{ values: { Total: [[1, 2]] } }]],
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
});

describe.each(PROFILES)('with real results of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const extract = async (credential = used.service.credential()) => {
		const files = ['invoice-harbour-supplies.pdf', 'purchase-order-larkfield.pdf'].map(sample);
		return await runNode({
			credential,
			parameters: { binaryPropertyName: '*' },
			items: await Promise.all(files.map(async (data) => await binaryItem({ files: { data } }))),
		});
	};

	it.each([1, 2])('finds the one reading that is right, in %d documents', async (count) => {
		await extract();
		const { items } = await used.client.resultsPage({ limit: 200 });
		const reference = new ApiReference(used.service);
		const documents = byDocument(items, (result) => reference.documentIdIn(result));

		const { valuesField, columnNameField, columnValueField } = used.service.account.apiDetails;
		expect(fieldsOf(documents.slice(0, count))).toEqual([
			[valuesField, columnNameField, columnValueField],
		]);
	});

	it.each([1, 2, Infinity])(
		'leaves the right reading alone in a run of %d columns',
		async (count) => {
			const columnIds = used.client.workflow.columns.slice(0, count).map(({ id }) => id);
			const invoice = sample('invoice-harbour-supplies.pdf');
			const files = { one: invoice, again: invoice, two: sample('purchase-order-larkfield.pdf') };
			const { error, output, hints } = await used.run(
				{ binaryPropertyName: '*', options: { columnIds } },
				{ items: [await binaryItem({ files })] },
			);
			const many = await used.run({ resource: 'extraction', operation: 'getAll' });

			expect([error, many.error]).toEqual([undefined, undefined]);
			expect(many.hints).toEqual([]);
			expect(hints).toEqual([
				expect.objectContaining({ message: expect.stringMatching(/^Uploaded 3/) as string }),
			]);
			expect(many.output).toHaveLength(3);
			for (const { json } of [...output, ...many.output]) {
				expect(json).toHaveProperty(['Document number']);
				expect(json).not.toHaveProperty('doubtfulColumns');
			}
		},
	);
});

describe('a wrong reading at run time', () => {
	type Mistake = [
		of: Profile,
		what: string,
		wrong: ICredentialDataDecryptedObject,
		blamed?: string,
	];
	const asColumn = (columnNameField: string, columnValueField: string) => {
		return { valuesField: '', columnNameField, columnValueField };
	};
	const MISTAKES: Mistake[] = [
		['borealis', 'an object of the column', { ...NO_PLACE, valuesField: 'column' }],
		['borealis', 'an object of the file', { ...NO_PLACE, valuesField: 'source' }],
		['borealis', 'a Values Field too many', { valuesField: 'column' }],
		['cobalt', 'what holds the file and the list', { ...NO_PLACE, valuesField: 'payload' }],
		['cobalt', 'the file', { ...NO_PLACE, valuesField: 'payload.file' }],
		['cobalt', 'a list without its fields', { ...NO_PLACE, valuesField: 'payload.cells' }],
		['cobalt', 'the object around the list', { valuesField: 'payload' }],
		['cobalt', 'no list', { valuesField: '' }],
		[
			'cobalt',
			'the first entry of the list',
			asColumn('payload.cells[0].caption', 'payload.cells[0].content'),
		],
		['atlas', 'a field that is not there', { ...NO_PLACE, valuesField: 'fields' }],
		['borealis', 'types for names', { columnNameField: 'column.type' }, 'Column Name Field'],
		['borealis', 'no field for names', { columnNameField: 'column.name' }, 'Column Name Field'],
		['borealis', 'types for values', { columnValueField: 'column.type' }, 'Column Value Field'],
		['borealis', 'IDs for names', { columnNameField: 'column.column_id' }, 'Column Name Field'],
		['borealis', 'IDs for values', { columnValueField: 'column.column_id' }, 'Column Value Field'],
		['cobalt', 'IDs for names', { columnNameField: 'column_id' }, 'Column Name Field'],
		['cobalt', 'IDs for values', { columnValueField: 'column_id' }, 'Column Value Field'],
		['atlas', 'the file and all values', asColumn('file_name', 'values')],
		['atlas', 'the status and all values', asColumn('extraction_status', 'values')],
		['atlas', 'the file and the status', asColumn('file_name', 'extraction_status')],
		['atlas', 'the document and the file', asColumn('document_id', 'file_name')],
		['borealis', 'the file for values', { columnValueField: 'source.title' }, 'Column Value Field'],
		['borealis', 'the document for values', { columnValueField: 'doc_ref' }, 'Column Value Field'],
		['borealis', 'names for values', { columnValueField: 'heading' }, 'Column Value Field'],
		['borealis', 'the first row of tables', { columnValueField: 'value[0]' }, 'Column Value Field'],
		['borealis', 'a column of tables', { columnValueField: 'Article' }, 'Column Value Field'],
		['cobalt', 'the first row of tables', { columnValueField: 'content[0]' }, 'Column Value Field'],
		['cobalt', 'a column of tables', { columnValueField: 'Article' }, 'Column Value Field'],
	];

	describe.each(PROFILES)('of %s', (profile) => {
		const used = useService({ profile, extractionMs: 30, startMs: 10 });
		const mine: Mistake[] = MISTAKES.filter(([of]) => of === profile);

		it.each(mine)(
			'(%s) of %s fails, and says what to enter',
			async (_, __, wrong, blamed = 'Values Field') => {
				const items = [
					await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } }),
				];
				const parameters = { binaryPropertyName: '*' };
				const credential = used.service.credential({ ...wrong });
				const { error } = await runNode({ credential, parameters, items });
				const many = await runNode({
					credential,
					parameters: { resource: 'extraction', operation: 'getAll' },
				});

				const { valuesField, columnNameField, columnValueField } = used.service.account.apiDetails;
				for (const { message, description } of [error, many.error].flatMap((each) => each ?? [])) {
					expect(message).toContain(`'${blamed}'`);
					expect(description).toContain(
						`Enter in the credential: 'Values Field': ${valuesField || '(empty)'}, 'Column Name Field': ${columnNameField || '(empty)'}, 'Column Value Field': ${columnValueField || '(empty)'}.`,
					);
					expect(description).toContain('Document number: HS-2024-0417');
				}
				expect(error?.description).toContain('The document is extracted');
				expect(many.error).toBeDefined();
			},
		);

		it.each(mine)(
			'(%s) of %s fails for each of several documents, one of them blank',
			async (_, __, wrong) => {
				const files = {
					one: sample('invoice-harbour-supplies.pdf'),
					two: sample('purchase-order-larkfield.pdf'),
					text: textFile('no.pdf', 'just text', 'application/pdf'),
				};
				const { output } = await used.run(
					{ binaryPropertyName: '*' },
					{
						credential: wrong,
						items: [await binaryItem({ files })],
						onError: 'continueRegularOutput',
					},
				);

				expect(output).toHaveLength(3);
				for (const { json } of output.slice(0, 2)) expect(json).toHaveProperty('error');
			},
		);
	});
});

describe('rows that may be meant', () => {
	/** Whether a reading of some documents is wrong, and whether that is certain. */
	const judged = (fields: Parameters<typeof misreadingOf>[1], ...documents: Document[]) =>
		misreadingOf(
			documents.map((results, index) => ({ documentId: `document-${index}`, results })),
			fields,
		)?.isCertain;
	const about = { meta: { pages: 2, language: 'en', model: 'large' } };
	const object = (values: IDataObject) => [{ ...about, values }];
	const asValues = { values: 'values' };
	const asEntries = { column: { name: 'column.heading', value: 'value' } };
	const entry = (heading: string, value: unknown, page = 1) => ({
		column: { heading, type: 'TEXT' },
		value,
		source: { title: 'a.pdf', page, sheet: 'A' },
	});

	it.each<[string, Parameters<typeof misreadingOf>[1], Document[]]>([
		['a document extracted twice', asValues, [[...object({ Total: 1 }), ...object({ Total: 2 })]]],
		['the same document twice', asValues, [object({ A: 1, B: 2 }), object({ A: 1, B: 2 })]],
		['a form with two ticks', asValues, [object({ A: true, B: true })]],
		['documents without a common column', asValues, [object({ A: 1, B: 2 }), object({ C: 1 })]],
		['a single document', asEntries, [[entry('Total', 1), entry('Supplier', 'S', 2)]]],
		['the only column that was extracted', asEntries, [[entry('Total', 1)]]],
		[
			'the only column of several documents',
			asEntries,
			[[entry('Total', 1)], [entry('Total', 2)], [entry('Total', 3)]],
		],
		[
			'tables as values',
			asEntries,
			[[entry('Lines', [{ Item: 'x' }]), entry('Taxes', [{ Rate: '20' }], 2)]],
		],
		[
			'a value that is the document ID by chance',
			asValues,
			[object({ Lot: 'document-0', Total: 1 })],
		],
		['objects as values', asValues, [object({ Total: { amount: 1, currency: 'EUR' } })]],
		[
			'an empty document whose entries have a confidence, too',
			{ column: { name: 'name', value: 'value' } },
			[
				[
					{ name: 'Total', value: null, confidence: 0.1 },
					{ name: 'Date', value: null, confidence: 0.2 },
					{ name: 'IBAN', value: null, confidence: 0.05 },
				],
			],
		],
		[
			'few values, and other candidates for each',
			{ column: { name: 'name', value: 'value' } },
			[
				[
					{ name: 'Total', value: '10', candidates: ['10', '12'] },
					{ name: 'Date', value: null, candidates: ['A', 'B'] },
					{ name: 'IBAN', value: null, candidates: ['C', 'D'] },
				],
			],
		],
		[
			'IDs for names where there are no names',
			{ column: { name: 'column_id', value: 'value' } },
			[
				[
					{ column_id: 'c1', value: 1 },
					{ column_id: 'c2', value: 'S' },
				],
			],
		],
	])('are left alone: %s', (_, fields, documents) => {
		expect(judged(fields, ...documents)).toBeUndefined();
	});

	it.each<[string, Parameters<typeof misreadingOf>[1], Document[]]>([
		['a form with nothing but ticks', asValues, [object({ A: true, B: true, C: true })]],
		['a single column with a link', asValues, [object({ Website: 'https://a.example/b' })]],
		['columns with numbers in their names', asValues, [object({ address1: 'X', address2: 'Y' })]],
		[
			'an object that may be a value or a row',
			{ column: { name: 'title', value: 'values' } },
			[[{ title: 'Amount', values: { net: 1, gross: 2 } }]],
		],
	])('are doubtful only: %s', (_, fields, documents) => {
		expect(judged(fields, ...documents)).toBe(false);
	});

	const used = useService({ profile: 'atlas' });

	/** What Get Many gives for results that the service holds. */
	const getMany = async (items: object[], credential: ICredentialDataDecryptedObject) => {
		const body = { total: items.length, page: 1, limit: 50, pages: 1, items };
		await used.fault('getExtractions', { type: 'status', status: 200, body });
		const parameters = { resource: 'extraction', operation: 'getAll' };
		return await used.run(parameters, { credential, onError: 'continueRegularOutput' });
	};

	it('are not names and values that are swapped: the names differ between documents', async () => {
		const result = (document_id: string, total: string, supplier: string) => ({
			document_id,
			cells: [
				{ label: 'Total', text: total },
				{ label: 'Supplier', text: supplier },
			],
		});
		const { output } = await getMany([result('D-1', '12', 'S'), result('D-2', '13', 'T')], {
			valuesField: 'cells',
			columnNameField: 'text',
			columnValueField: 'label',
		});

		expect(output.map(({ json }) => json.error)).toEqual(
			Array(2).fill(expect.stringMatching(/^'Column Name Field' .*are named as values$/)),
		);
		expect(output.map(({ json }) => json.message)).toEqual([
			expect.stringContaining('The item then has: Total: 12 · Supplier: S.'),
			expect.stringContaining('The item then has: Total: 13 · Supplier: T.'),
		]);
	});

	it('go on with a hint, and each item says that its columns are doubtful', async () => {
		const items = object({ A: true, B: true, C: true }).map((result) => {
			return { document_id: 'D-1', ...result };
		});
		const { output, hints } = await getMany(items, {});

		expect(output.map(({ json }) => json)).toEqual([
			{ A: true, B: true, C: true, documentId: 'D-1', doubtfulColumns: true },
		]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(
				/^With these API Details, all columns have the same value\. .*'Values Field': meta,/,
			),
		]);
	});
});
