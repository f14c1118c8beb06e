import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '../queue/worker.ts';
import type { Randomness } from '../simulate/randomness.ts';
import { storm } from '../simulate/weather.ts';
import { setClock } from './clock.ts';
import type { Stage } from './stage.ts';

/** Something that goes wrong, and is over when its promise resolves. */
export interface Disaster {
	name: string;
	/** @returns what exactly it hit */
	strike(stage: Stage, random: Randomness): Promise<string>;
}

const second = 1_000;

/** A worker ends, and another one takes its place. */
const replaceWorker = (name: string, how: 'kill' | 'end'): Disaster => ({
	name,
	strike: async ({ cluster }, random) => {
		const worker = random.pick(cluster.workers);
		await worker[how]();
		await cluster.addWorker();
		return `process ${worker.pid}, and another one started`;
	},
});

const killWorker = replaceWorker('worker killed', 'kill');
const endWorker = replaceWorker('worker ended in order', 'end');

/** By one of these signals: in an orderly way, or as after a crash. */
const restart = <Signal extends NodeJS.Signals>(
	name: string,
	signals: readonly Signal[],
	by: (cluster: Stage['cluster'], signal: Signal) => Promise<void>,
): Disaster => ({
	name,
	strike: async ({ cluster }, random) => {
		const signal = random.pick(signals);
		await by(cluster, signal);
		return signal;
	},
});

const restartRedis = restart(
	'Redis restarted',
	['SIGTERM', 'SIGKILL'],
	async ({ redis }, signal) => await redis.restart(signal),
);
const restartPostgres = restart(
	'PostgreSQL restarted',
	['SIGINT', 'SIGQUIT'],
	async ({ postgres }, signal) => await postgres.restart(signal),
);
const restartMain = restart(
	'main restarted',
	['SIGTERM', 'SIGKILL'],
	async (cluster, signal) => await cluster.restartMain(signal),
);

/** How far the clock of each worker is from the time, in seconds. */
const clocks = new WeakMap<Worker, number>();

const setClockBack: Disaster = {
	name: 'clock of a worker set back',
	strike: async ({ cluster }, random) => {
		const worker = random.pick(cluster.workers);
		// Far longer than anybody may wait here: whoever waits by it hangs.
		const seconds = (clocks.get(worker) ?? 0) - 90 * 60;
		clocks.set(worker, seconds);
		await setClock(worker, seconds);
		return `by 90 minutes, process ${worker.pid}`;
	},
};

const fillDisk: Disaster = {
	name: 'disk of files full',
	strike: async ({ disk }) => {
		if (!disk) return 'left out: no disk could be mounted';
		await disk.fill();
		await sleep(8 * second);
		await disk.free();
		return 'and free again';
	},
};

/** To the machines that n8n runs on. */
export const machineDisasters = [
	killWorker,
	restartRedis,
	fillDisk,
	endWorker,
	restartPostgres,
	setClockBack,
	restartMain,
];

/** Something that the service does for a while. */
const spell = (
	name: string,
	begin: (stage: Stage, random: Randomness) => Promise<unknown>,
): Disaster => ({
	name,
	strike: async (stage, random) => {
		const seconds = random.between(5, 12);
		await begin(stage, random);
		await sleep(seconds * second);
		await stage.service.control.clearFaults();
		await stage.service.control.settings({ rate: null, latencyMs: 0 });
		return `for ${seconds} s`;
	},
});

const cutOff = spell('service cut off', async ({ service }) => {
	await service.control.faults([{ match: { path: '^/api/' }, fault: { type: 'cutBefore' } }]);
});

const cutOffAfter = spell('service cut off from its answers', async ({ service }) => {
	await service.control.faults([
		{ match: { path: '^/api/', probability: 0.5 }, fault: { type: 'cutAfter' } },
	]);
});

const storageCutOff = spell('storage cut off', async ({ service }) => {
	await service.control.faults([{ match: { operation: 'putFile' }, fault: { type: 'cutBefore' } }]);
});

const slow = spell('service and storage slow', async ({ service }) => {
	await service.control.settings({ latencyMs: 1_500 });
	await service.control.faults([
		{ match: { probability: 0.5 }, fault: { type: 'slowUpload', bytesPerSecond: 20_000 } },
	]);
});

const limited = spell('service limited', async ({ service }) => {
	await service.control.settings({ rate: { limit: 10, windowMs: 2_000 } });
});

const asInSoak = spell('service answers as in the soak', async ({ service, elsewhere }, random) => {
	await service.control.faults(storm(elsewhere.url, random.between(0, 100)));
	await service.control.seedFaults(random.between(0, 2 ** 31));
});

const outsiderRequestsAtOnce = 4;

const outsider: Disaster = {
	name: 'someone else uses the key up',
	strike: async ({ service }, random) => {
		const seconds = random.between(5, 12);
		const { apiKey, workflowId, baseUrl } = service.credential();
		await service.control.settings({ rate: { limit: 20, windowMs: 2_000 } });
		const endsAt = Date.now() + seconds * second;
		let requests = 0;
		const ask = async () => {
			while (Date.now() < endsAt) {
				requests++;
				const response = await fetch(
					`${String(baseUrl)}/api/v1/workflows/${String(workflowId)}/extractions?limit=1`,
					{ headers: { authorization: `Bearer ${String(apiKey)}` } },
				);
				await response.arrayBuffer();
			}
		};
		await Promise.all(Array.from({ length: outsiderRequestsAtOnce }, ask));
		await service.control.settings({ rate: null });
		return `${requests} requests in ${seconds} s`;
	},
};

/** To the service, as n8n sees it. */
export const serviceDisasters = [
	asInSoak,
	cutOff,
	limited,
	storageCutOff,
	cutOffAfter,
	slow,
	outsider,
];
