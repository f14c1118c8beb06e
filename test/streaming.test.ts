import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinaryMode } from './support/binary';
import { startService, type Service } from './support/service';
import type { UploadMemory, UploadOrder } from './support/uploadMemory';

const MB = 1_000_000;
const SIZE = 200 * MB;
const PROGRAM = join(__dirname, 'support', 'uploadMemory.ts');
const run = promisify(execFile);

describe.each(['direct', 'signed'] as const)(
	'a large file, uploaded by %s upload',
	(uploadMethod) => {
		let service: Service;
		let userFolder: string;

		beforeAll(async () => {
			service = await startService({ discardFiles: true });
		});

		beforeEach(async () => {
			await service.control.reset();
			userFolder = mkdtempSync(join(tmpdir(), 'n8n-nodes-document-extraction-'));
		});

		afterEach(() => rmSync(userFolder, { recursive: true, force: true }));

		afterAll(async () => await service.stop());

		const upload = async (mode: BinaryMode): Promise<UploadMemory> => {
			const order: UploadOrder = {
				credential: service.credential(),
				uploadMethod,
				mode,
				size: SIZE,
			};
			const { stdout } = await run(
				process.execPath,
				['--expose-gc', '--import', 'tsx', PROGRAM, JSON.stringify(order)],
				{ env: { ...process.env, N8N_USER_FOLDER: userFolder } },
			);
			return JSON.parse(stdout) as UploadMemory;
		};

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

		it.each<[string, BinaryMode, keyof UploadMemory, number]>([
			['streams from disk', 'filesystem', 'resident', 60 * MB],
			['is decoded once from memory', 'memory', 'buffers', 1.3 * SIZE],
		])(
			'%s, with its length',
			async (_, mode, quantity, bound) => {
				const memory = await upload(mode);

				expect(memory[quantity]).toBeLessThan(bound);
				expect(await uploaded()).toContainEqual({ size: SIZE, confirmed: true });
				const sent = { isLongEnough: true, chunked: undefined };
				expect(await framing()).toEqual([sent, sent]);
			},
			180_000,
		);
	},
);
