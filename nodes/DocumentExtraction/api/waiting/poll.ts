import { settled } from '../../http/concurrency';
import { pause } from '../../http/pause';
import type { Client } from '../client';

const FIRST_INTERVAL_MS = 500;
const SHORTEST_INTERVAL_MS = 100;
const LONGEST_INTERVAL_MS = 10_000;

export interface WaitLimits {
	maxWaitMs: number;
	/** How long a sign must last before it counts. */
	settleMs: number;
}

/**
 * Looks at growing, jittered intervals until something is seen; undefined when the time is over.
 * @param look gets a client whose requests and waits end when the time is over
 * @param expectedMs how long it may still take, Infinity where nobody knows; towards it the intervals shrink
 * @throws the signal's reason after Stop
 */
export async function lookUntil<T>(
	client: Client,
	maxWaitMs: number,
	look: (client: Client, intervalMs: number) => Promise<T | undefined>,
	expectedMs: () => number = () => Infinity,
): Promise<T | undefined> {
	const timeIsOver = new AbortController();
	const isDone = new AbortController();
	const stops = client.stop ? [client.stop] : [];
	pause(maxWaitMs, AbortSignal.any([isDone.signal, ...stops])).then(
		() => timeIsOver.abort(new Error('Max Wait is over')),
		() => undefined,
	);
	const looking = { ...client, stop: AbortSignal.any([timeIsOver.signal, ...stops]) };
	const lookAgainAndAgain = async () => {
		for (let intervalMs = FIRST_INTERVAL_MS; ; intervalMs *= 1.5) {
			const seen = await look(looking, intervalMs);
			if (seen !== undefined) return seen;
			const mostMs = Math.max(SHORTEST_INTERVAL_MS, expectedMs() / 2);
			intervalMs = Math.min(intervalMs, mostMs, LONGEST_INTERVAL_MS);
			await pause(intervalMs * (0.8 + 0.4 * Math.random()), looking.stop);
		}
	};
	const outcome = await settled(lookAgainAndAgain());
	const isOver = timeIsOver.signal.aborted;
	isDone.abort();
	// Node.js keeps a combined signal until it aborts. This also ends whatever a look is still doing.
	timeIsOver.abort(new Error('The wait is over'));
	client.stop?.throwIfAborted();
	if (!outcome.error) return outcome.value;
	if (isOver) return undefined;
	throw outcome.error;
}

/**
 * How long the rest of some documents takes at the speed so far, in ms; Infinity while none is
 * finished, or once that time has passed. One function for one wait: it remembers the last progress.
 */
export function timeLeftFor(total: number): (pending: number, sinceStartMs: number) => number {
	let latest = { finished: 0, afterMs: Infinity };
	return (pending, sinceStartMs) => {
		const finished = total - pending;
		if (finished > latest.finished) latest = { finished, afterMs: sinceStartMs };
		const leftMs = (latest.afterMs / latest.finished) * total - sinceStartMs;
		return leftMs > 0 ? leftMs : Infinity;
	};
}
