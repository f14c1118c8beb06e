import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { atlas } from '../dev/service/profiles/atlas';
import { borealis } from '../dev/service/profiles/borealis';
import { awkwardIds, terse } from '../dev/service/profiles/variants';
import { at, fill, requestAt, until, uploadIn } from './support/serviceClient';
import { useRealService } from './support/useRealService';
import { useVirtualService } from './support/useService';

const FILE = Buffer.from('Total: 641.28\n');

type Json = Record<string, unknown>;

/** What accounts do differently on purpose; everything else is the same in all of them. */
const ACCOUNTS = [
	{
		profile: atlas,
		name: 'atlas',
		statuses: { missing: 401, unknown: 401, revoked: 401, withoutScope: 403 },
		invalid: (json: unknown) => (json as { detail: unknown }).detail,
		bulk: { status: 204, text: '' },
		limited: { contentType: 'application/json; charset=utf-8', retryAfter: /^\d+$/ },
	},
	{
		profile: borealis,
		name: 'borealis',
		statuses: { missing: 403, unknown: 401, revoked: 403, withoutScope: 403 },
		invalid: (json: unknown) => (json as { errors: unknown }).errors,
		bulk: { status: 200, text: 'null' },
		limited: { contentType: 'application/json; charset=utf-8', retryAfter: / GMT$/ },
	},
	{
		profile: { ...atlas, ...terse, ...awkwardIds(atlas) },
		name: 'an account that refuses in few words',
		statuses: { missing: 401, unknown: 401, revoked: 401, withoutScope: 401 },
		invalid: (json: unknown) => json,
		bulk: { status: 204, text: '' },
		limited: { contentType: 'text/plain', retryAfter: /^undefined$/ },
	},
];

/** What the node's tests show of the service is not repeated here: these are the rules that they rest on. */
describe.each(ACCOUNTS)('the simulated service as $name', ({ profile, ...differs }) => {
	const used = useVirtualService({ profile });

	const read = async (key?: string | null) =>
		await used.client.api('GET', used.client.at('/extractions'), { key });
	const list = async (key: string | null) => (await read(key)).status;
	const extract = async (body?: object, key?: string) =>
		await used.client.api('POST', used.client.at('/extract'), { body, key });

	it('refuses a missing, an unknown and a revoked key, and one without the scope', async () => {
		const { keys } = used.client.environment;

		expect({
			missing: await list(null),
			unknown: await list(`${keys.full}0`),
			revoked: await list(keys.revoked),
			withoutScope: (await extract(undefined, keys.noExtract)).status,
		}).toEqual(differs.statuses);
	});

	it('names what is wrong in a query and in a body', async () => {
		const query = await used.client.api('GET', used.client.at('/extractions?page=0&limit=201'));
		const body = await extract({ document_ids: 'one', force: 'yes' });

		expect([query.status, body.status]).toEqual([422, 422]);
		expect(differs.invalid(query.json)).toMatchObject([
			{ loc: ['query', 'page'], type: 'minimum' },
			{ loc: ['query', 'limit'], type: 'maximum' },
		]);
		expect(differs.invalid(body.json)).toMatchObject([
			{ loc: ['body', 'document_ids'], type: 'type' },
			{ loc: ['body', 'force'], type: 'type' },
		]);
		expect((await used.control.ledger()).extractions).toEqual([]);
	});

	it('counts a rate limit down for each key, refuses, and lets through again', async () => {
		await used.control.settings({ rate: { limit: 5, windowMs: 3000 } });
		const answers = [];
		for (let i = 0; i < 7; i++) answers.push(await read());
		const { headers } = answers[6];

		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
		const remaining = answers.map((answer) => answer.headers['x-ratelimit-remaining']);
		expect(remaining).toEqual(['4', '3', '2', '1', '0', '0', '0']);
		expect(headers['content-type']).toBe(differs.limited.contentType);
		expect(String(headers['retry-after'])).toMatch(differs.limited.retryAfter);
		expect(await list(used.client.environment.keys.readOnly)).toBe(200);
		await used.time.pass(3_000);
		expect((await read()).status).toBe(200);
	});

	describe('signed upload', () => {
		const grant = async () =>
			await used.client.createUploadUrl({
				file_name: 'signed.pdf',
				content_type: 'application/pdf',
				file_size: FILE.length,
			});

		it('confirms nothing that has not arrived, and extracts nothing that is not confirmed', async () => {
			const { answer, url } = await grant();
			const documentId = used.client.documentId(answer);

			const confirmed = await used.client.confirm(documentId);
			await used.client.put(url, FILE);
			const all = await extract();
			const named = await extract({ document_ids: [documentId] });
			const single = await used.client.api(
				'POST',
				used.client.at(`/documents/${encodeURIComponent(documentId)}/extract`),
			);

			expect([confirmed.status, named.status, single.status]).toEqual([400, 400, 400]);
			expect(all).toMatchObject(differs.bulk);
			const { confirmations, extractions } = await used.control.ledger();
			expect(confirmations).toEqual([]);
			expect(extractions).toMatchObject([{ documentIds: [] }]);
		});

		const PDF = { 'content-type': 'application/pdf' };

		/** A request whose body is framed as its headers say. */
		const raw = async (url: string, headers: Record<string, string>, body?: Buffer) => {
			const options = { method: 'PUT', headers: { ...PDF, ...headers }, agent: false };
			const request = http.request(url, options);
			// The service may have answered, and closed, before everything was sent.
			request.on('error', () => {});
			// Node.js frames a body without a length in chunks, unless it is told that there is none.
			if (!body) request.useChunkedEncodingByDefault = false;
			request.end(body);
			const [response] = (await once(request, 'response')) as [IncomingMessage];
			return { status: response.statusCode, text: await text(response) };
		};
		const put = async (url: string, headers?: Record<string, string>) =>
			await used.client.put(url, FILE, headers);

		it.each<[string, string, (url: string) => ReturnType<typeof raw>]>([
			[
				'a chunked body',
				'501 NotImplemented',
				(url) => raw(url, { 'transfer-encoding': 'chunked' }, FILE),
			],
			['a body without a length', '411 MissingContentLength', (url) => raw(url, {})],
			[
				'an Authorization header',
				'400 InvalidArgument',
				(url) => put(url, { authorization: 'Bearer x' }),
			],
			[
				'another Content-Type',
				'403 SignatureDoesNotMatch',
				(url) => put(url, { 'content-type': 'image/png' }),
			],
			['a changed signature', '403 SignatureDoesNotMatch', (url) => put(url.replace(/.$/, '!'))],
			['no signature', '403 AccessDenied', (url) => put(url.split('?')[0])],
		])('refuses %s with %s', async (_, refusal, attempt) => {
			const { url } = await grant();

			const answer = await attempt(url);

			const [, code] = /<Code>(\w+)<\/Code>/.exec(answer.text) ?? [];
			expect(`${answer.status} ${code}`).toBe(refusal);
			expect((await used.control.ledger()).uploads).toEqual([]);
			expect((await put(url)).status).toBe(200);
		});

		it('refuses an address that was used or is too old', async () => {
			const { url } = await grant();
			const atOnce = await Promise.all([used.client.put(url, FILE), used.client.put(url, FILE)]);
			const again = await used.client.put(url, FILE);
			await used.control.settings({ uploadUrlLifetimeMs: 0 });
			const late = await used.client.put((await grant()).url, FILE);

			expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 403]);
			expect(again.text).toContain('used already');
			expect(late.text).toContain('Request has expired');
			expect((await used.control.ledger()).uploads).toHaveLength(1);
		});
	});

	it('has an OpenAPI document that declares how the account is read, and requires what it does', async () => {
		const { account, workflow } = used.client;
		const { json: document } = await used.client.send(account.openApiUrl, { method: 'GET' });
		const { uploadUrlEndpoint, uploadUrlBody, confirmBody, confirmMethod, ...fields } =
			account.apiDetails;
		const read = [fields.uploadUrlField, fields.uploadHeadersField, fields.documentIdField];
		const names = read.join('.').match(/[a-z]\w*/g) ?? [];
		const text = JSON.stringify(document);
		expect(names.filter((name) => !text.includes(`"${name}":`))).toEqual([]);

		const file = { file_name: 'a.pdf', content_type: 'application/pdf', file_size: 6 };
		const values = { workflow_id: workflow.id, ...file };
		const { method, path, body } = requestAt(uploadUrlEndpoint, values, uploadUrlBody);
		const created = await used.client.api(method, path, {
			body: onlyRequired(body, bodyOf(document, 'CreateUploadUrl')),
		});
		const { url, headers } = uploadIn(created.json, used.service.account.apiDetails);
		await used.client.put(url, 'a file', headers);
		const ids = { document_id: used.client.documentId(created) };
		const confirmed = await used.client.api(confirmMethod, used.client.at('/documents/confirm'), {
			body: onlyRequired(fill(JSON.parse(confirmBody), ids), bodyOf(document, 'Confirm')),
		});

		expect([created.status, confirmed.status].filter((status) => status >= 300)).toEqual([]);
	});
});

/** The schema of an operation's body, wherever the document has it: in one dialect, in the operation. */
function bodyOf(document: unknown, operation: string): unknown {
	const paths = Object.values(at(document, 'paths') as Json);
	const described = paths
		.flatMap((path) => Object.values(path as Json))
		.find((one) => String(at(one, 'operationId')).toLowerCase() === operation.toLowerCase());
	return (
		at(document, `definitions.${operation}Body`) ??
		at(document, `components.schemas.${operation}Body`) ??
		at(described, 'requestBody.content.application/json.schema')
	);
}

/** What the schema requires of a value, and nothing else of it. */
function onlyRequired(value: unknown, schema: unknown): unknown {
	const { items, properties, required } = schema as Json;
	if (Array.isArray(value)) return value.map((entry) => onlyRequired(entry, items));
	if (typeof value !== 'object' || value === null) return value;
	const entries = (required as string[]).map((name) => [
		name,
		onlyRequired((value as Json)[name], (properties as Json)[name]),
	]);
	return Object.fromEntries(entries);
}

describe('the simulated service on real connections', () => {
	const used = useRealService({ profile: 'atlas' });

	it('breaks all of them, those that stall too, and goes on', async () => {
		await used.control.faults([{ fault: { type: 'stallBefore' } }]);
		const waiting = Promise.all(
			[`${used.service.url}/api/v1/x`, `${used.service.storageUrl}/file`].map(
				async (url) => await request(url).catch((error: Error) => error.message),
			),
		);
		await until(async () => (await used.control.requests()).length === 2);

		await used.control.cutConnections();

		expect(await waiting).toEqual(['other side closed', 'other side closed']);
		await used.control.clearFaults();
		expect((await used.client.describeWorkflow()).status).toBe(200);
	});
});
