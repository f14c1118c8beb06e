/** Lets the waits of the code under test pass quickly, while everything else takes its real time. */
export interface FastClock {
	/** The waits that were asked for, in the milliseconds of the code under test. */
	readonly waits: number[];
	stop(): void;
}

/**
 * Runs `Date.now` and `setTimeout` faster from here on. Only time is changed: who waits, in which
 * order and for how long in relation to the others, stays as it is.
 */
export function startFastClock(speed: number): FastClock {
	const { setTimeout: realSetTimeout } = globalThis;
	const realNow = Date.now;
	const start = realNow();
	const waits: number[] = [];

	const fastSetTimeout = (action: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
		waits.push(ms);
		return realSetTimeout(action, ms / speed, ...args);
	};
	globalThis.setTimeout = Object.assign(fastSetTimeout, realSetTimeout) as typeof setTimeout;
	Date.now = () => start + (realNow() - start) * speed;

	return {
		waits,
		stop: () => {
			globalThis.setTimeout = realSetTimeout;
			Date.now = realNow;
		},
	};
}
