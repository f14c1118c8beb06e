import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Profile } from './profiles/profile.ts';
import type { RateLimiter, Verdict } from './rateLimit.ts';
import type { Settings } from './settings.ts';

/** What the rate headers say while no limit is set. */
const UNLIMITED = 1_000_000;

/** Counts the requests of each key, in time and in flight. */
export class RateGate {
	private limiters = new Map<string, RateLimiter>();
	private inFlight = new Map<string, number>();

	constructor(
		private readonly profile: Profile,
		private readonly settings: () => Settings,
	) {}

	/** Called when the settings change: limits start anew. */
	reset() {
		this.limiters.clear();
	}

	/** Sets the rate headers; false when the request is refused. */
	enter(request: FastifyRequest, reply: FastifyReply) {
		const caller = request.headers.authorization ?? request.ip;
		const { rate, maxInFlight } = this.settings();
		const running = this.inFlight.get(caller) ?? 0;
		const isCrowded = maxInFlight !== null && running >= maxInFlight;
		const { allowed, remaining, waitMs } = isCrowded
			? { allowed: false, remaining: 0, waitMs: 0 }
			: this.take(caller);

		reply.header('x-ratelimit-limit', rate?.limit ?? UNLIMITED);
		reply.header('x-ratelimit-remaining', remaining);
		if (!allowed) {
			const seconds = Math.max(1, Math.ceil(waitMs / 1000));
			const at = new Date(Date.now() + seconds * 1000).toUTCString();
			const way = rate?.retryAfter ?? this.profile.rate.retryAfter;
			if (way !== 'none') reply.header('retry-after', way === 'date' ? at : seconds);
			return false;
		}

		this.inFlight.set(caller, running + 1);
		reply.raw.once('close', () => {
			this.inFlight.set(caller, (this.inFlight.get(caller) ?? 1) - 1);
		});
		return true;
	}

	private take(caller: string): Verdict {
		const { rate } = this.settings();
		if (!rate) return { allowed: true, remaining: UNLIMITED, waitMs: 0 };
		const { createLimiter, windowMs } = this.profile.rate;
		const limiter =
			this.limiters.get(caller) ?? createLimiter(rate.limit, rate.windowMs ?? windowMs);
		this.limiters.set(caller, limiter);
		return limiter.take(performance.now());
	}
}
