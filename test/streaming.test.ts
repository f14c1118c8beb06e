import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { BinaryMode } from './support/binary';
import { chunks } from './support/files';
import { startLocalServer } from './support/localServer';
import type { MemoryOrder, NodeMemory } from './support/nodeMemory';
import { runNode } from './support/n8n';
import { startService, type Service } from './support/service';

const MB = 1_000_000;
const SIZE = 100 * MB;
/** Inside the repository, where Node finds the packages: they are not bundled. */
const PROGRAM = resolve(__dirname, '../.cache/nodeMemory.js');
const execute = promisify(execFile);

let service: Service;
let userFolder: string;

beforeAll(async () => {
	await build({
		entryPoints: [join(__dirname, 'support', 'nodeMemory.ts')],
		outfile: PROGRAM,
		bundle: true,
		platform: 'node',
		packages: 'external',
		logLevel: 'error',
	});
	service = await startService({ discardFiles: true });
});

beforeEach(async () => {
	await service.control.reset();
	userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));
});

afterEach(() => rmSync(userFolder, { recursive: true, force: true }));

afterAll(async () => await service.stop());

async function memoryOf(...orders: MemoryOrder[]): Promise<NodeMemory[]> {
	const { stdout } = await execute(
		process.execPath,
		['--expose-gc', PROGRAM, JSON.stringify(orders)],
		{ env: { ...process.env, N8N_USER_FOLDER: userFolder } },
	);
	return JSON.parse(stdout) as NodeMemory[];
}

describe.each(['direct', 'signed'] as const)(
	'a large file, uploaded by %s upload',
	(uploadMethod) => {
		const uploaded = async () => {
			const { uploads } = await service.control.ledger();
			return uploads.map(({ size, confirmed }) => ({ size, confirmed }));
		};

		/** How the file itself was sent. */
		const framing = async () => {
			const requests = await service.control.requests(
				uploadMethod === 'direct' ? 'upload' : 'putFile',
			);
			return requests.map(({ headers }) => ({
				isLongEnough: Number(headers['content-length']) >= 64 * 1024,
				chunked: headers['transfer-encoding'],
			}));
		};

		it('streams from disk and is decoded once from memory, with its length', async () => {
			const uploadFrom = (mode: BinaryMode) => ({
				credential: service.credential(),
				parameters: { resource: 'document', operation: 'upload', uploadMethod },
				mode,
				size: SIZE,
			});

			const [disk, memory] = await memoryOf(uploadFrom('filesystem'), uploadFrom('memory'));

			expect([disk.error, memory.error]).toEqual([undefined, undefined]);
			expect(disk.resident).toBeLessThan(60 * MB);
			expect(memory.buffers).toBeLessThan(1.3 * SIZE);
			const large = (await uploaded()).filter(({ size }) => size === SIZE);
			expect(large).toEqual(Array(2).fill({ size: SIZE, confirmed: true }));
			expect(await framing()).toEqual(Array(4).fill({ isLongEnough: true, chunked: undefined }));
		}, 180_000);
	},
);

/** Answers a merge with a PDF, or with its URL: a small one to begin with, then large ones. */
async function startMergingServer(givesUrl: boolean) {
	const sent: number[] = [];
	const server = await startLocalServer(({ method }, response) => {
		if (givesUrl && method === 'POST') {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ url: `${server.url}/merged.pdf` }));
			return;
		}
		const size = sent.length === 0 ? MB : SIZE;
		sent.push(size);
		response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
		Readable.from(chunks(size)).pipe(response);
	});
	return { ...server, sent };
}

it.each([
	['answers with', false],
	['gives a URL of', true],
])(
	'a large merged document that the service %s streams to disk',
	async (_, givesUrl) => {
		const server = await startMergingServer(givesUrl);

		const [{ resident, error }] = await memoryOf({
			credential: service.credential({ baseUrl: server.url }),
			parameters: {
				resource: 'collection',
				operation: 'merge',
				collection: { __rl: true, mode: 'id', value: '1' },
				options: givesUrl ? { downloadUrlField: 'url' } : {},
			},
			mode: 'filesystem',
			size: MB,
		});
		await server.stop();

		expect(error).toBeUndefined();
		expect(server.sent).toEqual([MB, SIZE]);
		expect(resident).toBeLessThan(60 * MB);
	},
	180_000,
);

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };

it('a response that is larger than anybody needs is not held', async () => {
	const size = 200 * MB;
	await service.control.faults([
		{ match: { skip: 1 }, fault: { type: 'huge', bytes: size, status: 200, gzip: true } },
	]);

	const [{ resident, error }] = await memoryOf({
		credential: service.credential(),
		parameters: LIST,
		mode: 'filesystem',
		size: MB,
	});

	expect(error?.message).toBe('The response of the service is too large');
	expect(error?.description).toContain('It is larger than 50 MB');
	expect(await service.control.requests('getExtractions')).toHaveLength(2);
	expect(resident).toBeLessThan(0.5 * size);
}, 180_000);

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
