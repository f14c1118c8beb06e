import { text } from 'node:stream/consumers';
import { PROFILES } from './support/profiles';
import { beginRequest } from './support/rawRequest';
import { useVirtualService } from './support/useVirtualService';

const FILE = Buffer.from('Total: 641.28\n');

/** What profiles do differently on purpose; everything else is the same in all of them. */
const DIFFERENCES = {
	atlas: {
		statuses: { missing: 401, unknown: 401, revoked: 401, withoutScope: 403 },
		invalid: (json: unknown) => (json as { detail: unknown }).detail,
		bulk: { status: 204, text: '' },
	},
	borealis: {
		statuses: { missing: 403, unknown: 401, revoked: 403, withoutScope: 403 },
		invalid: (json: unknown) => (json as { errors: unknown }).errors,
		bulk: { status: 200, text: 'null' },
	},
	cobalt: {
		statuses: { missing: 401, unknown: 401, revoked: 401, withoutScope: 401 },
		invalid: (json: unknown) => json,
		bulk: { status: 202, text: '' },
	},
};

/** What the node's tests show of the service is not repeated here: these are the rules that they rest on. */
describe.each(PROFILES)('the simulated service as %s', (profile) => {
	const differs = DIFFERENCES[profile];
	const used = useVirtualService({ profile });

	const list = async (key: string | null) =>
		(await used.client.api('GET', used.client.at('/extractions'), { key })).status;
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
			const { request, answer } = beginRequest(url, 'PUT', { ...PDF, ...headers });
			// Node.js frames a body without a length in chunks, unless it is told that there is none.
			if (!body) request.useChunkedEncodingByDefault = false;
			request.end(body);
			const response = await answer;
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
});
