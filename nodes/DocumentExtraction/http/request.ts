/** One request, from its turn to its outcome: limiter → send → read → retry. */
import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { settled } from './concurrency';
import { failedConnection, failedResponse, RequestError, type Failure } from './failure';
import { LimitTooLong, type RateLimiter, type RateSigns } from './limiter';
import { pause } from './pause';
import type { Payload, PayloadFactory } from './payload';
import { rateSigns, type HttpResponse } from './response';
import { Retries } from './retry';
import { TimeLimitError, Transfer } from './transfer';

export interface HttpRequest<T> {
	/** Makes the body, anew for each try: a stream can be read only once. */
	payload: PayloadFactory;
	/** Sends it; the body of the response is a stream. */
	send: (payload: Payload, transfer: Transfer) => Promise<IN8nHttpFullResponse>;
	/** Reads the response; only a definitive success has a value. */
	read: (incoming: IN8nHttpFullResponse, transfer: Transfer) => Promise<Reading<T>>;
	/** Whether the request changes something. */
	isWrite: boolean;
	/** How long the bytes of one try may take at the slowest, in ms. */
	transferMs: number;
}

export interface Reading<T> {
	response: HttpResponse;
	success?: { value: T };
}

/** Who makes the request. */
export interface Caller {
	limiter: RateLimiter;
	/** The execution: Max Concurrency is the most that it has in flight. */
	owner: object;
	maxConcurrency: number;
	maxTries: number;
	stop: AbortSignal | undefined;
	/** How long a try may take altogether, in ms; undefined for as long as it moves. */
	patienceMs?: number;
	/** How long to try where no connection was made yet, in ms. */
	unreachedMs: number;
	onRetry: () => void;
}

type Attempt<T> = { value: T; failure?: undefined } | { failure: Failure };

/**
 * Makes a request, and tries it again where that can do nothing twice.
 * @throws RequestError with the facts of the last failure; the signal's reason after Stop
 */
export async function makeRequest<T>(caller: Caller, request: HttpRequest<T>): Promise<T> {
	const { limiter, owner, maxConcurrency, stop } = caller;
	const { maxTries, unreachedMs } = caller;
	const retries = new Retries(request.isWrite, maxTries, request.transferMs, unreachedMs);
	for (;;) {
		const turn = { owner, maxConcurrency, isRepeat: retries.isRepeat, signal: stop };
		const attempt = await limiter
			.run(turn, async () => {
				retries.begin();
				return await tryOnce(request, caller);
			})
			.catch(asFailure<T>);
		if (!attempt.failure) return attempt.value;
		const waitMs = retries.waitMsAfter(attempt.failure, limiter.refusedForMs(owner));
		if (waitMs === undefined) throw new RequestError(attempt.failure);
		caller.onRetry();
		await pause(waitMs, stop);
	}
}

/** The limiter does not let a request leave where the service asks for more time than anybody waits. */
function asFailure<T>(error: unknown): Attempt<T> {
	if (!(error instanceof LimitTooLong)) throw error;
	const { retryAfterMs } = error;
	return {
		failure: { kind: 'rate limit too long', retryAfterMs, retry: 'none', mayHaveBeenDone: false },
	};
}

async function tryOnce<T>(
	request: HttpRequest<T>,
	{ stop, patienceMs }: Caller,
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
			const failure = failedConnection(transfer.error() ?? error, payload.isWhole());
			return { result: { failure } };
		} finally {
			payload.discard();
		}
	} finally {
		transfer.end();
	}
}
