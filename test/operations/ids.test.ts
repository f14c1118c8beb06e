import type { INodeParameters } from 'n8n-workflow';
import { binaryItem, itemsWith } from '../support/binary';
import { textFile } from '../support/files';
import { useService } from '../support/useService';

/** As expressions and agents give them. */
const GIVEN: Array<[what: string, value: unknown, ids: string[]]> = [
	['a list', ['d1', 'd2', 'd1'], ['d1', 'd2']],
	['numbers', [7, 8], ['7', '8']],
	['a list as JSON', '["d1","d2"]', ['d1', 'd2']],
	['a list as JSON, with an ID that has a comma', ' ["a, b", "c"] ', ['a, b', 'c']],
	['a list as JSON, with long numbers', '[12345678901234567891]', ['12345678901234567891']],
	['a list in single quotes', "['d1', 'd2']", ['d1', 'd2']],
	['a list without quotes', '[d1, d2]', ['d1', 'd2']],
	['an ID in quotes', '"d1"', ['d1']],
	['IDs in quotes', "'d1', “d2”", ['d1', 'd2']],
	['gaps', ['d1', null, '', ' d2 '], ['d1', 'd2']],
];

const OBJECT = { documentId: 'd1' };
const NO_IDS: Array<[what: string, value: unknown]> = [
	['an object', OBJECT],
	['a list of objects', [OBJECT]],
	['an object as JSON', '{"documentId": "d1"}'],
	['objects as JSON', '[{"documentId": "d1"}]'],
	['an object as text', String(OBJECT)],
	['a list of lists', [['d1']]],
];

const GIVEN_HERE = '={{ $json.given }}';
const COLLECTION = { __rl: true, mode: 'id', value: GIVEN_HERE };

describe('IDs, however they are given', () => {
	const used = useService({ profile: 'atlas' });

	const run = async (name: string, parameters: INodeParameters, given: unknown) => {
		const [resource, operation] = name.split('.');
		const [item] = await itemsWith(textFile('a.txt'));
		const items = [{ ...item, json: { given } as never }];
		return await used.run({ resource, operation, ...parameters }, { items });
	};
	const extractOne = async (given: unknown) =>
		await run('extraction.extractOne', { documentId: GIVEN_HERE }, given);

	const FIELDS: Array<[label: string, name: string, parameters: INodeParameters]> = [
		['Document IDs', 'extraction.extractDocuments', { documentIds: GIVEN_HERE }],
		['Column Names or IDs', 'extraction.extractDocuments', { options: { columnIds: GIVEN_HERE } }],
		['Document ID', 'extraction.extractOne', { documentId: GIVEN_HERE }],
		['Document IDs', 'document.confirmUpload', { documentIds: GIVEN_HERE }],
		['Document ID', 'extraction.getAll', { documentIdFilter: GIVEN_HERE }],
		['Collection', 'extraction.getAll', { collection: COLLECTION }],
		['Service Workflow ID', 'workflow.get', { options: { workflowId: GIVEN_HERE } }],
	];
	const TEXTS: Array<[name: string, parameters: INodeParameters]> = [
		['document.createUploadUrl', { fileName: GIVEN_HERE }],
		['document.getAll', { query: { parameters: [{ name: 'stage', value: GIVEN_HERE }] } }],
		['document.upload', { collection: { ...COLLECTION, mode: 'name' } }],
	];

	it.each(GIVEN)('%s is sent as IDs', async (_, given, ids) => {
		await used.fault('extractBulk', { type: 'status', status: 200, body: {} });

		const { output } = await run('extraction.extractDocuments', { documentIds: GIVEN_HERE }, given);

		const [{ body }] = await used.control.requests('extractBulk');
		expect(body).toEqual({ document_ids: ids });
		expect(output.map(({ json }) => json.documentId)).toEqual(ids);
	});

	it.each(
		FIELDS.flatMap(([label, name, parameters]) =>
			NO_IDS.map(([what, given]) => [label, name, what, parameters, given] as const),
		),
	)(
		"'%s' of %s: %s is refused before anything is sent",
		async (label, name, _what, parameters, given) => {
			const { error, output } = await run(name, parameters, given);

			expect(error?.message).toMatch(
				new RegExp(`^'${label}' gives an object or a list, not text$`),
			);
			expect(output).toEqual([]);
			expect(await used.control.requests()).toEqual([]);
		},
	);

	it.each([
		[['d1'], 'd1'],
		['["d1"]', 'd1'],
		['"d1"', 'd1'],
		['a, b', 'a%2C%20b'],
	])('one ID may come as %j', async (given, id) => {
		await extractOne(given);

		const [{ path }] = await used.control.requests();
		expect(path).toMatch(new RegExp(`/documents/${id}/extract$`));
	});

	it('several IDs do not become one', async () => {
		const { error } = await extractOne('["d1","d2"]');

		expect(error?.message).toBe("'Document ID' takes one ID, but got 2");
		expect(await used.control.requests()).toEqual([]);
	});

	it("what is known of 'Document ID Field' is known of the credential of that item alone", async () => {
		const [first, second] = await itemsWith(textFile('a.txt'), textFile('b.txt'));

		const { output } = await used.run(
			{},
			{
				items: [
					{ ...first, json: { field: 'document_id' } },
					{ ...second, json: { field: 'wrong.field' } },
				],
				credential: {
					apiDetails: '=Upload File Field: file\nDocument ID Field: {{ $json.field }}',
				},
				onError: 'continueRegularOutput',
			},
		);

		expect(output.map(({ json }) => json.message)).toEqual([
			undefined,
			expect.stringContaining("in the line 'Document ID Field: …' of 'API Details'"),
		]);
	});

	it.each(TEXTS)(
		'a text that would be sent as [object Object] is refused: %s %j',
		async (name, parameters) => {
			const { error } = await run(name, parameters, OBJECT);

			expect(error?.message).toMatch(/ gives an object or a list, not text$/);
			expect(await used.control.requests()).toEqual([]);
		},
	);
});

describe('two files with one ID', () => {
	const used = useService({ profile: 'atlas' });
	const TOLD =
		/^invoice\.txt .* and order\.txt .* differ, but .* have the same ID for both, .*Check Setup/;

	const hintsAfter = async (...files: Array<ReturnType<typeof textFile>>) => {
		const items = await itemsWith(...files);
		const credential = { apiDetails: 'Upload File Field: file\nDocument ID Field: tenant.id' };
		const body = { tenant: { id: 'tenant-1' } };
		await used.fault('upload', { type: 'statusAfter', status: 201, body });
		const { hints } = await used.run({}, { items, credential, onError: 'continueErrorOutput' });
		return hints.map(({ message }) => message).filter((hint) => hint.includes('same ID'));
	};

	it("are told apart by their content: 'Document ID Field' leads to something else", async () => {
		const hints = await hintsAfter(textFile('invoice.txt', 'one'), textFile('order.txt', 'two'));

		expect(hints).toEqual([expect.stringMatching(TOLD)]);
	});

	it('are all right where they have the same content', async () => {
		const hints = await hintsAfter(textFile('invoice.txt', 'one'), textFile('copy.txt', 'one'));

		expect(hints).toEqual([]);
	});
});

describe('MIME Types, however they are given', () => {
	const used = useService({ profile: 'atlas' });
	const files = {
		letter: textFile('letter.txt'),
		scan: textFile('scan.pdf', '%PDF-1.7', 'application/pdf'),
	};

	const upload = async (given: unknown) => {
		const options = { mimeTypes: '={{ $json.given }}' };
		return await used.run(
			{ resource: 'document', operation: 'upload', binaryPropertyName: '*', options },
			{ items: [{ ...(await binaryItem({ files })), json: { given } as never }] },
		);
	};

	it.each([
		[['application/pdf']],
		[['Application/PDF', 'image/*']],
		['["application/pdf"]'],
		['application/pdf; charset=binary'],
	])('%j', async (given) => {
		const { error, output } = await upload(given);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => (json.file as { name: string }).name)).toEqual(['scan.pdf']);
	});

	const NOTHING = "The expression in 'MIME Types' gives nothing";
	const NO_TYPE = ', which is not a MIME type';

	it.each([
		[null, NOTHING],
		['', NOTHING],
		[[], NOTHING],
		[5, `'MIME Types' has '5'${NO_TYPE}`],
		['pdf', `'MIME Types' has 'pdf'${NO_TYPE}`],
		['*.pdf', `'MIME Types' has '*.pdf'${NO_TYPE}`],
		['image/', `'MIME Types' has 'image/'${NO_TYPE}`],
		['image/png image/jpeg', `'MIME Types' has 'image/png image/jpeg'${NO_TYPE}`],
		[{ type: 'application/pdf' }, "'MIME Types' gives an object or a list, not text"],
	])('%j is refused before anything is sent', async (given, message) => {
		const { error } = await upload(given);

		expect(error?.message).toBe(message);
		expect(await used.control.requests()).toEqual([]);
	});
});
