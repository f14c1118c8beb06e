import { setTimeout as sleep } from 'node:timers/promises';
import type { Holdings } from './holdings.ts';
import type { Stage } from './stage.ts';

/** What a process held before and after. */
export interface Residue {
	process: string;
	before: Holdings;
	after: Holdings;
	isBack: boolean;
}

const patienceMs = 120_000;
const lookEveryMs = 5_000;
/** n8n's own timers come and go. */
const fewTimers = 5;
const littleHeap = 64 * 2 ** 20;

const portsOf = ({ service }: Stage) =>
	[service.url, service.storageUrl].map((url) => Number(new URL(url).port));

const isBack = (before: Holdings, after: Holdings) =>
	after.connections <= before.connections &&
	after.timers <= before.timers + fewTimers &&
	after.heap <= before.heap + littleHeap;

async function holdingsOf(stage: Stage): Promise<Array<[process: string, Holdings]>> {
	const { cluster, holdings } = stage;
	const ports = portsOf(stage);
	const ask = async (name: string, pid: number): Promise<[string, Holdings]> => [
		name,
		await holdings.of(pid, ports),
	];
	return await Promise.all([
		ask('main', cluster.main.pid),
		...cluster.workers.map(async ({ pid }) => await ask('worker', pid)),
	]);
}

/** What a main and a worker hold at rest: of several workers, the most. */
export async function holdingsAtRest(stage: Stage): Promise<Record<string, Holdings>> {
	const atRest: Record<string, Holdings> = {};
	for (const [name, now] of await holdingsOf(stage)) {
		const { connections, timers, heap } = atRest[name] ?? now;
		atRest[name] = {
			connections: Math.max(connections, now.connections),
			timers: Math.max(timers, now.timers),
			heap: Math.max(heap, now.heap),
		};
	}
	return atRest;
}

/** Waits until each process holds no more than at rest, or for as long as is to be expected. */
export async function residueOf(
	stage: Stage,
	atRest: Record<string, Holdings>,
): Promise<Residue[]> {
	const giveUpAt = Date.now() + patienceMs;
	for (;;) {
		const residue = (await holdingsOf(stage)).map(([process, after]) => {
			const before = atRest[process];
			return { process, before, after, isBack: isBack(before, after) };
		});
		if (residue.every((each) => each.isBack) || Date.now() > giveUpAt) return residue;
		await sleep(lookEveryMs);
	}
}
