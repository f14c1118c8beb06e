import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { INodeParameters } from 'n8n-workflow';
import type { Fault } from '../dev/service/faults';
import { binaryItem, type BinaryMode } from './support/binary';
import { chunks } from './support/files';
import { startLocalServer } from './support/localServer';
import { useRealService } from './support/useRealService';

const MB = 1_000_000;
const SMALL = 64 * 1024;
const SIZE = 100 * MB;
const MOST_HELD = 60 * MB;
const SAMPLE_EVERY_MS = 5;

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Not what the process has from the system: it does not give that back between runs. */
const heldNow = () => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

/** A run, and the most that texts, objects and buffers took above what they took just before it, in bytes. */
async function measured<Result>(run: () => Promise<Result>) {
	collectGarbage();
	await sleep(100);
	const before = heldNow();
	let most = before;
	const sampling = setInterval(() => (most = Math.max(most, heldNow())), SAMPLE_EVERY_MS);
	const result = await run();
	clearInterval(sampling);
	return { ...result, held: most - before };
}

const fileOf = async (size: number, mode: BinaryMode) =>
	await binaryItem({
		mode,
		files: {
			data: { data: Readable.from(chunks(size)), fileName: 'a.pdf', mimeType: 'application/pdf' },
		},
	});

describe('what is large', () => {
	const used = useRealService({ discardFiles: true });

	it.each([
		['direct', 'filesystem'],
		['signed', 'filesystem'],
		['direct', 'memory'],
		['signed', 'memory'],
	] as const)(
		'is sent whole, with its length, and never held whole: %s, from %s',
		async (uploadMethod, mode) => {
			const upload = async (size: number) => {
				const items = [await fileOf(size, mode)];
				const parameters = { resource: 'document', operation: 'upload', uploadMethod };
				return async () => await used.run(parameters, { items, binaryMode: mode });
			};
			await (await upload(SMALL))();

			const { error, held } = await measured(await upload(SIZE));

			expect(error).toBeUndefined();
			expect(held).toBeLessThan(MOST_HELD);
			const { uploads } = await used.control.ledger();
			expect(uploads).toMatchObject([SMALL, SIZE].map((size) => ({ size, confirmed: true })));
			const requests = await used.control.requests(
				uploadMethod === 'direct' ? 'upload' : 'putFile',
			);
			for (const { headers } of requests) {
				expect(Number(headers['content-length'])).toBeGreaterThanOrEqual(SMALL);
				expect(headers['transfer-encoding']).toBeUndefined();
			}
		},
	);

	it.each(['', 'url'])(
		'comes as a merged PDF that is never held whole: %j',
		async (downloadUrlField) => {
			const sizes = [MB, SIZE];
			const server = await startLocalServer(({ method }, response) => {
				if (downloadUrlField && method === 'POST') {
					response.setHeader('content-type', 'application/json');
					response.end(JSON.stringify({ url: `${server.url}/merged.pdf` }));
					return;
				}
				const size = sizes.shift() ?? 0;
				response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
				Readable.from(chunks(size)).pipe(response);
			});
			const parameters: INodeParameters = {
				resource: 'collection',
				operation: 'merge',
				collection: { __rl: true, mode: 'id', value: '1' },
				options: { downloadUrlField },
			};
			const credential = { baseUrl: server.url };
			const merge = async () =>
				await used.run(parameters, { credential, binaryMode: 'filesystem' });
			await merge();

			const { error, held } = await measured(merge);
			await server.stop();

			expect(error).toBeUndefined();
			expect(sizes).toEqual([]);
			expect(held).toBeLessThan(MOST_HELD);
		},
	);

	it('is not held where nobody needs it', async () => {
		await used.run(LIST);
		const huge: Fault = { type: 'huge', bytes: 2 * SIZE, status: 200, gzip: true };
		await used.fault('getExtractions', huge);

		const { error, held } = await measured(async () => await used.run(LIST));

		expect(error?.message).toBe('The response of the service is too large');
		expect(await used.control.requests('getExtractions')).toHaveLength(2);
		expect(held).toBeLessThan(SIZE);
	});

	it('is not too large as a page of 200 results of 200 kB each', async () => {
		const text = 'x'.repeat(200_000);
		const items = Array.from({ length: 200 }, (_, number) => ({ number, text }));
		const page = JSON.stringify({ total: 200, page: 1, limit: 200, pages: 1, items });
		const server = await startLocalServer((_, response) => {
			response.setHeader('content-type', 'application/json').end(page);
		});

		const { error, output } = await used.run(LIST, { credential: { baseUrl: server.url } });
		await server.stop();

		expect(error).toBeUndefined();
		expect(output).toHaveLength(200);
	});
});
