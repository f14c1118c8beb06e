import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { serviceProgram } from './support/serviceProgram';

describe('the process of the simulated service', () => {
	let folder: string;
	const started: ChildProcess[] = [];
	let program: string;

	beforeAll(async () => {
		program = await serviceProgram();
	});

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'service-process-'));
	});

	afterEach(async () => {
		for (const service of started.splice(0)) {
			if (service.exitCode !== null) continue;
			service.kill('SIGKILL');
			await once(service, 'exit');
		}
		rmSync(folder, { recursive: true });
	});

	/** Its temporary files go to a folder where nothing else is. */
	function start(...flags: string[]) {
		const service = spawn(process.execPath, [program, ...flags], {
			env: { ...process.env, TMPDIR: folder },
			stdio: 'pipe',
		});
		started.push(service);
		return service;
	}

	async function startJson(...flags: string[]) {
		const service = start('--json', ...flags);
		const complaint = text(service.stderr);
		const [line] = await Promise.race([
			once(createInterface(service.stdout), 'line'),
			once(service, 'exit').then(async () => {
				throw new Error(`It did not start:\n${await complaint}`);
			}),
		]);
		return { service, ready: JSON.parse(String(line)) as Record<string, string> };
	}

	const serviceFolders = () =>
		readdirSync(folder).filter((name) => name.startsWith('extraction-service-'));

	it('says that its port is taken, and leaves no files, nor when its parent ends', async () => {
		const { service, ready } = await startJson('--exit-with-parent');
		const second = start('--port', new URL(ready.url).port);
		const [errors] = await Promise.all([text(second.stderr), once(second, 'exit')]);

		expect(errors).toContain('EADDRINUSE');
		expect(second.exitCode).toBe(1);
		expect(serviceFolders()).toHaveLength(1);
		service.stdin.end();
		expect(await once(service, 'exit')).toEqual([0, null]);
		expect(serviceFolders()).toEqual([]);
	});

	it('serves by TLS with a certificate for this machine, and ends on SIGTERM', async () => {
		const { service, ready } = await startJson('--tls');
		const ca = readFileSync(ready.caFile);
		const status = async (url: string, servername?: string) => {
			const agent = new Agent({ connect: { ca, servername } });
			const { statusCode, body } = await request(`${url}/nowhere`, { dispatcher: agent });
			await body.dump();
			await agent.close();
			return statusCode;
		};

		expect([ready.url, ready.storageUrl].map((url) => new URL(url).protocol)).toEqual([
			'https:',
			'https:',
		]);
		await expect(request(`${ready.controlUrl}/account`)).rejects.toThrow(/self.signed/i);
		expect(await status(ready.storageUrl)).toBe(404);
		expect(await status(ready.url, 'localhost')).toBe(404);
		await expect(status(ready.url, 'elsewhere.example')).rejects.toThrow(/altnames/);
		service.kill('SIGTERM');
		expect(await once(service, 'exit')).toEqual([0, null]);
		expect(serviceFolders()).toEqual([]);
	});
});
