import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem, type FileContent } from '../support/binary';
import { sample, textFile } from '../support/files';
import { asTool } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { BINARY_MODES, PROFILES } from '../support/profiles';
import { until } from '../support/serviceClient';
import { useService } from '../support/useService';

const NO_PLACE = { valuesField: '', columnNameField: '', columnValueField: '' };

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

const GET_MANY = { resource: 'extraction', operation: 'getAll' };

const idsOf = (output: INodeExecutionData[]) => output.map(({ json }) => json.documentId);

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

describe.each(PROFILES)('Simplify, with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const fromFiles = async (options: RunOptions) =>
		await used.run({ binaryPropertyName: '*', ...options.parameters }, { ...options });

	const getMany = async (parameters: INodeParameters = {}, options: RunOptions = {}) =>
		await used.run({ ...GET_MANY, ...parameters }, { ...options });

	const columns = () => used.client.workflow.columns.map(({ name }) => name);

	const invoice = sample('invoice-harbour-supplies.pdf');
	const order = sample('purchase-order-larkfield.pdf');
	const itemWith = async (data: FileContent) => await binaryItem({ files: { data } });

	/** Documents with a value for each column, be that one result or several. */
	const seed = async (documents: number) => {
		const extractionsPerDocument = profile === 'borealis' ? columns().length : 1;
		return (await used.control.seed({ documents, extractionsPerDocument })).documentIds;
	};

	const rawRows = async () => (await used.client.resultsPage({ limit: 200 })).items;

	describe.each(BINARY_MODES)('and files in %s', (mode) => {
		it('gives one item per file, the values first, and tables as lists', async () => {
			const items = [
				await binaryItem({ files: { data: invoice }, mode }),
				await binaryItem({ files: { one: order, two: invoice }, mode }),
			];

			const { error, output } = await fromFiles({ items, binaryMode: mode });

			expect(error).toBeUndefined();
			expect(output.map(itemOf)).toEqual([0, 1, 1]);
			expect(output.map(({ json }) => json.fileName)).toEqual(
				[invoice, order, invoice].map(({ fileName }) => fileName),
			);
			expect(output[0].json).toMatchObject(INVOICE);
			expect({ ...output[2].json, documentId: '' }).toEqual({ ...output[0].json, documentId: '' });
			for (const { json } of output) {
				expect(Object.keys(json)).toEqual([...columns(), 'documentId', 'fileName']);
			}
			const { uploads } = await used.control.ledger();
			expect([...idsOf(output)].sort()).toEqual(uploads.map(({ documentId }) => documentId).sort());
		});
	});

	it('gives the same values in Get Many, without a file name', async () => {
		const [{ json }] = (await fromFiles({ items: [await itemWith(invoice)] })).output;

		const { output } = await getMany();

		const { fileName, ...others } = json;
		expect(fileName).toBe(invoice.fileName);
		expect(output.map((item) => item.json)).toEqual([others]);
	});

	it('counts whole documents where Get Many has a limit', async () => {
		const documentIds = await seed(30);

		for (const limit of [1, 2, 29, 30]) {
			const { output } = await getMany({ limit });

			expect(idsOf(output)).toEqual(documentIds.slice(0, limit));
			for (const { json } of output) {
				expect(Object.keys(json)).toEqual([...columns(), 'documentId']);
			}
		}
	});

	it('gives a document all of its results, wherever they stand in the list', async () => {
		const [first, ...others] = used.client.workflow.columns.map(({ id }) => id);
		const { documentIds } = await used.control.seed({
			documents: 4,
			extractionsPerDocument: profile === 'borealis' ? 1 : 2,
			columns: [first],
		});
		await used.client.api('POST', used.client.at('/extract'), {
			body: { document_ids: documentIds, column_ids: others },
		});
		const last = columns().at(-1) as string;
		await until(async () =>
			JSON.stringify(await used.client.resultsOf(documentIds[3])).includes(last),
		);

		const { output } = await getMany({ limit: 2 });
		const whole = await getMany({ returnAll: true });

		expect(output.map(({ json }) => json)).toEqual(
			whole.output.slice(0, 2).map(({ json }) => json),
		);
	});

	it('changes nothing without its API Details, and says once what to fill in', async () => {
		const credential = NO_PLACE;
		const items = [await itemWith(invoice), await itemWith(invoice)];

		const { output, hints } = await used.run({}, { items, credential });
		const many = await used.run(GET_MANY, { items: [{ json: {} }, { json: {} }], credential });

		const rows = await rawRows();
		expect(output.map(({ json }) => json.extraction)).toEqual(expect.arrayContaining(rows));
		expect(output).toHaveLength(rows.length);
		for (const { json } of output) {
			expect(Object.keys(json)).toEqual(['extraction', 'documentId', 'file']);
		}
		expect(many.output.slice(0, rows.length).map(({ json }) => json)).toEqual(rows);
		for (const said of [hints, many.hints]) {
			const advice = said.filter(({ message }) => message.includes('raw JSON'));
			expect(advice).toHaveLength(1);
			expect(advice[0].message).toContain("switch on 'Set Up One Row per Document'");
		}
	});

	it('gives an item for a document without results, which says so', async () => {
		const broken = textFile('broken.pdf', '%PDF-1.7 and no more', 'application/pdf');

		const { output } = await fromFiles({
			items: [await itemWith(broken)],
			parameters: { options: { settleTime: 0.1 } },
		});

		expect(output.map(({ json }) => json)).toEqual([
			{
				extraction: null,
				documentId: expect.any(String),
				fileName: 'broken.pdf',
				extractionStatus: expect.anything(),
				document: expect.anything(),
			},
		]);
		const { documentId, document } = output[0].json;
		const listed = await used.run({ resource: 'document', operation: 'getAll' });
		expect(listed.output.map(({ json }) => json)).toEqual([document]);
		expect(JSON.stringify(document)).toContain(String(documentId));
	});

	describe('as an AI tool', () => {
		const tool = async (parameters: INodeParameters, credential = {}) =>
			await asTool().runNode({
				credential: used.service.credential(credential),
				parameters: { ...GET_MANY, returnAll: true, ...parameters },
			});
		const selected = { output: 'selectedFields', selectedFields: ['Total', 'No such column'] };

		it('simplifies even with the option off, if it can', async () => {
			await seed(2);

			const simple = await tool({ simple: false });
			const raw = await tool({ simple: false }, NO_PLACE);

			expect(simple.output).toHaveLength(2);
			expect(Object.keys(simple.output[0].json)).toEqual([...columns(), 'documentId']);
			expect(raw.output.map(({ json }) => json)).toEqual(await rawRows());
			expect(raw.hints).toEqual([]);
		});

		it('gives as much as Output says: raw results, or columns that were selected', async () => {
			const documentIds = await seed(2);

			const raw = await tool({ output: 'raw' });
			const some = await tool(selected);

			expect(raw.output.map(({ json }) => json)).toEqual(await rawRows());
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

			expect(json.error).toBe("'Output' cannot be 'Selected Fields' yet");
			expect(json.message).toContain("fill in 'Values Field'");
		});
	});

	it('shows the right way to read raw results, once, with its row', async () => {
		const items = [await itemWith(invoice), await itemWith(order)];
		const unknown = { credential: used.service.credential(NO_PLACE) };
		const choices = (hints: Array<{ message: string }>) =>
			hints
				.flatMap(({ message }) => message.split('<br>\n'))
				.filter((line) => line.includes(' → '));
		const { valuesField, columnNameField, columnValueField } = used.service.account.apiDetails;
		const right = [
			['Values Field', valuesField],
			['Column Name Field', columnNameField],
			['Column Value Field', columnValueField],
		]
			.filter(([, path]) => path)
			.map(([label, path]) => `${label}: ${path}`)
			.join(' · ');

		const { hints } = await fromFiles({ items, ...unknown });
		const many = await getMany({}, unknown);
		const switchedOff = await getMany({ simple: false }, unknown);
		const fromOff = await fromFiles({ items, parameters: { simple: false }, ...unknown });

		for (const lines of [choices(hints), choices(many.hints)]) {
			expect(lines.length).toBeLessThanOrEqual(3);
			expect(lines[0]).toContain(`${right} → Document number: HS-2024-0417 · Supplier: Harbour `);
		}
		expect([...choices(switchedOff.hints), ...choices(fromOff.hints)]).toEqual([]);
	});

	it('decides by item whether results are simplified, in one extraction', async () => {
		const item = await itemWith(invoice);
		const items = [true, false].map((simple) => ({ ...item, json: { simple } }));

		const { output } = await fromFiles({ items, parameters: { simple: '={{ $json.simple }}' } });

		expect(output[0].json).toMatchObject(INVOICE);
		expect(output[1].json).toHaveProperty('extraction');
		expect((await used.control.ledger()).extractions).toHaveLength(1);
	});

	it('says after an extraction where its results are, if they cannot be simplified', async () => {
		const items = [await itemWith(invoice)];
		const credential = used.service.credential({ ...NO_PLACE, valuesField: 'nowhere' });

		const stopped = await fromFiles({ items, credential });
		const continued = await fromFiles({ items, credential, onError: 'continueRegularOutput' });

		const { message, description } = stopped.error ?? {};
		expect(message).toBe("A result has no 'nowhere' ('Values Field' in the credential)");
		expect(description).toContain('Already uploaded and extraction started, do not upload again');
		const [{ json, binary }] = continued.output;
		expect(json).toMatchObject({ error: message, details: { documentId: expect.any(String) } });
		expect(binary).toMatchObject({ data: { fileName: invoice.fileName } });
	});
});

describe('Simplify does what the credential says', () => {
	const used = useService({ profile: 'atlas', extractionMs: 30, startMs: 10 });

	const page = (items: unknown[]) => ({
		type: 'status' as const,
		status: 200,
		body: { total: items.length, page: 1, limit: 50, pages: 1, items },
	});

	/** What Get Many gives for results that the service holds. */
	const simplified = async (
		items: unknown[],
		details: IDataObject = {},
		{ onError, ...parameters }: INodeParameters & Pick<RunOptions, 'onError'> = {},
	) => {
		await used.fault('getExtractions', page(items), { times: 1 });
		const run = await used.run(
			{ resource: 'extraction', operation: 'getAll', ...parameters },
			{ credential: { ...NO_PLACE, ...details }, onError },
		);
		return {
			...run,
			rows: run.output.map(({ json }) => json),
			hints: run.hints.map(({ message }) => message),
		};
	};

	const asObject = { valuesField: 'values' };
	const asEntries = { valuesField: 'cells', columnNameField: 'name', columnValueField: 'value' };
	const asResults = { columnNameField: 'name', columnValueField: 'value' };
	const cell = (documentId: string, name: string, value?: unknown) => ({
		document_id: documentId,
		name,
		value,
	});

	const ODD_VALUES = {
		Website: 'https://a.example/x',
		LinkedIn: 'https://b.example/y',
		'c-1': true,
		'c-2': true,
		Total: { amount: 1, currency: 'EUR' },
	};

	it.each<[string, IDataObject, unknown[], IDataObject[]]>([
		[
			'links, equal answers, objects and IDs as values, beside other fields',
			asObject,
			[{ document_id: 'a', meta: { pages: 2 }, values: { ...ODD_VALUES, document_id: 'a' } }],
			[{ ...ODD_VALUES, document_id: 'a', documentId: 'a' }],
		],
		[
			'questions that differ by document',
			{ valuesField: 'answers', columnNameField: 'question', columnValueField: 'answer' },
			[
				{ document_id: 'a', answers: [{ question: 'Who signs?', answer: 'Total' }] },
				{ document_id: 'b', answers: [{ question: 'How much?', answer: 'Supplier' }] },
			],
			[
				{ 'Who signs?': 'Total', documentId: 'a' },
				{ 'How much?': 'Supplier', documentId: 'b' },
			],
		],
		[
			'values in boxes, and a table without one',
			{ valuesField: 'values', columnValueField: 'value' },
			[
				{
					document_id: 'a',
					values: {
						Total: { value: 120.5, confidence: 0.9 },
						Notes: { confidence: 0.1 },
						Lines: [{ Item: 'x' }],
						Empty: null,
					},
				},
			],
			[{ Total: 120.5, Notes: null, Lines: [{ Item: 'x' }], Empty: null, documentId: 'a' }],
		],
		[
			'an entry that leaves out its value, beside a field further down with its name',
			asResults,
			[cell('a', 'Total', 1), { document_id: 'a', name: 'Discount', source: { value: 'page 1' } }],
			[{ Total: 1, Discount: null, documentId: 'a' }],
		],
		[
			'a Document ID Field that only the responses to uploads have',
			{ ...asResults, documentIdField: 'data.document.id' },
			[cell('a', 'Total', 1), cell('b', 'Total', 2), cell('a', 'Currency', 'EUR')],
			[
				{ Total: 1, Currency: 'EUR', documentId: 'a' },
				{ Total: 2, documentId: 'b' },
			],
		],
		[
			'document_id before Document ID Field, which may be the ID of the result',
			{ ...asObject, documentIdField: 'id' },
			[1, 2, 3].map((part) => ({
				id: `r-${part}`,
				document: { document_id: part < 3 ? 'a' : 'b' },
				values: { [`Column ${part}`]: part },
			})),
			[
				{ 'Column 1': 1, 'Column 2': 2, documentId: 'a' },
				{ 'Column 3': 3, documentId: 'b' },
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
	])('without a word: %s', async (_, details, results, expected) => {
		const { rows, hints } = await simplified(results, details);

		expect(rows).toEqual(expected);
		expect(hints).toEqual([]);
	});

	it.each<[string, IDataObject, unknown[], IDataObject[]]>([
		[
			'a column that is called as one of the other fields',
			asObject,
			[
				{
					document_id: 'a',
					values: JSON.parse(
						'{"documentId": "D-1", "extraction": null, "__proto__": "p", "constructor": "c", "Total": 1}',
					) as unknown,
				},
			],
			[
				{
					'documentId (2)': 'D-1',
					'extraction (2)': null,
					'__proto__ (2)': 'p',
					constructor: 'c',
					Total: 1,
					documentId: 'a',
				},
			],
		],
		[
			'two columns of one name, beside a column with a number of its own',
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
			'a column in two results of a document, e.g. an older one',
			asObject,
			[
				{ document_id: 'a', values: { Total: 1, Supplier: 'S' } },
				{ document_id: 'a', values: { Total: 2, Currency: 'EUR' } },
			],
			[{ Total: 1, Supplier: 'S', 'Total (2)': 2, Currency: 'EUR', documentId: 'a' }],
		],
		[
			'a column with an empty name, and one without',
			asEntries,
			[
				{
					document_id: 'a',
					cells: [{ name: 'Total', value: 1 }, { name: '', value: 2 }, { value: 3 }, { name: ' ' }],
				},
			],
			[{ Total: 1, '(no name)': 2, '(no name) (2)': 3, documentId: 'a' }],
		],
	])('keeps every value, under a name with a number: %s', async (_, details, results, expected) => {
		const { rows } = await simplified(results, details);

		expect(rows).toEqual(expected);
	});

	it('gives a result that names no document an item of its own, and says so', async () => {
		const results = [
			cell('a', 'Total', 1),
			{ name: 'Total', value: 2 },
			{ name: 'Total', value: 3 },
		];

		const { rows, hints } = await simplified(results, asResults);

		expect(rows).toEqual([
			{ Total: 1, documentId: 'a' },
			{ Total: 2, documentId: null },
			{ Total: 3, documentId: null },
		]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^Some results have neither 'document_id' nor the field in 'Document ID Field' of the credential/,
			),
		]);
	});

	it.each<[RunOptions['onError'], number]>([
		['continueRegularOutput', 3],
		['continueErrorOutput', 2],
		['stopWorkflow', 0],
	])('fails one document alone, and names it (%s)', async (onError, count) => {
		const results = [
			{ document_id: 'D-1', values: { Total: 1 } },
			{ document_id: 'D "2"', values: 'Total: 2' },
			{ document_id: 'D-3', values: { Total: 3 } },
		];

		const { error, errorOutput, rows } = await simplified(results, asObject, { onError });

		expect(rows).toHaveLength(count);
		expect(rows.filter((row) => !row.error)).toEqual(
			count > 0 ? [1, 3].map((Total) => ({ Total, documentId: `D-${Total}` })) : [],
		);
		const thrown = { error: error?.message, message: error?.description };
		const failed: IDataObject = rows.find((row) => row.error) ?? errorOutput.at(0)?.json ?? thrown;
		expect(failed.error).toBe("'values' ('Values Field' in the credential) contains no columns");
		const { documentId } = { ...(failed.details as IDataObject) };
		expect([failed.message, documentId].join()).toContain('D "2"');
	});

	const LIST = { values: [{ label: 'Total', n: 1 }] };
	const NO_COLUMNS = 'contains no columns';
	const NO_NAME = "has no 'name'";

	it.each<[string, IDataObject, IDataObject, string, string]>([
		['a single value', { values: 'Total: 1' }, asObject, NO_COLUMNS, 'It is: Total: 1.'],
		['a list', LIST, asObject, NO_COLUMNS, 'Name Field: label · Column Value Field: n → Total: 1'],
		['no name', { cells: [{ label: 'Total', value: 1 }] }, asEntries, NO_NAME, 'label, value.'],
		['null for a name', { cells: [{ name: null, value: 1 }] }, asEntries, NO_NAME, 'name, value.'],
		['an object for a name', { cells: [{ name: { a: 1 } }] }, asEntries, NO_NAME, 'name.a.'],
		['no value', { cells: [{ name: 'T', n: 1 }] }, asEntries, "has no 'value'", 'name, n.'],
		[
			'nothing',
			{ fields: { T: 1 } },
			asObject,
			"has no 'values'",
			'<br>\nValues Field: fields → T',
		],
	])('refuses %s, and says which fields there are', async (_, result, details, message, fields) => {
		await used.fault('getExtractions', page([]), { skip: 1 });
		const { error, rows } = await simplified([{ document_id: 'a', ...result }], details);

		expect(rows).toEqual([]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(fields);
	});

	const scanned = (id: string, value?: unknown) => ({
		document_id: id,
		cells: [
			{ name: 'Total', ...(value === undefined ? {} : { value }), confidence: { value: 0.97 } },
		],
	});
	const empty = { document_id: 'blank', created_at: '2026-11-22' };
	const total = { document_id: 'a', values: { Total: 1 } };

	it.each<[string, IDataObject, unknown[], IDataObject, unknown[]?]>([
		['whose values are null', asObject, [{ ...empty, values: null }], { extraction: null }],
		[
			'whose values are an empty object',
			asObject,
			[{ ...empty, values: {} }],
			{ extraction: null },
		],
		['whose values others have', asObject, [empty, total], { extraction: null }],
		['whose values only earlier results have', asObject, [empty], { extraction: null }, [total]],
		['whose entry leaves out its value', asResults, [cell('blank', 'Total')], { Total: null }],
		[
			'with a confidence, before others',
			asEntries,
			[scanned('blank'), scanned('a', 5)],
			{ Total: null },
		],
		[
			'with a confidence, after others',
			asEntries,
			[scanned('a', 5), scanned('blank')],
			{ Total: null },
		],
		['with a confidence alone', asEntries, [scanned('blank')], { Total: null }, [scanned('a', 5)]],
	])(
		'knows a blank document %s',
		async (_, details, results, row, earlier = [cell('a', 'Total', 1)]) => {
			await used.fault('getExtractions', page(earlier), { skip: 1, times: 1 });

			const { rows } = await simplified(results, details);

			expect(rows).toContainEqual({ ...row, documentId: 'blank' });
			expect(rows).toHaveLength(results.length);
		},
	);

	it.each<[string, unknown, IDataObject, string]>([
		['no values', { ...empty, fields: { Total: 1 } }, asObject, 'Values Field'],
		[
			'entries without a value',
			{ document_id: 'blank', cells: [{ name: 'Total', page: 1 }] },
			asEntries,
			'Column Value Field',
		],
	])(
		'fails a document with %s if no result has any, and says both reasons',
		async (_, result, details, label) => {
			await used.fault('getExtractions', { type: 'status', status: 500 }, { skip: 1 });
			const { rows } = await simplified([result], details, { onError: 'continueRegularOutput' });

			expect(rows).toHaveLength(1);
			expect(rows[0].error).toContain(`('${label}' in the credential)`);
			expect(rows[0].message).toContain(
				`Either nothing was found in the document, or '${label}' is wrong.`,
			);
			expect(rows[0].message).toContain("switch off 'Simplify'");
			expect(rows[0].message).not.toContain('<br>');
		},
	);

	it('gives agents columns whose names have spaces around them', async () => {
		await used.fault('getExtractions', page([{ document_id: 'a', values: { ' Total ': 1 } }]), {
			times: 1,
		});
		const { output } = await asTool().runNode({
			credential: used.service.credential({ ...NO_PLACE, ...asObject }),
			parameters: {
				resource: 'extraction',
				operation: 'getAll',
				output: 'selectedFields',
				selectedFields: [' Total ', 'Tax'],
			},
		});

		expect(output.map(({ json }) => json)).toEqual([
			{ Total: 1, Tax: null, documentId: 'a', columnsNotFound: ['Tax'] },
		]);
	});
});
