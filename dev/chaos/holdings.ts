import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectionsTo } from '../machine/connections.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';

const insideProcess = fileURLToPath(new URL('insideProcess.cjs', import.meta.url));

/** What a process holds while it has nothing to do. */
export interface Holdings {
	/** To the service and its storage. */
	connections: number;
	timers: number;
	/** In bytes, after a garbage collection. */
	heap: number;
}

/** Settings for n8n's processes, and what asks one of them. */
export async function openHoldings() {
	const folder = await temporaryFolder('chaos-holdings');
	return {
		env: { NODE_OPTIONS: `--require "${insideProcess}"`, CHAOS_HOLDINGS: folder },
		/** @param ports of the service and its storage */
		of: async (pid: number, ports: number[]): Promise<Holdings> => {
			const file = join(folder, `${pid}.json`);
			await rm(file, { force: true });
			process.kill(pid, 'SIGUSR2');
			const report = await until(async () => await readFile(file, 'utf8').catch(() => ''));
			const { timers, heap } = JSON.parse(report) as Omit<Holdings, 'connections'>;
			return { connections: await connectionsTo(ports, pid), timers, heap };
		},
	};
}
