/**
 * One rate limiter per key and process. What the service limits is not shown (interface.md §8), so
 * one idea has to do for every kind of limit: the rate that the service let through since it last
 * refused, the hold included, is one that it allows. At that rate requests go on after a refusal;
 * then it grows, slowly at first and faster with time as CUBIC does, until the next refusal.
 *
 * A 429 holds everybody back: for Retry-After, or by exponential back-off with full jitter. Then a
 * single request at a time, the probe, finds out whom it concerns: first of an execution that was
 * not refused, then of one that was. If both are let through, it was the rate. An execution that is
 * refused again and again while others are let through is held back alone.
 *
 * Executions take turns, and one that has nothing in flight needs no free slot: there may be one
 * request more in flight for each execution that n8n runs at a time. Times are in ms of
 * `performance.now()`, which nobody can set back, unlike the time of day.
 */
import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { CallerQueue, nextCaller, type Caller, type Owner } from './queue';
import { LearnedRate } from './rate';

/** Beyond this number, limiters that nobody uses are forgotten. */
const MOST_LIMITERS = 100;
const FIRST_CONCURRENCY = 4;
const LARGEST_CONCURRENCY = 16;
/** Between requests that go beyond the slots: if one of them is refused, few others have left. */
const EXTRA_DISTANCE_MS = 50;
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 30_000;
/** Processes that were told the same time must not all come back at the same moment. */
const RETRY_AFTER_JITTER_MS = 100;
/** A pause before `remaining` is used up: those in flight arrive, and one probe is refused at most. */
const WARNING_HOLD_MS = 100;
/** A probe may be a large upload or stall: after the longest that a usual response takes, another may try. */
const PROBE_PATIENCE_MS = 5000;
/** By chance, a limit that all share refuses one execution so often in a row, but hardly more often. */
const CHANCE_REFUSALS = 4;
/** After a minute of silence the usual windows are over: what was learned before says nothing any more. */
const FORGET_AFTER_MS = 60_000;
/** A timer outlives the last waiting caller, which may be stopped, by this at most. */
const LONGEST_SLEEP_MS = 1000;
/** An execution that is refused for longer, or told to wait for longer, fails. In ms. */
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

/** The service told the owner to wait for longer than `LONGEST_RETRY_AFTER_MS`, or refused it for longer. */
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

/** Retry-After is the least; a request that is refused after it all the same backs off beyond it. */
function holdMs(refusals: number, retryAfterMs: number): number {
	if (retryAfterMs === 0) return backoffMs(refusals);
	const askedMs = retryAfterMs + Math.random() * RETRY_AFTER_JITTER_MS;
	return Math.max(askedMs, refusals > 1 ? backoffMs(refusals - 1) : 0);
}

const limiters = new Map<string, RateLimiter>();

/** The limiter of a service and key. Only the hash of what names them is kept, as limiters outlive the run. */
export function limiterFor(key: string): RateLimiter {
	const hash = createHash('sha256').update(key).digest('hex');
	const limiter = limiters.get(hash) ?? new RateLimiter();
	if (limiters.size > MOST_LIMITERS) {
		for (const [other, unused] of limiters) if (unused.isIdle()) limiters.delete(other);
	}
	limiters.set(hash, limiter);
	return limiter;
}

export class RateLimiter {
	private concurrency = FIRST_CONCURRENCY;
	private readonly queue = new CallerQueue();
	private rate = new LearnedRate();
	private lastResponseAt = 0;
	/** When a timer next looks after the queue; Infinity while none is set. */
	private wakesAt = Infinity;
	private heldUntil = 0;
	private isProbing = false;
	private nextProbeAt = 0;
	private nextExtraAt = 0;
	/** Since the service last let a request through. */
	private refusals = 0;
	/** Whose refusal holds everybody back; undefined for a warning. */
	private refusedLast: Owner | undefined;

	/**
	 * Makes one request when its turn comes.
	 * @throws the signal's reason when the user presses Stop before the turn has come
	 * @throws LimitTooLong when the service asks for a longer wait than `LONGEST_RETRY_AFTER_MS`
	 */
	async run<T>(
		caller: Caller,
		request: () => Promise<{ result: T; signs?: RateSigns }>,
	): Promise<T> {
		const owner = this.queue.ownerOf(caller.owner);
		await this.turn(owner, caller);
		const sentAt = performance.now();
		let signs: RateSigns | undefined;
		try {
			const response = await request();
			signs = response.signs ?? {};
			return response.result;
		} finally {
			this.queue.leave(owner);
			this.lastResponseAt = performance.now();
			if (signs && !signs.refused) this.rate.allowed++;
			// What left before a hold says nothing of the time after it.
			const isNews = sentAt >= Math.max(this.heldUntil, owner.heldUntil);
			if (isNews && signs?.refused) this.onRefused(owner, signs.retryAfterMs, sentAt);
			else if (isNews && signs) this.onAllowed(owner, signs, sentAt);
			// A request that broke or was stopped has shown nothing: if it was the probe, another tries.
			else if (isNews) this.nextProbeAt = 0;
			this.startNext();
		}
	}

	/** For how long the service has refused this owner, in ms; 0 if its latest response was no refusal. */
	refusedForMs(owner?: object): number {
		const { refusals, refusedSince } = this.queue.ownerOf(owner);
		return refusals > 0 ? performance.now() - refusedSince : 0;
	}

	isIdle(): boolean {
		return this.queue.present.size === 0 && performance.now() >= this.heldUntil;
	}

	private async turn(owner: Owner, caller: Caller): Promise<void> {
		caller.signal?.throwIfAborted();
		const now = performance.now();
		const tooLongMs = now < owner.heldUntil ? owner.tooLongMs : undefined;
		if (tooLongMs !== undefined) throw new LimitTooLong(tooLongMs);
		if (this.isIdle() && now - this.lastResponseAt > FORGET_AFTER_MS) {
			this.refusals = owner.refusals = 0;
			this.rate = new LearnedRate();
		}
		const started = this.queue.join(owner, caller);
		this.startNext();
		await started;
	}

	private startNext() {
		// One look at the clock for all: if time passed in between, nobody might be woken up.
		const now = performance.now();
		while (now >= this.opensAt()) {
			if (!this.queue.startFirst((owner) => this.rankOf(owner, now), this.isProbing)) break;
			this.rate.depart(now);
			this.nextExtraAt = now + EXTRA_DISTANCE_MS;
			if (this.isProbing) this.nextProbeAt = now + PROBE_PATIENCE_MS;
		}
		void this.wakeUp(now);
	}

	/** When time alone lets the next request leave. */
	private opensAt(): number {
		return Math.max(this.heldUntil, this.rate.opensAt, this.nextProbeAt);
	}

	/** Whose turn it is: the lowest first; Infinity for an owner that has to wait. */
	private rankOf(owner: Owner, now: number): number {
		const { refusals, inFlight } = owner;
		if (now < owner.heldUntil || !nextCaller(owner, false)) return Infinity;
		// A probe leaves however many are in flight: they may stall, and everybody waits for the probe.
		const isSought = refusals > 0 !== this.refusals > 0;
		if (this.isProbing) return (isSought ? 0 : 2) + (inFlight > 0 ? 1 : 0);
		const slots = Math.min(this.concurrency, this.mostInFlight());
		const isFull = this.queue.inFlight >= slots;
		if (inFlight === 0) return isFull && now < this.nextExtraAt ? Infinity : 0;
		// Whoever is held back alone tries with one request at a time.
		if (isFull || refusals > CHANCE_REFUSALS) return Infinity;
		// Free slots are first for those that have less than their share.
		return inFlight * this.queue.present.size < slots ? 0 : 1;
	}

	/** In flight altogether, unless an owner allows itself more. */
	private mostInFlight(): number {
		const { present } = this.queue;
		return Math.max(LARGEST_CONCURRENCY, ...[...present].map((owner) => owner.maxConcurrency));
	}

	private async wakeUp(now: number) {
		const { waiting } = this.queue;
		const times = [this.opensAt(), this.nextExtraAt, ...waiting.map((owner) => owner.heldUntil)];
		const next = Math.min(...times.filter((time) => time > now));
		const at = Math.min(next, now + LONGEST_SLEEP_MS);
		// Whoever waits for nothing but a response is woken up by it.
		if (waiting.length === 0 || next === Infinity || at >= this.wakesAt) return;
		this.wakesAt = at;
		await sleep(Math.ceil(at - now));
		if (this.wakesAt === at) this.wakesAt = Infinity;
		this.startNext();
	}

	private onAllowed(owner: Owner, { isSuccess, remaining = Infinity }: RateSigns, sentAt: number) {
		const now = performance.now();
		this.refusals = owner.refusals = this.nextProbeAt = 0;
		if (this.isProbing) {
			const refused = this.queue.waiting.filter(({ refusals }) => refusals > 0);
			this.isProbing = refused.some((other) => this.rankOf(other, now) < Infinity);
			if (this.isProbing) this.heldUntil = now + backoffMs(1);
			// Whoever was refused and gave up, or is refused alone, has shown no rate.
			else if (!this.refusedLast?.refusals) this.rate.learn(now, sentAt);
		}
		if (isSuccess && this.concurrency < this.mostInFlight()) this.concurrency++;
		if (this.rate.isKnown) this.rate.grow(now, this.queue.waiting.length > 0);
		else if (remaining <= this.queue.inFlight) this.hold(WARNING_HOLD_MS);
	}

	private onRefused(owner: Owner, retryAfterMs = 0, sentAt: number) {
		const now = performance.now();
		if (owner.refusals++ === 0) owner.refusedSince = sentAt;
		const isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
		owner.tooLongMs = isTooLong ? retryAfterMs : undefined;
		const askedMs = Math.min(LONGEST_RETRY_AFTER_MS, retryAfterMs);
		// Others were let through in between.
		const isOwn = this.refusals === 0 && owner.refusals > CHANCE_REFUSALS;
		if (isOwn || isTooLong) owner.heldUntil = now + holdMs(owner.refusals, askedMs);
		// What is too long to wait for, the others find out by a request of their own.
		if (!isOwn) this.hold(holdMs(++this.refusals, isTooLong ? 0 : askedMs));
		this.refusedLast = owner;
		this.nextProbeAt = 0;
		if (!isTooLong && now - owner.refusedSince <= LONGEST_RETRY_AFTER_MS) return;
		for (const { fail } of owner.waiters.splice(0)) fail(new LimitTooLong(retryAfterMs));
	}

	private hold(ms: number) {
		this.heldUntil = performance.now() + ms;
		this.isProbing = true;
		this.refusedLast = undefined;
	}
}
