import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import {
	ALL_DETAILS,
	API_DETAILS,
	type ApiDetail,
} from '../../nodes/DocumentExtraction/account/apiDetails';
import type { SetupItem } from '../../nodes/DocumentExtraction/setup/setup';
import { itemWith } from '../support/binary';
import { sample } from '../support/files';
import { startLocalServer } from '../support/localServer';
import { runNode } from '../support/n8n';
import type { Service } from '../support/service';
import type { RunOnService } from '../support/usedService';
import { PROFILES } from '../support/serviceContract';
import { useService } from '../support/useService';
import { contradictions } from './outputSchema';

const INVOICE = sample('invoice-harbour-supplies.pdf');

/** As a new user begins: with none of the API Details. */
const NEWCOMER = Object.fromEntries(ALL_DETAILS.map((detail) => [detail, '']));

const checkOf =
	(used: ReturnType<typeof useService>) =>
	async (
		openApiDocument: INodeParameters[string] = '',
		{ credential = NEWCOMER, ...options }: RunOnService = {},
	) => {
		const run = await used.run(
			{ resource: 'workflow', operation: 'checkSetup', openApiDocument },
			{ credential, ...options },
		);
		// As they are without what stands in fields that have nothing to say.
		const items = run.output.map(({ json }) => {
			const said = Object.entries(json).filter(([, value]) => value !== '–');
			const all: IDataObject = { enter: '', choices: [], ...Object.fromEntries(said) };
			return all as Partial<SetupItem> as SetupItem;
		});
		const named = (name: string) => items.find(({ apiDetail }) => apiDetail === name) as SetupItem;
		return {
			...run,
			items,
			item: (detail: ApiDetail) => named(API_DETAILS[detail].label),
			rows: named('Rows'),
			all: items[0],
			hints: run.hints.map(({ message }) => message),
		};
	};

/** Results of two documents, as somebody has them who has tried the service. */
async function giveResults({ control, account: { apiDetails, environments } }: Service) {
	const { columns } = environments.test.workflows.main;
	const extractionsPerDocument = apiDetails.rows.startsWith('.:') ? columns.length : 1;
	await control.seed({ documents: 2, extractionsPerDocument });
}

/** The entry of the choice for rows that shows the own columns, as its user would find it. */
function entriesOf(choices: string[]) {
	const own = choices.filter((line) => line.includes('Document number: SEED-1 · Supplier: '));
	return { rows: valuesIn(own)[0] };
}

/** What stands between a label and an arrow. */
const valuesIn = (choices: string[]) =>
	choices.map((line) => line.split(' → ')[0].replace(/^[A-Z][A-Za-z ]+: /, ''));

describe.each(PROFILES)('with an account of %s', (profile) => {
	const used = useService({ profile, extractionMs: 30, startMs: 10 });
	const check = checkOf(used);
	const reference = () => used.service.account.openApiUrl;
	const right = () => used.service.account.apiDetails;

	beforeEach(async () => await giveResults(used.service));

	it('gives an item of short texts for each decision', async () => {
		const { output } = await check(reference());

		expect(contradictions('workflow.checkSetup', output)).toEqual([]);
		for (const { json } of output) {
			expect(Object.keys(json)).toEqual(Object.keys(output[0].json));
			expect(Object.values(json)).not.toContain('');
			expect(Object.values(json)).not.toContainEqual([]);
			expect(String(json.why).length).toBeLessThan(300);
		}
	});

	it('enters what the API reference fixes', async () => {
		const { item, all } = await check(reference());
		const { workflowEndpoint, uploadFileField, confirmMethod } = right();

		expect(item('uploadFileField').enter).toBe(uploadFileField);
		expect(item('confirmMethod').enter).toBe(confirmMethod);
		// A POST may do more than to read.
		const isRead = workflowEndpoint.startsWith('GET ');
		const { enter, choices } = item('workflowEndpoint');
		const line = `Workflow Endpoint: ${workflowEndpoint}`;
		expect([enter, choices]).toEqual(isRead ? [workflowEndpoint, []] : ['', [line]]);
		expect(all.enter.split('\n')).toContain(`Upload File Field: ${uploadFileField}`);
		expect(all.why).toMatch(/For .*'Rows'.*, add a line from 'choices'/);
		expect(all.enter).not.toMatch(/Confirm|→/);
	});

	it('lets the user choose the rest', async () => {
		const { item, rows } = await check(reference());
		const { documentIdField, finishedStatuses, uploadUrlEndpoint, ...details } = right();

		expect(valuesIn(item('uploadUrlEndpoint').choices)).toContain(uploadUrlEndpoint);
		const ids = valuesIn(item('documentIdField').choices);
		expect(['document_id', ...ids]).toContain(documentIdField);
		expect(valuesIn(item('finishedStatuses').choices)).toEqual(
			expect.arrayContaining(finishedStatuses.split(/, ?/)),
		);
		expect(rows.enter).toBe('');
		expect(details).toMatchObject(entriesOf(rows.choices));
	});

	it('is enough for rows: its entries typed in, and the line with the own row chosen', async () => {
		const { item, rows } = await check(reference());
		const { documentIdField } = right();
		const credential = {
			...NEWCOMER,
			uploadFileField: item('uploadFileField').enter,
			documentIdField,
			...entriesOf(rows.choices),
		};
		const second = await check(reference(), { credential });
		const items = [await itemWith(INVOICE)];
		const { output } = await used.run({ binaryPropertyName: '*' }, { credential, items });

		expect(second.hints[0]).not.toContain("'Rows'");
		expect(second.rows.enter).toBe('');
		expect(second.rows.why).toMatch(/^It gives this row: Document number: SEED-1 · /);
		expect(output).toMatchObject([{ json: { Supplier: 'Harbour Office Supplies Ltd' } }]);
	});

	it('has nothing to say against the right API Details', async () => {
		const { items, hints } = await check(reference(), { credential: {} });

		expect(items.map(({ why }) => why).join()).not.toMatch(/Does not work now|wrong/);
		expect(hints).toEqual([
			[
				'Nothing else is required, as far as Check Setup can tell.',
				"The first upload shows whether 'Upload File Field' is right.",
			].join(' '),
		]);
	});

	it('takes the document as text, as an object and from its address alike', async () => {
		const { items } = await check(reference());
		const [{ answer }] = await used.control.requests('getOpenApi');
		const { pathname } = new URL(reference());
		const others = [JSON.stringify(answer, null, 2), '={{ $json }}', pathname, pathname.slice(1)];

		for (const other of others) {
			const run = await check(other, { items: [{ json: answer as IDataObject }] });
			expect(run.items).toEqual(items);
		}
	});
});

describe('Check Setup', () => {
	const used = useService({ profile: 'borealis', extractionMs: 30, startMs: 10 });
	const check = checkOf(used);
	const reference = () => used.service.account.openApiUrl;

	it.each([
		['leads nowhere', { rows: 'nothing' }],
		['leads to no name', { rows: '.: nothing = value' }],
	])('says that an entry for rows %s, and what can be read instead', async (_, credential) => {
		await giveResults(used.service);
		const { rows, hints } = await check('', { credential });

		expect(rows.why).toMatch(/^Does not work now: /);
		expect(rows.choices[0]).toContain('.: column.heading = ');
		expect(hints[0]).toContain("For 'Rows', add a line from 'choices', in place of yours");
	});

	it('says in one sentence that there is no result yet', async () => {
		const { rows, all } = await check();

		expect(rows).toMatchObject({ enter: '', choices: [] });
		expect(rows.why).toContain('No result yet');
		expect(all.why).toContain("Still to be found, see the items: 'Rows'");
	});

	/** Two items, as Document › Upload gives them. */
	const uploaded = [1, 2].map((number) => ({
		json: {
			uploadMethod: 'direct',
			response: { file: { ref: `x${number}`, same: 'a1' }, workflow_id: `w${number}` },
		},
	}));

	it.each([
		[
			'',
			['Document ID Field: ref → x1'],
			"Does not work now: The upload's response has no 'document_id', or has several.",
		],
		['file.ref', [], 'A real response to an upload has this field.'],
	])(
		'judges Document ID Field by the responses to uploads of all items: %s',
		async (documentIdField, choices, why) => {
			const { item, output } = await check('', {
				items: uploaded,
				credential: { ...NEWCOMER, documentIdField },
			});

			expect(item('documentIdField')).toMatchObject({
				enter: '',
				choices,
				why: expect.stringContaining(why),
			});
			expect(output[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		},
	);

	it('takes a file field for proven once an upload has worked with it', async () => {
		const credential = { ...NEWCOMER, uploadFileField: 'documents', documentIdField: 'file.ref' };
		const before = await check('', { credential });
		const after = await check('', { credential, items: uploaded });

		expect(before.item('uploadFileField').why).toContain('The first upload shows');
		expect(after.item('uploadFileField').why).toBe('An upload has worked with it.');
	});

	it.each([
		['documents', ''],
		["-F 'documents=@invoice.pdf'", ''],
		['document', "Your entry is probably wrong: the API reference allows only 'documents'."],
	])('compares %s with what the API reference allows', async (uploadFileField, problem) => {
		const { item, all } = await check(reference(), { credential: { uploadFileField } });

		expect(item('uploadFileField').why).toContain(problem);
		expect(item('uploadFileField').enter).toBe(problem && 'documents');
		expect(all.enter.split('\n')).toContain('Upload File Field: documents');
	});

	it('gives the whole text to paste: comments, own lines, and what is fixed', async () => {
		const apiDetails = [
			'# from Ada',
			'0 : "Finished Statuses: DONE, ERROR",',
			'',
			'Confirm Body: {',
			'	"id": "{document_id}"',
			'}',
		].join('\n');
		const { all } = await check(reference(), { credential: { apiDetails } });

		expect(all.enter.split('\n')).toEqual([
			'# from Ada',
			'Upload File Field: documents',
			'Workflow Endpoint: GET /workflows/{workflow_id}/metadata',
			'Finished Statuses: DONE, ERROR',
			'Confirm Method: PUT',
			'Confirm Body: { "id": "{document_id}" }',
		]);
	});

	it('says of a document without a result what its status is, and what then decides', async () => {
		await used.client.uploadedId({ bytes: Buffer.from('a'), contentType: 'text/plain' });
		const { rows } = await check();

		expect(rows.why).toMatch(/^1 document, its status is 'NEW', no result\. .+ If it goes on, /);
	});

	it('accuses nobody because the list of documents names the ID otherwise', async () => {
		await giveResults(used.service);

		const { why, choices } = (await check()).item('documentIdField');

		expect(why).not.toMatch(/Does not work|wrong/);
		expect(choices[0]).toMatch(/^Document ID Field: doc_ref → .+ \(from results; .+\)/);
	});

	it('lists real statuses, with how many documents have results', async () => {
		await giveResults(used.service);
		const [done] = used.service.account.apiDetails.finishedStatuses.split(',');
		await used.client.uploadedId({ bytes: Buffer.from('a'), contentType: 'text/plain' });
		const { item } = await check('', {
			credential: { ...NEWCOMER, documentIdField: 'doc_ref' },
		});

		expect(new Set(item('finishedStatuses').choices)).toEqual(
			new Set([`${done} → 2 documents, 2 with results`, 'NEW → 1 document, 0 with results']),
		);
		expect(item('failedStatuses').choices).toEqual(item('finishedStatuses').choices);
	});

	it.each([
		['an address that does not exist', 'nowhere', 'cannot find what was requested (404)'],
		['another endpoint', 'documents', "does not lead to the service's workflow"],
	])('says that Workflow Endpoint names %s', async (_, path, reason) => {
		const workflowEndpoint = `GET /workflows/{workflow_id}/${path}`;
		const { item, all } = await check('', {
			credential: { workflowEndpoint, finishedStatuses: '' },
		});

		expect(item('workflowEndpoint').why).toContain('Does not work now: ');
		expect(item('workflowEndpoint').why).toContain(reason);
		expect(all.why).toContain("'Workflow Endpoint'");
	});

	it.each<[number, Operation[], note: string]>([
		[403, ['getWorkflow'], 'The service refused access (403).'],
		[503, ['getWorkflow'], 'The service could not handle the request (503).'],
		[404, ['getWorkflow', 'getDocuments', 'getExtractions'], ''],
	])('does not blame Workflow Endpoint for a %d of %j', async (status, operations, reason) => {
		for (const operation of operations) {
			await used.fault(operation, { type: 'status', status }, { times: 50 });
		}
		const { item } = await check('', { credential: {} });

		const { why } = item('workflowEndpoint');
		expect(why).toContain(reason);
		expect(why).not.toMatch(/Does not work now/);
	});

	it('says what could not be read, and goes on with the rest', async () => {
		for (const operation of ['getExtractions', 'getDocuments'] as const) {
			await used.fault(operation, { type: 'status', status: 403 });
		}
		const { item, rows, hints } = await check(reference(), {
			credential: { ...NEWCOMER, documentIdField: 'a b' },
		});

		expect(item('uploadFileField').enter).toBe('documents');
		expect(item('documentIdField').why).toContain('is neither a field name nor a path');
		expect(rows.why).toMatch(/^The results could not be read: .*\(403\)\.$/);
		expect(hints[0]).toMatch(/^Neither documents nor results could be read: /);
	});

	it('shows neither the key nor a signed address', async () => {
		await giveResults(used.service);
		const { apiKey } = used.service.credential();
		const { items } = await check('', {
			credential: {
				...NEWCOMER,
				uploadFileField: `curl -H 'Authorization: Bearer ${String(apiKey)}' -F my file`,
				rows: '.: column.heading = source.href',
			},
		});

		expect(JSON.stringify(items)).not.toContain(apiKey);
		expect(JSON.stringify(items)).not.toMatch(/\?\w+=/);
	});

	it.each<[string, (url: URL) => string]>([
		['another host', () => 'https://evil.example/openapi.json'],
		['another port', () => 'http://127.0.0.1:9/openapi.json'],
		['another scheme', ({ host }) => `https://${host}/openapi.json`],
		['a host behind a user name', ({ host }) => `http://${host}@evil.example/openapi.json`],
		['a user with a password', ({ host }) => `http://me:secret@${host}/openapi.json`],
		['a host after two slashes', () => '//evil.example/openapi.json'],
		['a host after a backslash', () => '/\\evil.example/openapi.json'],
	])('refuses the address of %s before it sends anything', async (_, addressFor) => {
		const { error } = await check(addressFor(new URL(used.service.url)));

		expect(error?.message).toBe(
			`The address in 'OpenAPI Document' does not begin with ${used.service.url}/`,
		);
		expect(await used.control.requests()).toEqual([]);
	});

	it.each<[number, Fault]>([
		[302, { type: 'redirect', location: 'https://evil.example/', status: 302 }],
		[401, { type: 'status', status: 401 }],
		[404, { type: 'status', status: 404 }],
	])('says that there is no document at an address (%d)', async (status, fault) => {
		await used.fault('getOpenApi', fault);
		const { error } = await check(reference());

		expect(error?.message).toBe(`No OpenAPI document could be read at this address (${status})`);
		expect(error?.description).toContain(used.service.account.openApiUrl);
		expect(await used.control.requests('getOpenApi')).toHaveLength(1);
	});

	it('fails every item with the reason where it continues on fail', async () => {
		const { output } = await check('openapi: 3.1.0\ninfo:', {
			items: [{ json: { a: 1 } }, { json: { a: 2 } }],
			onError: 'continueRegularOutput',
		});

		const error = expect.stringContaining('It begins with: openapi: 3.1.0');
		expect(output.map(({ json }) => json)).toMatchObject([1, 2].map((a) => ({ a, error })));
	});
});

describe('an account', () => {
	interface Responses {
		documents?: unknown;
		results?: object[];
		workflow?: object;
		upload?: object;
	}

	/** Checks what a service returns. */
	const checkOn = async (own: Responses, apiDetails = '') => {
		const { documents = [], results = [], workflow = {}, upload } = own;
		const page = { total: results.length, page: 1, limit: 200, pages: 1, items: results };
		const server = await startLocalServer(({ url = '' }, response) => {
			const answer = /extractions/.test(url) ? page : /documents/.test(url) ? documents : workflow;
			response.end(/^\/api/.test(url) ? JSON.stringify(answer) : 'no document');
		});
		const owner = { environment: 'test', apiKey: 'abc_test_0123', workflowId: 'w' };
		const { output, hints } = await runNode({
			credential: { ...owner, baseUrl: server.url, apiDetails },
			parameters: { resource: 'workflow', operation: 'checkSetup', openApiDocument: '' },
			items: [{ json: upload ? { uploadMethod: 'direct', response: upload } : {} }],
		});
		await server.stop();
		const item = (label: string) => output.find(({ json }) => json.apiDetail === label)?.json;
		return { item, hint: hints[0].message };
	};

	it.each([
		['empty values', { values: { Total: null, Supplier: '' } }],
		['no values', { created_at: '2026-11-28' }],
		[
			'entries without values',
			{ cells: [{ name: 'Total' }, { name: 'Date' }] },
			'cells: name = value',
		],
	])('that has nothing but a document with %s gives nothing to judge by', async (...situation) => {
		const [, values, rows = 'values'] = situation;
		const results = [{ document_id: 'd-1', ...values }];
		const { item } = await checkOn({ results }, `Rows: ${rows}`);

		expect(item('Rows')).toMatchObject({
			why: expect.stringMatching(/^There is nothing to judge it by yet: 1 document with results/),
		});
	});

	it('whose results name their document otherwise is told so', async () => {
		const documents = [{ ref: 'd-1', extraction_status: 'x' }];
		const results = [{ ref: 'd-1', values: { Total: 12 } }];
		const { item } = await checkOn({ documents, results }, 'Rows: values');

		expect(item('Rows')?.why).toContain('It gives this row: Total: 12.');
		expect(item('Document ID Field')?.choices).toEqual([
			expect.stringMatching(
				/^Document ID Field: ref → d-1 \(from results; the response to an upload/,
			),
		]);
	});

	it('is told that its row has prompts for columns, beside the line that has its columns', async () => {
		const cells = ['Total', 'Supplier'].map((name) => ({
			...{ name, prompt: `What is the ${name}?`, value: `${name} 1` },
		}));
		const columns = ['Total', 'Supplier'].map((name) => ({ column_id: `c-${name}`, name }));
		const { item, hint } = await checkOn(
			{ results: [{ document_id: 'd-1', cells }], workflow: { is_extracting: false, columns } },
			'Rows: cells: prompt = value\nWorkflow Endpoint: GET /workflows/{workflow_id}',
		);

		expect(item('Rows')?.why).toContain("(0 of your workflow's 2 columns). Add the line from");
		const row = 'Total: Total 1 · Supplier: Supplier 1';
		expect(item('Rows')?.choices).toContain(
			`Rows: cells: name = value → ${row} (2 of your workflow's 2 columns)`,
		);
		expect(hint).toContain("For 'Rows', add a line from 'choices', in place of yours");
	});

	it.each([
		['of this document', { data: { document_id: 'd-1', name: 'a1.pdf' } }, true],
		['that may be of a linked one', { id: 'd-2', linked: { document_id: 'd-1' } }, false],
		[
			'beside that of another object',
			{ document: { id: 'd-2' }, conflict: { document_id: 'd-1' } },
			false,
		],
	])('has a document_id %s', async (_, upload, isConfirmed) => {
		const { item } = await checkOn({ upload });

		const { why } = item('Document ID Field') ?? {};
		expect(why === 'A real response to an upload has this field.').toBe(isConfirmed);
	});

	it('without reference and results is told how to find the file field', async () => {
		const { item } = await checkOn({});

		expect(item('Upload File Field')?.why).toContain(
			"add 'Upload File Field: file' and run Extraction › Extract From Files: if the service refuses",
		);
	});
});

describe('a document at the service', () => {
	const schema = { properties: { scan: { type: 'string', format: 'binary' } } };
	const post = { requestBody: { content: { 'multipart/form-data': { schema } } } };
	const document = JSON.stringify({
		openapi: '3.1.0',
		paths: { '/api/v1/workflows/{workflow_id}/documents': { post } },
	});

	/** Checks at a service that publishes something, and has no documents or extractions. */
	const checkAt = async (openApiDocument: string, publish: RequestListener) => {
		const asked: string[] = [];
		const server = await startLocalServer((request, response) => {
			if (request.url?.startsWith('/api/')) {
				response.end('{"total": 0, "page": 1, "limit": 1, "pages": 0, "items": []}');
			} else {
				asked.push(String(request.url));
				publish(request, response);
			}
		});
		const owner = { environment: 'test', apiKey: 'abc_test_0123', workflowId: 'w' };
		const { error, output } = await runNode({
			credential: { ...owner, baseUrl: server.url },
			parameters: { resource: 'workflow', operation: 'checkSetup', openApiDocument },
		});
		await server.stop();
		const field = output.find(({ json }) => json.apiDetail === 'Upload File Field');
		return { error, found: field?.json.enter, asked };
	};

	it('is found at openapi.json where the field is empty', async () => {
		const { found, asked } = await checkAt('', (_, response) => response.end(`\uFEFF${document}`));

		expect(found).toBe('scan');
		expect(asked).toEqual(['/openapi.json']);
	});

	it('is read up to 5 MB and no further', async () => {
		let sent = 0;
		const chunk = 'x'.repeat(100_000);
		const longDocument = function* () {
			yield '{"openapi": "3.0.0", "info": {"description": "';
			for (; sent < 100_000_000; sent += chunk.length) yield chunk;
			yield '"}}';
		};

		const { error } = await checkAt('/openapi.json', (_, response) =>
			pipeline(Readable.from(longDocument()), response, () => undefined),
		);

		expect(error?.message).toBe('The OpenAPI document is too large');
		expect(sent).toBeLessThan(30_000_000);
	});
});
