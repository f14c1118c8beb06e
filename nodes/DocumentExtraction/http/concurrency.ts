/** Concurrent work: how much of it runs at a time, its outcomes, and how Stop ends what waits. */
import { sleep } from 'n8n-workflow';

export type Outcome<R> = { value: R; error?: undefined } | { value?: undefined; error: Error };

/** The outcome of some work, as a value or an error, whose stack goes on to whoever awaits this. */
export async function settled<R>(work: Promise<R>): Promise<Outcome<R>> {
	try {
		return { value: await work };
	} catch (error) {
		return { error: error as Error };
	}
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
): Promise<Array<Outcome<R> | undefined>> {
	const outcomes = new Array<Outcome<R> | undefined>(entries.length);
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

const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted. Hundreds of requests wait for the same Stop, and Node.js warns
 * of a leak from the eleventh listener on, so they share one listener.
 * @returns unsubscribes
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	let callbacks = callbacksOf.get(signal);
	if (!callbacks) {
		const all = new Set<() => void>();
		signal.addEventListener('abort', () => [...all].forEach((call) => call()), { once: true });
		callbacksOf.set(signal, all);
		callbacks = all;
	}
	callbacks.add(callback);
	return () => void callbacks.delete(callback);
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

/** In ms, as `sleep` cannot be ended: a timer outlives its pause by at most so long. */
const SLICE_MS = 1000;

/**
 * Waits, in ms.
 * @throws the signal's reason as soon as it is aborted
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	signal?.throwIfAborted();
	const until = performance.now() + ms;
	for (let left = ms; left > 0; left = until - performance.now()) {
		await orAborted(sleep(Math.min(left, SLICE_MS)), signal);
	}
}
