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
		signsSize: true,
	},
	borealis: {
		statuses: { missing: 403, unknown: 401, revoked: 403, withoutScope: 403 },
		invalid: (json: unknown) => (json as { errors: unknown }).errors,
		bulk: { status: 200, text: 'null' },
		signsSize: false,
	},
	cobalt: {
		statuses: { missing: 401, unknown: 401, revoked: 401, withoutScope: 401 },
		invalid: (json: unknown) => json,
		bulk: { status: 202, text: '' },
		signsSize: true,
	},
};

/** What the node's tests show of the service is not repeated here: these are the rules that they rest on. */
describe.each(PROFILES)('the simulated service as %s', (profile) => {
	const differs = DIFFERENCES[profile];
	const used = useVirtualService({ profile, extractionMs: 30, startMs: 30 });

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

	it('lets each key do what its scopes allow, and nothing else', async () => {
		const { readOnly, noUpload, noExtract } = used.client.environment.keys;
		const allowed = async (key: string) => ({
			read: (await list(key)) === 200,
			// Without a file: refused for the form, once the key may upload at all.
			upload: (await used.client.api('POST', used.client.at('/documents'), { key })).status === 422,
			extract: (await extract(undefined, key)).status === differs.bulk.status,
		});

		expect(await allowed(readOnly)).toEqual({ read: true, upload: false, extract: false });
		expect(await allowed(noUpload)).toEqual({ read: true, upload: false, extract: true });
		expect(await allowed(noExtract)).toEqual({ read: true, upload: true, extract: false });
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

		type Attempt = (url: string) => Promise<{ status?: number; text: string }>;

		const raw = async (url: string, headers: Record<string, string>, body?: Buffer) => {
			const { request, answer } = beginRequest(url, 'PUT', headers);
			// Node.js frames a body without a length in chunks, unless it is told that there is none.
			if (!body) request.useChunkedEncodingByDefault = false;
			request.end(body);
			const response = await answer;
			return { status: response.statusCode, text: await text(response) };
		};
		const PDF = { 'content-type': 'application/pdf' };
		const REFUSED: Array<[what: string, status: number, code: string, attempt: Attempt]> = [
			[
				'a chunked body',
				501,
				'NotImplemented',
				(url) => raw(url, { ...PDF, 'transfer-encoding': 'chunked' }, FILE),
			],
			['a body without a length', 411, 'MissingContentLength', (url) => raw(url, PDF)],
			[
				'an Authorization header',
				400,
				'InvalidArgument',
				(url) => used.client.put(url, FILE, { authorization: 'Bearer x' }),
			],
			[
				'another Content-Type',
				403,
				'SignatureDoesNotMatch',
				(url) => used.client.put(url, FILE, { 'content-type': 'image/png' }),
			],
			[
				'a changed signature',
				403,
				'SignatureDoesNotMatch',
				(url) => used.client.put(url.replace(/.$/, '!'), FILE),
			],
			['no signature', 403, 'AccessDenied', (url) => used.client.put(url.split('?')[0], FILE)],
		];

		it.each(REFUSED)('refuses %s', async (_, status, code, attempt) => {
			const { url } = await grant();

			const answer = await attempt(url);

			expect(answer.status).toBe(status);
			expect(answer.text).toContain(`<Code>${code}</Code>`);
			expect((await used.control.ledger()).uploads).toEqual([]);
			expect((await used.client.put(url, FILE)).status).toBe(200);
		});

		it('refuses another size where the size was signed', async () => {
			const { url } = await grant();

			const { status } = await used.client.put(url, FILE.subarray(1));

			expect(status).toBe(differs.signsSize ? 403 : 200);
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

	it.each(['direct', 'signed'])('forgets a file that breaks off: %s', async (way) => {
		const { uploadFileField } = used.client.account.apiDetails;
		const begin = async () => {
			if (way === 'direct') {
				const url = `${used.service.url}/api/v1${used.client.at('/documents')}`;
				const upload = beginRequest(url, 'POST', {
					authorization: `Bearer ${used.client.environment.keys.full}`,
					'content-type': 'multipart/form-data; boundary=b',
					'content-length': 100_000,
				});
				const disposition = `form-data; name="${uploadFileField}"; filename="half.pdf"`;
				upload.request.write(`--b\r\ncontent-disposition: ${disposition}\r\n\r\n`);
				return upload;
			}
			const { url } = await used.client.createUploadUrl({
				file_name: 'half.pdf',
				content_type: 'application/pdf',
				file_size: 100_000,
			});
			return beginRequest(url, 'PUT', {
				...used.client.uploadHeaders,
				'content-type': 'application/pdf',
				'content-length': 100_000,
			});
		};
		const { request } = await begin();
		request.write('half a file');
		await used.time.pass(1_000);
		request.destroy();
		await used.time.pass(1_000);

		const operation = way === 'direct' ? 'upload' : 'putFile';
		expect((await used.control.ledger()).uploads).toEqual([]);
		expect(await used.control.requests(operation)).toMatchObject([{ status: null }]);
	});

	it('extracts what is open, once, and again only when forced', async () => {
		const file = { bytes: FILE, contentType: 'text/plain' };
		const ids = [await used.client.uploadedId(file), await used.client.uploadedId(file)];

		await extract();
		await extract();
		await used.time.pass(1_000);
		await extract();
		await extract({ document_ids: [ids[1]], force: true });

		const { extractions } = await used.control.ledger();
		expect(extractions.map(({ documentIds }) => documentIds)).toEqual([ids, [], [], [ids[1]]]);
	});

	it('limits the extraction to documents, a collection and columns', async () => {
		const [first, second] = used.client.workflow.collections;
		const [column, ...others] = used.client.workflow.columns;
		const upload = async (collection_id: string) =>
			await used.client.uploadedId({ bytes: FILE, contentType: 'text/plain' }, { collection_id });
		const resultsOf = async (document_id: string) => {
			await used.time.pass(1_000);
			return JSON.stringify((await used.client.resultsPage({ document_id })).items);
		};
		const inFirst = await upload(first.id);
		const inSecond = await upload(second.id);

		await extract({ collection_id: second.id, column_ids: [column.id] });
		const ofColumn = await resultsOf(inSecond);
		// The rest of the columns is still open.
		await extract({ document_ids: [inSecond] });
		const whole = await resultsOf(inSecond);

		expect(await resultsOf(inFirst)).toBe('[]');
		const namesIn = (results: string) =>
			[column, ...others].filter(({ id, name }) =>
				[`"${id}"`, `:${id},`, `"${name}"`].some((text) => results.includes(text)),
			);
		expect(namesIn(ofColumn)).toEqual([column]);
		expect(namesIn(whole)).toEqual([column, ...others]);
	});
});
