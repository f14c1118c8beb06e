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
import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

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
/** A little below what was let through, as some of that was saved up before. */
const MARGIN = 0.95;
/** One unlucky refusal cuts the rate to no less than this share of it, as in CUBIC. */
const LARGEST_CUT = 0.7;
/** The first rate was found out by doubling, and may be twice what is allowed. */
const FIRST_CUT = 0.5;
/** Growth per second: doubling until the second refusal, because the first burst tells little of the rate. */
const FIRST_GROWTH = 1;
/** After that by a few percent, more with every second up to three times as much, as limits do change. */
const GROWTH = 0.06;
const GROWTH_DOUBLES_MS = 5000;
const GROWTH_CAP = 3;
/** In requests per ms: whatever was learned, nobody waits longer than for the longest hold. */
const SLOWEST_RATE = 1 / LONGEST_HOLD_MS;
/** After a minute of silence the usual windows are over: what was learned before says nothing any more. */
const FORGET_AFTER_MS = 60_000;
/** Beyond this number, limiters that nobody uses are forgotten. */
const MOST_LIMITERS = 100;
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
	/** `X-RateLimit-Limit` and `X-RateLimit-Remaining`, in requests. */
	limit?: number;
	remaining?: number;
}

interface Caller {
	/** Whom `maxConcurrency` limits: an execution. Callers without one are one owner together. */
	owner?: object;
	/** The most requests of the owner in flight at a time. */
	maxConcurrency: number;
	/** Repeats go first: they have waited before. */
	isRepeat: boolean;
	signal?: AbortSignal;
}

interface Waiter extends Caller {
	start: () => void;
	fail: (reason: Error) => void;
}

/** The service asked for a longer wait than `LONGEST_RETRY_AFTER_MS`. */
export class LimitTooLong extends Error {
	/** @param retryAfterMs what is left of that wait, in ms */
	constructor(readonly retryAfterMs: number) {
		super(`The service allows no request for another ${Math.ceil(retryAfterMs / 1000)} seconds`);
	}
}

/** Full jitter: anything between nothing and the exponential bound, in ms, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

export class RateLimiter {
	private concurrency = FIRST_CONCURRENCY;

	private inFlight = 0;

	private readonly inFlightOf = new Map<object | undefined, number>();

	private queue: Waiter[] = [];

	/** When a timer next looks after the queue; Infinity while none is set. */
	private wakesAt = Infinity;

	private heldUntil = 0;

	/** Counts the holds, to tell responses to requests that left before one from those after it. */
	private holds = 0;

	private isTooLong = false;

	private isProbing = false;

	private nextProbeAt = 0;

	private refusals = 0;

	private refusedSince = 0;

	/** In requests per ms; Infinity until the service has shown a limit. */
	private rate = Infinity;

	private isFirstRate = true;

	/** When the rate lets the next request leave. */
	private nextAt = 0;

	private grownAt = 0;

	/** What the service let through, and since when, to know the rate when it has refused. */
	private allowed = 0;

	private allowedSince: number | undefined;

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
			this.count(caller.owner, -1);
			this.lastResponseAt = performance.now();
			if (signs && !signs.refused) this.allowed++;
			if (holds === this.holds) this.learn(signs, sentAt, caller.maxConcurrency);
			this.startNext();
		}
	}

	/** For how long the service has refused everything, in ms; 0 if its latest response was no refusal. */
	refusedForMs(): number {
		return this.refusals > 0 ? performance.now() - this.refusedSince : 0;
	}

	isIdle(): boolean {
		return this.inFlight === 0 && this.queue.length === 0 && performance.now() >= this.heldUntil;
	}

	private async turn(caller: Caller): Promise<void> {
		const { isRepeat, signal } = caller;
		signal?.throwIfAborted();
		const now = performance.now();
		if (this.isTooLong && now < this.heldUntil) throw new LimitTooLong(this.heldUntil - now);
		if (this.isIdle() && now - this.lastResponseAt > FORGET_AFTER_MS) this.forget();
		let onStop = () => {};
		try {
			await new Promise<void>((start, fail) => {
				const waiter = { ...caller, start, fail };
				onStop = () => {
					this.queue = this.queue.filter((other) => other !== waiter);
					fail(signal?.reason as Error);
				};
				signal?.addEventListener('abort', onStop);
				const firstOther = isRepeat ? this.queue.findIndex((other) => !other.isRepeat) : -1;
				this.queue.splice(firstOther < 0 ? this.queue.length : firstOther, 0, waiter);
				this.startNext();
			});
		} finally {
			signal?.removeEventListener('abort', onStop);
		}
	}

	private startNext() {
		// One look at the clock for all: if time passed in between, nobody might be woken up.
		const now = performance.now();
		// A probe leaves however many are in flight: they may stall, and everybody waits for the probe.
		while (now >= this.opensAt() && (this.isProbing || this.inFlight < this.concurrency)) {
			const index = this.queue.findIndex((waiter) => this.hasRoomFor(waiter));
			if (index < 0) break;
			const [waiter] = this.queue.splice(index, 1);
			this.count(waiter.owner, 1);
			this.allowedSince ??= now;
			if (this.isProbing) this.nextProbeAt = now + PROBE_PATIENCE_MS;
			const interval = 1 / this.rate;
			this.nextAt = Math.max(this.nextAt, now - 2 * interval) + interval;
			waiter.start();
		}
		void this.wakeAt(this.opensAt(), now);
	}

	/** When time alone lets the next request leave. */
	private opensAt(): number {
		return Math.max(this.heldUntil, this.nextAt, this.nextProbeAt);
	}

	private hasRoomFor({ owner, maxConcurrency }: Waiter): boolean {
		if ((this.inFlightOf.get(owner) ?? 0) >= maxConcurrency) return false;
		return this.isProbing || this.inFlight < Math.max(LARGEST_CONCURRENCY, maxConcurrency);
	}

	private count(owner: object | undefined, change: 1 | -1) {
		this.inFlight += change;
		const count = (this.inFlightOf.get(owner) ?? 0) + change;
		if (count > 0) this.inFlightOf.set(owner, count);
		else this.inFlightOf.delete(owner);
	}

	private async wakeAt(at: number, now: number) {
		// Who waits for nothing but a response is woken up by it.
		if (this.queue.length === 0 || at <= now || at >= this.wakesAt) return;
		this.wakesAt = at;
		await sleep(Math.ceil(at - now));
		if (this.wakesAt === at) this.wakesAt = Infinity;
		// The timer may have been early: then it is set again.
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
		if (this.isProbing) this.goOn(now);
		const most = Math.max(LARGEST_CONCURRENCY, maxConcurrency);
		if (signs.isSuccess && this.concurrency < most) this.concurrency++;
		const isUsedUp = (signs.remaining ?? Infinity) <= this.inFlight;
		if (this.rate < Infinity) this.grow(now);
		else if (isUsedUp) this.hold(WARNING_HOLD_MS);
	}

	private onRefused(retryAfterMs: number | undefined, sentAt: number) {
		if (this.refusals === 0) this.refusedSince = sentAt;
		this.refusals++;
		if (retryAfterMs === undefined) return this.hold(backoffMs(this.refusals));
		this.hold(retryAfterMs + Math.random() * RETRY_AFTER_JITTER_MS);
		this.isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
		if (!this.isTooLong) return;
		for (const { fail } of this.queue.splice(0)) fail(new LimitTooLong(retryAfterMs));
	}

	private hold(ms: number) {
		this.holds++;
		this.heldUntil = performance.now() + ms;
		this.isTooLong = false;
		this.isProbing = true;
		this.nextProbeAt = 0;
	}

	/** The probe was allowed: what the service let through up to now is the rate to go on at. */
	private goOn(now: number) {
		const letThrough = this.allowed / (now - (this.allowedSince ?? now));
		const cut = this.isFirstRate ? FIRST_CUT : LARGEST_CUT;
		const least = this.rate < Infinity ? cut * this.rate : 0;
		this.isFirstRate = this.rate === Infinity;
		this.rate = Math.max(SLOWEST_RATE, least, MARGIN * letThrough);
		this.isProbing = false;
		this.nextProbeAt = this.allowed = 0;
		this.allowedSince = this.grownAt = this.nextAt = now;
	}

	private grow(now: number) {
		const age = 1 + (now - (this.allowedSince ?? now)) / GROWTH_DOUBLES_MS;
		const perSecond = this.isFirstRate ? FIRST_GROWTH : GROWTH * Math.min(GROWTH_CAP, age);
		// Only a rate that holds requests back has shown that it is allowed, and that it is too low.
		const isInTheWay = this.queue.length > 0 && now <= this.nextAt;
		if (isInTheWay) this.rate *= 1 + Math.min(1, (perSecond * (now - this.grownAt)) / 1000);
		this.grownAt = now;
	}

	private forget() {
		this.rate = Infinity;
		this.refusals = this.allowed = this.nextAt = 0;
		this.allowedSince = undefined;
	}
}

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
