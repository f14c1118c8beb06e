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
		const advice = hints.filter(({ message }) => message.includes('raw results'));
		expect(advice).toHaveLength(1);
		expect(advice[0].message).toContain("use 'Set Up One Row per Document' in the credential");
		const many = await getMany({}, { credential, items: [{ json: {} }, { json: {} }] });
		expect(many.output.slice(0, rows.length).map(({ json }) => json)).toEqual(rows);
		expect(many.hints).toEqual(advice);
	});

	it('gives an item for a document without results, which says so', async () => {
		const broken = textFile('broken.pdf', '%PDF-1.7 and no more', 'application/pdf');

		const { output, hints } = await fromFiles({
			items: [await binaryItem({ files: { data: broken } })],
			parameters: { options: { settleTime: 0.1 } },
		});

		expect(output.map(({ json }) => json)).toEqual([
			{
				extraction: null,
				documentId: expect.any(String),
				fileName: 'broken.pdf',
				extractionStatus: expect.anything(),
			},
		]);
		expect(hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(
				/^Without results: broken\.pdf\. Their items have extraction: null\. Their status is \w+: if it does not mean that the extraction is over, remove it from 'Finished Statuses'/,
			),
		);
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

	it('names the documents in which no column was found, in a hint', async () => {
		const text = textFile('not really a "PDF".pdf', 'just text', 'application/pdf');
		const items = [
			await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf'), text } }),
		];

		const { output, hints } = await fromFiles({ items });
		const many = await getMany();

		const blank = 'No column was found in: ';
		const said = (messages: typeof hints) =>
			messages.map(({ message }) => message).filter((message) => message.startsWith(blank));
		expect(output.map(({ json }) => json.fileName)).toEqual([
			'invoice-harbour-supplies.pdf',
			'not really a "PDF".pdf',
		]);
		expect(said(hints)).toEqual([
			expect.stringMatching(/^No column was found in: not really a "PDF"\.pdf\. Check/),
		]);
		expect(said(many.hints)).toEqual([
			expect.stringContaining(`${blank}document ${String(output[1].json.documentId)}.`),
		]);
	});

	it('names them in raw results, too, where others show how these are read', async () => {
		const text = textFile('not really a "PDF".pdf', 'just text', 'application/pdf');
		const others = ['invoice-harbour-supplies.pdf', 'purchase-order-larkfield.pdf'].map(sample);
		const items = [await binaryItem({ files: { one: others[0], two: others[1], text } })];
		const unknown = { credential: used.service.credential(NO_PLACE) };
		const said = (messages: Array<{ message: string }>) =>
			messages.map(({ message }) => message).filter((message) => message.startsWith('No column'));

		const { output, hints } = await fromFiles({ items, ...unknown });
		const many = await getMany({}, unknown);
		const switchedOff = await getMany({ simple: false });
		const alone = await fromFiles({ items: [await binaryItem({ files: { text } })], ...unknown });

		const named = [
			expect.stringContaining(`document ${String(output.at(-1)?.json.documentId)}. Check`),
		];
		expect(said(hints)).toEqual([expect.stringContaining('in: not really a "PDF".pdf. Check')]);
		expect(said(many.hints)).toEqual(named);
		expect(said(switchedOff.hints)).toEqual(named);
		expect(said(alone.hints)).toEqual([]);
	});

	it('fails an item whose results have another form, and says which fields they have', async () => {
		await used.control.seed({ documents: 1 });
		const wrong = { ...NO_PLACE, valuesField: 'not.there' };

		const { error } = await getMany({}, { credential: used.service.credential(wrong) });

		expect(error?.message).toBe(
			"A result has no 'not.there', which the API Detail 'Values Field' names",
		);
		const oneResult = (await used.client.resultsPage()).items[0] as IDataObject;
		// A single result of one value does not show which of its fields is the name.
		expect(error?.description).toMatch(
			profile === 'borealis'
				? `It has: ${Object.keys(oneResult)[0]}`
				: `'Values Field': ${used.service.account.apiDetails.valuesField}, `,
		);
		expect(error?.description).toContain("switch off 'Simplify'");
	});

	it('says after an extraction where its results are, if they cannot be simplified', async () => {
		const items = [await binaryItem({ files: { data: sample('invoice-harbour-supplies.pdf') } })];
		const credential = used.service.credential({ ...NO_PLACE, valuesField: 'nowhere' });

		const stopped = await fromFiles({ items, credential });
		const continued = await fromFiles({ items, credential, onError: 'continueRegularOutput' });

		expect(stopped.error?.description).toContain(
			'The document is extracted: once this is corrected, Extraction › Get Many returns its row.',
		);
		expect(stopped.error?.description).toContain('Already uploaded, do not upload again');
		expect(continued.output).toMatchObject([
			{
				json: {
					error: "A result has no 'nowhere', which the API Detail 'Values Field' names",
					details: { documentId: expect.any(String) as string },
				},
				binary: { data: { fileName: 'invoice-harbour-supplies.pdf' } },
			},
		]);
	});
});

describe('Simplify, where names clash or results are of several kinds', () => {
	const used = useService({ profile: 'atlas' });

	/** What Get Many gives for a list of results that the service holds. */
	const simplified = async (
		items: unknown[],
		details: IDataObject = {},
		onError: RunOptions['onError'] = 'stopWorkflow',
	) => {
		const body = { total: items.length, page: 1, limit: 50, pages: 1, items };
		const answer = { type: 'status' as const, status: 200, body };
		await used.fault('getExtractions', answer);
		const run = await used.run(
			{ resource: 'extraction', operation: 'getAll' },
			{ credential: { ...NO_PLACE, ...details }, onError },
		);
		return { ...run, rows: run.output.map(({ json }) => json) };
	};

	const asObject = { valuesField: 'values' };
	const asEntries = { columnNameField: 'name', columnValueField: 'value' };
	const entry = (documentId: string, name: string, value: unknown) => ({
		document_id: documentId,
		name,
		value,
	});

	const SEVERAL = expect.stringContaining('whose names end with (2), (3)') as string;

	describe('and one result does not hold its values where the others do', () => {
		const results = [
			{ document_id: 'D-1', values: { Total: 1 } },
			{ document_id: 'D "2"', other: {} },
			{ document_id: 'D-3', values: { Total: 3 } },
		];
		const rows = [
			{ Total: 1, documentId: 'D-1' },
			{ Total: 3, documentId: 'D-3' },
		];
		const message = "A result has no 'values', which the API Detail 'Values Field' names";

		it('fails that document alone, with its ID', async () => {
			const { output } = await simplified(results, asObject, 'continueRegularOutput');

			expect([output[0].json, output[2].json]).toEqual(rows);
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
			expect(output[1].json).toMatchObject({ error: message, details: { documentId: 'D "2"' } });
		});

		it('hands that document alone to the error output', async () => {
			const { output, errorOutput } = await simplified(results, asObject, 'continueErrorOutput');

			expect(output.map(({ json }) => json)).toEqual(rows);
			expect(errorOutput).toHaveLength(1);
			expect(errorOutput[0].json).toMatchObject({
				error: message,
				message: expect.stringContaining('Document ID: D "2".') as string,
			});
		});

		it('names that document when the run ends with it', async () => {
			const { error, output } = await simplified(results, asObject);

			expect(output).toEqual([]);
			expect(error?.message).toBe(message);
			expect(error?.description).toContain('Document ID: D "2".');
		});
	});

	it('takes no field further down for the value that an entry leaves out', async () => {
		const { rows } = await simplified(
			[entry('a', 'Total', 1), { document_id: 'a', name: 'Discount', source: { value: 'page 1' } }],
			asEntries,
		);

		expect(rows).toEqual([{ Total: 1, Discount: null, documentId: 'a' }]);
	});

	it('keeps a column that is called as one of the other fields, under a name with a number', async () => {
		const values = JSON.parse(
			'{"documentId": "D-1", "extraction": null, "__proto__": "p", "constructor": "c", "Total": 1}',
		) as unknown;

		const { rows, hints } = await simplified([{ document_id: 'a', values }], asObject);

		expect(rows).toEqual([
			{
				'documentId (2)': 'D-1',
				'extraction (2)': null,
				'__proto__ (2)': 'p',
				constructor: 'c',
				Total: 1,
				documentId: 'a',
			},
		]);
		expect(hints.map(({ message }) => message)).toEqual([SEVERAL]);
	});

	it('keeps every value of two columns of one name, and lets real names go first', async () => {
		const { rows, hints } = await simplified(
			[
				entry('a', 'Total', 1),
				entry('a', 'Total', 2),
				entry('b', 'Total', 5),
				entry('a', 'Total (2)', 3),
				entry('a', 'Total', 1),
			],
			asEntries,
		);

		expect(rows).toEqual([
			{ Total: 1, 'Total (3)': 2, 'Total (2)': 3, 'Total (4)': 1, documentId: 'a' },
			{ Total: 5, documentId: 'b' },
		]);
		expect(hints).toHaveLength(1);
	});

	it('keeps both values where two results of a document have a column, e.g. an older one', async () => {
		const { rows, hints } = await simplified(
			[
				{ document_id: 'a', values: { Total: 1, Supplier: 'S' } },
				{ document_id: 'a', values: { Total: 2, Currency: 'EUR' } },
			],
			asObject,
		);

		expect(rows).toEqual([
			{ Total: 1, Supplier: 'S', 'Total (2)': 2, Currency: 'EUR', documentId: 'a' },
		]);
		expect(hints.map(({ message }) => message)).toEqual([SEVERAL]);
	});

	it('gives a result that names no document an item of its own, and says so', async () => {
		const { rows, hints } = await simplified(
			[entry('a', 'Total', 1), { name: 'Total', value: 2 }, { name: 'Total', value: 3 }],
			asEntries,
		);

		expect(rows).toEqual([
			{ Total: 1, documentId: 'a' },
			{ Total: 2, documentId: null },
			{ Total: 3, documentId: null },
		]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining("under the API Detail 'Document ID Field'"),
		]);
	});

	it('gives one item per document where only the responses to uploads have the Document ID Field', async () => {
		const { rows, hints } = await simplified(
			[entry('a', 'Total', 1), entry('b', 'Total', 2), entry('a', 'Currency', 'EUR')],
			{ ...asEntries, documentIdField: 'data.document.id' },
		);

		expect(rows).toEqual([
			{ Total: 1, Currency: 'EUR', documentId: 'a' },
			{ Total: 2, documentId: 'b' },
		]);
		expect(hints).toEqual([]);
	});

	it('takes a value that an entry leaves out for an empty one', async () => {
		const { rows } = await simplified(
			[entry('a', 'Total', 1), { document_id: 'a', name: 'Currency' }],
			asEntries,
		);

		expect(rows).toEqual([{ Total: 1, Currency: null, documentId: 'a' }]);
	});

	it.each([
		['null', null],
		['an empty object', {}],
	])('says extraction: null of a document whose values are %s', async (_, values) => {
		const { rows } = await simplified([{ document_id: 'a', values }], asObject);

		expect(rows).toEqual([{ extraction: null, documentId: 'a' }]);
	});

	it.each([
		[
			'a single value',
			{ document_id: 'a', values: 'Total: 1' },
			asObject,
			"'values' of a result holds a single value, not a value for each column",
			'The result has: document_id, values.',
		],
		[
			'a list, without the fields of its entries',
			{ document_id: 'a', values: [{ label: 'Total', n: 1 }] },
			asObject,
			"'Values Field' leads to a list, not to an object with a value per column",
			'An entry of the list has: label, n.',
		],
		[
			'entries without the name',
			{ document_id: 'a', values: [{ label: 'Total', value: 1 }] },
			{ ...asObject, ...asEntries },
			"An entry of a result has no 'name', which the API Detail 'Column Name Field' names",
			'It has: label, value.',
		],
		[
			'entries with an object for a name',
			{ document_id: 'a', values: [{ name: { heading: 'Total' }, value: 1 }] },
			{ ...asObject, ...asEntries },
			"'name', which the API Detail 'Column Name Field' names, is not a name",
			'It holds: heading.',
		],
		[
			'entries with null for a name',
			{ document_id: 'a', values: [{ name: null, value: 1 }] },
			{ ...asObject, ...asEntries },
			"'name', which the API Detail 'Column Name Field' names, is not a name",
			'It holds: null.',
		],
		[
			'entries without any value',
			{ document_id: 'a', values: [{ name: 'Total', n: 1 }] },
			{ ...asObject, ...asEntries },
			"An entry of a result has no 'value', which the API Detail 'Column Value Field' names",
			'It has: name, n.',
		],
		[
			'nothing that is called so',
			{ document_id: 'a', fields: { Total: 1 } },
			asObject,
			"A result has no 'values', which the API Detail 'Values Field' names",
			"'Values Field': fields, ",
		],
	])('refuses %s, and says which fields there are', async (_, result, details, message, fields) => {
		const { error, rows } = await simplified([result], details);

		expect(rows).toEqual([]);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(fields);
	});
});
