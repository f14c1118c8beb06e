import { createRequire } from 'node:module';

export interface FastClock {
	/** The waits that were asked for, in ms. */
	readonly waits: number[];
	stop(): void;
}

interface SleepModule {
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The module behind n8n-workflow's `sleep`, which reads it anew for each call. */
function sleepModule(): SleepModule {
	const ofTests = createRequire(__filename);
	return createRequire(ofTests.resolve('n8n-workflow'))('@n8n/utils/sleep') as SleepModule;
}

/**
 * Lets the node's waits pass quickly, while everything else takes its real time: n8n's `sleep`, the
 * only way in which a node can wait, and the clock by which it measures. Only time is changed: who
 * waits, in which order and for how long in relation to the others, stays as it is.
 */
export function startFastClock(speed: number): FastClock {
	const module = sleepModule();
	const realSleep = module.sleep;
	const realNow = Date.now;
	const start = realNow();
	const waits: number[] = [];

	module.sleep = async (ms, signal) => {
		waits.push(ms);
		await realSleep(ms / speed, signal);
	};
	Date.now = () => start + (realNow() - start) * speed;

	return {
		waits,
		stop: () => {
			module.sleep = realSleep;
			Date.now = realNow;
		},
	};
}
