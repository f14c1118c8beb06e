/** Why a request did not succeed, as facts. What to say of it is not decided here. */
import { connectionProblem, lowestCause, type Cause, type ConnectionProblem } from './causes';
import { isWebPage, retryAfterMs, ResponseTooLargeError, type HttpResponse } from './response';
import { TimeLimitError } from './transfer';

interface Facts {
	/** When another try can succeed: for any request, only for one that changes nothing, or for none. */
	retry: 'any' | 'reads' | 'none';
	/** Whether the service may have done all the same what was asked of it. */
	mayHaveBeenDone: boolean;
}

export type Failure = Facts &
	(
		| { kind: 'response'; response: HttpResponse; retryAfterMs?: number }
		| { kind: 'connection'; problem: ConnectionProblem; cause: Cause }
		| { kind: 'time limit'; error: TimeLimitError }
		| { kind: 'response too large'; error: ResponseTooLargeError }
		| { kind: 'rate limit too long'; retryAfterMs: number }
	);

/** A request that did not succeed, and will not be tried again. */
export class RequestError extends Error {
	constructor(readonly failure: Failure) {
		super('The request did not succeed');
	}
}

/** What a response that is not a definitive success says (interface.md §7: only 2xx count as done). */
export function failedResponse(response: HttpResponse): Failure {
	return {
		kind: 'response',
		response,
		retryAfterMs: retryAfterMs(response),
		retry: retryAfter(response),
		mayHaveBeenDone: !isRefusal(response.statusCode),
	};
}

/** Whether no connection was made. */
export function isUnreached(failure: Failure): boolean {
	return failure.kind === 'connection' && failure.problem === 'not reached';
}

function isRefusal(status: number): boolean {
	return status >= 300 && status < 500 && status !== 408;
}

function retryAfter(response: HttpResponse): Facts['retry'] {
	const { statusCode: status } = response;
	if (status === 429) return 'any';
	// What the server does not implement it will not do the next time either.
	if ((status >= 300 && status < 400) || status === 501) return 'none';
	// A proxy's page may be gone the next time, whatever its status.
	if (isWebPage(response) && status !== 413) return 'reads';
	return isRefusal(status) ? 'none' : 'reads';
}

/**
 * What an error says that ended a request in place of a response.
 * @param isBodyWhole whether all of the request's body was handed over; if not, nothing was done
 */
export function failedConnection(error: unknown, isBodyWhole: boolean): Failure {
	if (error instanceof ResponseTooLargeError) {
		return { kind: 'response too large', error, retry: 'none', mayHaveBeenDone: true };
	}
	const facts: Facts = isBodyWhole
		? { retry: 'reads', mayHaveBeenDone: true }
		: { retry: 'any', mayHaveBeenDone: false };
	if (error instanceof TimeLimitError) return { kind: 'time limit', error, ...facts };
	const cause = lowestCause(error);
	const problem = connectionProblem(cause);
	const connection = { kind: 'connection', problem, cause } as const;
	switch (problem) {
		case 'broken':
			return { ...connection, ...facts };
		case 'file not kept':
			return { ...connection, retry: 'none', mayHaveBeenDone: isBodyWhole };
		case 'unknown':
			return { ...connection, retry: 'none', mayHaveBeenDone: true };
		case 'not reached':
			return { ...connection, retry: 'any', mayHaveBeenDone: false };
		default:
			return { ...connection, retry: 'none', mayHaveBeenDone: false };
	}
}
