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
	let window = -Infinity;
	let used = 0;
	return {
		take(now) {
			const current = Math.floor(now / windowMs) * windowMs;
			if (current !== window) [window, used] = [current, 0];
			const allowed = used < limit;
			if (allowed) used++;
			return { allowed, remaining: limit - used, waitMs: window + windowMs - now };
		},
	};
};

/** A bucket that holds a fifth of the limit: hardly a burst. */
const smallBucket: CreateLimit = (limit, windowMs) => tokenBucket(limit / 5, windowMs / 5);

/** So many requests in flight at a time, whatever the rate; says nothing of what remains. */
const inFlight: CreateLimit = (limit) => {
	let current = 0;
	return {
		take() {
			const allowed = current < limit;
			if (allowed) current++;
			return { allowed, waitMs: 0 };
		},
		release: () => void current--,
	};
};

export const LIMITS = {
	fixedWindow,
	alignedWindow,
	slidingWindow,
	tokenBucket,
	smallBucket,
	inFlight,
};

export type LimitKind = keyof typeof LIMITS;
