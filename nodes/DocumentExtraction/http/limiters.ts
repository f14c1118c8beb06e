import { createHash } from 'crypto';

import { RateLimiter } from './limiter';

/** Beyond this number, limiters that nobody uses are forgotten. */
const MOST_LIMITERS = 100;

const limiters = new Map<string, RateLimiter>();

/**
 * The limiter that everybody shares who sends to the same service with the same key.
 * @param key what names service and key; only its hash is kept, as limiters outlive the run
 */
export function limiterFor(key: string): RateLimiter {
	const hash = createHash('sha256').update(key).digest('hex');
	const limiter = limiters.get(hash) ?? new RateLimiter();
	if (limiters.size > MOST_LIMITERS) {
		for (const [other, unused] of limiters) if (unused.isIdle()) limiters.delete(other);
	}
	limiters.set(hash, limiter);
	return limiter;
}
