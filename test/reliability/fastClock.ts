import { sleepModule } from './sleepModule';

export interface FastClock {
	/** The waits that were asked for, in ms. */
	readonly waits: number[];
	stop(): void;
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
