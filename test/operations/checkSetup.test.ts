import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/service/faults';
import {
	API_DETAILS,
	DETAIL_GROUPS,
	type ApiDetail,
} from '../../nodes/DocumentExtraction/api/details/labels';
import type { SetupRow } from '../../nodes/DocumentExtraction/api/setup';
import { startLocalServer } from '../support/localServer';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { PROFILES } from '../support/profiles';
import type { Service } from '../support/service';
import { useService } from '../support/useService';

const DETAILS = Object.keys(API_DETAILS) as ApiDetail[];

const SWITCHED_OFF = Object.fromEntries(
	Object.values(DETAIL_GROUPS).map((group) => [group.switch, false]),
);

/** As a new user begins: with the fields that everybody sees, and none of the API Details. */
const newcomer = (service: Service, more: ICredentialDataDecryptedObject = {}) =>
	service.credential({
		...Object.fromEntries(DETAILS.map((detail) => [detail, ''])),
		...SWITCHED_OFF,
		...more,
	});

async function check(
	service: Service,
	openApiDocument: INodeParameters[string],
	{ credential = newcomer(service), ...options }: RunOptions = {},
) {
	const run = await runNode({
		credential,
		parameters: { resource: 'workflow', operation: 'checkSetup', openApiDocument },
		...options,
	});
	const rows = run.output.map(({ json }) => json as unknown as SetupRow);
	const row = (detail: ApiDetail) =>
		rows.find(({ apiDetail }) => apiDetail === API_DETAILS[detail].label) as SetupRow;
	return { ...run, rows, row, hint: run.hints.map(({ message }) => message).join('\n') };
}

/** The document itself, as whoever opens its address in a browser gets it. */
async function publishedBy(service: Service): Promise<unknown> {
	const before = (await service.control.requests('getOpenApi')).length;
	await check(service, service.account.openApiUrl);
	return (await service.control.requests('getOpenApi'))[before].answer;
}

function pointedAt(document: unknown, pointer: string): unknown {
	return pointer
		.split('/')
		.slice(1)
		.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>((value, key) => (value as { [key: string]: unknown })[key], document);
}

/** Whether a body is a template with what stands in angle brackets replaced. */
function isMadeFrom(template: unknown, body: unknown): boolean {
	if (typeof template === 'string' && /^<.*>$/.test(template)) return typeof body === 'string';
	if (template === null || typeof template !== 'object') return template === body;
	if (body === null || typeof body !== 'object') return false;
	const parts = Object.entries(body);
	return (
		parts.length === Object.keys(template).length &&
		parts.every(([key, part]) => isMadeFrom((template as { [key: string]: unknown })[key], part))
	);
}

/** What a row leads to; nothing at all is right where an account needs no such detail. */
const enterable = ({ found, seen }: SetupRow) => [
	'',
	...found,
	...seen.map((sample) => sample.slice(0, sample.indexOf(': '))),
];

describe.each(PROFILES)('with an account of %s', (profile) => {
	const used = useService({ profile });

	describe('that publishes a full OpenAPI document', () => {
		beforeEach(async () => {
			await used.service.control.seed({ documents: 3, extractionsPerDocument: 2 });
		});

		it('gives a row for every API Detail, in the order of the credential', async () => {
			const { rows, error } = await check(used.service, used.service.account.openApiUrl);

			expect(error).toBeUndefined();
			expect(rows.map(({ apiDetail }) => apiDetail)).toEqual(
				DETAILS.map((detail) => API_DETAILS[detail].label),
			);
			for (const row of rows) {
				expect(Object.keys(row).slice(0, 4)).toEqual(['apiDetail', 'value', 'found', 'note']);
				expect(row).toMatchObject({ value: null, isWellFormed: null, problem: null });
				expect(row.neededFor).not.toBe('');
				expect([row.apiDetail, row.found.length > 0 || row.note !== '']).toContain(true);
			}
		});

		it.each<ApiDetail>([
			'uploadFileField',
			'workflowEndpoint',
			'uploadUrlEndpoint',
			'uploadUrlField',
			'confirmMethod',
		])('finds %s alone', async (detail) => {
			const { row } = await check(used.service, used.service.account.openApiUrl);

			expect(row(detail).found).toEqual([used.service.account.apiDetails[detail]]);
			expect(row(detail).note).not.toBe('');
		});

		it.each<ApiDetail>(['uploadUrlBody', 'confirmBody'])(
			'gives %s as a template, to be completed',
			async (detail) => {
				const { row } = await check(used.service, used.service.account.openApiUrl);

				const [template, ...others] = row(detail).found;
				expect(others).toEqual([]);
				const right = used.service.account.apiDetails[detail];
				expect(isMadeFrom(JSON.parse(template), JSON.parse(right))).toBe(true);
				expect(row(detail).note.includes('angle brackets')).toBe(template.includes('"<'));
			},
		);

		it('lists all statuses, and chooses none', async () => {
			const { row } = await check(used.service, used.service.account.openApiUrl);

			const right = used.service.account.apiDetails.finishedStatuses.split(/, ?/);
			expect(row('finishedStatuses').found).toHaveLength(4);
			expect(row('finishedStatuses').found).toEqual(expect.arrayContaining(right));
			expect(row('finishedStatuses').seen).toHaveLength(1);
			expect(right).toEqual(expect.arrayContaining(row('finishedStatuses').seen));
		});

		it.each<ApiDetail>(['documentIdField', 'valuesField', 'columnNameField', 'columnValueField'])(
			'lists %s among what the user chooses from',
			async (detail) => {
				const { row } = await check(used.service, used.service.account.openApiUrl);

				const right = used.service.account.apiDetails[detail];
				expect(enterable(row(detail))).toContain(right);
				expect(row(detail).seen.length + row(detail).found.length).toBeGreaterThan(0);
			},
		);

		it('points to where it found each value', async () => {
			const document = await publishedBy(used.service);
			const { rows } = await check(used.service, used.service.account.openApiUrl);

			for (const { apiDetail, found, foundAt } of rows) {
				expect(foundAt).toHaveLength(found.length);
				for (const pointer of foundAt) {
					expect([apiDetail, pointedAt(document, pointer)]).not.toEqual([apiDetail, undefined]);
				}
			}
		});

		it('reads it as pasted text and as an object of an expression as well', async () => {
			const document = await publishedBy(used.service);
			const { rows } = await check(used.service, used.service.account.openApiUrl);

			const pasted = await check(used.service, JSON.stringify(document, null, 2));
			const object = await check(used.service, '={{ $json.reference }}', {
				items: [{ json: { reference: document as INodeParameters } }],
			});
			const path = await check(used.service, new URL(used.service.account.openApiUrl).pathname);
			expect(pasted.rows).toEqual(rows);
			expect(object.rows).toEqual(rows);
			expect(path.rows).toEqual(rows);
		});

		it('only reads, and shows the key to nobody but the service', async () => {
			const before = await used.service.control.ledger();
			const { error } = await check(used.service, used.service.account.openApiUrl, {
				credential: used.service.credential(),
			});

			expect(error).toBeUndefined();
			const requests = await used.service.control.requests();
			expect(
				requests.map(({ method, operation, server }) => `${method} ${operation} ${server}`).sort(),
			).toEqual(['GET getDocuments api', 'GET getExtractions api', 'GET getOpenApi api']);
			const fetched = requests.find(({ operation }) => operation === 'getOpenApi');
			expect(fetched?.headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(fetched)).not.toContain(used.service.credential().apiKey);
			expect(await used.service.control.ledger()).toEqual(before);
		});

		it('has nothing to say against the right API Details', async () => {
			const { rows, row, hint } = await check(used.service, used.service.account.openApiUrl, {
				credential: used.service.credential(),
			});

			for (const detail of DETAILS) {
				const right = used.service.account.apiDetails[detail];
				expect(row(detail)).toMatchObject({
					value: right || null,
					isWellFormed: right ? true : null,
					problem: null,
				});
			}
			expect(rows.map(({ note }) => note).join()).not.toMatch(/document differ|switch on/);
			expect(row('confirmMethod').note).toBe('The credential has the same.');
			expect(hint).toContain('Extract From Files and Document › Upload, direct;');
			expect(hint).not.toContain('Does not work yet');
		});
	});

	it('finds of a bare document what is in it, and shows the rest in real responses', async () => {
		await used.service.control.settings({ openApi: 'bare' });
		await used.service.control.seed({ documents: 1 });
		const { row, error } = await check(used.service, used.service.account.openApiUrl);

		expect(error).toBeUndefined();
		const { apiDetails } = used.service.account;
		expect(row('confirmMethod').found).toEqual([apiDetails.confirmMethod]);
		expect(
			isMadeFrom(JSON.parse(row('confirmBody').found[0]), JSON.parse(apiDetails.confirmBody)),
		).toBe(true);
		for (const detail of ['uploadFileField', 'workflowEndpoint', 'uploadUrlEndpoint'] as const) {
			expect(row(detail).found).toEqual([]);
			expect(row(detail).note).toMatch(/[Ll]ook/);
		}
		for (const detail of [
			'documentIdField',
			'valuesField',
			'columnNameField',
			'columnValueField',
		] as const) {
			expect(row(detail).found).toEqual([]);
			expect(enterable(row(detail))).toContain(apiDetails[detail]);
		}
	});

	it('without a document says what is filled in, where to look, and what real responses hold', async () => {
		await used.service.control.seed({ documents: 1 });
		const { uploadFileField } = used.service.account.apiDetails;
		const { rows, row, hint } = await check(used.service, '', {
			credential: newcomer(used.service, { uploadFileField }),
		});

		expect(await used.service.control.requests('getOpenApi')).toEqual([]);
		expect(rows.every(({ found }) => found.length === 0)).toBe(true);
		expect(row('uploadFileField')).toMatchObject({ value: uploadFileField, isWellFormed: true });
		expect(row('confirmMethod').note).toContain('In the API reference, look at: the endpoint');
		expect(row('valuesField').seen).not.toEqual([]);
		expect(hint).toContain('Works with what is filled in: Extract From Files');
		expect(hint).toContain(
			"Upload, by signed URL (needs 'Upload URL Endpoint', 'Upload URL Field', 'Confirm Method', 'Confirm Body')",
		);
	});

	it('says so where the account publishes no document', async () => {
		await used.service.control.settings({ openApi: 'none' });
		const { error } = await check(used.service, used.service.account.openApiUrl);

		expect(error?.message).toBe('There is no OpenAPI document at this address (404)');
	});
});

describe('Check Setup', () => {
	const used = useService({ profile: 'borealis' });
	const fault = async (rule: FaultRule) => await used.service.control.faults([rule]);
	const fromAddress = async () => await check(used.service, used.service.account.openApiUrl);

	it('says what is wrong with an API Detail, and what that keeps from working', async () => {
		const { row, hint } = await check(used.service, '', {
			credential: used.service.credential({
				uploadFileField: 'my file',
				workflowEndpoint: 'GET /workflows/{id}',
				confirmBody: '{"doc_ref": "<string>"}',
				columnValueField: '',
			}),
		});

		expect(row('uploadFileField')).toMatchObject({
			value: 'my file',
			isWellFormed: false,
			problem: expect.stringContaining('is not the name of a form field') as string,
		});
		expect(row('workflowEndpoint').problem).toContain('{id}, which is not a placeholder here');
		expect(row('confirmBody').problem).toContain('still has "<string>" in it');
		expect(row('columnNameField').problem).toContain("'Column Value Field' is empty");
		expect(row('confirmMethod')).toMatchObject({ isWellFormed: true, problem: null });
		expect(hint).toContain("Confirm Upload (correct 'Confirm Body')");
		expect(hint).toContain(
			"Extract From Files and Document › Upload, direct (correct 'Upload File Field', 'Workflow Endpoint')",
		);
		expect(hint).toContain("Simplify (correct 'Column Name Field')");
		expect(hint).toContain(
			'Works with what is filled in: Create Upload URL; Extraction › Get Many;',
		);
	});

	it('says where the credential differs from the document', async () => {
		const { row } = await check(used.service, used.service.account.openApiUrl, {
			credential: used.service.credential({
				uploadFileField: 'file',
				workflowEndpoint: 'GET /api/v1/workflows/:workflow_id/metadata',
				confirmMethod: 'POST',
			}),
		});

		const differs = 'The credential and the OpenAPI document differ.';
		expect(row('uploadFileField').note).toContain(differs);
		expect(row('confirmMethod').note).toContain(differs);
		expect(row('workflowEndpoint').note).not.toContain(differs);
	});

	it('says which switch of the credential shows an empty field', async () => {
		const { row } = await check(used.service, '');

		expect(row('uploadFileField').note).not.toContain('switch on');
		expect(row('confirmBody').note).toContain(
			"switch on 'Set Up Signed Uploads for Large Files' in the credential",
		);
		expect(row('documentIdField').note).toContain("Left empty, it is 'document_id'.");
	});

	it('shows no key that was pasted with a command', async () => {
		const { apiKey } = used.service.credential();
		const { row } = await check(used.service, '', {
			credential: newcomer(used.service, {
				uploadFileField: `curl -H 'Authorization: Bearer ${String(apiKey)}' -F 'documents=@a.pdf'`,
			}),
		});

		expect(row('uploadFileField')).toMatchObject({ isWellFormed: true });
		expect(row('uploadFileField').value).toContain("-F 'documents=@a.pdf'");
		expect(row('uploadFileField').value).not.toContain(apiKey);
	});

	it('gives rows and the reason where the key may not read', async () => {
		await used.service.control.faults(
			(['getExtractions', 'getDocuments'] as const).map((operation) => ({
				match: { operation },
				fault: { type: 'status', status: 403, body: { detail: 'no scope' } },
			})),
		);
		const { row, rows, error } = await fromAddress();

		expect(error).toBeUndefined();
		expect(rows).toHaveLength(DETAILS.length);
		expect(row('uploadFileField').found).toEqual(['documents']);
		expect(row('valuesField').note).toContain(
			'The extractions could not be read: The service refused the API key (403).',
		);
		expect(row('documentIdField').note).toContain(
			'The documents could not be read: The service refused the API key (403).',
		);
		expect(row('documentIdField').note).not.toContain('extractions');
	});

	it('says that there is nothing to be seen yet', async () => {
		const { row } = await check(used.service, '');

		expect(row('valuesField')).toMatchObject({ seen: [] });
		expect(row('valuesField').note).toContain('There is no extraction yet');
		expect(row('finishedStatuses').note).toContain('There is no document yet');
	});

	it.each<[string, (url: URL) => string]>([
		['another host', () => 'https://evil.example/openapi.json'],
		['a subdomain', ({ port }) => `http://docs.127.0.0.1.nip.example:${port}/openapi.json`],
		['another port', () => 'http://127.0.0.1:9/openapi.json'],
		['another scheme', ({ host }) => `https://${host}/openapi.json`],
		['a host behind a user name', ({ host }) => `http://${host}@evil.example/openapi.json`],
		['a host after two slashes', () => '//evil.example/openapi.json'],
		['a host after a backslash', () => '/\\evil.example/openapi.json'],
	])('refuses the address of %s before it sends anything', async (_, addressFor) => {
		const { error } = await check(used.service, addressFor(new URL(used.service.url)));

		expect(error?.message).toBe(
			"The address in 'OpenAPI Document' is not on the origin of 'Base URL'",
		);
		expect(error?.description).toContain('Nothing was sent.');
		expect(error?.description).toContain(`from ${used.service.url} only`);
		expect(await used.service.control.requests()).toEqual([]);
	});

	it('refuses an address with a password in it', async () => {
		const { host } = new URL(used.service.url);
		const { error } = await check(used.service, `http://me:secret@${host}/docs/api.json`);

		expect(error?.message).toContain('contains a user name or password');
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(await used.service.control.requests()).toEqual([]);
	});

	it('does not follow where the address leads elsewhere', async () => {
		const arrived: string[] = [];
		const elsewhere = await startLocalServer((request, response) => {
			arrived.push(String(request.url));
			response.end('{}');
		});
		await fault({
			match: { operation: 'getOpenApi' },
			fault: { type: 'redirect', location: `${elsewhere.url}/openapi.json`, status: 302 },
		});
		const { error } = await fromAddress();
		await elsewhere.stop();

		expect(error?.message).toBe("The address in 'OpenAPI Document' redirects to another one (302)");
		expect(error?.description).toContain(`${elsewhere.url}/openapi.json`);
		expect(arrived).toEqual([]);
	});

	it.each([401, 403])('says that the document is behind a sign-in (%d)', async (status) => {
		await fault({
			match: { operation: 'getOpenApi' },
			fault: { type: 'status', status, body: { detail: 'no' } },
		});
		const { error } = await fromAddress();

		expect(error?.message).toBe(
			`The OpenAPI document can be read only after signing in (${status})`,
		);
		expect(error?.description).toContain('without the API key');
	});

	it('tells a sign-in page from a document', async () => {
		await fault({
			match: { operation: 'getOpenApi' },
			fault: { type: 'html', status: 200, title: 'Sign in' },
		});
		const { error } = await fromAddress();

		expect(error?.message).toBe('This is a web page or XML, not an OpenAPI document');
		expect(error?.description).toContain('sign-in page');
		expect(await used.service.control.requests('getOpenApi')).toHaveLength(1);
	});

	it.each<[string, string, RegExp]>([
		[
			'YAML',
			'openapi: 3.1.0\ninfo:\n  title: API',
			/is YAML, but the node reads only JSON.* Enter /,
		],
		[
			'a web page',
			'<!doctype html><title>API</title>',
			/web page or XML.* may be the page that shows the API reference/,
		],
		[
			'an address without a scheme',
			'api.example.com/openapi.json',
			/it is not JSON If it is an address, start it with https/,
		],
		[
			'half a document',
			'{"openapi": "3.1.0", "paths": {"/a"',
			/is not valid JSON It may have been cut off/,
		],
		['other JSON', '{"total": 0}', /neither 'openapi' nor 'swagger' at the top/],
		['a list', '[]', /it is JSON, but not an object/],
	])('says that it was given %s', async (_, text, message) => {
		const { error } = await check(used.service, text);

		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(await used.service.control.requests()).toEqual([]);
	});

	it('finds nothing in the document of another service', async () => {
		const { rows, error } = await check(
			used.service,
			JSON.stringify({
				openapi: '3.0.0',
				paths: { '/pets': { get: { responses: { 200: { description: 'Pets' } } } } },
			}),
		);

		expect(error).toBeUndefined();
		expect(rows.flatMap(({ found }) => found)).toEqual([]);
		expect(rows[0].note).toContain('It may belong to another service');
	});

	it('refuses 20 MB of text or of an object at once', async () => {
		const large = { openapi: '3.0.0', info: { description: 'x'.repeat(20_000_000) } };
		const text = await check(used.service, JSON.stringify(large));
		const object = await check(used.service, '={{ $json }}', { items: [{ json: large }] });

		expect(text.error?.message).toBe('The OpenAPI document is too large');
		expect(object.error?.message).toBe('The OpenAPI document is too large');
		expect(await used.service.control.requests()).toEqual([]);
	});

	it('continues on fail with the item and its reason', async () => {
		const reference = '{"openapi": "3.0.0", "paths": {}}';
		const { output, error } = await check(used.service, '={{ $json.reference }}', {
			items: [{ json: { reference: 'openapi: 3.1.0' } }, { json: { reference } }],
			onError: 'continueRegularOutput',
		});

		expect(error).toBeUndefined();
		expect(output).toHaveLength(1 + DETAILS.length);
		expect(output[0].json).toMatchObject({
			reference: 'openapi: 3.1.0',
			error: 'This OpenAPI document is YAML, but the node reads only JSON',
		});
		expect(output[1]).toMatchObject({ pairedItem: { item: 1 } });
	});

	it('stops while it waits for a response', async () => {
		await fault({ match: { operation: 'getDocuments' }, fault: { type: 'stallBefore' } });
		const started = performance.now();
		const { status, rows } = await check(used.service, '', { signal: AbortSignal.timeout(500) });

		expect(status).toBe('canceled');
		expect(rows).toEqual([]);
		expect(performance.now() - started).toBeLessThan(10_000);
	});
});

describe('a document that is fetched', () => {
	/** A service that has a document, and no documents or extractions. */
	const published = async (publish: RequestListener, run: (url: string) => Promise<void>) => {
		const server = await startLocalServer((request, response) => {
			if (request.url === '/openapi.json') publish(request, response);
			else response.end('{"total": 0, "page": 1, "limit": 1, "pages": 0, "items": []}');
		});
		await run(server.url);
		await server.stop();
	};
	const checkAt = async (url: string) =>
		await runNode({
			credential: {
				environment: 'test',
				baseUrl: url,
				apiKey: 'abc_test_0123',
				workflowId: 'w',
			},
			parameters: {
				resource: 'workflow',
				operation: 'checkSetup',
				openApiDocument: `${url}/openapi.json`,
			},
		});

	it('is read up to 5 MB and no further', async () => {
		let sent = 0;
		const chunk = 'x'.repeat(100_000);
		const longDocument = function* () {
			yield '{"openapi": "3.0.0", "info": {"description": "';
			for (let count = 0; count < 1000; count++) {
				sent += chunk.length;
				yield chunk;
			}
			yield '"}}';
		};
		await published(
			(_request, response) => {
				pipeline(Readable.from(longDocument()), response, () => undefined);
			},
			async (url) => {
				const { error } = await checkAt(url);
				expect(error?.message).toBe('The OpenAPI document is too large');
				expect(error?.description).toContain('The node reads at most 5 MB');
			},
		);
		expect(sent).toBeLessThan(30_000_000);
	});

	it('may lack a content type and begin with a byte order mark', async () => {
		await published(
			(_request, response) => {
				response.end('\uFEFF{"openapi": "3.0.0", "paths": {}}');
			},
			async (url) => {
				const { error, output } = await checkAt(url);
				expect(error).toBeUndefined();
				expect(output).toHaveLength(DETAILS.length);
			},
		);
	});
});
