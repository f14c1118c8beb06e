/**
 * One pace per credential and process, shared by all items and executions: how many requests may
 * be in flight, and when the next may leave. The service's limits, their window and their kind are
 * not shown (interface.md §8), so the pace is learned from its answers alone: from 429, Retry-After
 * and the two X-RateLimit headers.
 */
import { sleep } from 'n8n-workflow';

const FIRST_CONCURRENCY = 4;
const FIRST_HOLD_MS = 1000;
const LARGEST_RESERVE = 2;
const LARGEST_MEMORY = 1000;
/** What is first taken for the time in which a limit that is used up comes back, and its bounds. */
const FIRST_PERIOD_MS = 1000;
const SHORTEST_HOLD_MS = 20;
const LONGEST_HOLD_MS = 30_000;
/** A limit that comes back later than this is met by a refusal, which tells for how long. */
const LONGEST_PERIOD_MS = 10_000;
/** Requests take differently long to arrive: by this factor longer is waited than the period says. */
const ARRIVAL_MARGIN = 1.02;
/** How late a request may have arrived, in ms and as a share of the period: how long the service took is not known. */
const LATEST_ARRIVAL_MS = 300;
const LATEST_ARRIVAL = 0.2;
/** By this factor the fastest answer is forgotten with each further one: requests differ, and a service changes. */
const FASTEST_GROWTH = 1.002;
/** How well the period must be known, as a share of it, for our own record to tell what counts no longer. */
const RECORD_TOLERANCE = 0.13;
/** Left unused when requests leave by our own record. */
const RECORD_RESERVE = 1;
/** For so many periods the record is followed; then trying shows whether the period has become shorter. */
const PERIODS_PER_PROOF = 10;
/** How many refusals may show the record wrong before trying takes its place. */
const RECORD_TRUST = 3;
/** After so many allowed requests one of those refusals is forgiven. */
const REQUESTS_PER_TRUST = 1000;
/** A longer `Retry-After` is not waited for; the call fails and says so. */
export const LONGEST_RETRY_AFTER_MS = 300_000;

/** What one answer says about the limits. */
export interface RateSigns {
	/** The answer was a 429. */
	refused?: boolean;
	/** The answer was a definitive success: the service keeps up. */
	isSuccess?: boolean;
	/** `Retry-After`, in ms. */
	retryAfterMs?: number;
	/** `X-RateLimit-Limit` and `X-RateLimit-Remaining`, in requests. */
	limit?: number;
	remaining?: number;
}

interface Waiter {
	maxConcurrency: number;
	start: (departure: Departure) => void;
}

/** A request that left: the earliest and the latest time at which it may have arrived, in ms since 1970. */
interface Departure {
	at: number;
	arrivedBy: number;
}

/** Full jitter: anything between nothing and the exponential bound, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

export class Pace {
	private concurrency = FIRST_CONCURRENCY;

	private inFlight = 0;

	private waiters: Waiter[] = [];

	/** The lowest `remaining` since more was allowed again: answers overtake each other. */
	private remaining = Infinity;

	/** Left unused when the credit runs out: what tries whether more is allowed again, without a refusal. */
	private reserve = 0;

	private heldUntil = 0;

	/** Counts the holds, to tell the answers to requests that left before one from those after it. */
	private holds = 0;

	/** Until one request shows that the service allows requests again, no other leaves. */
	private isProbing = false;

	/** The latest requests, by the time at which they have arrived at the latest. */
	private departures: Departure[] = [];

	/** How long the fastest of the latest answers took, in ms. */
	private fastest = Infinity;

	/** How many requests the service allows at its latest answer, and how many it counted. */
	private limit = Infinity;

	private counted = 0;

	/** Whether all that the service counted may have been our own. */
	private isAlone = false;

	/** How far our record is believed: a bucket, and somebody else with the same key, prove it wrong. */
	private trust = RECORD_TRUST;

	/** When a timer next wakes the waiters up, in ms since 1970; Infinity while none is set. */
	private wakesAt = Infinity;

	/**
	 * The oldest request that the service still counted when its limit was used up; undefined if
	 * others used it up, who left nobody knows when.
	 */
	private countedSince: Departure | undefined;

	/** How long the service counts a request: its window, or how long a bucket takes to fill. Learned, as bounds. */
	private period = { tooShort: 0, longEnough: FIRST_PERIOD_MS };

	/** When a try last showed that `longEnough` is, in ms since 1970; 0 while none has. */
	private provenAt = 0;

	private refusalsInARow = 0;

	/** When the first of them was sent, in ms since 1970. */
	private refusedSince = 0;

	private everRefused = false;

	/**
	 * Makes one request when its turn comes.
	 * @param maxConcurrency the most requests in flight at a time that this caller allows
	 * @param isRepeat repeats go first: they have waited before
	 * @param request makes the request; the signs are what its answer says about the limits
	 * @throws the signal's reason when the user presses Stop before the turn has come
	 */
	async run<T>(
		{
			maxConcurrency,
			isRepeat,
			signal,
		}: {
			maxConcurrency: number;
			isRepeat: boolean;
			signal?: AbortSignal;
		},
		request: () => Promise<{ result: T; signs?: RateSigns }>,
	): Promise<T> {
		const departure = await this.turn(maxConcurrency, isRepeat, signal);
		const holds = this.holds;
		let signs: RateSigns | undefined;
		try {
			const answer = await request();
			signs = answer.signs ?? {};
			return answer.result;
		} finally {
			this.inFlight--;
			this.noteAnswer(departure, signs?.isSuccess);
			// A request that Stop ended has shown nothing: if it was to try for all, another does.
			const showsNothing = signs === undefined && this.isProbing;
			if (holds === this.holds && !showsNothing) {
				this.learn(signs ?? {}, departure, maxConcurrency);
			}
			this.startNext();
		}
	}

	private async turn(
		maxConcurrency: number,
		isRepeat: boolean,
		signal?: AbortSignal,
	): Promise<Departure> {
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const onStop = () => {
				this.waiters = this.waiters.filter((other) => other !== waiter);
				reject(signal?.reason as Error);
			};
			const waiter: Waiter = {
				maxConcurrency,
				start: (departure) => {
					signal?.removeEventListener('abort', onStop);
					resolve(departure);
				},
			};
			signal?.addEventListener('abort', onStop, { once: true });
			if (isRepeat) this.waiters.unshift(waiter);
			else this.waiters.push(waiter);
			this.startNext();
		});
	}

	isIdle(): boolean {
		return this.inFlight === 0 && this.waiters.length === 0 && Date.now() >= this.heldUntil;
	}

	/** For how long the service has refused everything, in ms; 0 if its latest answer was no refusal. */
	refusedForMs(): number {
		return this.refusalsInARow > 0 ? Date.now() - this.refusedSince : 0;
	}

	private startNext() {
		// One look at the clock for both: if time passed in between, nobody might be woken up.
		const now = Date.now();
		while (this.isOpen(now)) {
			// First come, first served: a caller that allows fewer at a time is not overtaken for ever.
			const [waiter] = this.waiters;
			if (!waiter || this.inFlight >= waiter.maxConcurrency) return;
			this.waiters.shift();
			this.inFlight++;
			waiter.start(this.noteDeparture());
		}
		void this.startLater(now);
	}

	/** Where no answer is on its way that would wake the waiters up, time does. */
	private async startLater(now: number) {
		const at = (this.isProbing ? this.heldUntil : this.nextExpiry()) ?? 0;
		if (this.waiters.length === 0 || at <= now || at >= this.wakesAt) return;
		this.wakesAt = at;
		await sleep(at - now);
		if (this.wakesAt === at) this.wakesAt = Infinity;
		// Timers may be early and clocks may be set back: then it waits again.
		this.startNext();
	}

	private isOpen(now: number): boolean {
		if (now < this.heldUntil) return false;
		if (this.isProbing) return this.inFlight === 0;
		return this.inFlight < Math.floor(this.concurrency) && !this.isUsedUp(now);
	}

	private noteDeparture(): Departure {
		const at = Date.now();
		const departure = { at, arrivedBy: at + this.latestArrivalMs() };
		this.remember(departure);
		return departure;
	}

	/** A request may have arrived as much later than it left as its answer took longer than a fast one. */
	private noteAnswer(departure: Departure, isSuccess = false) {
		const tookMs = Math.max(0, Date.now() - departure.at);
		// A refusal may be faster than any work is.
		if (isSuccess) this.fastest = Math.min(tookMs, this.fastest * FASTEST_GROWTH);
		const index = this.departures.lastIndexOf(departure);
		const isForgotten = index < 0;
		if (isForgotten) return;
		this.departures.splice(index, 1);
		const lateMs = Math.max(0, tookMs - this.fastest);
		departure.arrivedBy = departure.at + Math.min(lateMs, this.latestArrivalMs());
		this.remember(departure);
	}

	private latestArrivalMs(): number {
		return Math.min(LATEST_ARRIVAL_MS, LATEST_ARRIVAL * this.period.longEnough);
	}

	private remember(departure: Departure) {
		const { arrivedBy } = departure;
		const index = this.departures.findLastIndex((other) => other.arrivedBy <= arrivedBy) + 1;
		this.departures.splice(index, 0, departure);
		if (this.departures.length > LARGEST_MEMORY) this.departures.shift();
	}

	private isUsedUp(now: number): boolean {
		// Requests in flight may or may not be counted in `remaining`: assume that none is.
		return this.remaining - this.inFlight <= this.reserve && (this.nextExpiry() ?? Infinity) > now;
	}

	/**
	 * When so many of our own requests count no longer that another may leave, in ms since 1970.
	 * Undefined where our record does not tell, and only trying does.
	 */
	private nextExpiry(): number | undefined {
		const { tooShort, longEnough } = this.period;
		const isKnown = this.provenAt > 0 && longEnough - tooShort < RECORD_TOLERANCE * longEnough;
		if (this.trust < 1 || !this.isAlone || !isKnown) return undefined;
		const allowed = this.limit - Math.min(this.reserve, RECORD_RESERVE);
		const last = this.departures.at(-Math.max(1, allowed));
		return last && last.arrivedBy + longEnough * ARRIVAL_MARGIN;
	}

	private learn(signs: RateSigns, departure: Departure, maxConcurrency: number) {
		if (signs.refused) return this.onRefused(signs, departure.at);
		if (this.isProbing) this.onAllowed(signs, departure);
		this.refusalsInARow = 0;
		this.trust = Math.min(RECORD_TRUST, this.trust + 1 / REQUESTS_PER_TRUST);
		if (signs.isSuccess && this.concurrency < maxConcurrency) {
			const step = this.everRefused ? 1 / this.concurrency : 1;
			this.concurrency = Math.min(maxConcurrency, this.concurrency + step);
		}
		if (signs.remaining !== undefined) this.onRemaining(signs.remaining, departure.at, signs.limit);
		const now = Date.now();
		const proofAge = this.provenAt > 0 ? now - this.provenAt : 0;
		if (proofAge > PERIODS_PER_PROOF * this.period.longEnough) this.forgetProof();
		if (this.isUsedUp(now) && this.inFlight === 0 && this.nextExpiry() === undefined) {
			const oldest = this.oldestCounted() ?? this.departures[0];
			// Of what is counted others may have sent a part: then the oldest of ours left long ago.
			const since = now - 2 * this.period.longEnough;
			this.countedSince = {
				at: Math.max(since, oldest.at),
				arrivedBy: Math.max(since, oldest.arrivedBy),
			};
			const elapsed = now - this.countedSince.arrivedBy;
			this.holdBack(Math.max(SHORTEST_HOLD_MS, this.nextTryAfter(elapsed) - elapsed));
		}
	}

	/** The oldest request that the service counts, if all of them are our own. */
	private oldestCounted(): Departure | undefined {
		return this.departures.at(-Math.max(1, this.counted));
	}

	private onRemaining(remaining: number, startedAt: number, limit?: number) {
		this.limit = limit ?? Infinity;
		this.counted = (limit ?? remaining) - remaining;
		const countsSince = startedAt - this.period.longEnough * ARRIVAL_MARGIN;
		this.isAlone = (this.oldestCounted()?.arrivedBy ?? 0) > countsSince;
		this.reserve = Math.min(LARGEST_RESERVE, Math.floor((limit ?? remaining) / 5));
		// Answers overtake each other: only more than that can explain is more than before.
		const isMore = remaining > this.remaining + this.concurrency;
		this.remaining = isMore ? remaining : Math.min(this.remaining, remaining);
	}

	private onRefused({ retryAfterMs }: RateSigns, startedAt: number) {
		if (!this.isProbing) {
			if (this.nextExpiry() !== undefined) this.trust--;
			this.provenAt = 0;
			this.countedSince = undefined;
		} else if (this.countedSince) {
			this.periodIsLongerThan(startedAt - this.countedSince.arrivedBy);
		}
		this.remaining = 0;
		this.everRefused = true;
		// If nobody tried for a while, what was refused then says nothing of now.
		if (startedAt > this.heldUntil + LONGEST_HOLD_MS) this.refusalsInARow = 0;
		if (this.refusalsInARow === 0) this.refusedSince = startedAt;
		this.refusalsInARow++;
		this.concurrency = Math.max(1, this.concurrency / 2);
		this.holdBack(
			retryAfterMs === undefined
				? backoffMs(this.refusalsInARow)
				: Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) + Math.random() * 100,
		);
	}

	/** The first request after a hold was allowed: what that says of the time for which requests count. */
	private onAllowed({ remaining = Infinity, isSuccess }: RateSigns, departure: Departure) {
		this.isProbing = false;
		const isLess = remaining < this.remaining;
		this.remaining = remaining;
		// A connection that broke says nothing of the limit.
		if (!this.countedSince || (!isSuccess && remaining === Infinity)) return;
		const atLeast = departure.at - this.countedSince.arrivedBy;
		const atMost = departure.arrivedBy - this.countedSince.at;
		if (isLess) this.periodIsLongerThan(atLeast);
		else this.periodIsShorterThan(atMost, atLeast);
	}

	private periodIsShorterThan(atMost: number, atLeast: number) {
		if (this.refusalsInARow > 0 || atMost < this.period.longEnough) {
			this.period.longEnough = Math.min(LONGEST_PERIOD_MS, atMost);
		}
		// After a longer time it says nothing: everything may have run out long before.
		if (atLeast < 1.1 * this.period.longEnough) this.provenAt = Date.now();
	}

	/** The service may have changed its limit, or others may have made it look longer. */
	private forgetProof() {
		this.period.tooShort = 0;
		this.provenAt = 0;
	}

	private periodIsLongerThan(ms: number) {
		this.period.tooShort = Math.min(LONGEST_PERIOD_MS, ms);
		const longEnough = this.period.tooShort * 1.05;
		if (longEnough <= this.period.longEnough) return;
		this.period.longEnough = longEnough;
		this.provenAt = 0;
	}

	/** How long after the first counted request to try again: a bit earlier than what is known to be long enough. */
	private nextTryAfter(elapsed: number): number {
		const { tooShort, longEnough } = this.period;
		const isTriedAlready = tooShort > 0 && elapsed >= tooShort;
		const isKnown = longEnough - tooShort < 0.04 * longEnough;
		this.period.tooShort *= 0.99;
		const ms = isKnown || isTriedAlready ? longEnough : (tooShort + longEnough) / 2;
		return Math.max(ms, 0.9 * longEnough) * ARRIVAL_MARGIN;
	}

	private holdBack(ms: number) {
		this.holds++;
		this.heldUntil = Date.now() + ms;
		this.isProbing = true;
	}
}

const paces = new Map<string, Pace>();
/** Beyond this number, paces that nobody uses are forgotten: answers name the storages. */
const MOST_PACES = 100;

/** The pace that everybody shares who sends to the same peer with the same key. */
export function paceFor(peer: string): Pace {
	const pace = paces.get(peer) ?? new Pace();
	if (paces.size > MOST_PACES) {
		for (const [key, other] of paces) if (other.isIdle()) paces.delete(key);
	}
	paces.set(peer, pace);
	return pace;
}
