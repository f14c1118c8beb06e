export interface Verdict {
	allowed: boolean;
	remaining: number;
	/** How long until the next request can be allowed. */
	waitMs: number;
}

export interface RateLimiter {
	/** @param now in ms */
	take(now: number): Verdict;
}

export type CreateRateLimiter = (limit: number, windowMs: number) => RateLimiter;

/** Counts anew at the start of each window. */
export const fixedWindow: CreateRateLimiter = (limit, windowMs) => {
	let windowStart = 0;
	let used = 0;
	const take = (now: number) => {
		if (now >= windowStart + windowMs) [windowStart, used] = [now, 0];
		const allowed = used < limit;
		if (allowed) used += 1;
		return { allowed, remaining: limit - used, waitMs: windowStart + windowMs - now };
	};
	return { take };
};

/** Counts the requests of the time just before this one. */
export const slidingWindow: CreateRateLimiter = (limit, windowMs) => {
	const taken: number[] = [];
	const take = (now: number) => {
		while (taken.length > 0 && taken[0] <= now - windowMs) taken.shift();
		const allowed = taken.length < limit;
		if (allowed) taken.push(now);
		const waitMs = (taken[0] ?? now) + windowMs - now;
		return { allowed, remaining: limit - taken.length, waitMs };
	};
	return { take };
};

/** Allows a burst of the whole limit, then one request each `windowMs / limit`. */
export const tokenBucket: CreateRateLimiter = (limit, windowMs) => {
	const tokensPerMs = limit / windowMs;
	let tokens = limit;
	let filledAt = 0;
	const take = (now: number) => {
		tokens = Math.min(limit, tokens + (now - filledAt) * tokensPerMs);
		filledAt = now;
		const allowed = tokens >= 1;
		if (allowed) tokens -= 1;
		const waitMs = Math.max(0, (1 - tokens) / tokensPerMs);
		return { allowed, remaining: Math.floor(tokens), waitMs };
	};
	return { take };
};
