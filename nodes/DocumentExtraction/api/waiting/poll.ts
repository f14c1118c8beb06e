import { onAbort, pause, settled } from '../../http/concurrency';
import type { Client } from '../client';
import { CallError } from '../callError';

/** Looks that are due at about the same time begin together. */
const TICK_MS = 100;
/** After a look that failed, and beside one that hangs. */
const AGAIN_AFTER_MS = 5_000;

/** Something to look at again and again. */
export interface Look {
	read: (client: Client) => Promise<void>;
	/** When it is next worth a look; Infinity for not before something else was seen. */
	dueAt: number;
	/** Why the last look failed. */
	error?: Error;
	/** While a look is under way, and for a while after one that failed. */
	notBefore?: number;
	/** Whether one that hangs is repeated beside it, since all wait for what it tells. */
	isShared?: boolean;
}

/**
 * Looks at things when they are due, none of which waits for another, until nothing is left to look
 * at or the time is over.
 * @param looks what is still to be looked at
 * @throws the signal's reason after Stop
 */
export async function keepLooking(client: Client, maxWaitMs: number, looks: () => Look[]) {
	const end = new AbortController();
	let news = new AbortController();
	const unsubscribe = onAbort(client.stop, () => end.abort(client.stop?.reason));
	const looking = { ...client, isLook: true, stop: end.signal };
	const endsAt = performance.now() + maxWaitMs;
	let room = client.maxConcurrency;
	const begin = async (look: Look) => {
		look.notBefore = look.isShared ? performance.now() + AGAIN_AFTER_MS : Infinity;
		room--;
		const { error } = await settled(look.read(looking));
		room++;
		look.notBefore = error && performance.now() + AGAIN_AFTER_MS;
		if (!end.signal.aborted) look.error = error;
		news.abort();
	};
	const beginsAt = ({ dueAt, notBefore = 0 }: Look) => Math.max(dueAt, notBefore);
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			const now = performance.now();
			const open = looks();
			if (now >= endsAt || open.length === 0) return;
			const due = open.filter((look) => beginsAt(look) <= now);
			due.sort((a, b) => a.dueAt - b.dueAt);
			for (const look of due.slice(0, room)) void begin(look);
			// Whatever is due and finds no room begins when another look is over.
			const next = Math.min(endsAt, ...open.map(beginsAt).filter((at) => at > now));
			news = new AbortController();
			const wake = AbortSignal.any([end.signal, news.signal]);
			await settled(pause(Math.max(next - now, TICK_MS), wake));
		}
	} finally {
		unsubscribe();
		end.abort(new Error('The wait is over'));
	}
}

export const failsForGood = ({ error }: Look) =>
	error !== undefined && !(error instanceof CallError && error.mayPass);
