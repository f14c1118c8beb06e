import { syncBuiltinESMExports } from 'node:module';
import FakeTimers from '@sinonjs/fake-timers';

/** How many turns of the event loop nothing may happen in before nothing is left to do. */
const QUIET_TURNS = 3;
/** In ms of virtual time: what takes longer will never end. */
const LONGEST_WORK_MS = 48 * 3_600_000;

/** Unlike the time of day, it never goes back: what has been held until then would be held for ever. */
const ofProcess = globalThis as typeof globalThis & {
	runningTime?: { readonly real: () => number; ahead: number };
};
const runningTime = (ofProcess.runningTime ??= {
	real: performance.now.bind(performance),
	ahead: 0,
});

export type VirtualTime = ReturnType<typeof startVirtualTime>;

/**
 * From now on all that waits in this process does so in virtual time: `setTimeout`, `setInterval`,
 * `node:timers/promises`, `AbortSignal.timeout`, n8n's `sleep`, `Date` and `performance.now`. Time passes
 * only in `run` and `pass`, and there only when nothing else is left to do: a wait of an hour takes no
 * time, and no other load on the machine changes what happens. Sockets and other processes are not
 * waited for, so what is talked to has to be in this process (see network.ts); files are.
 * @param isNew whether running time begins at 0 too: only where nothing of before is used any more
 * @param flows whether time passes outside `run` and `pass` too
 */
export function startVirtualTime({ isNew = false, flows = false } = {}) {
	const clock = FakeTimers.install({
		now: Date.UTC(2025, 0, 1, 12),
		toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
		// A connection from before ends: its timer is a real one.
		shouldClearNativeTimers: true,
	});
	// As Node.js does; otherwise who waits for the rest of a millisecond would do so for ever.
	const { setTimeout } = clock;
	const atLeastOne: typeof setTimeout = (wake, ms, ...rest) =>
		setTimeout(wake, Math.max(1, ms || 0), ...rest);
	// What the library notes on its functions tells it how to put the real ones back.
	clock.setTimeout = Object.assign(atLeastOne, setTimeout);
	// Whole, so that sums of times are exact: who looks again at a time and is early by a rounding
	// error would do so for ever where nothing takes time.
	const before = isNew ? 0 : Math.ceil(performance.now());
	const elapsedMs = () => {
		const [seconds, nanoseconds] = clock.hrtime();
		return seconds * 1000 + nanoseconds / 1e6;
	};
	performance.now = () => before + elapsedMs();
	const { timeout } = AbortSignal;
	AbortSignal.timeout = (ms) => {
		const controller = new AbortController();
		clock.setTimeout(() => {
			const message = 'The operation was aborted due to timeout';
			controller.abort(new DOMException(message, 'TimeoutError'));
		}, ms);
		return controller.signal;
	};
	// What was imported from Node.js by name is looked up once.
	syncBuiltinESMExports();

	let isFlowing = flows;
	const flow = async () => {
		while (isFlowing) {
			await quiet();
			if (isFlowing && clock.countTimers() > 0) clock.next();
		}
	};
	if (flows) void flow();

	/** Lets time pass until this is so: false where nobody waits any more, or for so long. */
	const passUntil = async (isSo: () => boolean, atMostMs: number) => {
		const latest = elapsedMs() + atMostMs;
		for (;;) {
			await quiet();
			if (isSo()) return true;
			if (clock.countTimers() === 0 || elapsedMs() > latest) return false;
			clock.next();
		}
	};

	/**
	 * Lets time pass until the work is done, as fast as nothing else is left to do.
	 * @throws when everybody waits for ever
	 */
	const run = async <T>(work: Promise<T>): Promise<T> => {
		if (isFlowing) return await work;
		let isDone = false;
		const end = () => (isDone = true);
		work.then(end, end);
		const isOver = await passUntil(() => isDone, LONGEST_WORK_MS);
		if (!isOver) throw new Error('Everybody waits for ever');
		return await work;
	};

	return {
		/** Since the start, in ms. No clock that is set back changes it. */
		get elapsedMs() {
			return elapsedMs();
		},
		run,
		/** Lets time pass until nobody waits any more, at most so long, in ms; whether nobody does. */
		settle: async (atMostMs: number) => await passUntil(() => clock.countTimers() === 0, atMostMs),
		/** Lets this time pass, in ms. */
		pass: async (ms: number) =>
			await run(new Promise<void>((wake) => clock.setTimeout(() => wake(), ms))),
		/** Changes the time of day by so many ms, as who corrects the machine's clock does: negative is back. */
		adjustTimeOfDay: (ms: number) => clock.setSystemTime(Date.now() + ms),
		stop: () => {
			isFlowing = false;
			runningTime.ahead = performance.now() - runningTime.real();
			performance.now = () => runningTime.real() + runningTime.ahead;
			AbortSignal.timeout = timeout;
			clock.uninstall();
			syncBuiltinESMExports();
		},
	};
}

const FILE_WORK = /^(FSReq|CloseReq)/;

/** Until nothing is left to do in this process but to wait. */
async function quiet() {
	for (let turns = 0; turns < QUIET_TURNS; turns++) {
		await new Promise(setImmediate);
		// Files take real time.
		if (process.getActiveResourcesInfo().some((name) => FILE_WORK.test(name))) turns = 0;
	}
}
