import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Service } from '../../test/support/service.ts';
import { connectionsTo } from '../machine/connections.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';
import type { Cluster } from './cluster.ts';

/** What a process holds while it has nothing to do. */
export interface Holdings {
	/** To the service and its storage. */
	connections: number;
	timers: number;
	/** In bytes, after a garbage collection. */
	heap: number;
}

/** What the main holds, and of each quantity what the worker holds that has the most. */
type AtRest = Record<'main' | 'worker', Holdings>;

export interface Residue {
	process: keyof AtRest;
	before: Holdings;
	after: Holdings;
	isBack: boolean;
}

const insideProcess = fileURLToPath(new URL('insideProcess.cjs', import.meta.url));
const patienceMs = 120_000;
const lookEveryMs = 5_000;
/** n8n's own timers come and go. */
const fewTimers = 5;
const littleHeap = 64 * 2 ** 20;

const isBack = (before: Holdings, after: Holdings) =>
	after.connections <= before.connections &&
	after.timers <= before.timers + fewTimers &&
	after.heap <= before.heap + littleHeap;

/** Settings for n8n's processes, and what asks them what they hold. */
export async function openHoldings() {
	const folder = await temporaryFolder('cluster-holdings');

	async function heldBy(pid: number, ports: number[]): Promise<Holdings> {
		const file = join(folder, `${pid}.json`);
		await rm(file, { force: true });
		process.kill(pid, 'SIGUSR2');
		const report = await until(async () => await readFile(file, 'utf8').catch(() => ''));
		const { timers, heap } = JSON.parse(report) as Omit<Holdings, 'connections'>;
		return { connections: await connectionsTo(ports, pid), timers, heap };
	}

	async function atRest({ main, workers }: Cluster, service: Service): Promise<AtRest> {
		const ports = [service.url, service.storageUrl].map((url) => Number(new URL(url).port));
		const all = await Promise.all(workers.map(async ({ pid }) => await heldBy(pid, ports)));
		const most = (name: keyof Holdings) => Math.max(...all.map((held) => held[name]));
		return {
			main: await heldBy(main.pid, ports),
			worker: { connections: most('connections'), timers: most('timers'), heap: most('heap') },
		};
	}

	/** Waits until each process holds no more than before, or for as long as is to be expected. */
	async function residue(cluster: Cluster, service: Service, held: AtRest): Promise<Residue[]> {
		const giveUpAt = Date.now() + patienceMs;
		for (;;) {
			const now = await atRest(cluster, service);
			const all = (['main', 'worker'] as const).map((process): Residue => {
				const [before, after] = [held[process], now[process]];
				return { process, before, after, isBack: isBack(before, after) };
			});
			if (all.every((each) => each.isBack) || Date.now() > giveUpAt) return all;
			await sleep(lookEveryMs);
		}
	}

	const env = { NODE_OPTIONS: `--require "${insideProcess}"`, CLUSTER_HOLDINGS: folder };
	return { env, atRest, residue };
}
