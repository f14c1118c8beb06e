import { atlas } from '../dev/service/profiles/atlas';
import { borealis } from '../dev/service/profiles/borealis';
import { awkwardIds, terse } from '../dev/service/profiles/variants';
import { useVirtualService } from './support/useService';

const FILE = Buffer.from('Total: 641.28\n');

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
