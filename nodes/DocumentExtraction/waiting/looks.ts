/** Looks at things when they are due, until nothing is left to look at or the time is over. */
import { CallError, mayPass } from '../api/callError';
import type { Client } from '../api/client';
import { onAbort, pause, settled } from '../http/concurrency';

/** Looks that are due at about the same time begin together. */
const TICK_MS = 100;
/** After a look that failed, and beside one whose request is not answered. */
const AGAIN_AFTER_MS = 5_000;

/** Something to look at again and again. */
export interface Look {
	read: (client: Client) => Promise<void>;
	/** When the next look can tell more; Infinity for not before something else was seen. */
	dueAt: number;
	/** Whether all wait for it: then it is repeated beside a request that is not answered. */
	isForAll?: boolean;
	/** Why the last look failed. */
	error?: Error;
	/** After a look that failed. */
	notBefore?: number;
	underWay?: UnderWay;
}

interface UnderWay {
	/** Whether a request of it has left; until then it waits for its turn. */
	hasLeft: boolean;
	inFlight: number;
	/** Since when nothing has answered what is in flight; Infinity if nothing is. */
	unansweredSince: number;
}

/**
 * Looks concurrently, but each look begins only when the one before it has left: so whatever a rate
 * limit lets through goes to what is due first.
 * @param looks returns what is still to be looked at
 * @throws the signal's reason after Stop
 */
export async function keepLooking(client: Client, maxWaitMs: number, looks: () => Look[]) {
	const end = new AbortController();
	let news = new AbortController();
	const unsubscribe = onAbort(client.stop, () => end.abort(client.stop?.reason));
	const endsAt = performance.now() + maxWaitMs;
	let room = client.maxConcurrency;
	const begun = new Set<Promise<void>>();
	const begin = async (look: Look) => {
		const own = { hasLeft: false, inFlight: 0, unansweredSince: Infinity };
		const onFlight = (isInFlight: boolean) => {
			own.hasLeft = true;
			own.inFlight += isInFlight ? 1 : -1;
			own.unansweredSince = own.inFlight > 0 ? performance.now() : Infinity;
			news.abort();
		};
		look.underWay = own;
		room--;
		const looking = { ...client, isLook: true, stop: end.signal, onFlight };
		const { error } = await settled(look.read(looking));
		room++;
		if (look.underWay === own && !end.signal.aborted) {
			look.underWay = undefined;
			look.error = error;
			look.notBefore = error && performance.now() + againAfterMs(error);
		}
		news.abort();
	};
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			const now = performance.now();
			const open = looks();
			if (now >= endsAt || open.length === 0) return;
			const isOneQueued = open.some(({ underWay }) => underWay && !underWay.hasLeft);
			const due = open.filter((look) => beginsAt(look) <= now);
			const [first] = due.sort((a, b) => a.dueAt - b.dueAt);
			if (first && room > 0 && !isOneQueued) {
				const work = begin(first);
				begun.add(work);
				void work.then(() => begun.delete(work));
			}
			// Others that are due begin when this one has left, or another one ends.
			const next = Math.min(endsAt, ...open.map(beginsAt).filter((at) => at > now));
			news = new AbortController();
			const wake = AbortSignal.any([end.signal, news.signal]);
			await settled(pause(Math.max(next - now, TICK_MS), wake));
		}
	} finally {
		unsubscribe();
		end.abort(new Error('The wait is over'));
		// Nothing of a run goes on after it.
		await Promise.all(begun);
	}
}

/** When a look may begin, or be repeated beside itself. */
function beginsAt({ dueAt, notBefore = 0, isForAll, underWay }: Look): number {
	const at = Math.max(dueAt, notBefore);
	if (!underWay) return at;
	return isForAll ? Math.max(at, underWay.unansweredSince + AGAIN_AFTER_MS) : Infinity;
}

/** The service may ask for a longer pause than a request waits. */
function againAfterMs(error: Error): number {
	const askedMs = error instanceof CallError ? error.facts.retryAfterMs : 0;
	return Math.max(AGAIN_AFTER_MS, askedMs ?? 0);
}

export const failsForGood = ({ error }: Look) => error !== undefined && !mayPass(error);
