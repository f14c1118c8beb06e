/** Looks at things when they are due, until nothing is left to look at or the time is over. */
import { CallError, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { pause, settled } from '../http/concurrency';

/** Looks that are due at about the same time begin together. */
const TICK_MS = 100;
const AGAIN_AFTER_FAILURE_MS = 5_000;

/** Something to look at again and again. */
export interface Poll {
	look: (client: Client) => Promise<void>;
	/** When the next look can tell more; Infinity for not before something else was seen. */
	dueAt: number;
	/** Why the last look failed, and when the next one may begin. */
	error?: Error;
	notBefore?: number;
	/** What the present look does: it is queued until a request of it has left. */
	is?: 'queued' | 'reading';
}

/**
 * Looks concurrently, but each look begins only when the one before it has left: so whatever a rate
 * limit lets through goes to what is due first.
 * @param open returns what is still to be looked at
 * @throws the signal's reason after Stop
 */
export async function keepPolling(client: Client, maxWaitMs: number, open: () => Poll[]) {
	const endsAt = performance.now() + maxWaitMs;
	const end = new AbortController();
	const stop = AbortSignal.any([end.signal, ...(client.stop ? [client.stop] : [])]);
	let news = new AbortController();
	const underWay = new Set<Promise<void>>();
	const begin = async (poll: Poll) => {
		poll.is = 'queued';
		const onSent = () => {
			poll.is = 'reading';
			news.abort();
		};
		const { error } = await settled(poll.look({ ...client, isLook: true, stop, onSent }));
		poll.is = undefined;
		if (stop.aborted) return;
		poll.error = error;
		poll.notBefore = error && performance.now() + againAfterMs(error);
	};
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			news = new AbortController();
			const now = performance.now();
			const polls = open();
			if (now >= endsAt || polls.length === 0) return;
			const due = polls.filter((poll) => beginsAt(poll) <= now);
			const [first] = due.sort((a, b) => a.dueAt - b.dueAt);
			if (first && !polls.some(({ is }) => is === 'queued')) {
				const look = begin(first).finally(() => {
					underWay.delete(look);
					news.abort();
				});
				underWay.add(look);
			}
			// Others that are due begin when this one has left, or another one ends.
			const next = Math.min(endsAt, ...polls.map(beginsAt).filter((at) => at > now));
			await settled(pause(Math.max(next - now, TICK_MS), AbortSignal.any([stop, news.signal])));
		}
	} finally {
		end.abort(new Error('The wait is over'));
		// Nothing of a run goes on after it.
		await Promise.all(underWay);
	}
}

const beginsAt = ({ is, dueAt, notBefore = 0 }: Poll) =>
	is ? Infinity : Math.max(dueAt, notBefore);

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);

export const failsForGood = ({ error }: Poll) => error !== undefined && !mayPass(error);
