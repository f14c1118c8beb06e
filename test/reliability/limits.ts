import { fixedWindow, slidingWindow, tokenBucket, type Verdict } from '../../dev/service/rateLimit';

/** A simulated limit: what it allows, what it says remains, and when more is allowed. */
export interface Limit {
	take(now: number): Omit<Verdict, 'remaining'> & { remaining?: number };
	/** An allowed request is done. */
	release?(): void;
}

type CreateLimit = (limit: number, windowMs: number) => Limit;

/** A window that begins with each full second, minute … for everybody. */
const alignedWindow: CreateLimit = (limit, windowMs) => {
	const { take } = fixedWindow(limit, windowMs);
	return {
		take(now) {
			const sinceStartMs = now % windowMs;
			const verdict = take(now - sinceStartMs);
			return { ...verdict, waitMs: verdict.waitMs - sinceStartMs };
		},
	};
};

/** A bucket that holds a fifth of the limit: hardly a burst. */
const smallBucket: CreateLimit = (limit, windowMs) => tokenBucket(limit / 5, windowMs / 5);

export const RATE_LIMITS = { fixedWindow, alignedWindow, slidingWindow, tokenBucket, smallBucket };

/** So many requests in flight at a time, whatever the rate; says nothing of what remains. */
export function limitInFlight(limit: number): Limit {
	let current = 0;
	return {
		take() {
			const allowed = current < limit;
			if (allowed) current++;
			return { allowed, waitMs: 0 };
		},
		release: () => void current--,
	};
}
