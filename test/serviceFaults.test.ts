import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import type { FaultRule } from '../dev/service/faults';
import type { Service } from './support/service';
import { ServiceClient, until } from './support/serviceClient';
import { borrowService, useService } from './support/useService';

const tomorrow = () => new Date(Date.now() + 86_400_000).getTime();

describe('the simulated service under rate limits', () => {
	describe.each([
		['atlas', 'application/json; charset=utf-8', /^\d+$/],
		['borealis', 'application/json; charset=utf-8', / GMT$/],
		['cobalt', 'text/plain', /^undefined$/],
	] as const)('as %s', (profile, contentType, retryAfter) => {
		let service: Service;
		let client: ServiceClient;

		beforeAll(async () => {
			service = await borrowService({ profile, rate: { limit: 5, windowMs: 3000 } });
			client = new ServiceClient(service);
		});
		beforeEach(async () => await service.control.reset());
		afterAll(async () => {
			await client.close();
			await service.stop();
		});

		const read = async (key?: string) =>
			await client.api('GET', client.at('/extractions'), { key });

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

			await until(async () => (await read()).status === 200);
		});

		it('counts each key for itself', async () => {
			for (let i = 0; i < 6; i++) await read();
			expect((await read()).status).toBe(429);
			expect((await read(client.environment.keys.readOnly)).status).toBe(200);
		});

		it('sends the rate headers with every answer, errors included', async () => {
			const answers = [
				await client.api('GET', client.at('/extractions?page=0')),
				await client.api('GET', client.at('/extractions'), { key: 'nonsense' }),
				await client.api('GET', '/nowhere'),
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
	let service: Service;
	let client: ServiceClient;

	beforeAll(async () => {
		service = await borrowService({ profile: 'atlas' });
		client = new ServiceClient(service);
	});
	beforeEach(async () => await service.control.reset());
	afterAll(async () => {
		await client.close();
		await service.stop();
	});

	const read = async (query = '') => await client.api('GET', client.at(`/extractions${query}`));
	const upload = async () => await client.upload({ bytes: 'a file' });
	const uploads = async () => (await service.control.ledger()).uploads.length;
	const happens = async (fault: FaultRule['fault'], match: FaultRule['match'] = {}) =>
		await service.control.faults([{ match, fault }]);

	it('limits the requests in flight', async () => {
		await service.control.settings({ maxInFlight: 2, latencyMs: 500 });
		const statuses = await Promise.all([1, 2, 3].map(async () => (await read()).status));
		expect(statuses.sort()).toEqual([200, 200, 429]);
		expect((await read()).status).toBe(200);
	});

	it('says when to come back as the settings want it', async () => {
		const retryAfter = async (way: 'seconds' | 'date' | 'none') => {
			await service.control.settings({ rate: { limit: 1, windowMs: 5000, retryAfter: way } });
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
		await service.control.settings({ latencyMs: 120 });
		const start = performance.now();
		await read();
		expect(performance.now() - start).toBeGreaterThan(115);

		await service.control.settings({ latencyMs: 0 });
		await happens({ type: 'delay', ms: 150 }, { operation: 'getExtractions', times: 1 });
		const delayed = performance.now();
		expect((await read()).status).toBe(200);
		expect(performance.now() - delayed).toBeGreaterThan(145);
	});

	it('refuses settings, faults and seeds that it does not know', async () => {
		const control = async (path: string, body: unknown) =>
			(
				await client.send(`${service.url}/__control__${path}`, {
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

		await service.control.seed({ documents: 100 });
		await happens({ type: 'cutMidBody' }, { operation: 'getExtractions', times: 1 });
		await expect(read('?limit=100')).rejects.toThrow();
		expect((await read()).status).toBe(200);
		const cut = await service.control.requests('upload');
		expect(cut.map(({ status }) => status)).toEqual([null, null]);
	});

	it('shortens, empties, and misnames answers', async () => {
		await service.control.seed({ documents: 3, prefix: 'Größe' });
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

	it('shifts rows and miscounts pages', async () => {
		await service.control.seed({ documents: 4, prefix: 'ROW' });
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
		const stale = await client.createUploadUrl(values);
		expect((await client.put(stale.url, 'a file')).text).toContain('Request has expired');

		const fresh = await client.createUploadUrl(values);
		await happens({ type: 'expireUploadUrls' }, { operation: 'putFile', times: 1 });
		expect((await client.put(fresh.url, 'a file')).text).toContain('Request has expired');
		expect((await client.put(fresh.url, 'a file')).status).toBe(200);
	});

	it('befalls the storage as well', async () => {
		const values = { file_name: 'a.pdf', content_type: 'application/pdf', file_size: 6 };
		const { url } = await client.createUploadUrl(values);
		await happens({ type: 'status', status: 503 }, { operation: 'putFile', times: 1 });
		expect((await client.put(url, 'a file')).status).toBe(503);
		await happens({ type: 'cutAfter' }, { operation: 'putFile', times: 1 });
		await expect(client.put(url, 'a file')).rejects.toThrow();
		expect(await uploads()).toBe(1);
		expect(await service.control.requests('putFile')).toMatchObject([
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
		expect((await client.api('POST', client.at('/extract'))).status).toBe(502);
		expect((await client.describeWorkflow()).status).toBe(200);

		await service.control.clearFaults();
		expect((await client.api('POST', client.at('/extract'))).status).toBe(204);
	});

	it('happens by chance, and the same way again with the same seed', async () => {
		const run = async (seed: number) => {
			await service.control.clearFaults();
			await service.control.seedFaults(seed);
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

describe('the simulated service on a line that is slow or stalls', () => {
	const used = useService({ profile: 'atlas' });

	const happens = async (fault: FaultRule['fault'], match: FaultRule['match'] = {}) =>
		await used.service.control.faults([{ match, fault }]);
	const uploads = async () => (await used.service.control.ledger()).uploads;
	const headers = () => ({ authorization: `Bearer ${used.client.environment.keys.full}` });
	const extractions = () => `${used.service.url}/api/v1${used.client.at('/extractions')}`;

	/** Status and what has come of the body within half a second; the connection stays open until then. */
	async function whatComes(url: string) {
		const leave = new AbortController();
		setTimeout(() => leave.abort(), 500);
		const start = performance.now();
		const came: { status?: number; length?: string; bytes: number; ms?: number } = { bytes: 0 };
		try {
			const {
				statusCode,
				headers: answered,
				body,
			} = await request(url, {
				headers: headers(),
				signal: leave.signal,
			});
			came.status = statusCode;
			came.length = String(answered['content-length']);
			for await (const chunk of body) came.bytes += (chunk as Buffer).length;
			came.ms = performance.now() - start;
		} catch (error) {
			if (!leave.signal.aborted) throw error;
		}
		return came;
	}

	it('never answers, whether the work was done or not', async () => {
		const waitInVain = async () =>
			await request(`${used.service.url}/api/v1${used.client.at('/extract')}`, {
				method: 'POST',
				headers: headers(),
				signal: AbortSignal.timeout(300),
			}).catch((error: Error) => error.name);
		const done = async () => (await used.service.control.ledger()).extractions.length;

		await happens({ type: 'stallBefore' }, { times: 1 });
		expect(await waitInVain()).toBe('TimeoutError');
		expect(await done()).toBe(0);
		await happens({ type: 'stallAfter' }, { times: 1 });
		expect(await waitInVain()).toBe('TimeoutError');
		expect(await done()).toBe(1);
		const logged = await used.service.control.requests('extractBulk');
		expect(logged.map(({ status }) => status)).toEqual([null, null]);
	});

	it('breaks all connections, those that stall too, and goes on', async () => {
		await happens({ type: 'stallBefore' });
		const waiting = Promise.all(
			[extractions(), `${used.service.storageUrl}/file`].map(
				async (url) => await request(url).catch((error: Error) => error.message),
			),
		);
		await until(async () => (await used.service.control.requests()).length === 2);

		await used.service.control.cutConnections();

		expect(await waiting).toEqual(['other side closed', 'other side closed']);
		await used.service.control.clearFaults();
		expect((await used.client.describeWorkflow()).status).toBe(200);
	});

	it('stops after the headers, or after some bytes, and leaves the connection open', async () => {
		const whole = await whatComes(extractions());
		await happens({ type: 'stallMidBody' }, { times: 1 });
		expect(await whatComes(extractions())).toEqual({ ...whole, bytes: 0, ms: undefined });
		await happens({ type: 'stallMidBody', bytes: 12 }, { times: 1 });
		expect(await whatComes(extractions())).toEqual({ ...whole, bytes: 12, ms: undefined });
		expect(await whatComes(extractions())).toMatchObject({ bytes: whole.bytes });
	});

	it('stops after the headers of a file and of an answer without a body', async () => {
		const { url } = await used.client.createUploadUrl({
			file_name: 'a.pdf',
			content_type: 'application/pdf',
			file_size: 6,
		});
		await happens({ type: 'stallMidBody' }, { operation: 'putFile' });
		const { statusCode, body } = await request(url, {
			method: 'PUT',
			headers: { 'content-type': 'application/pdf' },
			body: 'a file',
			signal: AbortSignal.timeout(300),
		});
		expect(statusCode).toBe(200);
		await expect(body.text()).rejects.toThrow('timeout');
		expect(await uploads()).toHaveLength(1);
	});

	it('answers byte by byte', async () => {
		const whole = await whatComes(extractions());
		await happens({ type: 'drip', everyMs: 20, bytes: 10 });
		const dripped = await whatComes(extractions());
		expect(dripped.bytes).toBe(whole.bytes);
		expect(dripped.ms).toBeGreaterThan((whole.bytes / 10) * 20 - 5);

		await used.service.control.clearFaults();
		await happens({ type: 'drip', everyMs: 100 });
		const slower = await whatComes(extractions());
		expect(slower).not.toHaveProperty('ms');
		expect(slower.bytes).toBeGreaterThan(1);
		expect(slower.bytes).toBeLessThan(6);
	});

	it('hides millions of bytes in a small compressed answer', async () => {
		await happens({ type: 'huge', bytes: 50_000_000, status: 200, gzip: true });
		const {
			headers: answered,
			body,
			statusCode,
		} = await request(extractions(), {
			headers: headers(),
		});
		expect(statusCode).toBe(200);
		expect(answered).toMatchObject({
			'content-encoding': 'gzip',
			'content-type': 'application/json',
		});
		const compressed = Buffer.from(await body.arrayBuffer());
		expect(compressed.length).toBeLessThan(60_000);
		const text = gunzipSync(compressed).toString();
		expect(text).toHaveLength(50_000_000);
		expect(text.slice(0, 12)).toBe('{"detail":"x');
	});

	/** Uploads bytes as the client of a slow line does; `sent` grows with what the line takes. */
	function uploadSlowly(way: 'direct' | 'signed', url: string, size: number) {
		const { hostname, port, pathname, search } = new URL(url);
		const head = Buffer.from(
			'--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n',
		);
		const [before, after] = way === 'direct' ? [head, Buffer.from('\r\n--b--\r\n')] : ['', ''];
		const socket = connect(Number(port), hostname);
		const upload = { socket, sent: 0, answer: once(socket, 'data').then(String) };
		upload.answer.catch(() => {});
		socket.write(
			[
				`${way === 'direct' ? 'POST' : 'PUT'} ${pathname}${search} HTTP/1.1`,
				`Host: ${hostname}`,
				...(way === 'direct'
					? [
							`Authorization: ${headers().authorization}`,
							'Content-Type: multipart/form-data; boundary=b',
						]
					: ['Content-Type: application/pdf']),
				`Content-Length: ${before.length + size + after.length}`,
				'',
				'',
			].join('\r\n'),
		);
		socket.write(before);
		void (async () => {
			const piece = Buffer.alloc(64 * 1024);
			while (upload.sent < size) {
				const bytes = piece.subarray(0, size - upload.sent);
				const goesOn = socket.write(bytes);
				upload.sent += bytes.length;
				if (!goesOn) await once(socket, 'drain').catch(() => {});
				if (socket.destroyed) return;
			}
			socket.write(after);
		})();
		return upload;
	}

	describe.each(['direct', 'signed'] as const)('%s upload', (way) => {
		const target = async (size: number) => {
			if (way === 'direct') {
				return `${used.service.url}/api/v1${used.client.at('/documents')}`;
			}
			const values = { file_name: 'a', content_type: 'application/pdf', file_size: size };
			return (await used.client.createUploadUrl(values)).url;
		};

		it('is read at the rate of the line, and its client feels that', async () => {
			const size = 16_000_000;
			await happens({ type: 'slowUpload', bytesPerSecond: 8_000_000 });
			const start = performance.now();
			const upload = uploadSlowly(way, await target(size), size);
			await sleep(500);
			expect(upload.sent).toBeLessThan(size * 0.7);
			expect(await upload.answer).toMatch(/^HTTP\/1.1 20/);
			const seconds = (performance.now() - start) / 1000;
			expect(seconds).toBeGreaterThan(1.9);
			expect(seconds).toBeLessThan(3);
			expect(await uploads()).toMatchObject([{ size }]);
			upload.socket.destroy();
		});

		it('is not read any more after some bytes, until the rules are cleared', async () => {
			const size = 16_000_000;
			await happens({ type: 'stallUpload', bytes: 1_000_000 });
			const upload = uploadSlowly(way, await target(size), size);
			await sleep(300);
			const { sent } = upload;
			expect(sent).toBeGreaterThan(1_000_000);
			expect(sent).toBeLessThan(size * 0.7);
			await sleep(300);
			expect(upload.sent).toBe(sent);

			await used.service.control.clearFaults();
			await expect(upload.answer).rejects.toThrow();
			expect(await uploads()).toEqual([]);
		});

		it('goes on after a stall that ends', async () => {
			await happens({ type: 'stallUpload', bytes: 1000, ms: 400 });
			const start = performance.now();
			const upload = uploadSlowly(way, await target(200_000), 200_000);
			expect(await upload.answer).toMatch(/^HTTP\/1.1 20/);
			expect(performance.now() - start).toBeGreaterThan(395);
			expect(await uploads()).toMatchObject([{ size: 200_000 }]);
			upload.socket.destroy();
		});
	});

	it('may be slow and refuse the upload all the same', async () => {
		await happens({ type: 'slowUpload', bytesPerSecond: 1000 });
		await happens({ type: 'html', status: 413 });
		const answer = await used.client.upload({ bytes: 'a file' });
		expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('<html>') });
	});
});
