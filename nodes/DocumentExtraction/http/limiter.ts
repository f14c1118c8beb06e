/**
 * One rate limiter per API key and process. The kind of limit is not known (interface.md §8), so one
 * rule has to work for all kinds: the average rate that the service let through since its last
 * refusal, pauses included, is a rate that it allows. After a refusal, requests go on at that rate. It
 * then grows, slowly at first and faster with time, as in TCP CUBIC, until the next refusal.
 *
 * A 429 pauses all requests: for Retry-After, or by exponential back-off with full jitter. Then they
 * leave one at a time, as probes, to find out whom the limit concerns: first one of an execution that
 * was not refused, then one of an execution that was. If both are let through, the shared rate was too
 * high. An execution that is refused again and again while others are let through is paused alone.
 *
 * Executions take turns. One that has nothing in flight needs no free slot, so each execution that
 * n8n runs at a time may add one request to those in flight. Times are in ms of `performance.now()`,
 * which is monotonic, unlike the time of day.
 */
import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { onAbort } from './concurrency';

/** Beyond this number, limiters that are not in use are dropped. */
const MOST_LIMITERS = 100;
const FIRST_CONCURRENCY = 4;
const LARGEST_CONCURRENCY = 16;
/** Between requests beyond the slots: if one of them is refused, few others have left. */
const EXTRA_DISTANCE_MS = 50;
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 30_000;
/** Processes that were given the same Retry-After must not all come back at the same moment. */
const RETRY_AFTER_JITTER_MS = 100;
/** A pause before `remaining` is used up: requests in flight arrive, and at most one probe is refused. */
const WARNING_HOLD_MS = 100;
/** A probe may be a large upload, or stall: when a usual response would have come, another may leave. */
const PROBE_PATIENCE_MS = 5000;
/** A limit on all may by chance refuse one execution this often in a row, but hardly more often. */
const CHANCE_REFUSALS = 4;
/** After a minute without requests the usual windows are over, and what was learned is out of date. */
const FORGET_AFTER_MS = 60_000;
/** Waiting callers may be stopped; a timer outlives the last of them by this at most. */
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

/** Full jitter: a random time up to the exponential bound, in ms, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

/** At least Retry-After; a request that is refused even after that backs off further. */
function holdMs(refusals: number, retryAfterMs: number): number {
	if (retryAfterMs === 0) return backoffMs(refusals);
	const askedMs = retryAfterMs + Math.random() * RETRY_AFTER_JITTER_MS;
	return Math.max(askedMs, refusals > 1 ? backoffMs(refusals - 1) : 0);
}

const limiters = new Map<string, RateLimiter>();

/** The limiter of a service and key. As limiters outlive the run, only a hash of the key is kept. */
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
	/** When a timer next checks the queue; Infinity while none is set. */
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
			// A request that left before a hold tells nothing about the time after it.
			const isNews = sentAt >= Math.max(this.heldUntil, owner.heldUntil);
			if (isNews && signs?.refused) this.onRefused(owner, signs.retryAfterMs, sentAt);
			else if (isNews && signs) this.onAllowed(owner, signs, sentAt);
			// A request that broke or was stopped has shown nothing: if it was the probe, another leaves.
			else if (isNews) this.nextProbeAt = 0;
			this.startNext();
		}
	}

	/** For how long the service has refused this owner, in ms; 0 if its latest response was no refusal. */
	refusedForMs(owner: object): number {
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
		// The clock is read once: if time passed between two readings, no timer might be set.
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
		// Probes ignore how many requests are in flight: those may stall, and all wait for the probe.
		const isSought = refusals > 0 !== this.refusals > 0;
		if (this.isProbing) return (isSought ? 0 : 2) + (inFlight > 0 ? 1 : 0);
		const slots = Math.min(this.concurrency, this.mostInFlight());
		const isFull = this.queue.inFlight >= slots;
		if (inFlight === 0) return isFull && now < this.nextExtraAt ? Infinity : 0;
		// An owner that is paused alone tries with one request at a time.
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
		// Callers that only wait for a response to make room need no timer: the response starts them.
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
		// A wait that is too long may concern this owner alone: the others probe for themselves.
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

interface Caller {
	/** The execution. */
	owner: object;
	/** The most requests of the owner in flight at a time. */
	maxConcurrency: number;
	/** It was sent before, and has waited before. */
	isRepeat: boolean;
	signal?: AbortSignal;
}

type Waiter = Caller & { start: () => void; fail: (reason: Error) => void };

interface Owner {
	waiters: Waiter[];
	inFlight: number;
	/** The largest of its callers'. */
	maxConcurrency: number;
	/** In a row; the first one was sent at `refusedSince`. */
	refusals: number;
	refusedSince: number;
	heldUntil: number;
	/** The `Retry-After` that was too long to wait for, in ms. */
	tooLongMs?: number;
}

/** Callers that wait for their turn: owner by owner, in round robin (fair queueing, RFC 970). */
class CallerQueue {
	private readonly owners = new WeakMap<object, Owner>();
	/** Owners that wait or have requests in flight; the one whose last turn is longest ago comes first. */
	readonly present = new Set<Owner>();
	inFlight = 0;

	ownerOf(key: object): Owner {
		const none = { waiters: [], inFlight: 0, maxConcurrency: 0 };
		const owner = this.owners.get(key) ?? { ...none, refusals: 0, refusedSince: 0, heldUntil: 0 };
		this.owners.set(key, owner);
		return owner;
	}

	get waiting(): Owner[] {
		return [...this.present].filter(({ waiters }) => waiters.length > 0);
	}

	/**
	 * Waits until `startFirst` starts this caller.
	 * @throws the signal's reason after Stop, or what the limiter fails it with
	 */
	async join(owner: Owner, caller: Caller): Promise<void> {
		owner.maxConcurrency = Math.max(owner.maxConcurrency, caller.maxConcurrency);
		this.present.add(owner);
		let unsubscribe = () => {};
		try {
			await new Promise<void>((start, fail) => {
				const waiter = { ...caller, start, fail };
				unsubscribe = onAbort(caller.signal, () => {
					owner.waiters = owner.waiters.filter((other) => other !== waiter);
					fail(caller.signal?.reason as Error);
				});
				const first = caller.isRepeat ? owner.waiters.findIndex((other) => !other.isRepeat) : -1;
				owner.waiters.splice(first < 0 ? owner.waiters.length : first, 0, waiter);
			});
		} finally {
			unsubscribe();
			this.dismiss(owner);
		}
	}

	/**
	 * Starts a caller of the owner with the lowest rank; among equals, of the first in the round.
	 * @param rankOf Infinity for an owner that may not send now
	 * @returns whether there was one
	 */
	startFirst(rankOf: (owner: Owner) => number, isProbe: boolean): boolean {
		const { waiting } = this;
		const ranks = waiting.map(rankOf);
		const lowest = Math.min(...ranks);
		const owner = waiting[ranks.indexOf(lowest)];
		const caller = lowest < Infinity && nextCaller(owner, isProbe);
		if (!caller) return false;
		owner.waiters.splice(owner.waiters.indexOf(caller), 1);
		owner.inFlight++;
		this.inFlight++;
		this.present.delete(owner);
		this.present.add(owner);
		caller.start();
		return true;
	}

	leave(owner: Owner) {
		owner.inFlight--;
		this.inFlight--;
		this.dismiss(owner);
	}

	private dismiss(owner: Owner) {
		if (owner.waiters.length === 0 && owner.inFlight === 0) this.present.delete(owner);
	}
}

/** Repeats go first, except as a probe; undefined if Max Concurrency allows no other request. */
function nextCaller(owner: Owner, isProbe: boolean): Waiter | undefined {
	const hasRoom = ({ maxConcurrency }: Waiter) => owner.inFlight < maxConcurrency;
	if (owner.inFlight >= owner.maxConcurrency) return undefined;
	const fresh = isProbe && owner.waiters.find((one) => !one.isRepeat && hasRoom(one));
	return fresh || owner.waiters.find(hasRoom);
}

/** A little below what was let through, as part of that was a burst allowance. */
const MARGIN = 0.95;
/** A single unlucky refusal cuts the rate to no less than this share of it, as in CUBIC. */
const LARGEST_CUT = 0.7;
/** The first rate was found by doubling, and may be twice what is allowed. */
const FIRST_CUT = 0.5;
/** Growth per second: doubling until the second refusal, as the first burst tells little of the rate. */
const FIRST_GROWTH = 1;
/** Then by a few percent, rising to three times as much, as limits may change. */
const GROWTH = 0.06;
const GROWTH_DOUBLES_MS = 5000;
const GROWTH_CAP = 3;
/** In requests per ms: whatever was learned, requests are at most 30 s apart. */
const SLOWEST_RATE = 1 / 30_000;

/** The rate at which requests may leave, learned from what the service let through. */
class LearnedRate {
	/** In requests per ms; Infinity until the service has shown a limit. */
	private perMs = Infinity;
	private isFirst = true;
	/** When the rate lets the next request leave. */
	opensAt = 0;
	private grownAt = 0;
	/** How many requests the service let through, and since when. */
	allowed = 0;
	private since: number | undefined;

	get isKnown(): boolean {
		return this.perMs < Infinity;
	}

	/** A request leaves. Two may leave at once, as timers may be late. */
	depart(now: number) {
		this.since ??= now;
		const interval = 1 / this.perMs;
		this.opensAt = Math.max(this.opensAt, now - 2 * interval) + interval;
	}

	/**
	 * The service lets requests through again: from now on, the rate is what it let through until now.
	 * @param probedAt when the request left that showed it
	 */
	learn(now: number, probedAt: number) {
		const letThrough = this.allowed / (now - (this.since ?? now));
		const cut = this.isFirst ? FIRST_CUT : LARGEST_CUT;
		const least = this.isKnown ? cut * this.perMs : 0;
		this.isFirst = !this.isKnown;
		this.perMs = Math.max(SLOWEST_RATE, least, MARGIN * letThrough);
		this.allowed = 0;
		this.since = this.grownAt = now;
		// The probe counts: a limit without a burst would refuse another request right after it.
		this.opensAt = probedAt + 1 / this.perMs;
	}

	/** @param areOthersWaiting only a rate that delays requests is known to be allowed, and too low */
	grow(now: number, areOthersWaiting: boolean) {
		const age = 1 + (now - (this.since ?? now)) / GROWTH_DOUBLES_MS;
		const perSecond = this.isFirst ? FIRST_GROWTH : GROWTH * Math.min(GROWTH_CAP, age);
		const isInTheWay = areOthersWaiting && now <= this.opensAt;
		if (isInTheWay) this.perMs *= 1 + Math.min(1, (perSecond * (now - this.grownAt)) / 1000);
		this.grownAt = now;
	}
}
