import { sleepModule } from './sleepModule';

export interface FastClock {
	/** The waits that were asked for, in ms. */
	readonly waits: number[];
	/** Nobody waits for this time, in ms: it has simply passed. */
	pass(ms: number): void;
	stop(): void;
}

/**
 * Shared by all test files of the process: each would otherwise wrap the `performance.now` of the file
 * before, and so keep all that it had loaded.
 */
interface RunningTime {
	readonly real: () => number;
	/** In ms: unlike the time of day it never goes back, not even between tests. */
	ahead: number;
}

const ofProcess = globalThis as typeof globalThis & { runningTime?: RunningTime };
const runningTime = (ofProcess.runningTime ??= {
	real: performance.now.bind(performance),
	ahead: 0,
});

/**
 * Lets the node's waits pass quickly: n8n's `sleep`, the only way in which a node can wait. The clock
 * by which the node measures is put on by what a wait was shortened. Only time is changed: who waits,
 * in which order and for how long in relation to the others, stays as it is; and what is no wait
 * takes its real time, however busy the machine is.
 */
export function startFastClock(speed: number): FastClock {
	const module = sleepModule();
	const realSleep = module.sleep;
	const realNow = Date.now;
	const waits: number[] = [];
	let skipped = 0;

	module.sleep = async (ms, signal) => {
		waits.push(ms);
		const end = Date.now() + ms;
		await realSleep(ms / speed, signal);
		skipped += Math.max(0, end - Date.now());
	};
	Date.now = () => realNow() + skipped;
	const aheadBefore = runningTime.ahead;
	performance.now = () => runningTime.real() + aheadBefore + skipped;

	return {
		waits,
		pass: (ms) => {
			skipped += ms;
		},
		stop: () => {
			module.sleep = realSleep;
			Date.now = realNow;
			runningTime.ahead = aheadBefore + skipped;
			performance.now = () => runningTime.real() + runningTime.ahead;
		},
	};
}
