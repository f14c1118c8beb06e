/** One request, from its turn to its outcome: limiter → send → read → retry. */
import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { LONGEST_RETRY_AFTER_MS, pauseMs } from './backoff';
import { pause, settled } from './concurrency';
import {
	failedConnection,
	failedResponse,
	mayBeElsewhere,
	RequestError,
	type Failure,
} from './failure';
import { LimitTooLong, type RateLimiter } from './limiter';
import type { Payload, PayloadFactory } from './payload';
import { rateSigns, type HttpResponse, type RateSigns } from './response';
import { SLOWEST_BYTES_PER_MS, TimeLimitError, Transfer } from './transfer';

/** How often a request is tried, not counting tries that a rate limit refused. */
export const MAX_TRIES = 8;
/** No try begins later than this after the first one, in ms, in addition to the time for its bytes. */
const LONGEST_TIME_MS = 300_000;

export interface HttpRequest<T> {
	/** Makes the body, anew for each try: a stream can be read only once. */
	payload: PayloadFactory;
	/** Sends it; the body of the response is a stream. */
	send: (payload: Payload, transfer: Transfer) => Promise<IN8nHttpFullResponse>;
	/** Reads the response; only a definitive success has a value. */
	read: (incoming: IN8nHttpFullResponse, transfer: Transfer) => Promise<Reading<T>>;
	/** Whether the request changes something. */
	isWrite: boolean;
	/** The size of the file that it carries, in bytes. */
	size?: number;
}

export interface Reading<T> {
	response: HttpResponse;
	success?: { value: T };
}

export interface RequestOptions {
	/** The limiter of the moment: it may be forgotten while the request pauses between two tries. */
	limiter: () => RateLimiter;
	/** The execution. */
	owner: object;
	maxConcurrency: number;
	maxTries: number;
	stop: AbortSignal | undefined;
	/** How long a try may take altogether, in ms; undefined for as long as bytes move. */
	patienceMs?: number;
	/** How long to retry while nothing, or a web page, has answered, in ms. */
	unreachedMs: number;
	/** Whether the server has answered before. */
	wasReached: boolean;
	onRetry: () => void;
	/** Called when a try leaves the limiter, in which it may have queued for long. */
	onSent?: () => void;
}

type Attempt<T> = { value: T; failure?: undefined } | { failure: Failure };

/**
 * Makes a request, and retries it where that cannot do anything twice.
 * @throws RequestError with the facts of the last failure; the signal's reason after Stop
 */
export async function makeRequest<T>(options: RequestOptions, request: HttpRequest<T>): Promise<T> {
	const { limiter, owner, maxConcurrency, stop, onRetry, onSent } = options;
	const retries = new Retries(request, options);
	for (;;) {
		const turn = { owner, maxConcurrency, isRepeat: retries.isRepeat, signal: stop };
		const attempt = await limiter()
			.run(turn, async () => {
				retries.begin();
				onSent?.();
				return await tryOnce(request, options);
			})
			.catch((error: unknown): Attempt<T> => {
				// The limiter sends no request where the service asks for a longer pause than the node waits.
				if (error instanceof LimitTooLong) return { failure: retries.notSent(error) };
				throw error;
			});
		if (!attempt.failure) return attempt.value;
		const waitMs = retries.waitMsAfter(attempt.failure);
		if (waitMs === undefined) throw new RequestError(attempt.failure);
		onRetry();
		await pause(waitMs, stop);
	}
}

async function tryOnce<T>(
	request: HttpRequest<T>,
	{ stop, patienceMs, wasReached }: RequestOptions,
): Promise<{ result: Attempt<T>; signs?: RateSigns }> {
	const transfer = new Transfer(stop);
	if (patienceMs !== undefined) transfer.endAfter(patienceMs);
	try {
		const made = await settled(request.payload(transfer));
		const limit = transfer.error();
		if (made.error && limit instanceof TimeLimitError) {
			return { result: { failure: failedConnection(limit, false) } };
		}
		if (made.error) throw made.error;
		const payload = made.value;
		try {
			const incoming = await request.send(payload, transfer);
			const { response, success } = await request.read(incoming, transfer);
			const result: Attempt<T> = success ?? { failure: failedResponse(response) };
			return { result, signs: { ...rateSigns(response), isSuccess: success !== undefined } };
		} catch (error) {
			stop?.throwIfAborted();
			const failure = failedConnection(transfer.error() ?? error, payload.isWhole(), wasReached);
			return { result: { failure } };
		} finally {
			payload.discard();
		}
	} finally {
		transfer.end();
	}
}

/** The tries of one request: whether another one follows, and when. */
class Retries {
	private tries = 0;
	private refusals = 0;
	private lastRefusal: HttpResponse | undefined;
	/** When the first refusal in a row came: a large upload may take longer than refusals are waited out. */
	private refusedAt: number | undefined;
	private startedAt: number | undefined;
	private wasReached = false;

	constructor(
		private readonly request: Pick<HttpRequest<unknown>, 'isWrite' | 'size'>,
		private readonly options: Pick<RequestOptions, 'maxTries' | 'unreachedMs'>,
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
	 * How long to wait before the next try, in ms; undefined where there is none. A write is retried
	 * only where it certainly was not done (interface.md §7).
	 */
	waitMsAfter(failure: Failure): number | undefined {
		const { isWrite, size = 0 } = this.request;
		const { maxTries, unreachedMs } = this.options;
		const mayRetry = failure.retry === 'any' || (failure.retry === 'reads' && !isWrite);
		if (!mayRetry) return undefined;
		const response = failure.kind === 'response' ? failure.response : undefined;
		const retryAfterMs = (failure.kind === 'response' && failure.retryAfterMs) || 0;
		if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
		const now = performance.now();
		const isRefused = response?.statusCode === 429;
		this.lastRefusal = isRefused ? response : undefined;
		this.refusedAt = isRefused ? (this.refusedAt ?? now) : undefined;
		// One request probes a rate limit for all others, perhaps for minutes: only time bounds its tries.
		if (isRefused) this.refusals++;
		else if (this.tries - this.refusals >= maxTries) return undefined;
		// After a 429 the limiter holds everybody back; other failures concern this request alone.
		const waitMs = isRefused ? 0 : pauseMs(retryAfterMs, this.tries - this.refusals);
		const sinceMs = now - (this.refusedAt ?? this.startedAt ?? now);
		this.wasReached ||= !mayBeElsewhere(failure);
		if (!this.wasReached && sinceMs + waitMs > unreachedMs) return undefined;
		const passedMs = sinceMs - size / SLOWEST_BYTES_PER_MS;
		return passedMs + waitMs > LONGEST_TIME_MS ? undefined : waitMs;
	}

	/** The failure of a request that the limiter did not send. */
	notSent({ retryAfterMs }: LimitTooLong): Failure {
		const { lastRefusal } = this;
		const facts = { retry: 'none', mayHaveBeenDone: false } as const;
		return { kind: 'rate limit too long', retryAfterMs, lastRefusal, ...facts };
	}
}
