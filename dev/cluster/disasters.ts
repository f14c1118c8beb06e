import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../service/faults.ts';
import type { Randomness } from '../simulate/randomness.ts';
import { storm } from '../simulate/weather.ts';
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

export const killWorker = replaceWorker('worker killed', 'kill');
export const endWorker = replaceWorker('worker ended in order', 'end');

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

/** To the machines that n8n runs on. */
export const machineDisasters = [
	killWorker,
	restart('Redis restarted', ['SIGTERM', 'SIGKILL'], async ({ redis }, signal) => {
		await redis.restart(signal);
	}),
	endWorker,
	restart('PostgreSQL restarted', ['SIGINT', 'SIGQUIT'], async ({ postgres }, signal) => {
		await postgres.restart(signal);
	}),
	restart('main restarted', ['SIGTERM', 'SIGKILL'], async (cluster, signal) => {
		await cluster.restartMain(signal);
	}),
];

/** Something that the service does for a while. */
const spell = (
	name: string,
	begin: (control: Stage['service']['control'], stage: Stage, random: Randomness) => Promise<void>,
): Disaster => ({
	name,
	strike: async (stage, random) => {
		const { control } = stage.service;
		const seconds = random.between(5, 12);
		await begin(control, stage, random);
		await sleep(seconds * second);
		await control.clearFaults();
		await control.settings({ rate: null, latencyMs: 0 });
		return `for ${seconds} s`;
	},
});

const faulty = (name: string, rule: FaultRule) =>
	spell(name, async (control) => await control.faults([rule]));

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
	spell('service answers as in a storm', async (control, { elsewhere }, random) => {
		await control.faults(storm(elsewhere.url, random.between(0, 100)));
		await control.seedFaults(random.between(0, 2 ** 31));
	}),
	faulty('service cut off', { match: { path: '^/api/' }, fault: { type: 'cutBefore' } }),
	spell('service limited', async (control) => {
		await control.settings({ rate: { limit: 10, windowMs: 2_000 } });
	}),
	faulty('storage cut off', { match: { operation: 'putFile' }, fault: { type: 'cutBefore' } }),
	faulty('service cut off from its answers', {
		match: { path: '^/api/', probability: 0.5 },
		fault: { type: 'cutAfter' },
	}),
	spell('service and storage slow', async (control) => {
		await control.settings({ latencyMs: 1_500 });
		await control.faults([
			{ match: { probability: 0.5 }, fault: { type: 'slowUpload', bytesPerSecond: 20_000 } },
		]);
	}),
	outsider,
];
