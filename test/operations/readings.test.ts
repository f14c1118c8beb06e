import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { fittingReadings } from '../../nodes/DocumentExtraction/api/readings';
import { byDocument, type DocumentResults } from '../../nodes/DocumentExtraction/api/simplify';
import { binaryItem } from '../support/binary';
import { sample } from '../support/files';
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
});

describe('a wrong reading at run time', () => {
	type Mistake = [
		of: Profile,
		what: string,
		wrong: ICredentialDataDecryptedObject,
		blamed?: string,
	];
	const MISTAKES: Mistake[] = [
		['borealis', 'an object of the column', { ...NO_PLACE, valuesField: 'column' }],
		['borealis', 'an object of the file', { ...NO_PLACE, valuesField: 'source' }],
		['borealis', 'a Values Field too many', { valuesField: 'column' }],
		['cobalt', 'what holds the file and the list', { ...NO_PLACE, valuesField: 'payload' }],
		['cobalt', 'the file', { ...NO_PLACE, valuesField: 'payload.file' }],
		['cobalt', 'a list without its fields', { ...NO_PLACE, valuesField: 'payload.cells' }],
		['cobalt', 'the object around the list', { valuesField: 'payload' }],
		['atlas', 'a field that is not there', { ...NO_PLACE, valuesField: 'fields' }],
		['borealis', 'types for names', { columnNameField: 'column.type' }, 'Column Name Field'],
		['borealis', 'no field for names', { columnNameField: 'column.name' }, 'Column Name Field'],
		['borealis', 'the file for values', { columnValueField: 'source.title' }, 'Column Value Field'],
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
	});

	describe('that may be meant', () => {
		const used = useService({ profile: 'cobalt', extractionMs: 30, startMs: 10 });

		it('goes on with IDs for names, and says which reading gives names', async () => {
			const samples = ['invoice-harbour-supplies.pdf', 'purchase-order-larkfield.pdf'].map(sample);
			const items = await Promise.all(
				samples.map(async (data) => await binaryItem({ files: { data } })),
			);
			const { error, output, hints } = await used.run(
				{ binaryPropertyName: '*' },
				{ credential: { columnNameField: 'column_id' }, items },
			);

			expect(error).toBeUndefined();
			expect(output[0].json).toHaveProperty('101');
			const texts = hints.map(({ message }) => message);
			const doubts = texts.filter((text) => text.includes('columns are technical, such as IDs.'));
			expect(doubts).toHaveLength(1);
			expect(doubts[0]).toContain("'Column Name Field': caption");
		});
	});
});
