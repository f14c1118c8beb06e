import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { spawnService } from './support/serviceProcess';

describe('the process of the simulated service', () => {
	/** For its temporary files: nothing else is there. */
	const folder = mkdtempSync(join(tmpdir(), 'service-process-'));
	const started: ChildProcess[] = [];

	afterAll(() => {
		for (const service of started) service.kill('SIGKILL');
		rmSync(folder, { recursive: true });
	});

	function start(...flags: string[]) {
		const service = spawnService(['--json', ...flags], { ...process.env, TMPDIR: folder });
		started.push(service);
		return service;
	}

	async function ready(...flags: string[]) {
		const service = start(...flags);
		const complaint = text(service.stderr);
		const [line] = await Promise.race([
			once(createInterface(service.stdout), 'line'),
			once(service, 'exit').then(async () => {
				throw new Error(`It did not start:\n${await complaint}`);
			}),
		]);
		return { service, at: JSON.parse(String(line)) as Record<string, string> };
	}

	const serviceFolders = () =>
		readdirSync(folder).filter((name) => name.startsWith('extraction-service-'));

	it('says that its port is taken, and leaves no files, nor when its parent ends', async () => {
		const { service, at } = await ready('--exit-with-parent');
		const second = start('--port', new URL(at.url).port);
		const [errors] = await Promise.all([text(second.stderr), once(second, 'exit')]);

		expect(errors).toContain('EADDRINUSE');
		expect(second.exitCode).toBe(1);
		expect(serviceFolders()).toHaveLength(1);
		service.stdin.end();
		expect(await once(service, 'exit')).toEqual([0, null]);
		expect(serviceFolders()).toEqual([]);
	});
});
