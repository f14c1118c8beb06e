import { setTimeout as sleep } from 'node:timers/promises';
import type { Randomness } from '../simulate/randomness.ts';
import { slowLine, storm } from '../simulate/weather.ts';
import type { Stage } from './stage.ts';

/** Something that goes wrong, and is over when its promise resolves. */
export interface Disaster {
	name: string;
	/** @returns what exactly it hit */
	strike(stage: Stage, random: Randomness): Promise<string>;
}

/** A worker ends, and another one takes its place. After SIGTERM it finishes first what it has in hand. */
const replaceWorker = (name: string, signal: 'SIGTERM' | 'SIGKILL'): Disaster => ({
	name,
	strike: async ({ cluster }, random) => {
		const worker = random.pick(cluster.workers);
		await cluster.replaceWorker(worker, signal);
		return `process ${worker.pid}, and another one started`;
	},
});

export const killWorker = replaceWorker('worker killed', 'SIGKILL');
export const endWorker = replaceWorker('worker ended in order', 'SIGTERM');

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

/** They take as long as the executions that a worker has in hand, and others die meanwhile. */
export const orderlyEnds = [endWorker];

/** To the machines that n8n runs on. */
export const machineDisasters = [
	killWorker,
	restart('Redis restarted', ['SIGTERM', 'SIGKILL'], async ({ redis }, signal) => {
		await redis.restart(signal);
	}),
	restart('PostgreSQL restarted', ['SIGINT', 'SIGQUIT'], async ({ postgres }, signal) => {
		await postgres.restart(signal);
	}),
	restart('main restarted', ['SIGTERM', 'SIGKILL'], async (cluster, signal) => {
		await cluster.restartMain(signal);
	}),
];

const limits = [null, { limit: 10, windowMs: 2_000 }];

/** To the service, as n8n sees it: all that can go wrong with a request does, for a while. */
export const serviceDisasters: Disaster[] = [
	{
		name: 'service answers as in a storm',
		strike: async ({ service: { control }, elsewhere }, random) => {
			const seconds = random.between(5, 12);
			await control.faults([slowLine(20_000), ...storm(elsewhere.url, random.between(0, 100))]);
			await control.seedFaults(random.between(0, 2 ** 31));
			await control.settings({ rate: random.pick(limits), latencyMs: random.pick([0, 1_500]) });
			await sleep(1_000 * seconds);
			await control.clearFaults();
			await control.settings({ rate: null, latencyMs: 0 });
			return `for ${seconds} s`;
		},
	},
];
