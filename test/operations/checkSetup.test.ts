import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
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

/** As a new user begins: with the fields that everybody sees, and none of the API Details. */
const NEWCOMER = {
	...Object.fromEntries(ALL_DETAILS.map((detail) => [detail, ''])),
	documentIdField: 'document_id',
	...Object.fromEntries(Object.values(DETAIL_GROUPS).map((group) => [group.switch, false])),
};

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
			const all: IDataObject = { enter: '', choices: [], note: '', ...Object.fromEntries(said) };
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

/** The entry of a line of choices for rows, as its user types it. */
const entriesOf = (line: string) => ({ rows: line.split(' → ')[0] });

const valuesIn = (choices: string[]) => choices.map((line) => line.split(' → ')[0]);

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
			expect(String(json.why).length).toBeLessThan(260);
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
		expect([enter, choices]).toEqual(isRead ? [workflowEndpoint, []] : ['', [workflowEndpoint]]);
		expect(all.enter).toEqual(
			expect.arrayContaining([
				`Upload File Field: ${uploadFileField}`,
				'Set Up One Row per Document: switch on',
				"Rows: (choose from 'choices' in the item 'Rows')",
				'Set Up Faster Waiting and Dropdown Lists: switch on',
			]),
		);
		expect(String(all.enter)).not.toContain('Signed');
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
		expect(details).toMatchObject(entriesOf(rows.choices[0]));
		expect(rows.choices[0]).toContain('Document number: SEED-1 · Supplier: ');
	});

	it('is enough for rows: its entries typed in, and the line with the own row chosen', async () => {
		const { item, rows } = await check(reference());
		const { documentIdField } = right();
		const credential = {
			...NEWCOMER,
			uploadFileField: item('uploadFileField').enter,
			documentIdField,
			useResponseFields: true,
			...entriesOf(rows.choices[0]),
		};
		const second = await check(reference(), { credential });
		const items = [await itemWith(INVOICE)];
		const { output } = await used.run({ binaryPropertyName: '*' }, { credential, items });

		expect(second.hints[0]).toMatch(
			/^The credential is filled in for: .*Extract From Files.*one row per document\. (Nothing else|Next: (enter|choose) 1)/,
		);
		expect(second.rows).toMatchObject({ enter: '', choices: [] });
		expect(second.rows.why).toMatch(/^It works and gives this row: Document number: SEED-1 · /);
		expect(output).toMatchObject([{ json: { Supplier: 'Harbour Office Supplies Ltd' } }]);
	});

	it('has nothing to say against the right API Details', async () => {
		const { items, hints } = await check(reference(), { credential: {} });

		const notes = items.map(({ note }) => note).join();
		expect(notes).not.toMatch(/Does not work now|Not yet for/);
		expect(hints).toEqual([expect.stringContaining('Nothing else is required, as far as Check')]);
		expect(hints[0]).toMatch(/ see the items about them below\.$/);
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

	/** How each purpose shows itself. */
	const PURPOSE_RUNS: Array<[title: string, name: string, parameters: INodeParameters]> = [
		['Extract From Files', 'extraction.extractFromFiles', {}],
		['Document › Upload', 'document.upload', { uploadMethod: 'direct' }],
		['uploads by signed URL', 'document.upload', { uploadMethod: 'signed' }],
		['Create Upload URL', 'document.createUploadUrl', { fileName: 'a.pdf' }],
		['Confirm Upload', 'document.confirmUpload', { documentIds: 'x1' }],
		['one row per document', 'extraction.getAll', {}],
		['Workflow › Get, Workflow › Wait Until Extracted, dropdown lists', 'workflow.get', {}],
	];

	it.each(ALL_DETAILS.flatMap((detail) => ['', 'a b'].map((entry) => ({ [detail]: entry }))))(
		'says what works now, as it is with %j',
		async (credential) => {
			await giveResults(used.service);
			const { all, output } = await check('{"openapi": "3.1.0"}', { credential });
			const [, lacking = ''] = all.note.split('Not yet for: ');
			expect(output.filter(({ json }) => / \./.test(String(json.why)))).toEqual([]);
			for (const [title, name, parameters] of PURPOSE_RUNS) {
				const [resource, operation] = name.split('.');
				const { error } = await used.run(
					{ resource, operation, binaryPropertyName: '*', ...parameters },
					{ credential, items: [await itemWith(INVOICE)] },
				);
				const isTold = lacking.split('; ').some((one) => one.startsWith(title));
				const isStopped =
					(error?.message.startsWith("The credential's field ") ?? false) ||
					// Without Rows, results are given raw.
					(name === 'extraction.getAll' && 'rows' in credential && credential.rows === '');
				expect({ title, isTold }).toEqual({ title, isTold: isStopped });
			}
		},
	);

	it.each([
		['leads nowhere', { rows: 'nothing' }],
		['leads to no name', { rows: '.: nothing = value' }],
	])('says that an entry for rows %s, and what can be read instead', async (_, credential) => {
		await giveResults(used.service);
		const { rows, hints } = await check('', { credential });

		expect(rows.note).toMatch(/^Does not work now: /);
		expect(rows.choices[0]).toContain('.: column.heading = ');
		expect(hints[0]).not.toContain('one row per document');
		expect(hints[0]).toContain('Next: choose 1');
	});

	it('says in one sentence that there is no result yet', async () => {
		const { rows, all } = await check();

		expect(rows).toMatchObject({ enter: '', choices: [] });
		expect(rows.why).toContain('No result yet');
		expect(all.enter).toContain(`Rows: (${rows.why})`);
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
			'document_id',
			"Does not work now: The upload's response has no 'document_id', or has several.",
		],
		['file.ref', ''],
	])(
		'judges Document ID Field by the responses to uploads of all items: %s',
		async (documentIdField, note) => {
			const { item, output } = await check('', {
				items: uploaded,
				credential: { ...NEWCOMER, documentIdField },
			});

			expect(item('documentIdField')).toMatchObject({ enter: '', choices: ['ref → x1'], note });
			expect(output[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		},
	);

	it('accuses nobody because the list of documents names the ID otherwise', async () => {
		await giveResults(used.service);

		const { note, choices } = (await check()).item('documentIdField');

		expect(note).toBe('');
		expect(choices[0]).toMatch(/^doc_ref → .+ \(from the list of documents; .+\)/);
	});

	it('lists real statuses, with how many documents have results', async () => {
		await giveResults(used.service);
		const [done] = used.service.account.apiDetails.finishedStatuses.split(',');
		await used.client.uploadedId({ bytes: Buffer.from('a'), contentType: 'text/plain' });
		const { item } = await check('', {
			credential: { ...NEWCOMER, documentIdField: 'doc_ref' },
		});

		expect(new Set(item('finishedStatuses').choices)).toEqual(
			new Set([
				`${done} → 2 of the documents that were read have this status; results were found for 2 of these`,
				'NEW → 1 of the documents that were read has this status; results were found for 0 of these',
			]),
		);
	});

	it.each([
		['an address that does not exist', 'nowhere', 'cannot find what was requested (404)'],
		['another endpoint', 'documents', "does not lead to the service's workflow"],
	])('says that Workflow Endpoint names %s', async (_, path, reason) => {
		const workflowEndpoint = `GET /workflows/{workflow_id}/${path}`;
		const { item, all } = await check('', {
			credential: { workflowEndpoint, finishedStatuses: '' },
		});

		expect(item('workflowEndpoint').note).toContain('Does not work now: ');
		expect(item('workflowEndpoint').note).toContain(reason);
		expect(all.note).toContain("correct 'Workflow Endpoint'");
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

		expect(item('workflowEndpoint').note.replace(/^The .+ workflow there: /, '')).toBe(reason);
	});

	it('says what could not be read, and goes on with the rest', async () => {
		for (const operation of ['getExtractions', 'getDocuments'] as const) {
			await used.fault(operation, { type: 'status', status: 403 });
		}
		const { item, rows, hints } = await check(reference(), {
			credential: { ...NEWCOMER, documentIdField: 'a b' },
		});

		expect(item('uploadFileField').enter).toBe('documents');
		expect(item('documentIdField').note).toContain('is neither a field name nor a path');
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

		const error = 'This OpenAPI document is YAML, but the node reads only JSON';
		expect(output.map(({ json }) => json)).toMatchObject([1, 2].map((a) => ({ a, error })));
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

	it.each([
		['Swagger UI', `<script>SwaggerUIBundle({url: '/v1/openapi.json', dom_id: '#x'})</script>`],
		['Redoc', '<redoc spec-url="v1/openapi.json?a=1&amp;b=2"></redoc>'],
		['escaped', String.raw`<script>{"url":"\/v1\/openapi.json"}</script>`],
	])('is found through the page of %s, on the same origin only', async (_, link) => {
		const page = `<!doctype html><link href="https://evil.example/openapi.json"><script src="/swagger-ui.js"></script>${link}`;

		const { found, asked } = await checkAt('/docs', ({ url }, response) =>
			response.end(url === '/docs' ? page : document),
		);

		expect(found).toBe('scan');
		expect(asked).toEqual(['/docs', expect.stringMatching(/^\/v1\/openapi\.json/)]);
	});

	it.each([
		['/docs', 'This is a web page or XML, not an OpenAPI document'],
		['', undefined],
	])('is not taken from a page that names none, at %j', async (address, message) => {
		const { error } = await checkAt(address, (_, response) =>
			response.end('<html><title>Sign in</title></html>'),
		);

		expect(error?.message).toBe(message);
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
