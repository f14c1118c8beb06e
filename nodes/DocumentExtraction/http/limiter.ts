/**
 * One rate limiter per API key and process. The kind of limit is not known (interface.md §8), so one
 * rule has to work for all: it allows what the service has let through on average, pauses included.
 *
 * 1. A 429 holds everybody: for Retry-After, or by exponential back-off with full jitter.
 * 2. Then requests leave one at a time, as probes, until one is let through. Executions that were not
 *    refused try first, so that nobody starves beside an endpoint that refuses everything; those that
 *    are refused again while others are let through are held for longer.
 * 3. When one that was refused is let through, all go on at the rate that was let through, which grows
 *    until the next refusal (LearnedRate).
 *
 * Who has the fewest requests in flight is next, in round robin (fair queueing, RFC 970); who has none
 * needs no free slot. Times are in ms of `performance.now()`, which is monotonic, unlike the time of day.
 */
import { createHash } from 'crypto';

import { onAbort, pause } from './concurrency';

const FIRST_SLOTS = 4;
const MOST_SLOTS = 16;
/** Between requests beyond the slots: if one of them is refused, few others have left. */
const EXTRA_DISTANCE_MS = 50;
/** A probe may be a large upload, or stall: when a usual response would have come, another may leave. */
const PROBE_PATIENCE_MS = 5000;
/** A pause before `remaining` is used up: requests in flight arrive, and at most one probe is refused. */
const WARNING_HOLD_MS = 100;
/** After a minute without requests the usual windows are over, and what was learned is out of date. */
const FORGET_AFTER_MS = 60_000;
/** Whoever is refused for longer, or told to wait for longer, fails. In ms. */
export const LONGEST_RETRY_AFTER_MS = 300_000;
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** Processes that were given the same Retry-After must not all come back at the same moment. */
const JITTER_MS = 100;

/**
 * How long to pause, in ms: at least Retry-After; whoever fails even after that backs off further,
 * exponentially and with full jitter, so that processes spread out.
 * @param retryAfterMs 0 if the service asked for nothing
 * @param failures in a row, from 1
 */
export function backoffMs(retryAfterMs: number, failures: number): number {
	const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
	const jitterMs = askedMs > 0 ? Math.random() * JITTER_MS : 0;
	const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
	return Math.max(askedMs + jitterMs, Math.random() * most);
}

/** The service let nothing of the execution through for so long, or asked for a longer wait. */
export class LimitTooLong extends Error {
	/** @param retryAfterMs what the service asked for, in ms; 0 for nothing */
	constructor(readonly retryAfterMs: number) {
		super('The service lets no request through');
	}
}

const limiters = new Map<string, RateLimiter>();

/** For each try: idle limiters are dropped. They outlive the run, so only a hash of the key is kept. */
export function limiterFor(key: string): RateLimiter {
	const hash = createHash('sha256').update(key).digest('hex');
	for (const [other, { quietMs }] of limiters) {
		if (quietMs > FORGET_AFTER_MS) limiters.delete(other);
	}
	const limiter = limiters.get(hash) ?? new RateLimiter();
	limiters.set(hash, limiter);
	return limiter;
}

interface Caller {
	/** The execution. */
	owner: object;
	/** The most requests of the execution in flight at a time. */
	maxConcurrency: number;
	/** It was sent before, and has waited before. */
	isRepeat: boolean;
	signal?: AbortSignal;
}

/** What one response says about the rate limit. */
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

class Execution {
	waiters: Array<Caller & { leave: () => void; fail: (reason: Error) => void }> = [];
	inFlight = 0;
	/** Refusals since it was last let through, and for how long these held it back, in ms. */
	refusals = 0;
	heldMs = 0;
	/** When it may go on, if it is held for longer than the others, and why it fails until then. */
	heldUntil = 0;
	failure?: LimitTooLong;

	/** Repeats are first in line; but a probe is one that was not refused, if there is any. */
	next(isProbing: boolean) {
		const fresh = isProbing ? this.waiters.find(({ isRepeat }) => !isRepeat) : undefined;
		const next = fresh ?? this.waiters.at(0);
		return next && this.inFlight < next.maxConcurrency ? next : undefined;
	}
}

export class RateLimiter {
	private readonly executions = new WeakMap<object, Execution>();
	/** Those that wait or have requests in flight; the one whose last turn is longest ago comes first. */
	private readonly present = new Set<Execution>();
	private readonly rate = new LearnedRate();
	/** How many requests may be in flight, and how many are. */
	private slots = FIRST_SLOTS;
	private inFlight = 0;
	/** Since the service last let anybody through. */
	private refusals = 0;
	private heldUntil = 0;
	/** From a hold until one request is let through: they leave one at a time. */
	private isProbing = false;
	/** When the next probe, or the next request beyond the slots, may leave. */
	private nextExtraAt = 0;
	private quietSince = performance.now();
	/** The timer that next lets requests leave, and when; Infinity while only a response can. */
	private timer = new AbortController();
	private wakesAt = Infinity;

	/**
	 * Makes one request when its turn comes.
	 * @throws the signal's reason when the user presses Stop before the turn has come; LimitTooLong
	 */
	async run<T>(caller: Caller, send: () => Promise<{ result: T; signs?: RateSigns }>): Promise<T> {
		const execution = this.executions.get(caller.owner) ?? new Execution();
		this.executions.set(caller.owner, execution);
		await this.turn(execution, caller);
		const sentAt = performance.now();
		let signs: RateSigns | undefined;
		try {
			const response = await send();
			signs = response.signs ?? {};
			return response.result;
		} finally {
			this.inFlight--;
			execution.inFlight--;
			this.quietSince = performance.now();
			// A request that left before a hold tells nothing about the time after it.
			const isNews = sentAt >= Math.max(this.heldUntil, execution.heldUntil);
			if (isNews) this.nextExtraAt = 0;
			if (signs?.refused) this.onRefused(execution, signs.retryAfterMs ?? 0, isNews);
			else if (signs && isNews) this.onAllowed(execution, signs, sentAt);
			this.letLeave();
		}
	}

	/** For how long nobody has waited for a turn, a response or the end of a hold, in ms. */
	get quietMs(): number {
		const since = Math.max(this.quietSince, this.heldUntil);
		return this.present.size > 0 ? 0 : Math.max(0, performance.now() - since);
	}

	private async turn(execution: Execution, caller: Caller): Promise<void> {
		caller.signal?.throwIfAborted();
		if (execution.failure && performance.now() < execution.heldUntil) throw execution.failure;
		let unsubscribe = () => {};
		const turn = new Promise<void>((leave, fail) => {
			const waiter = { ...caller, leave, fail };
			unsubscribe = onAbort(caller.signal, () => {
				execution.waiters = execution.waiters.filter((other) => other !== waiter);
				fail(caller.signal?.reason as Error);
				this.letLeave();
			});
			const { waiters } = execution;
			const firstNew = caller.isRepeat ? waiters.findIndex(({ isRepeat }) => !isRepeat) : -1;
			waiters.splice(firstNew < 0 ? waiters.length : firstNew, 0, waiter);
		});
		// Time in which nobody asks tells nothing of what the service lets through.
		this.rate.since += this.quietMs;
		this.quietSince = performance.now();
		this.present.add(execution);
		this.letLeave();
		await turn.finally(() => unsubscribe());
	}

	/** Lets all leave whose turn it is. */
	private letLeave() {
		// The clock is read once: if time passed between two readings, no timer might be set.
		const now = performance.now();
		for (const one of this.present) {
			if (one.waiters.length + one.inFlight === 0) this.present.delete(one);
		}
		while (now >= this.opensAt) {
			const able = [...this.present].filter((execution) => this.mayLeave(execution, now));
			const wasRefused = ({ refusals }: Execution) => Number(this.isProbing && refusals > 0);
			able.sort((a, b) => wasRefused(a) - wasRefused(b) || a.inFlight - b.inFlight);
			const execution = able.at(0);
			const waiter = execution?.next(this.isProbing);
			if (!execution || !waiter) break;
			execution.waiters.splice(execution.waiters.indexOf(waiter), 1);
			execution.inFlight++;
			this.inFlight++;
			this.present.delete(execution);
			this.present.add(execution);
			this.rate.onDeparture(now);
			this.nextExtraAt = now + (this.isProbing ? PROBE_PATIENCE_MS : EXTRA_DISTANCE_MS);
			waiter.leave();
		}
		this.setTimer(now);
	}

	private get waiting(): Execution[] {
		return [...this.present].filter(({ waiters }) => waiters.length > 0);
	}

	/** When time alone lets the next request leave. */
	private get opensAt(): number {
		return Math.max(this.heldUntil, this.rate.opensAt, this.isProbing ? this.nextExtraAt : 0);
	}

	private mayLeave(execution: Execution, now: number): boolean {
		if (now < execution.heldUntil || !execution.next(this.isProbing)) return false;
		// Probes ignore how many requests are in flight: those may stall, and all wait for the probe.
		if (this.isProbing) return true;
		// An execution may allow itself more.
		const allowed = this.waiting.map(({ waiters }) => waiters[0].maxConcurrency);
		const isFull = this.inFlight >= Math.min(this.slots, Math.max(MOST_SLOTS, ...allowed));
		if (execution.inFlight === 0) return !isFull || now >= this.nextExtraAt;
		// Whoever was refused tries with one request at a time.
		return !isFull && execution.refusals === 0;
	}

	/** A timer for those who wait, of which none is left when nobody does. */
	private setTimer(now: number) {
		const holds = [...this.present].map(({ heldUntil }) => heldUntil);
		const times = [this.opensAt, this.nextExtraAt, ...holds].filter((time) => time > now);
		// Infinity if only a response can make room: it lets them leave.
		const at = this.waiting.length > 0 ? Math.min(...times) : Infinity;
		if (this.waiting.length > 0 && at >= this.wakesAt) return;
		this.timer.abort();
		this.timer = new AbortController();
		this.wakesAt = at;
		if (at === Infinity) return;
		pause(Math.ceil(at - now), this.timer.signal).then(
			() => {
				this.wakesAt = Infinity;
				this.letLeave();
			},
			() => undefined,
		);
	}

	private onRefused(execution: Execution, retryAfterMs: number, isNews: boolean) {
		const now = performance.now();
		const isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
		// A wait that is too long may concern this execution alone: the others find out.
		const forAllMs = isTooLong ? 0 : retryAfterMs;
		this.rate.letThrough--;
		this.heldUntil = Math.max(this.heldUntil, now + forAllMs);
		if (!isNews) return;
		execution.refusals++;
		this.heldUntil = now + backoffMs(forAllMs, ++this.refusals);
		this.isProbing = true;
		// What is still in flight may be let through: the limit may be on the number of requests there.
		const isExhausted = execution.heldMs > LONGEST_RETRY_AFTER_MS && execution.inFlight === 0;
		const failure = isTooLong || isExhausted ? new LimitTooLong(retryAfterMs) : undefined;
		if (failure) for (const { fail } of execution.waiters.splice(0)) fail(failure);
		execution.failure = failure;
		// Others were let through in between.
		const isAlone = execution.refusals > this.refusals;
		if (isAlone || failure) execution.heldUntil = now + backoffMs(retryAfterMs, execution.refusals);
		execution.heldMs += Math.max(this.heldUntil, execution.heldUntil) - now;
	}

	private onAllowed(execution: Execution, signs: RateSigns, sentAt: number) {
		const now = performance.now();
		const wasWarned = this.isProbing && this.refusals === 0;
		// That others are let through shows no limit on all.
		if (execution.refusals > 0 || wasWarned) this.rate.learn(now, sentAt);
		else this.rate.onAllowed(now, this.waiting.length > 0);
		this.refusals = execution.refusals = execution.heldMs = 0;
		if (signs.isSuccess) this.slots++;
		const isNearLimit = signs.remaining !== undefined && signs.remaining <= this.inFlight;
		this.isProbing = isNearLimit && this.rate.perMs === Infinity;
		if (this.isProbing) this.heldUntil = now + WARNING_HOLD_MS;
	}
}

/** A refusal cuts the rate to no less than this share of it: it may have been bad luck. */
const LARGEST_CUT = 0.65;
/** In requests per ms: fast until the second refusal (slow start), as the first burst tells little. */
const FIRST_GROWTH = 1 / 1000;
const GROWTH = 0.25 / 1000;
/** In requests per ms: whatever was learned, requests are at most 30 s apart. */
const SLOWEST_RATE = 1 / 30_000;

/**
 * The rate at which requests may leave, learned from what the service let through. As in TCP, it grows
 * by the same amount for each request that is let through, and a refusal cuts it (AIMD, RFC 5681).
 */
class LearnedRate {
	/** In requests per ms; Infinity until the service has shown a limit. */
	perMs = Infinity;
	private growth = FIRST_GROWTH;
	/** When the rate lets the next request leave. */
	opensAt = 0;
	/** How many requests left and were not refused, and since when. */
	letThrough = 0;
	since = performance.now();

	/** Two requests may leave at once, as timers may be late. */
	onDeparture(now: number) {
		this.letThrough++;
		const interval = 1 / this.perMs;
		this.opensAt = Math.max(this.opensAt, now - 2 * interval) + interval;
	}

	/** A request that left at `probedAt` was let through again: the rate is what was until now. */
	learn(now: number, probedAt: number) {
		const isFirst = this.perMs === Infinity;
		const least = isFirst ? 0 : LARGEST_CUT * this.perMs;
		this.growth = isFirst ? FIRST_GROWTH : GROWTH;
		this.perMs = Math.max(SLOWEST_RATE, least, this.letThrough / Math.max(1, now - this.since));
		this.letThrough = 0;
		this.since = now;
		// The probe counts: a limit without a burst would refuse another request right after it.
		this.opensAt = probedAt + 1 / this.perMs;
	}

	/** The rate grows only while it delays somebody: only then is it known to be allowed, and too low. */
	onAllowed(now: number, isAnybodyWaiting: boolean) {
		if (isAnybodyWaiting && now <= this.opensAt) this.perMs += this.growth;
	}
}
