import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Profile } from './profiles/profile.ts';
import type { RateLimiter, Verdict } from './rateLimit.ts';
import type { RetryAfter, Settings } from './settings.ts';

/** What the rate headers say while no limit is set. */
const unlimited: Verdict = { allowed: true, remaining: 1_000_000, waitMs: 0 };

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
		const crowded = maxInFlight !== null && running >= maxInFlight;
		const verdict = crowded ? { allowed: false, remaining: 0, waitMs: 0 } : this.take(caller);

		reply.header('x-ratelimit-limit', rate?.limit ?? unlimited.remaining);
		reply.header('x-ratelimit-remaining', verdict.remaining);
		if (!verdict.allowed) {
			this.sayWhenToComeBack(reply, rate?.retryAfter ?? this.profile.rate.retryAfter, verdict);
			return false;
		}

		this.inFlight.set(caller, running + 1);
		reply.raw.once('close', () => {
			const left = (this.inFlight.get(caller) ?? 1) - 1;
			if (left > 0) this.inFlight.set(caller, left);
			else this.inFlight.delete(caller);
		});
		return true;
	}

	private take(caller: string): Verdict {
		const { rate } = this.settings();
		if (!rate) return unlimited;

		let limiter = this.limiters.get(caller);
		if (!limiter) {
			const { createLimiter, windowMs } = this.profile.rate;
			limiter = createLimiter(rate.limit, rate.windowMs ?? windowMs);
			this.limiters.set(caller, limiter);
		}
		return limiter.take(performance.now());
	}

	private sayWhenToComeBack(reply: FastifyReply, way: RetryAfter, { waitMs }: Verdict) {
		const seconds = Math.max(1, Math.ceil(waitMs / 1000));
		if (way === 'seconds') reply.header('retry-after', seconds);
		if (way === 'date') {
			reply.header('retry-after', new Date(Date.now() + seconds * 1000).toUTCString());
		}
	}
}
