/**
 * One rate limiter per key and process, shared by all items and executions. What the service
 * limits, by which window and how much, is not shown (interface.md §8), so one idea has to do for
 * every kind of limit: the rate that the service let through since it last refused, the hold
 * included, is one that it allows. At that rate requests go on after a refusal; then the rate
 * grows, slowly at first and faster with time as CUBIC does, until the service refuses again.
 *
 * A 429 holds everybody back: for Retry-After, or by exponential back-off with full jitter. Then a
 * single request, the probe, finds out whether the service allows requests again.
 *
 * Times are in ms of `performance.now()`, which nobody can set back, unlike the time of day.
 */
import { sleep } from 'n8n-workflow';

import { CallerQueue, type Caller } from './queue';
import { LearnedRate } from './rate';

const FIRST_CONCURRENCY = 4;
const LARGEST_CONCURRENCY = 16;
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 30_000;
/** Processes that were told the same time must not all come back at the same moment. */
const RETRY_AFTER_JITTER_MS = 100;
/** A pause before `remaining` is used up: those in flight arrive, and one probe is refused at most. */
const WARNING_HOLD_MS = 100;
/** A probe may be a large upload or stall: after the longest that a usual response takes, another may try. */
const PROBE_PATIENCE_MS = 5000;
/** After a minute of silence the usual windows are over: what was learned before says nothing any more. */
const FORGET_AFTER_MS = 60_000;
/** Who waits may be stopped: a timer outlives the last of them by this at most. */
const LONGEST_SLEEP_MS = 1000;
/** A longer `Retry-After` is not waited for: whoever waits fails at once. In ms. */
export const LONGEST_RETRY_AFTER_MS = 300_000;

/** What one response says about the limits. */
export interface RateSigns {
	/** The response was a 429. */
	refused?: boolean;
	/** The response was a definitive success: the service keeps up. */
	isSuccess?: boolean;
	/** `Retry-After`, in ms. */
	retryAfterMs?: number;
	/** `X-RateLimit-Remaining`, in requests. */
	remaining?: number;
}

/** The service asked for a longer wait than `LONGEST_RETRY_AFTER_MS`, or has refused everything for longer. */
export class LimitTooLong extends Error {
	/** @param retryAfterMs what the service asked for, in ms; 0 for nothing */
	constructor(readonly retryAfterMs: number) {
		super('The service lets no request through');
	}
}

/** Full jitter: anything between nothing and the exponential bound, in ms, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

/** In flight altogether, unless a caller allows itself more. */
function mostInFlight(maxConcurrency: number): number {
	return Math.max(LARGEST_CONCURRENCY, maxConcurrency);
}

export class RateLimiter {
	private concurrency = FIRST_CONCURRENCY;

	private readonly queue = new CallerQueue();

	/** When a timer next looks after the queue; Infinity while none is set. */
	private wakesAt = Infinity;

	private heldUntil = 0;

	/** Counts the holds, to tell responses to requests that left before one from those after it. */
	private holds = 0;

	/** What the service asked for, where that is too long to wait. */
	private tooLongMs: number | undefined;

	private isProbing = false;

	private nextProbeAt = 0;

	private refusals = 0;

	private refusedSince = 0;

	private readonly rate = new LearnedRate();

	private lastResponseAt = 0;

	/**
	 * Makes one request when its turn comes.
	 * @throws the signal's reason when the user presses Stop before the turn has come
	 * @throws LimitTooLong when the service asks for a longer wait than `LONGEST_RETRY_AFTER_MS`
	 */
	async run<T>(
		caller: Caller,
		request: () => Promise<{ result: T; signs?: RateSigns }>,
	): Promise<T> {
		await this.turn(caller);
		const { holds } = this;
		const sentAt = performance.now();
		let signs: RateSigns | undefined;
		try {
			const response = await request();
			signs = response.signs ?? {};
			return response.result;
		} finally {
			this.queue.leave(caller.owner);
			this.lastResponseAt = performance.now();
			if (signs && !signs.refused) this.rate.countAllowed();
			if (holds === this.holds) this.learn(signs, sentAt, caller.maxConcurrency);
			this.startNext();
		}
	}

	/** For how long the service has refused everything, in ms; 0 if its latest response was no refusal. */
	refusedForMs(): number {
		return this.refusals > 0 ? performance.now() - this.refusedSince : 0;
	}

	isIdle(): boolean {
		return this.queue.isUnused && performance.now() >= this.heldUntil;
	}

	private async turn(caller: Caller): Promise<void> {
		caller.signal?.throwIfAborted();
		const now = performance.now();
		if (this.tooLongMs !== undefined && now < this.heldUntil) {
			throw new LimitTooLong(this.tooLongMs);
		}
		if (this.isIdle() && now - this.lastResponseAt > FORGET_AFTER_MS) {
			this.refusals = 0;
			this.rate.forget();
		}
		const started = this.queue.join(caller);
		this.startNext();
		await started;
	}

	private startNext() {
		// One look at the clock for all: if time passed in between, nobody might be woken up.
		const now = performance.now();
		// A probe leaves however many are in flight: they may stall, and everybody waits for the probe.
		while (now >= this.opensAt() && (this.isProbing || this.queue.inFlight < this.concurrency)) {
			if (!this.queue.startFirst((caller) => this.isProbing || this.hasRoomFor(caller))) break;
			this.rate.depart(now);
			if (this.isProbing) this.nextProbeAt = now + PROBE_PATIENCE_MS;
		}
		void this.wakeAt(this.opensAt(), now);
	}

	/** When time alone lets the next request leave. */
	private opensAt(): number {
		return Math.max(this.heldUntil, this.rate.opensAt, this.nextProbeAt);
	}

	private hasRoomFor({ maxConcurrency }: Caller): boolean {
		return this.queue.inFlight < mostInFlight(maxConcurrency);
	}

	private async wakeAt(opensAt: number, now: number) {
		const at = Math.min(opensAt, now + LONGEST_SLEEP_MS);
		// Who waits for nothing but a response is woken up by it.
		if (this.queue.isEmpty || opensAt <= now || at >= this.wakesAt) return;
		this.wakesAt = at;
		await sleep(Math.ceil(at - now));
		if (this.wakesAt === at) this.wakesAt = Infinity;
		// Where it is still too early, this sets a timer again.
		this.startNext();
	}

	private learn(signs: RateSigns | undefined, sentAt: number, maxConcurrency: number) {
		if (!signs) {
			// A request that broke or was stopped has shown nothing: if it was the probe, another tries.
			this.nextProbeAt = 0;
			return;
		}
		if (signs.refused) return this.onRefused(signs.retryAfterMs, sentAt);
		const now = performance.now();
		this.refusals = 0;
		if (this.isProbing) {
			this.isProbing = false;
			this.nextProbeAt = 0;
			this.rate.learn(now, sentAt);
		}
		const isFull = this.concurrency >= mostInFlight(maxConcurrency);
		if (signs.isSuccess && !isFull) this.concurrency++;
		const isUsedUp = (signs.remaining ?? Infinity) <= this.queue.inFlight;
		if (this.rate.isKnown) this.rate.grow(now, !this.queue.isEmpty);
		else if (isUsedUp) this.hold(WARNING_HOLD_MS);
	}

	private onRefused(retryAfterMs = 0, sentAt: number) {
		if (this.refusals === 0) this.refusedSince = sentAt;
		this.refusals++;
		// Retry-After is the least; whoever is refused after it all the same backs off beyond it.
		const askedMs = retryAfterMs > 0 ? retryAfterMs + Math.random() * RETRY_AFTER_JITTER_MS : 0;
		const attempt = retryAfterMs > 0 ? this.refusals - 1 : this.refusals;
		const ownMs = attempt > 0 ? backoffMs(attempt) : 0;
		this.hold(Math.min(LONGEST_RETRY_AFTER_MS, Math.max(askedMs, ownMs)));
		const isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
		if (isTooLong) this.tooLongMs = retryAfterMs;
		// Nobody waits for what has failed for so long; whoever comes next may find out anew.
		if (!isTooLong && this.refusedForMs() <= LONGEST_RETRY_AFTER_MS) return;
		this.queue.failAll(new LimitTooLong(retryAfterMs));
	}

	private hold(ms: number) {
		this.holds++;
		this.heldUntil = performance.now() + ms;
		this.tooLongMs = undefined;
		this.isProbing = true;
		this.nextProbeAt = 0;
	}
}
