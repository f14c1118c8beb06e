/** Whether and when a request that failed is tried again. */
import type { Failure } from './failure';
import { backoffMs, LONGEST_RETRY_AFTER_MS } from './limiter';

/** How often a request is tried, refusals by a rate limit not counted. */
export const MAX_TRIES = 8;
/** No try begins when so much time has passed since the first one, in ms, beside the time for its bytes. */
const LONGEST_TIME_MS = 300_000;

/** The tries of one request. */
export class Retries {
	private tries = 0;

	private refusals = 0;

	private startedAt: number | undefined;

	private wasReached = false;

	/**
	 * @param isWrite a write is tried again only where it certainly was not done (interface.md §7)
	 * @param transferMs how long the bytes of one try may take besides, in ms
	 * @param unreachedMs how long it is tried where no connection was made yet, in ms
	 */
	constructor(
		private readonly isWrite: boolean,
		private readonly maxTries: number,
		private readonly transferMs: number,
		private readonly unreachedMs: number,
	) {}

	/** Notes that a try begins. */
	begin() {
		this.tries++;
		this.startedAt ??= performance.now();
	}

	get isRepeat(): boolean {
		return this.tries > 0;
	}

	/**
	 * How long to wait before the next try, in ms; undefined where there is none.
	 * @param refusedForMs for how long the execution's requests have been refused
	 */
	waitMsAfter(failure: Failure, refusedForMs: number): number | undefined {
		const mayRetry = failure.retry === 'any' || (failure.retry === 'reads' && !this.isWrite);
		if (!mayRetry) return undefined;
		const isRefused = failure.kind === 'response' && failure.response.statusCode === 429;
		const retryAfterMs = (failure.kind === 'response' && failure.retryAfterMs) || 0;
		if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
		// A limit may last for minutes, and one request tries for all of the execution: only time counts.
		if (isRefused) this.refusals++;
		else if (this.tries - this.refusals >= this.maxTries) return undefined;
		// After a 429 the limiter holds everybody back; other failures concern this request alone.
		const waitMs = isRefused ? 0 : Math.max(retryAfterMs, backoffMs(this.tries - this.refusals));
		const sinceMs = performance.now() - (this.startedAt ?? 0);
		this.wasReached ||= failure.kind !== 'not reached';
		if (!this.wasReached && sinceMs + waitMs > this.unreachedMs) return undefined;
		const triedMs = sinceMs - this.transferMs;
		const passedMs = isRefused ? Math.max(refusedForMs, triedMs) : triedMs;
		return passedMs + waitMs > LONGEST_TIME_MS ? undefined : waitMs;
	}
}
