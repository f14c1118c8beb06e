import { once } from 'node:events';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import type { FaultRule } from '../dev/service/faults';
import { until, type ApiRequest } from './support/serviceClient';
import { useRealService } from './support/useRealService';
import { useVirtualService } from './support/useVirtualService';

const tomorrow = () => new Date(Date.now() + 86_400_000).getTime();

describe('the simulated service under rate limits', () => {
	describe.each([
		['atlas', 'application/json; charset=utf-8', /^\d+$/],
		['borealis', 'application/json; charset=utf-8', / GMT$/],
		['cobalt', 'text/plain', /^undefined$/],
	] as const)('as %s', (profile, contentType, retryAfter) => {
		const used = useVirtualService({ profile, rate: { limit: 5, windowMs: 3000 } });

		const read = async (key?: string) =>
			await used.client.api('GET', used.client.at('/extractions'), { key });

		it('counts down, refuses, and lets through again', async () => {
			const answers = [];
			for (let i = 0; i < 7; i++) answers.push(await read());

			expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
			expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(
				Array(7).fill('5'),
			);
			expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
				'4',
				'3',
				'2',
				'1',
				'0',
				'0',
				'0',
			]);
			const refused = answers[6];
			expect(refused.headers['content-type']).toBe(contentType);
			expect(String(refused.headers['retry-after'])).toMatch(retryAfter);

			await used.time.pass(3_000);
			expect((await read()).status).toBe(200);
		});

		it('counts each key for itself', async () => {
			for (let i = 0; i < 6; i++) await read();
			expect((await read()).status).toBe(429);
			expect((await read(used.client.environment.keys.readOnly)).status).toBe(200);
		});

		it('sends the rate headers with every answer, errors included', async () => {
			const answers = [
				await used.client.api('GET', used.client.at('/extractions?page=0')),
				await used.client.api('GET', used.client.at('/extractions'), { key: 'nonsense' }),
				await used.client.api('GET', '/nowhere'),
			];
			expect(answers.map(({ status }) => status)).toEqual([422, 401, 404]);
			for (const { headers } of answers) {
				expect(headers).toMatchObject({
					'x-ratelimit-limit': '5',
					'x-ratelimit-remaining': expect.stringMatching(/^\d$/),
				});
			}
		});
	});
});

describe('the simulated service under faults', () => {
	const used = useVirtualService({ profile: 'atlas' });

	const api = async (method: string, path: string, options?: ApiRequest) =>
		await used.time.run(used.client.api(method, path, options));
	const readAtOnce = async () => await used.client.api('GET', used.client.at('/extractions'));
	const read = async (query = '') => await api('GET', used.client.at(`/extractions${query}`));
	const upload = async () => await used.time.run(used.client.upload({ bytes: 'a file' }));
	const uploads = async () => (await used.service.control.ledger()).uploads.length;
	const happens = async (fault: FaultRule['fault'], match: FaultRule['match'] = {}) =>
		await used.service.control.faults([{ match, fault }]);

	it('limits the requests in flight', async () => {
		await used.service.control.settings({ maxInFlight: 2, latencyMs: 500 });
		const answers = [1, 2, 3].map(async () => (await readAtOnce()).status);
		const statuses = await used.time.run(Promise.all(answers));
		expect(statuses.sort()).toEqual([200, 200, 429]);
		expect((await read()).status).toBe(200);
	});

	it('says when to come back as the settings want it', async () => {
		const retryAfter = async (way: 'seconds' | 'date' | 'none') => {
			await used.service.control.settings({ rate: { limit: 1, windowMs: 5000, retryAfter: way } });
			await read();
			return (await read()).headers['retry-after'];
		};
		expect(await retryAfter('seconds')).toBe('5');
		const date = new Date(String(await retryAfter('date'))).getTime();
		expect(date).toBeGreaterThan(Date.now() + 3000);
		expect(date).toBeLessThan(tomorrow());
		expect(await retryAfter('none')).toBeUndefined();
	});

	it('takes its time', async () => {
		await used.service.control.settings({ latencyMs: 120 });
		await read();
		expect(used.time.elapsedMs).toBe(120);

		await used.service.control.settings({ latencyMs: 0 });
		await happens({ type: 'delay', ms: 150 }, { operation: 'getExtractions', times: 1 });
		expect((await read()).status).toBe(200);
		expect(used.time.elapsedMs).toBe(120 + 150);
	});

	it('refuses settings, faults and seeds that it does not know', async () => {
		const control = async (path: string, body: unknown) =>
			(
				await used.client.send(`${used.service.url}/__control__${path}`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(body),
				})
			).status;
		expect(await control('/settings', { latency: 5 })).toBe(422);
		expect(await control('/faults', [{ match: {}, fault: { type: 'nonsense' } }])).toBe(422);
		expect(await control('/faults', [{ match: {}, fault: { type: 'html' } }])).toBe(422);
		expect(
			await control('/faults', [{ match: { operation: 'x' }, fault: { type: 'empty' } }]),
		).toBe(422);
		expect(await control('/seed', { document: 5 })).toBe(422);
	});

	it('answers with a status before or after the work', async () => {
		await happens(
			{ type: 'status', status: 503, body: { detail: 'Busy' }, headers: { 'retry-after': '7' } },
			{ operation: 'upload', times: 1 },
		);
		const before = await upload();
		expect(before).toMatchObject({ status: 503, json: { detail: 'Busy' } });
		expect(before.headers['retry-after']).toBe('7');
		expect(await uploads()).toBe(0);

		await happens({ type: 'statusAfter', status: 500 }, { operation: 'upload', times: 1 });
		const after = await upload();
		expect(after).toMatchObject({ status: 500, json: { detail: 'Internal Server Error' } });
		expect(await uploads()).toBe(1);

		expect((await upload()).status).toBe(201);
		expect(await uploads()).toBe(2);
	});

	it('answers as a proxy does', async () => {
		await happens({ type: 'html', status: 413, title: '413 Request Entity Too Large' });
		const answer = await upload();
		expect(answer.status).toBe(413);
		expect(answer.headers['content-type']).toContain('text/html');
		expect(answer.text).toContain('<title>413 Request Entity Too Large</title>');
		expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
		expect(await uploads()).toBe(0);
	});

	it('breaks the connection before the work, after it, or within the answer', async () => {
		await happens({ type: 'cutBefore' }, { operation: 'upload', times: 1 });
		await expect(upload()).rejects.toThrow();
		expect(await uploads()).toBe(0);

		await happens({ type: 'cutAfter' }, { operation: 'upload', times: 1 });
		await expect(upload()).rejects.toThrow();
		expect(await uploads()).toBe(1);

		await used.service.control.seed({ documents: 100 });
		await happens({ type: 'cutMidBody' }, { operation: 'getExtractions', times: 1 });
		await expect(read('?limit=100')).rejects.toThrow();
		expect((await read()).status).toBe(200);
		const cut = await used.service.control.requests('upload');
		expect(cut.map(({ status }) => status)).toEqual([null, null]);
	});

	it('shortens, empties, and misnames answers', async () => {
		await used.service.control.seed({ documents: 3, prefix: 'Größe' });
		const whole = await read();

		await happens({ type: 'truncate' }, { times: 1 });
		const half = await read();
		expect(half.status).toBe(200);
		expect(half.bytes.length).toBe(Math.floor(whole.bytes.length / 2));
		expect(half.json).toBeUndefined();

		await happens({ type: 'empty' }, { times: 1 });
		expect(await read()).toMatchObject({ status: 200, text: '' });

		await happens({ type: 'charset' }, { times: 1 });
		const misnamed = await read();
		expect(misnamed.headers['content-type']).toBe('application/json; charset=utf-8');
		expect(misnamed.bytes.toString('latin1')).toBe(whole.text);
		expect(misnamed.text).toContain('Gr\uFFFD\uFFFDe');

		expect((await read()).text).toBe(whole.text);
	});

	it('redirects and floods', async () => {
		await happens(
			{ type: 'redirect', status: 302, location: 'https://elsewhere.example/' },
			{ times: 1 },
		);
		const redirected = await read();
		expect(redirected.status).toBe(302);
		expect(redirected.headers.location).toBe('https://elsewhere.example/');

		await happens({ type: 'huge', bytes: 5_000_000 }, { times: 1 });
		const flood = await read();
		expect(flood.status).toBe(500);
		expect(flood.bytes.length).toBe(5_000_000);
		expect(flood.text).toBe(`{"detail":"${'x'.repeat(5_000_000 - '{"detail":""}'.length)}"}`);
	});

	it('does nothing for a client that leaves during an answer that stands in for the work', async () => {
		await used.client.upload({ bytes: 'a file' });
		await happens({ type: 'huge', bytes: 50_000_000 });
		const { response } = await begin(used, 'POST', used.client.at('/extract'));
		expect(response.statusCode).toBe(500);
		response.on('error', () => {}).destroy();

		await used.time.pass(1_000);
		expect((await used.service.control.ledger()).extractions).toEqual([]);
	});

	it('shifts rows and miscounts pages', async () => {
		await used.service.control.seed({ documents: 4, prefix: 'ROW' });
		const names = async (query: string) =>
			((await read(query)).json as { items: Array<{ file_name: string }> }).items.map(
				(item) => item.file_name,
			);

		expect(await names('?limit=2')).toEqual(['ROW-1.pdf', 'ROW-2.pdf']);
		await happens({ type: 'shiftRows', insert: 1 }, { path: 'page=2', times: 1 });
		expect(await names('?limit=2&page=2')).toEqual(['ROW-2.pdf', 'ROW-3.pdf']);
		await happens({ type: 'shiftRows', delete: 2 }, { times: 1 });
		expect(await names('?limit=2')).toEqual(['ROW-2.pdf', 'ROW-3.pdf']);

		await happens({ type: 'wrongPages', pages: 99 }, { times: 1 });
		expect((await read('?limit=2')).json).toMatchObject({ total: 3, pages: 99 });
		expect((await read('?limit=2')).json).toMatchObject({ total: 3, pages: 2 });
	});

	it('lets upload addresses expire, when they are made or when they are used', async () => {
		const values = { file_name: 'a.pdf', content_type: 'application/pdf', file_size: 6 };
		await happens({ type: 'expireUploadUrls' }, { operation: 'createUploadUrl', times: 1 });
		const stale = await used.client.createUploadUrl(values);
		expect((await used.client.put(stale.url, 'a file')).text).toContain('Request has expired');

		const fresh = await used.client.createUploadUrl(values);
		await happens({ type: 'expireUploadUrls' }, { operation: 'putFile', times: 1 });
		expect((await used.client.put(fresh.url, 'a file')).text).toContain('Request has expired');
		expect((await used.client.put(fresh.url, 'a file')).status).toBe(200);
	});

	it('befalls the storage as well', async () => {
		const values = { file_name: 'a.pdf', content_type: 'application/pdf', file_size: 6 };
		const { url } = await used.client.createUploadUrl(values);
		await happens({ type: 'status', status: 503 }, { operation: 'putFile', times: 1 });
		expect((await used.client.put(url, 'a file')).status).toBe(503);
		await happens({ type: 'cutAfter' }, { operation: 'putFile', times: 1 });
		await expect(used.client.put(url, 'a file')).rejects.toThrow();
		expect(await uploads()).toBe(1);
		expect(await used.service.control.requests('putFile')).toMatchObject([
			{ server: 'storage', status: 503 },
			{ server: 'storage', status: null, body: { size: 6 } },
		]);
	});

	it('happens only where it matches, after some that are spared', async () => {
		await happens(
			{ type: 'status', status: 500 },
			{ operation: 'getExtractions', skip: 1, times: 2 },
		);
		await happens({ type: 'status', status: 502 }, { method: 'post', path: '/extract$' });

		const statuses = [];
		for (let i = 0; i < 4; i++) statuses.push((await read()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
		expect((await used.client.api('POST', used.client.at('/extract'))).status).toBe(502);
		expect((await used.client.describeWorkflow()).status).toBe(200);

		await used.service.control.clearFaults();
		expect((await used.client.api('POST', used.client.at('/extract'))).status).toBe(204);
	});

	it('happens by chance, and the same way again with the same seed', async () => {
		const run = async (seed: number) => {
			await used.service.control.clearFaults();
			await used.service.control.seedFaults(seed);
			await happens({ type: 'status', status: 500 }, { probability: 0.4 });
			const statuses = [];
			for (let i = 0; i < 100; i++) statuses.push((await read()).status);
			return statuses;
		};
		const first = await run(1);
		expect(await run(1)).toEqual(first);
		expect(await run(2)).not.toEqual(first);
		const failed = first.filter((status) => status === 500).length;
		expect(failed).toBeGreaterThan(20);
		expect(failed).toBeLessThan(60);
	});
});

type Used = ReturnType<typeof useVirtualService>;

/** Begins a request that nobody repeats; its answer comes when its headers do. */
function begun(url: string, method: string, headers: OutgoingHttpHeaders) {
	const request = http.request(url, { method, headers, agent: new http.Agent() });
	const answer = once(request, 'response').then(([response]) => response as IncomingMessage);
	request.on('error', () => {});
	return { request, answer };
}

const put = (url: string, size: number) =>
	begun(url, 'PUT', { 'content-type': 'application/pdf', 'content-length': size });

const call = ({ service, client }: Used, method: string, path: string, headers = {}) =>
	begun(`${service.url}/api/v1${path}`, method, {
		authorization: `Bearer ${client.environment.keys.full}`,
		...headers,
	});

const post = (used: Used, path: string, headers?: OutgoingHttpHeaders) => {
	const begun = call(used, 'POST', path, headers);
	if (!headers) begun.request.end();
	return begun;
};

/** A request without a body, and the headers of its answer. */
async function begin(used: Used, method: string, path: string) {
	const { request, answer } = call(used, method, path);
	request.end();
	return { request, response: await used.time.run(answer) };
}

describe('the simulated service on a line that is slow or stalls', () => {
	const used = useVirtualService({ profile: 'atlas' });

	const happens = async (fault: FaultRule['fault'], match: FaultRule['match'] = {}) =>
		await used.service.control.faults([{ match, fault }]);
	const uploads = async () => (await used.service.control.ledger()).uploads;
	const extractions = () => used.client.at('/extractions');

	/** Status and what has come of the body within half a second; the connection stays open until then. */
	async function whatComes() {
		const start = used.time.elapsedMs;
		const { request, response } = await begin(used, 'GET', extractions());
		const came: { status?: number; length?: string; bytes: number; ms?: number } = {
			status: response.statusCode,
			length: response.headers['content-length'],
			bytes: 0,
		};
		response.on('data', (chunk: Buffer) => (came.bytes += chunk.length)).on('error', () => {});
		response.on('end', () => (came.ms = used.time.elapsedMs - start));
		await used.time.pass(500);
		request.destroy();
		return came;
	}

	it('never answers, whether the work was done or not', async () => {
		const waitInVain = async () => {
			const { request, answer } = post(used, used.client.at('/extract'));
			let isAnswered = false;
			answer.then(
				() => (isAnswered = true),
				() => undefined,
			);
			await used.time.pass(3_600_000);
			request.destroy();
			return !isAnswered;
		};
		const done = async () => (await used.service.control.ledger()).extractions.length;

		await happens({ type: 'stallBefore' }, { times: 1 });
		expect(await waitInVain()).toBe(true);
		expect(await done()).toBe(0);
		await happens({ type: 'stallAfter' }, { times: 1 });
		expect(await waitInVain()).toBe(true);
		expect(await done()).toBe(1);
		const logged = await used.service.control.requests('extractBulk');
		expect(logged.map(({ status }) => status)).toEqual([null, null]);
	});

	it('stops after the headers, or after some bytes, and leaves the connection open', async () => {
		const whole = await whatComes();
		expect(whole.bytes).toBe(Number(whole.length));
		await happens({ type: 'stallMidBody' }, { times: 1 });
		expect(await whatComes()).toEqual({ ...whole, bytes: 0, ms: undefined });
		await happens({ type: 'stallMidBody', bytes: 12 }, { times: 1 });
		expect(await whatComes()).toEqual({ ...whole, bytes: 12, ms: undefined });
		expect(await whatComes()).toMatchObject({ bytes: whole.bytes });
	});

	it('stops after the headers of a file and of an answer without a body', async () => {
		const { url } = await used.client.createUploadUrl({
			file_name: 'a.pdf',
			content_type: 'application/pdf',
			file_size: 6,
		});
		await happens({ type: 'stallMidBody' }, { operation: 'putFile' });
		const { request, answer } = put(url, 6);
		request.end('a file');
		const response = await answer;
		expect(response.statusCode).toBe(200);
		let hasEnded = false;
		response.on('error', () => {}).on('end', () => (hasEnded = true));
		response.resume();
		await used.time.pass(3_600_000);
		expect(hasEnded).toBe(false);
		request.destroy();
		expect(await uploads()).toHaveLength(1);
	});

	it('answers byte by byte', async () => {
		const whole = await whatComes();
		await happens({ type: 'drip', everyMs: 20, bytes: 10 });
		const dripped = await whatComes();
		expect(dripped.bytes).toBe(whole.bytes);
		expect(dripped.ms).toBe(Math.ceil(whole.bytes / 10) * 20);

		await used.service.control.clearFaults();
		await happens({ type: 'drip', everyMs: 120 });
		const slower = await whatComes();
		expect(slower).not.toHaveProperty('ms');
		expect(slower.bytes).toBe(4);
	});

	/** Uploads bytes as the client of a slow line does; `sent` grows with what the line takes. */
	async function uploadSlowly(way: 'direct' | 'signed', size: number) {
		const isDirect = way === 'direct';
		const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
		const [before, after] = isDirect ? [head, '\r\n--b--\r\n'] : ['', ''];
		const values = { file_name: 'a', content_type: 'application/pdf', file_size: size };
		const { request, answer } = isDirect
			? post(used, used.client.at('/documents'), {
					'content-type': 'multipart/form-data; boundary=b',
					'content-length': before.length + size + after.length,
				})
			: put((await used.client.createUploadUrl(values)).url, size);
		answer.catch(() => {});
		const upload = { request, answer, sent: 0 };
		if (before) request.write(before);
		void (async () => {
			const piece = Buffer.alloc(64 * 1024);
			while (upload.sent < size) {
				const bytes = piece.subarray(0, size - upload.sent);
				const goesOn = request.write(bytes);
				upload.sent += bytes.length;
				if (!goesOn) await once(request, 'drain').catch(() => {});
				if (request.destroyed) return;
			}
			request.end(after);
		})();
		return upload;
	}

	describe.each(['direct', 'signed'] as const)('%s upload', (way) => {
		it('is read at the rate of the line, and its client feels that', async () => {
			const size = 16_000_000;
			await happens({ type: 'slowUpload', bytesPerSecond: 800_000 });
			const upload = await uploadSlowly(way, size);
			await used.time.pass(10_000);
			expect(upload.sent).toBeGreaterThan(size * 0.45);
			expect(upload.sent).toBeLessThan(size * 0.6);
			const { statusCode } = await used.time.run(upload.answer);
			expect(String(statusCode)).toMatch(/^20/);
			expect(Math.round(used.time.elapsedMs / 1000)).toBe(20);
			expect(await uploads()).toMatchObject([{ size }]);
		});

		it('is not read any more after some bytes, until the rules are cleared', async () => {
			const size = 16_000_000;
			await happens({ type: 'stallUpload', bytes: 1_000_000 });
			const upload = await uploadSlowly(way, size);
			await used.time.pass(1_000);
			const { sent } = upload;
			expect(sent).toBeGreaterThan(1_000_000);
			expect(sent).toBeLessThan(size * 0.2);
			await used.time.pass(3_600_000);
			expect(upload.sent).toBe(sent);

			await used.service.control.clearFaults();
			await expect(upload.answer).rejects.toThrow();
			expect(await uploads()).toEqual([]);
		});

		it('goes on after a stall that ends', async () => {
			await happens({ type: 'stallUpload', bytes: 1000, ms: 40_000 });
			const upload = await uploadSlowly(way, 200_000);
			const { statusCode } = await used.time.run(upload.answer);
			expect(String(statusCode)).toMatch(/^20/);
			expect(used.time.elapsedMs).toBe(40_000);
			expect(await uploads()).toMatchObject([{ size: 200_000 }]);
		});
	});

	it('may be slow and refuse the upload all the same', async () => {
		await happens({ type: 'slowUpload', bytesPerSecond: 1000 });
		await happens({ type: 'html', status: 413 });
		const answer = await used.time.run(used.client.upload({ bytes: 'a file' }));
		expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('<html>') });
	});
});

describe('the simulated service on real connections', () => {
	const used = useRealService({ profile: 'atlas' });
	const upload = async () => await used.client.upload({ bytes: 'a file' });
	const happens = async (fault: FaultRule['fault'], match: FaultRule['match'] = {}) =>
		await used.service.control.faults([{ match, fault }]);

	it('breaks the connection before the work, after it, or within the answer', async () => {
		await happens({ type: 'cutBefore' }, { operation: 'upload', times: 1 });
		await expect(upload()).rejects.toThrow();
		await happens({ type: 'cutAfter' }, { operation: 'upload', times: 1 });
		await expect(upload()).rejects.toThrow();
		await happens({ type: 'cutMidBody' }, { operation: 'getExtractions', times: 1 });
		await expect(used.client.resultsPage()).rejects.toThrow();

		expect((await used.service.control.ledger()).uploads).toHaveLength(1);
	});

	it('hides millions of bytes in a small compressed answer', async () => {
		await happens({ type: 'huge', bytes: 50_000_000, status: 200, gzip: true });
		const url = `${used.service.url}/api/v1${used.client.at('/extractions')}`;
		const { statusCode, headers, body } = await request(url, {
			headers: { authorization: `Bearer ${used.client.environment.keys.full}` },
		});
		expect(statusCode).toBe(200);
		expect(headers).toMatchObject({
			'content-encoding': 'gzip',
			'content-type': 'application/json',
		});
		const compressed = Buffer.from(await body.arrayBuffer());
		expect(compressed.length).toBeLessThan(60_000);
		const text = gunzipSync(compressed).toString();
		expect(text).toHaveLength(50_000_000);
		expect(text.slice(0, 12)).toBe('{"detail":"x');
	});

	it('breaks all connections, those that stall too, and goes on', async () => {
		await happens({ type: 'stallBefore' });
		const waiting = Promise.all(
			[`${used.service.url}/api/v1/x`, `${used.service.storageUrl}/file`].map(
				async (url) => await request(url).catch((error: Error) => error.message),
			),
		);
		await until(async () => (await used.service.control.requests()).length === 2);

		await used.service.control.cutConnections();

		expect(await waiting).toEqual(['other side closed', 'other side closed']);
		await used.service.control.clearFaults();
		expect((await used.client.describeWorkflow()).status).toBe(200);
	});
});
