/** Concurrent work: how much of it runs at a time, its outcomes, and how Stop ends what waits. */
import { sleep } from 'n8n-workflow';

export type Settled<R> = { value: R; error?: undefined } | { error: Error };

/** The outcome of some work, as a value or an error. */
export async function settled<R>(work: Promise<R>): Promise<Settled<R>> {
	return await work.then(
		(value) => ({ value }),
		(error: Error) => ({ error }),
	);
}

/**
 * Does the work for each entry, at most `concurrency` of it at a time, and returns the outcomes in the
 * order of the entries. It bounds what is begun; how many requests are in flight is up to the limiter.
 * With `stopAtFailure` nothing is begun after the first failure: the other outcomes are undefined.
 */
export async function settleInOrder<T, R>(
	entries: T[],
	concurrency: number,
	stopAtFailure: boolean,
	work: (entry: T) => Promise<R>,
): Promise<Array<Settled<R> | undefined>> {
	const outcomes = new Array<Settled<R> | undefined>(entries.length);
	let next = 0;
	let failed = false;
	const worker = async () => {
		while (next < entries.length && !(failed && stopAtFailure)) {
			const index = next++;
			const outcome = await settled(work(entries[index]));
			outcomes[index] = outcome;
			failed ||= outcome.error !== undefined;
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, worker));
	return outcomes;
}

/**
 * Does the work for each entry, at most `concurrency` of it at a time, and returns the results in order.
 * @throws the first failure, after which nothing more is begun
 */
export async function mapInOrder<T, R>(
	entries: T[],
	concurrency: number,
	work: (entry: T) => Promise<R>,
): Promise<R[]> {
	const outcomes = await settleInOrder(entries, concurrency, true, work);
	return outcomes.flatMap((outcome) => {
		if (outcome?.error) throw outcome.error;
		return outcome ? [outcome.value] : [];
	});
}

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted. Hundreds of requests wait for the same Stop, and Node.js warns
 * of a leak from the eleventh listener on, so they share one listener.
 * @returns unsubscribes
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	const shared = callbacks.get(signal) ?? listenOnce(signal);
	// Wrapped, so that each subscription of the same callback is an entry of its own.
	const own = () => callback();
	shared.add(own);
	return () => void shared.delete(own);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
	const shared = new Set<() => void>();
	callbacks.set(signal, shared);
	signal.addEventListener('abort', () => [...shared].forEach((callback) => callback()), {
		once: true,
	});
	return shared;
}

/**
 * Waits for some work, which goes on after an abort.
 * @throws the signal's reason as soon as it is aborted
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	signal?.throwIfAborted();
	let unsubscribe = () => {};
	const aborted = new Promise<never>((_, reject) => {
		unsubscribe = onAbort(signal, () => reject(signal?.reason as Error));
	});
	return await Promise.race([work, aborted]).finally(unsubscribe);
}

/** In ms. The `sleep` of older n8n versions takes no signal, so it is called for short times only. */
const SLICE_MS = 250;

/**
 * Waits, in ms.
 * @throws the signal's reason as soon as it is aborted
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	const wake = new AbortController();
	let unsubscribe = () => {};
	const aborted = new Promise<void>((resolve) => {
		unsubscribe = onAbort(signal, () => {
			wake.abort();
			resolve();
		});
	});
	const longestMs = sleep.length > 1 ? ms : SLICE_MS;
	const until = performance.now() + ms;
	try {
		for (let left = ms; left > 0; left = until - performance.now()) {
			const slept = sleep(Math.min(left, longestMs), wake.signal).catch((error: unknown) => {
				if (!wake.signal.aborted) throw error;
			});
			await Promise.race([slept, aborted]);
			signal?.throwIfAborted();
		}
	} finally {
		unsubscribe();
	}
}
