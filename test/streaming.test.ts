import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import type { BinaryMode } from './support/binary';
import { chunks } from './support/files';
import { startLocalServer } from './support/localServer';
import type { MemoryOrder, NodeMemory } from './support/nodeMemory';
import { runNode } from './support/n8n';
import { startService, type Service } from './support/service';

const MB = 1_000_000;
const SIZE = 80 * MB;
const MOST_HELD = 60 * MB;
const PROGRAM = join(__dirname, 'support', 'nodeMemory.ts');
const execute = promisify(execFile);

let service: Service;

beforeAll(async () => {
	service = await startService();
});

afterAll(async () => await service.stop());

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };

/**
 * Answers a merge with a PDF, or with its URL, and a list with a document that has a file: each time with a
 * small file to begin with, then with a large one.
 */
async function startMergingServer() {
	const sent: number[] = [];
	const server = await startLocalServer(({ method, url }, response) => {
		if (method === 'POST' && url?.includes('by-url')) {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ url: `${server.url}/merged.pdf` }));
			return;
		}
		if (url?.includes('/extractions')) {
			const items = [{ document_id: 'a', file_url: `${server.url}/a.pdf` }];
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ total: 1, page: 1, limit: 50, pages: 1, items }));
			return;
		}
		const size = sent.length % 2 === 0 ? MB : SIZE;
		sent.push(size);
		response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
		Readable.from(chunks(size)).pipe(response);
	});
	return { ...server, sent };
}

/** Runs the node in one process for all orders: to load n8n takes longer than most of them. */
async function memoryOf(orders: Record<string, MemoryOrder>): Promise<Record<string, NodeMemory>> {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));
	try {
		const parameters = ['--expose-gc', '--require', 'tsx/cjs', PROGRAM, JSON.stringify(orders)];
		const env = { ...process.env, N8N_USER_FOLDER: userFolder };
		const { stdout } = await execute(process.execPath, parameters, { env });
		return JSON.parse(stdout) as Record<string, NodeMemory>;
	} finally {
		rmSync(userFolder, { recursive: true, force: true });
	}
}

describe('what is large', () => {
	let merging: Awaited<ReturnType<typeof startMergingServer>>;
	let memories: Record<string, NodeMemory>;

	const upload = (uploadMethod: string, mode: BinaryMode): MemoryOrder => ({
		credential: service.credential(),
		parameters: { resource: 'document', operation: 'upload', options: { uploadMethod } },
		mode,
		size: SIZE,
	});
	const merge = (collection: string, options: INodeParameters): MemoryOrder => ({
		credential: service.credential({ baseUrl: merging.url }),
		parameters: { resource: 'collection', operation: 'merge', collection, options },
		mode: 'filesystem',
		size: MB,
	});

	beforeAll(async () => {
		merging = await startMergingServer();
		await service.control.faults([
			{
				match: { operation: 'getExtractions', skip: 1 },
				fault: { type: 'huge', bytes: 2 * SIZE, status: 200, gzip: true },
			},
		]);
		memories = await memoryOf({
			'direct from filesystem': upload('direct', 'filesystem'),
			'signed from filesystem': upload('signed', 'filesystem'),
			'merged PDF': merge('as-file', {}),
			'merged PDF by URL': merge('by-url', { downloadUrlField: 'url' }),
			'file of a document': {
				credential: service.credential({ baseUrl: merging.url }),
				parameters: { ...LIST, options: { includeFile: true } },
				mode: 'filesystem',
				size: MB,
			},
			// A larger page would be read anew in smaller ones, and leave garbage for each: see getMany.test.ts.
			'too large': {
				credential: service.credential(),
				parameters: { ...LIST, returnAll: false, limit: 1 },
				mode: 'filesystem',
				size: MB,
			},
			'direct from memory': upload('direct', 'memory'),
			'signed from memory': upload('signed', 'memory'),
		});
	}, 600_000);

	afterAll(async () => await merging.stop());

	it.each([
		'direct from filesystem',
		'signed from filesystem',
		'direct from memory',
		'signed from memory',
		'merged PDF',
		'merged PDF by URL',
		'file of a document',
	])('is never held whole: %s', (name) => {
		const { error, held } = memories[name];

		expect(error).toBeUndefined();
		expect(held).toBeLessThan(MOST_HELD);
	});

	it('is sent whole, with its length', async () => {
		const { uploads } = await service.control.ledger();
		const large = uploads.filter(({ size }) => size === SIZE);
		expect(large.map(({ method, confirmed }) => [method, confirmed])).toEqual(
			['direct', 'signed', 'direct', 'signed'].map((method) => [method, true]),
		);
		for (const operation of ['upload', 'putFile'] as const) {
			const requests = await service.control.requests(operation);
			expect(requests).toHaveLength(4);
			for (const { headers } of requests) {
				expect(Number(headers['content-length'])).toBeGreaterThanOrEqual(64 * 1024);
				expect(headers['transfer-encoding']).toBeUndefined();
			}
		}
		expect(merging.sent).toEqual([MB, SIZE, MB, SIZE, MB, SIZE]);
	});

	it('is not held where nobody needs it', async () => {
		const { error, held } = memories['too large'];

		expect(error?.message).toBe('The response of the service is too large');
		expect(error?.description).toContain('The response is larger than 50 MB');
		const requests = await service.control.requests('getExtractions');
		expect(requests).toHaveLength(2);
		expect(held).toBeLessThan(SIZE);
	});
});

it('a page of 200 results of 200 kB each is not too large', async () => {
	const items = Array.from({ length: 200 }, (_, number) => ({ number, text: 'x'.repeat(200_000) }));
	const page = JSON.stringify({ total: 200, page: 1, limit: 200, pages: 1, items });
	const server = await startLocalServer((_, response) => {
		response.setHeader('content-type', 'application/json');
		response.end(page);
	});

	const { error, output } = await runNode({
		credential: service.credential({ baseUrl: server.url }),
		parameters: LIST,
	});
	await server.stop();

	expect(error).toBeUndefined();
	expect(output).toHaveLength(200);
});
