/**
 * One rate limiter per API key and process. The kind of limit is not known (interface.md §8), so one
 * rule has to work for all: what the service lets through on average, pauses included, it allows.
 *
 * 1. A 429 holds everybody: for Retry-After, or by exponential back-off with full jitter.
 * 2. Then requests leave one at a time, as probes: first one of an execution that was not refused, so
 *    that nobody starves beside an endpoint that refuses everything; then one of an execution that was.
 *    An execution that is refused again and again while others are let through is held alone.
 * 3. When one that was refused is let through, all go on at the rate that was let through. As in TCP,
 *    it is cut to half at most, and grows until the next refusal: first by doubling (slow start).
 *
 * Who has the fewest requests in flight is next, in round robin (fair queueing, RFC 970); who has none
 * needs no free slot. Times are in ms of `performance.now()`, which is monotonic, unlike the time of day.
 */
import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { onAbort } from './concurrency';
import { LearnedRate } from './learnedRate';
import type { RateSigns } from './response';

const FIRST_SLOTS = 4;
const MOST_SLOTS = 16;
/** Between requests beyond the slots: if one of them is refused, few others have left. */
const EXTRA_DISTANCE_MS = 50;
/** A probe may be a large upload, or stall: when a usual response would have come, another may leave. */
const PROBE_PATIENCE_MS = 5000;
/** A pause before `remaining` is used up: requests in flight arrive, and at most one probe is refused. */
const WARNING_HOLD_MS = 100;
/** A limit on all may by chance refuse one execution this often in a row, but hardly more often. */
const CHANCE_REFUSALS = 4;
/** After a minute without requests the usual windows are over, and the learned rate is out of date. */
const FORGET_AFTER_MS = 60_000;
/** Waiting callers may be stopped; a timer outlives the last of them by this at most. */
const LONGEST_SLEEP_MS = 1000;
/** An execution that is refused for longer, or told to wait for longer, fails. In ms. */
export const LONGEST_RETRY_AFTER_MS = 300_000;

/** The service let nothing of the execution through for `LONGEST_RETRY_AFTER_MS`, or asked for a longer wait. */
export class LimitTooLong extends Error {
	/** @param retryAfterMs what the service asked for, in ms; 0 for nothing */
	constructor(readonly retryAfterMs: number) {
		super('The service lets no request through');
	}
}

const limiters = new Map<string, RateLimiter>();

/** The limiter of a service and key. As limiters outlive the run, only a hash of the key is kept. */
export function limiterFor(key: string): RateLimiter {
	const hash = createHash('sha256').update(key).digest('hex');
	const limiter = limiters.get(hash) ?? new RateLimiter();
	for (const [other, { isQuietFor }] of limiters) {
		// No caller pauses between two tries for longer.
		if (isQuietFor(LONGEST_RETRY_AFTER_MS)) limiters.delete(other);
	}
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

interface Execution {
	waiters: Array<Caller & { leave: () => void; fail: (reason: Error) => void }>;
	inFlight: number;
	refusals: Refusals;
	/** Why it fails until the hold of its refusals is over. */
	failure?: LimitTooLong;
}

export class RateLimiter {
	private readonly executions = new WeakMap<object, Execution>();
	/** Those that wait or have requests in flight; the one whose last turn is longest ago comes first. */
	private readonly present = new Set<Execution>();
	/** Refusals of anybody since the service last let a request through. */
	private readonly refusals = new Refusals();
	/** From a hold until it is known whom it concerned: requests leave one at a time. */
	private isProbing = false;
	private rate = new LearnedRate();
	/** How many requests may be in flight. */
	private slots = FIRST_SLOTS;
	/** When the next probe, or the next request beyond the slots, may leave. */
	private nextExtraAt = 0;
	private lastResponseAt = performance.now();
	/** When a timer next lets requests leave; Infinity while none is set. */
	private wakesAt = Infinity;

	/**
	 * Makes one request when its turn comes.
	 * @throws the signal's reason when the user presses Stop before the turn has come; LimitTooLong
	 */
	async run<T>(
		caller: Caller,
		request: () => Promise<{ result: T; signs?: RateSigns }>,
	): Promise<T> {
		if (this.isQuietFor(FORGET_AFTER_MS)) this.rate = new LearnedRate();
		// Time in which nobody asks tells nothing of what the service lets through.
		else if (this.isQuietFor(0)) this.rate.since += performance.now() - this.lastResponseAt;
		const unknown = { waiters: [], inFlight: 0, refusals: new Refusals() };
		const execution = this.executions.get(caller.owner) ?? unknown;
		this.executions.set(caller.owner, execution);
		await this.turn(execution, caller);
		const sentAt = performance.now();
		let signs: RateSigns | undefined;
		try {
			const response = await request();
			signs = response.signs ?? {};
			return response.result;
		} finally {
			execution.inFlight--;
			this.lastResponseAt = performance.now();
			// A request that left before a hold tells nothing about the time after it.
			const isNews = sentAt >= Math.max(this.refusals.heldUntil, execution.refusals.heldUntil);
			if (isNews) this.nextExtraAt = 0;
			if (signs?.refused) this.onRefused(execution, signs.retryAfterMs ?? 0, isNews);
			else if (signs && isNews) this.onAllowed(execution, signs, sentAt);
			this.letLeave();
		}
	}

	/** Whether there has been no request for this time, in ms. */
	readonly isQuietFor = (ms: number): boolean =>
		this.present.size === 0 && performance.now() > this.lastResponseAt + ms;

	private async turn(execution: Execution, caller: Caller): Promise<void> {
		const { signal, isRepeat } = caller;
		signal?.throwIfAborted();
		const { waiters, refusals, failure } = execution;
		if (failure && performance.now() < refusals.heldUntil) throw failure;
		let unsubscribe = () => {};
		const turn = new Promise<void>((leave, fail) => {
			const waiter = { ...caller, leave, fail };
			unsubscribe = onAbort(signal, () => {
				waiters.splice(waiters.indexOf(waiter), 1);
				fail(signal?.reason as Error);
				this.letLeave();
			});
			const first = isRepeat ? waiters.findIndex((other) => !other.isRepeat) : -1;
			waiters.splice(first < 0 ? waiters.length : first, 0, waiter);
		});
		this.present.add(execution);
		this.letLeave();
		await turn.finally(() => unsubscribe());
	}

	/** Lets all leave whose turn it is. */
	private letLeave() {
		for (const one of this.present) {
			if (one.waiters.length + one.inFlight === 0) this.present.delete(one);
		}
		// The clock is read once: if time passed between two readings, no timer might be set.
		const now = performance.now();
		while (now >= this.opensAt()) {
			const able = this.waiting.filter((execution) => this.mayLeave(execution, now));
			const [next] = able.sort((a, b) => this.rankOf(a) - this.rankOf(b));
			const waiter = next && this.nextOf(next);
			if (!waiter) break;
			next.waiters.splice(next.waiters.indexOf(waiter), 1);
			next.inFlight++;
			this.present.delete(next);
			this.present.add(next);
			this.rate.onDeparture(now);
			this.nextExtraAt = now + (this.isProbing ? PROBE_PATIENCE_MS : EXTRA_DISTANCE_MS);
			waiter.leave();
		}
		void this.wakeUp(now);
	}

	private get waiting(): Execution[] {
		return [...this.present].filter(({ waiters }) => waiters.length > 0);
	}

	/** When time alone lets the next request leave. */
	private opensAt(): number {
		const probeAt = this.isProbing ? this.nextExtraAt : 0;
		return Math.max(this.refusals.heldUntil, this.rate.opensAt, probeAt);
	}

	private mayLeave(execution: Execution, now: number): boolean {
		const { inFlight, refusals } = execution;
		if (now < refusals.heldUntil || !this.nextOf(execution)) return false;
		// Probes ignore how many requests are in flight: those may stall, and all wait for the probe.
		if (this.isProbing) return true;
		const isFull = this.inFlight >= Math.min(this.slots, this.mostSlots());
		if (inFlight === 0) return !isFull || now >= this.nextExtraAt;
		// Whoever was refused tries with one request at a time.
		return !isFull && refusals.inARow === 0;
	}

	/** Repeats are first in line; but a probe is one that was not refused, if there is any. */
	private nextOf({ waiters, inFlight }: Execution) {
		const fresh = this.isProbing ? waiters.find(({ isRepeat }) => !isRepeat) : undefined;
		const next = fresh ?? waiters[0];
		return inFlight < next.maxConcurrency ? next : undefined;
	}

	/** Whose turn it is: the lowest first. */
	private rankOf({ inFlight, refusals }: Execution): number {
		const isSought = refusals.inARow > 0 !== this.refusals.inARow > 0;
		return this.isProbing && !isSought ? 1e6 + inFlight : inFlight;
	}

	private get inFlight(): number {
		return [...this.present].reduce((sum, { inFlight }) => sum + inFlight, 0);
	}

	/** In flight altogether, unless an execution allows itself more. */
	private mostSlots(): number {
		return Math.max(MOST_SLOTS, ...this.waiting.map(({ waiters }) => waiters[0].maxConcurrency));
	}

	private async wakeUp(now: number) {
		const holds = this.waiting.map(({ refusals }) => refusals.heldUntil);
		const times = [this.opensAt(), this.nextExtraAt, ...holds].filter((time) => time > now);
		const at = Math.min(...times, now + LONGEST_SLEEP_MS);
		// Callers that only wait for a response to make room need no timer: the response lets them leave.
		if (holds.length === 0 || times.length === 0 || at >= this.wakesAt) return;
		this.wakesAt = at;
		await sleep(Math.ceil(at - now));
		if (this.wakesAt === at) this.wakesAt = Infinity;
		this.letLeave();
	}

	private onRefused(execution: Execution, retryAfterMs: number, isNews: boolean) {
		const isTooLong = retryAfterMs > LONGEST_RETRY_AFTER_MS;
		// A wait that is too long may concern this execution alone: the others find out.
		const forAllMs = isTooLong ? 0 : retryAfterMs;
		this.rate.letThrough--;
		if (!isNews) return this.refusals.hold(forAllMs);
		const { refusals, inFlight, waiters } = execution;
		refusals.add();
		// What is still in flight may be let through: the limit may be on the number of requests there.
		const refusedForMs = inFlight > 0 ? 0 : performance.now() - refusals.firstAt;
		const isOver = isTooLong || refusedForMs > LONGEST_RETRY_AFTER_MS;
		// Others were let through in between.
		const isOwn = this.refusals.inARow === 0 && refusals.inARow > CHANCE_REFUSALS;
		if (isOver || isOwn) refusals.hold(retryAfterMs);
		execution.failure = isOver ? new LimitTooLong(retryAfterMs) : undefined;
		if (execution.failure) for (const { fail } of waiters.splice(0)) fail(execution.failure);
		if (isOwn) return;
		this.refusals.add();
		this.refusals.hold(forAllMs);
		this.isProbing = true;
	}

	private onAllowed(execution: Execution, signs: RateSigns, sentAt: number) {
		const now = performance.now();
		const { isSuccess, remaining = Infinity } = signs;
		const wasRefused = execution.refusals.inARow > 0;
		this.refusals.inARow = execution.refusals.inARow = 0;
		this.isProbing &&= this.waiting.some(
			(other) => other.refusals.inARow > 0 && this.mayLeave(other, now),
		);
		if (isSuccess && this.slots < this.mostSlots()) this.slots++;
		// That others are let through shows no limit on all.
		if (wasRefused) this.rate.learn(now, sentAt);
		else if (this.rate.perMs < Infinity) this.rate.grow(now, this.waiting.length > 0);
		else if (remaining <= this.inFlight) {
			this.refusals.heldUntil = now + WARNING_HOLD_MS;
			this.isProbing = true;
		}
	}
}

const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 30_000;
/** Processes that were given the same Retry-After must not all come back at the same moment. */
const RETRY_AFTER_JITTER_MS = 100;

/** Full jitter: a random time up to the exponential bound, in ms, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

/** Refusals in a row, of one execution or of anybody, and the hold that they ask for. */
class Refusals {
	inARow = 0;
	heldUntil = 0;
	/** When the first of them came. */
	firstAt = 0;
	private lastAt = 0;

	add() {
		const now = performance.now();
		// No hold is longer: nobody has tried since.
		if (now - this.lastAt > LONGEST_RETRY_AFTER_MS) this.inARow = 0;
		if (this.inARow++ === 0) this.firstAt = now;
		this.lastAt = now;
	}

	/** At least Retry-After; who is refused even after that backs off further. */
	hold(retryAfterMs: number) {
		const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
		const jitterMs = askedMs > 0 ? Math.random() * RETRY_AFTER_JITTER_MS : 0;
		const ms = Math.max(askedMs + jitterMs, backoffMs(this.inARow));
		this.heldUntil = Math.max(this.heldUntil, performance.now() + ms);
	}
}
