/** The facts of a failed request: why it failed, whether to retry it, whether it may have been processed. */
import { NodeApiError } from 'n8n-workflow';

import { isWebPage, retryAfterMs, ResponseTooLargeError, type HttpResponse } from './response';
import { TimeLimitError } from './transfer';

interface Facts {
	/** Which requests may be sent again: all, only those that change nothing, or none. */
	retry: 'any' | 'reads' | 'none';
	/** Whether the service may have processed the request all the same. */
	mayHaveBeenDone: boolean;
}

/** Why there is no response, or none that can be read. */
type Problem =
	| 'not sent'
	| 'certificate not trusted'
	| 'no TLS'
	| 'not reached'
	| 'file not kept'
	| 'broken'
	| 'response too large'
	| 'unknown';

export type Failure = Facts &
	(
		| { kind: 'response'; response: HttpResponse; retryAfterMs?: number }
		| { kind: 'rate limit too long'; retryAfterMs: number; lastRefusal?: HttpResponse }
		| { kind: 'time limit'; error: TimeLimitError }
		| { kind: Problem; cause: Cause }
	);

/** A request that failed and is not retried. */
export class RequestError extends Error {
	constructor(readonly failure: Failure) {
		super('The request did not succeed');
	}
}

/** A response that is not a definitive success; only 2xx count as done (interface.md §7). */
export function failedResponse(response: HttpResponse): Failure {
	return {
		kind: 'response',
		response,
		retryAfterMs: retryAfterMs(response),
		retry: retryable(response),
		mayHaveBeenDone: !isRefusal(response.statusCode),
	};
}

/** Whether the service may not be there at all: nothing answers, or another program does, with a page of its own. */
export function mayBeElsewhere(failure: Failure): boolean {
	return (
		failure.kind === 'not reached' ||
		(failure.kind === 'response' &&
			isWebPage(failure.response) &&
			[200, 404, 405].includes(failure.response.statusCode))
	);
}

function isRefusal(status: number): boolean {
	return status >= 300 && status < 500 && status !== 408;
}

function retryable(response: HttpResponse): Facts['retry'] {
	const { statusCode: status } = response;
	if (status === 429) return 'any';
	// 501: a method that is not implemented now will not be implemented a second later.
	// 407: nor does a proxy let through later what it does not now.
	if ((status >= 300 && status < 400) || status === 501 || status === 407) return 'none';
	// A proxy's error page may be gone the next time, whatever its status.
	if (isWebPage(response) && status !== 413) return 'reads';
	return isRefusal(status) ? 'none' : 'reads';
}

/**
 * An error that ended a request in place of a response.
 * @param isBodyWhole whether the whole body was sent; if not, the service cannot have processed the request
 * @param wasReached whether the server has answered before: then a TLS handshake that fails is an accident
 */
export function failedConnection(
	error: unknown,
	isBodyWhole: boolean,
	wasReached = false,
): Failure {
	const interrupted: Facts = isBodyWhole
		? { retry: 'reads', mayHaveBeenDone: true }
		: { retry: 'any', mayHaveBeenDone: false };
	if (error instanceof TimeLimitError) return { kind: 'time limit', error, ...interrupted };
	const cause = lowestCause(error);
	const problem = error instanceof ResponseTooLargeError ? 'response too large' : problemOf(cause);
	const kind = problem === 'no TLS' && wasReached ? 'not reached' : problem;
	switch (kind) {
		case 'broken':
			return { kind, cause, ...interrupted };
		case 'file not kept':
			return { kind, cause, retry: 'none', mayHaveBeenDone: isBodyWhole };
		case 'response too large':
		case 'unknown':
			return { kind, cause, retry: 'none', mayHaveBeenDone: true };
		case 'not reached':
			return { kind, cause, retry: 'any', mayHaveBeenDone: false };
		default:
			return { kind, cause, retry: 'none', mayHaveBeenDone: false };
	}
}

/** Node.js refuses to send a malformed request. */
const NEVER_SENT = /^ERR_(INVALID|UNESCAPED|HTTP_INVALID)/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
/** `https://` to a port that speaks http, and other mismatches that OpenSSL reports. */
const TLS_HANDSHAKE = /^(EPROTO|ERR_SSL)/;
/** Errors of n8n's own disk or binary storage while a file is read or saved. */
const OWN_STORAGE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'ENOENT', 'EMFILE', 'EIO']);
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);
/** These may also end an established connection; the system call tells the two apart. */
const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

function problemOf({ code, syscall, isBlocked }: Cause): Problem {
	if (isBlocked) return 'not sent';
	if (!code) return 'unknown';
	if (NEVER_SENT.test(code)) return 'not sent';
	if (CERTIFICATE.test(code)) return 'certificate not trusted';
	if (TLS_HANDSHAKE.test(code)) return 'no TLS';
	if (OWN_STORAGE.has(code)) return 'file not kept';
	if (NEVER_CONNECTED.has(code)) return 'not reached';
	return UNREACHABLE.has(code) && syscall === 'connect' ? 'not reached' : 'broken';
}

/** The error of the operating system or OpenSSL, which axios and n8n wrap in their own. */
interface Cause {
	code?: string;
	/** The system call that failed. */
	syscall?: string;
	/** n8n's SSRF protection forbids the address. */
	isBlocked: boolean;
	message: string;
}

function lowestCause(error: unknown): Cause {
	const chain = causesOf(error);
	const coded = chain.find(({ code }) => typeof code === 'string');
	return {
		code: coded?.code ?? codeKeptBy(error),
		syscall: chain.find(({ syscall }) => typeof syscall === 'string')?.syscall,
		isBlocked: chain.some(({ name }) => name.startsWith('SsrfBlocked')),
		message: coded?.message ?? messageOf(error),
	};
}

/** An error and its causes; if several addresses were tried, the first one's error. */
function causesOf(error: unknown, depth = 0): NodeJS.ErrnoException[] {
	if (!(error instanceof Error) || depth > 5) return [];
	const cause = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause;
	return [error, ...causesOf(cause, depth + 1)];
}

/**
 * n8n 1 drops the cause of its error and keeps its code where others have a response's status. A real
 * status there means that the response broke off, as n8n is told not to throw for statuses.
 */
function codeKeptBy(error: unknown): string | undefined {
	if (!(error instanceof NodeApiError) || !error.httpCode) return undefined;
	return /^\d/.test(error.httpCode) ? 'ERR_BAD_RESPONSE' : error.httpCode;
}

/** n8n replaces the message of an error by its own and moves the original to the description. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { description } = error as { description?: string | null };
	return [error.message, description].filter(Boolean).join(': ');
}
