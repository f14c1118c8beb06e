import { settled } from '../../http/concurrency';
import { pause } from '../../http/pause';
import { whenRaised } from '../../http/stop';
import type { Client } from '../client';
import { CallError } from '../errors/callError';

/** Looks begin at ticks: those that are due at about the same time begin together. */
const TICK_MS = 100;
const SHORTEST_INTERVAL_MS = 500;
/** An extraction that takes longer is not missed between two looks at the workflow. */
const LONGEST_INTERVAL_MS = { workflow: 3_000, statuses: 5_000, results: 5_000 };
/** The share of the time so far after which something is looked at again. */
const INTERVAL_SHARE = 0.15;
const AFTER_FAILURE_MS = 5_000;
const REPEATED_AFTER_MS = 5_000;

export interface WaitLimits {
	maxWaitMs: number;
	/** How long a sign must last before it counts. */
	settleMs: number;
}

/** Something to look at again and again. */
export interface Look {
	read: (client: Client) => Promise<void>;
	/** When it is next worth a look; Infinity for not before something else was seen. */
	dueAt: number;
	/** Why the last look failed. */
	error?: Error;
	/** While a look is under way, and for a while after one that failed. */
	notBefore?: number;
	/** After this time one that hangs is repeated beside it. */
	repeatedAfterMs?: number;
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
	const forgetStop = whenRaised(client.stop, () => {
		end.abort(client.stop?.reason);
		news.abort();
	});
	const looking = { ...client, isLook: true, stop: end.signal };
	const startedAt = performance.now();
	const endsAt = startedAt + maxWaitMs;
	let room = client.maxConcurrency;
	const begin = async (look: Look) => {
		look.notBefore = performance.now() + (look.repeatedAfterMs ?? Infinity);
		room--;
		const { error } = await settled(look.read(looking));
		room++;
		look.notBefore = error && performance.now() + AFTER_FAILURE_MS;
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
			await settled(pause(next - now, news.signal));
			const sinceTickMs = (performance.now() - startedAt) % TICK_MS;
			if (sinceTickMs > 0) await pause(TICK_MS - sinceTickMs, client.stop);
		}
	} finally {
		forgetStop();
		end.abort(new Error('The wait is over'));
	}
}

export const failsForGood = ({ error }: Look) =>
	error !== undefined && !(error instanceof CallError && error.mayPass);

/** A look at what tells of everything at once: at intervals that grow with the time so far. */
export function regularLook(
	sign: keyof typeof LONGEST_INTERVAL_MS,
	read: (client: Client) => Promise<void>,
): Look {
	const startedAt = performance.now();
	const look: Look = {
		dueAt: startedAt + SHORTEST_INTERVAL_MS,
		repeatedAfterMs: REPEATED_AFTER_MS,
		read: async (client) => {
			const beganAt = performance.now();
			await read(client);
			const now = performance.now();
			const growingMs = Math.min((now - startedAt) * INTERVAL_SHARE, LONGEST_INTERVAL_MS[sign]);
			// No more than half of the time goes into looks.
			look.dueAt = now + Math.max(SHORTEST_INTERVAL_MS, growingMs, now - beganAt);
		},
	};
	return look;
}
