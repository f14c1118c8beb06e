/**
 * One pace per credential and process, shared by all items and executions: how many requests may
 * be in flight, and when the next may leave. The service's limits, their window and their kind are
 * not shown (interface.md §8), so the pace is learned from its answers alone: from 429, Retry-After
 * and the two X-RateLimit headers.
 */
import { sleep } from 'n8n-workflow';

const FIRST_CONCURRENCY = 4;
const FIRST_HOLD_MS = 1000;
const SHORTEST_HOLD_MS = 20;
const LONGEST_HOLD_MS = 30_000;
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
	start: () => void;
}

/** Full jitter: anything between nothing and the exponential bound, so that processes spread out. */
export function backoffMs(attempt: number): number {
	return Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
}

export class Pace {
	private concurrency = FIRST_CONCURRENCY;

	private inFlight = 0;

	private waiters: Waiter[] = [];

	/** Requests that may still leave before the service refuses, as far as it has said. */
	private credit = Infinity;

	private heldUntil = 0;

	/** Counts the holds, to tell the answers to requests that left before one from those after it. */
	private holds = 0;

	/** Until one request shows that the service allows requests again, no other leaves. */
	private isProbing = false;

	/** How long the service takes to allow requests again once its limit is used up, as learned. */
	private hold = FIRST_HOLD_MS;

	/** A hold that turned out too short; later ones stay above it. */
	private tooShortHold = 0;

	private refusalsInARow = 0;

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
		await this.turn(maxConcurrency, isRepeat, signal);
		const holds = this.holds;
		let signs: RateSigns = {};
		try {
			const answer = await request();
			signs = answer.signs ?? {};
			return answer.result;
		} finally {
			this.inFlight--;
			if (holds === this.holds) this.learn(signs, maxConcurrency);
			this.startNext();
		}
	}

	private async turn(maxConcurrency: number, isRepeat: boolean, signal?: AbortSignal) {
		signal?.throwIfAborted();
		await new Promise<void>((resolve, reject) => {
			const onStop = () => {
				this.waiters = this.waiters.filter((other) => other !== waiter);
				reject(signal?.reason as Error);
			};
			const waiter: Waiter = {
				maxConcurrency,
				start: () => {
					signal?.removeEventListener('abort', onStop);
					resolve();
				},
			};
			signal?.addEventListener('abort', onStop, { once: true });
			if (isRepeat) this.waiters.unshift(waiter);
			else this.waiters.push(waiter);
			this.startNext();
		});
	}

	private startNext() {
		while (this.isOpen()) {
			const index = this.waiters.findIndex((waiter) => this.inFlight < waiter.maxConcurrency);
			if (index === -1) return;
			const [waiter] = this.waiters.splice(index, 1);
			this.inFlight++;
			this.credit--;
			waiter.start();
		}
	}

	private isOpen(): boolean {
		if (Date.now() < this.heldUntil) return false;
		if (this.isProbing) return this.inFlight === 0;
		return this.inFlight < this.concurrency && this.credit > 0;
	}

	private learn(signs: RateSigns, maxConcurrency: number) {
		if (signs.refused) return this.onRefused(signs);
		if (this.isProbing) this.onAllowedAgain(signs);
		this.refusalsInARow = 0;
		if (signs.isSuccess && this.concurrency < maxConcurrency) {
			const step = this.everRefused ? 1 / this.concurrency : 1;
			this.concurrency = Math.min(maxConcurrency, this.concurrency + step);
		}
		// Requests in flight may or may not be counted in `remaining`: assume that none is.
		if (signs.remaining !== undefined) this.credit = signs.remaining - this.inFlight;
		if (this.credit <= 0 && this.inFlight === 0) this.holdBack(this.hold);
	}

	private onRefused({ retryAfterMs }: RateSigns) {
		if (this.isProbing) {
			this.tooShortHold = Math.max(this.tooShortHold, this.hold);
			this.hold = Math.min(LONGEST_HOLD_MS, this.hold * 1.25);
		}
		this.everRefused = true;
		this.refusalsInARow++;
		this.concurrency = Math.max(1, this.concurrency / 2);
		this.holdBack(
			retryAfterMs === undefined
				? backoffMs(this.refusalsInARow)
				: Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) + Math.random() * 100,
		);
	}

	/** A hold that brought back most of the limit was longer than need be, one that brought little was too short. */
	private onAllowedAgain({ limit, remaining }: RateSigns) {
		this.isProbing = false;
		this.credit = Infinity;
		if (limit === undefined || remaining === undefined) return;
		const allowed = (remaining + 1) / limit;
		if (allowed > 0.5) this.hold = Math.max(this.hold * 0.85, this.tooShortHold * 1.1);
		else if (allowed < 0.25) this.hold *= 1.25;
		this.hold = Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_HOLD_MS, this.hold));
	}

	private holdBack(ms: number) {
		this.holds++;
		this.heldUntil = Date.now() + ms;
		this.isProbing = true;
		void this.goOnAfterHold();
	}

	private async goOnAfterHold() {
		// Timers may be early and clocks may be set back: nobody else would wake the waiters up.
		for (let left = 1; left > 0; left = this.heldUntil - Date.now()) await sleep(left);
		this.startNext();
	}
}

const paces = new Map<string, Pace>();

/** The pace that everybody shares who sends to the same peer with the same key. */
export function paceFor(peer: string): Pace {
	const pace = paces.get(peer) ?? new Pace();
	paces.set(peer, pace);
	return pace;
}
