import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { binaryItem } from '../support/binary';
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

const idsOf = (output: INodeExecutionData[]) => output.map(({ json }) => json.documentId);

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

describe.each(PROFILES)('Simplify, with the API Details of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });

	const fromFiles = async (options: RunOptions) =>
		await used.run({ binaryPropertyName: '*', ...options.parameters }, { ...options });

	const getMany = async (parameters: INodeParameters = {}, options: RunOptions = {}) =>
		await used.run({ resource: 'extraction', operation: 'getAll', ...parameters }, { ...options });

	const columns = () => used.client.workflow.columns.map(({ name }) => name);

	describe.each(BINARY_MODES)('and files in %s', (mode) => {
		it('gives one item per file, the values first, and tables as lists', async () => {
			const invoice = sample('invoice-harbour-supplies.pdf');
			const order = sample('purchase-order-larkfield.pdf');
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
		const items = [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })];
		const [{ json }] = (await fromFiles({ items })).output;

		const { error, output } = await getMany();

		expect(error).toBeUndefined();
		const { fileName, ...others } = json;
		expect(fileName).toBe('invoice-harbour-supplies.pdf');
		expect(output.map((item) => item.json)).toEqual([others]);
	});

	it('gives one item per document in Get Many, paired to the item that asked', async () => {
		const { documentIds } = await used.control.seed({
			documents: 3,
			extractionsPerDocument: columns().length,
		});
		const asked = [documentIds[2], documentIds[0]];

		const all = await getMany({ returnAll: true });
		const some = await getMany(
			{ documentIdFilter: '={{ $json.id }}' },
			{ items: asked.map((id) => ({ json: { id } })) },
		);

		expect(idsOf(all.output)).toEqual(documentIds);
		expect(some.output.map((item) => [itemOf(item), item.json.documentId])).toEqual([
			[0, asked[0]],
			[1, asked[1]],
		]);
		expect(all.output[2].json).toEqual(some.output[0].json);
	});

	it('counts whole documents where Get Many has a limit', async () => {
		const { documentIds } = await used.control.seed({
			documents: 30,
			extractionsPerDocument: profile === 'borealis' ? columns().length : 1,
		});

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
		const credential = used.service.credential(NO_PLACE);
		const file = sample('invoice-harbour-supplies.pdf');
		const items = [1, 2].map(async () => await binaryItem({ files: { data: file } }));

		const { error, output, hints } = await fromFiles({
			items: await Promise.all(items),
			credential,
		});

		expect(error).toBeUndefined();
		const rows = (await used.client.resultsPage({ limit: 200 })).items;
		expect(output.map(({ json }) => json.extraction)).toEqual(expect.arrayContaining(rows));
		expect(output).toHaveLength(rows.length);
		for (const { json } of output) {
			expect(Object.keys(json)).toEqual(['extraction', 'documentId', 'file']);
		}
		const advice = hints.filter(({ message }) => message.includes('raw JSON'));
		expect(advice).toHaveLength(1);
		expect(advice[0].message).toContain(
			"switch on 'Set Up One Row per Document' in the credential",
		);
		const many = await getMany({}, { credential, items: [{ json: {} }, { json: {} }] });
		expect(many.output.slice(0, rows.length).map(({ json }) => json)).toEqual(rows);
		expect(many.hints).toEqual(advice);
	});

	it('gives an item for a document without results, which says so', async () => {
		const broken = textFile('broken.pdf', '%PDF-1.7 and no more', 'application/pdf');

		const { output } = await fromFiles({
			items: [await binaryItem({ files: { data: broken } })],
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

	it('simplifies as an AI tool, even with the option off', async () => {
		await used.control.seed({
			documents: 2,
			extractionsPerDocument: profile === 'borealis' ? columns().length : 1,
		});
		const parameters = { resource: 'extraction', operation: 'getAll', simple: false };

		const simple = await asTool().runNode({ credential: used.service.credential(), parameters });
		const raw = await asTool().runNode({
			credential: used.service.credential(NO_PLACE),
			parameters: { ...parameters, returnAll: true },
		});

		expect(simple.output).toHaveLength(2);
		expect(Object.keys(simple.output[0].json)).toEqual([...columns(), 'documentId']);
		expect(raw.output.map(({ json }) => json)).toEqual(
			(await used.client.resultsPage({ limit: 200 })).items,
		);
		expect(raw.hints).toEqual([]);
	});

	it('gives an agent as much as its Output says: raw results, or columns that were selected', async () => {
		await used.control.seed({
			documents: 2,
			extractionsPerDocument: profile === 'borealis' ? columns().length : 1,
		});
		const tool = async (parameters: INodeParameters, credential = {}) =>
			await asTool().runNode({
				credential: used.service.credential(credential),
				parameters: { resource: 'extraction', operation: 'getAll', returnAll: true, ...parameters },
			});
		const selected = { output: 'selectedFields', selectedFields: ['Total', 'No such column'] };

		const raw = await tool({ output: 'raw' });
		const some = await tool(selected);
		const unknown = await tool(selected, NO_PLACE);

		expect(raw.output.map(({ json }) => json)).toEqual(
			(await used.client.resultsPage({ limit: 200 })).items,
		);
		expect(some.output.map(({ json }) => Object.entries(json))).toEqual(
			idsOf(some.output).map((documentId) => [
				['Total', expect.any(Number)],
				['No such column', null],
				['documentId', documentId],
				['columnsNotFound', ['No such column']],
			]),
		);
		expect(idsOf(some.output)).toEqual([expect.any(String), expect.any(String)]);
		expect(unknown.output).toMatchObject([
			{
				json: {
					error: "'Output' cannot be 'Selected Fields' yet",
					message: expect.stringContaining("fill in 'Values Field'") as string,
				},
			},
		]);
	});

	it('shows the right way to read raw results, once, with its row', async () => {
		const items = [
			await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } }),
			await binaryItem({ files: { data: sample('purchase-order-larkfield.pdf') } }),
		];
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

		const { output, hints } = await fromFiles({ items, ...unknown });
		const byItem = idsOf((await fromFiles({ items })).output).map((id) => ({ json: { id } }));
		const many = await getMany(
			{ documentIdFilter: '={{ $json.id }}' },
			{ items: byItem, ...unknown },
		);
		const switchedOff = await getMany({ simple: false }, unknown);
		const fromOff = await fromFiles({ items, parameters: { simple: false }, ...unknown });

		expect(output[0].json).toHaveProperty('extraction');
		for (const lines of [choices(hints), choices(many.hints)]) {
			expect(lines.length).toBeLessThanOrEqual(3);
			expect(lines[0]).toBe(
				`${right} → Document number: HS-2024-0417 · Supplier: Harbour Office Supplies Ltd · Document date: 2024-03-14 · Total: 641.28 · Currency: GBP · Reference: PO-77120 · and 1 more`,
			);
		}
		expect([...choices(switchedOff.hints), ...choices(fromOff.hints)]).toEqual([]);
	});

	it('decides by item whether results are simplified, in one extraction', async () => {
		const items = await Promise.all(
			[true, false].map(async (simple) => ({
				...(await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })),
				json: { simple },
			})),
		);

		const { output } = await fromFiles({ items, parameters: { simple: '={{ $json.simple }}' } });

		expect(output[0].json).toMatchObject(INVOICE);
		expect(output[1].json).toHaveProperty('extraction');
		expect((await used.control.ledger()).extractions).toHaveLength(1);
	});

	it('fails an item whose results have another form, and says which fields they have', async () => {
		await used.control.seed({ documents: 1 });
		const wrong = { ...NO_PLACE, valuesField: 'not.there' };

		const { error } = await getMany({}, { credential: used.service.credential(wrong) });

		expect(error?.message).toBe("A result has no 'not.there' ('Values Field' in the credential)");
		expect(error?.description).toMatch(
			/^It has: .*\. Either nothing was found in the document, or 'Values Field' is wrong\. Enter in the credential /,
		);
		const { columnValueField, valuesField } = used.service.account.apiDetails;
		expect(error?.description).toContain(`: ${columnValueField || valuesField} → `);
		expect(error?.description).toContain("switch off 'Simplify'");
	});

	it('says after an extraction where its results are, if they cannot be simplified', async () => {
		const items = [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })];
		const credential = used.service.credential({ ...NO_PLACE, valuesField: 'nowhere' });

		const stopped = await fromFiles({ items, credential });
		const continued = await fromFiles({ items, credential, onError: 'continueRegularOutput' });

		expect(stopped.error?.description).toContain(
			'Already uploaded and extraction started, do not upload again',
		);
		expect(continued.output).toMatchObject([
			{
				json: {
					error: "A result has no 'nowhere' ('Values Field' in the credential)",
					details: { documentId: expect.any(String) as string },
				},
				binary: { data: { fileName: 'invoice-harbour-supplies.pdf' } },
			},
		]);
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

	it.each<[string, IDataObject, unknown[], IDataObject[]]>([
		[
			'two columns with links',
			asObject,
			[
				{
					document_id: 'a',
					values: { Website: 'https://a.example/x', LinkedIn: 'https://b.example/y' },
				},
			],
			[{ Website: 'https://a.example/x', LinkedIn: 'https://b.example/y', documentId: 'a' }],
		],
		[
			'rows that are keyed by the IDs of columns',
			{ ...asEntries, columnNameField: 'column_id' },
			[
				{
					document_id: 'a',
					cells: [
						{ column_id: 'c-1', name: 'Total', value: 1 },
						{ column_id: 'c-2', name: 'Supplier', value: 'S' },
					],
				},
			],
			[{ 'c-1': 1, 'c-2': 'S', documentId: 'a' }],
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
			'values beside the ID of the document',
			{ valuesField: 'data' },
			[{ data: { document_id: 'a', Total: 1, status: 'done' } }],
			[{ document_id: 'a', Total: 1, status: 'done', documentId: 'a' }],
		],
		[
			'a form with the same answer everywhere',
			asObject,
			[{ document_id: 'a', meta: { pages: 2, model: 'm' }, values: { A: true, B: true, C: true } }],
			[{ A: true, B: true, C: true, documentId: 'a' }],
		],
		[
			'values that are objects',
			asObject,
			[{ document_id: 'a', values: { Total: { amount: 1, currency: 'EUR' } } }],
			[{ Total: { amount: 1, currency: 'EUR' }, documentId: 'a' }],
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
			'three results of a document, such as three invoices in one PDF',
			asObject,
			[1, 2, 3].map((total) => ({ document_id: 'a', values: { Total: total } })),
			[{ Total: 1, 'Total (2)': 2, 'Total (3)': 3, documentId: 'a' }],
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
		const { rows, hints } = await simplified(results, details);

		expect(rows).toEqual(expected);
		expect(hints).toEqual([]);
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

		const { error, output, errorOutput, rows } = await simplified(results, asObject, { onError });

		const message = "'values' ('Values Field' in the credential) contains no columns";
		expect(rows).toHaveLength(count);
		expect(rows.filter((row) => !row.error)).toEqual(
			count > 0 ? [1, 3].map((Total) => ({ Total, documentId: `D-${Total}` })) : [],
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(Array(count).fill({ item: 0 }));
		const thrown = { error: error?.message, message: error?.description };
		const failed: IDataObject = rows.find((row) => row.error) ?? errorOutput.at(0)?.json ?? thrown;
		expect(failed.error).toBe(message);
		expect([failed.message, (failed.details as IDataObject)?.documentId].join(' ')).toContain(
			'D "2"',
		);
	});

	it.each<[string, IDataObject, IDataObject, string, string]>([
		[
			'a single value',
			{ values: 'Total: 1' },
			asObject,
			"'values' ('Values Field' in the credential) contains no columns",
			'It is: Total: 1.',
		],
		[
			'a list, without the fields of its entries',
			{ values: [{ label: 'Total', n: 1 }] },
			asObject,
			"'values' ('Values Field' in the credential) contains no columns",
			'Values Field: values · Column Name Field: label · Column Value Field: n → Total: 1',
		],
		[
			'entries without the name',
			{ cells: [{ label: 'Total', value: 1 }] },
			asEntries,
			"An entry of a result has no 'name' ('Column Name Field' in the credential)",
			'It has: label, value.',
		],
		[
			'entries with an object for a name',
			{ cells: [{ name: { heading: 'Total' }, value: 1 }] },
			asEntries,
			"An entry of a result has no 'name' ('Column Name Field' in the credential)",
			'It has: name.heading, value.',
		],
		[
			'entries with null for a name',
			{ cells: [{ name: null, value: 1 }] },
			asEntries,
			"An entry of a result has no 'name' ('Column Name Field' in the credential)",
			'It has: name, value.',
		],
		[
			'entries without any value',
			{ cells: [{ name: 'Total', n: 1 }] },
			asEntries,
			"An entry of a result has no 'value' ('Column Value Field' in the credential)",
			'It has: name, n.',
		],
		[
			'nothing that is called so',
			{ fields: { Total: 1 } },
			asObject,
			"A result has no 'values' ('Values Field' in the credential)",
			'<br>\nValues Field: fields → Total: 1<br>\n',
		],
	])('refuses %s, and says which fields there are', async (_, result, details, message, fields) => {
		await used.fault('getExtractions', page([]), { skip: 1 });
		const { error, rows } = await simplified([{ document_id: 'a', ...result }], details);

		expect(rows).toEqual([]);
		expect(error?.message).toBe(message);
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

			const { rows, hints } = await simplified(results, details);

			expect(rows).toContainEqual({ ...row, documentId: 'blank' });
			expect(rows).toHaveLength(results.length);
			expect(hints).toEqual([]);
		},
	);

	it.each<[string, unknown, IDataObject, string, string]>([
		['no values', empty, asObject, "A result has no 'values'", 'Values Field'],
		[
			'entries without a value',
			{ document_id: 'blank', cells: [{ name: 'Total', page: 1 }] },
			asEntries,
			"An entry of a result has no 'value'",
			'Column Value Field',
		],
	])(
		'fails a document with %s if no result has any, and says both reasons',
		async (_, result, details, message, label) => {
			await used.fault('getExtractions', { type: 'status', status: 500 }, { skip: 1 });
			const { rows } = await simplified([result], details, { onError: 'continueRegularOutput' });

			expect(rows).toMatchObject([
				{
					error: `${message} ('${label}' in the credential)`,
					message: expect.stringContaining(
						`Either nothing was found in the document, or '${label}' is wrong.`,
					) as string,
				},
			]);
		},
	);

	it('shows with the failure how the results can be read, line by line', async () => {
		const fields = [
			{ label: 'Total', text: '5' },
			{ label: 'Tax', text: '1' },
		];

		const { rows } = await simplified([{ document_id: 'a', fields }], asObject, {
			onError: 'continueRegularOutput',
		});

		const [{ message }] = rows;
		const lines = String(message).split('\n').slice(1, -1);
		expect(lines[0]).toBe(
			'Values Field: fields · Column Name Field: label · Column Value Field: text → Total: 5 · Tax: 1',
		);
		expect(lines.length).toBeLessThanOrEqual(3);
		expect(message).not.toContain('<br>');
	});

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
