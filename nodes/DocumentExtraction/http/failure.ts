/** The facts of a failed request: why it failed, whether to retry it, whether it may have been processed. */
import { NodeApiError } from 'n8n-workflow';

import { isWebPage, retryAfterMs, ResponseTooLargeError, type HttpResponse } from './response';
import { TimeLimitError } from './transfer';

/** Why there is no response, or none that can be read. */
export type Problem =
	| 'certificate not trusted'
	| 'not reached'
	| 'file not kept'
	| 'broken'
	| 'cut short'
	| 'response too large'
	| 'other';

export type Failure = {
	/** Which requests may be sent again: all, only those that change nothing, or none. */
	retry: 'any' | 'reads' | 'none';
	/** Whether the service may have processed the request all the same. */
	mayHaveBeenDone: boolean;
	/** `Retry-After`, in ms. */
	retryAfterMs?: number;
} & (
	| { kind: 'response'; response: HttpResponse }
	| ({ kind: 'time limit' } & Pick<TimeLimitError, 'phase' | 'limitMs'>)
	| {
			kind: Problem;
			/** Of the system, e.g. ECONNREFUSED; empty where there is none. */
			code: string;
			/** What it says. */
			text: string;
	  }
);

/** A request that failed and is not retried. */
export class RequestError extends Error {
	constructor(readonly failure: Failure) {
		super('The request did not succeed');
	}
}

/**
 * A response that is not a definitive success; only 2xx count as done (interface.md §7).
 * @param isBodyWhole whether the whole body was sent; if not, the service cannot have processed the request
 */
export function failedResponse(response: HttpResponse, isBodyWhole: boolean): Failure {
	const retry = retryable(response);
	return {
		kind: 'response',
		response,
		retryAfterMs: retryAfterMs(response),
		retry: retry === 'reads' && !isBodyWhole ? 'any' : retry,
		mayHaveBeenDone: isBodyWhole && !response.isFromProxy && !isRefusal(response.statusCode),
	};
}

/** Whether the request was certainly not processed. Of redirects, only these ask to repeat it elsewhere. */
function isRefusal(status: number): boolean {
	return [301, 307, 308].includes(status) || (status >= 400 && status < 500 && status !== 408);
}

function retryable(response: HttpResponse): Failure['retry'] {
	const { statusCode: status, isFromProxy = false } = response;
	if (status === 429) return 'any';
	// 501: a method that is not implemented now will not be implemented a second later.
	// 407: nor does a proxy let through later what it does not now.
	if ((status >= 300 && status < 400) || status === 501 || status === 407) return 'none';
	if (isFromProxy) return status >= 500 || status === 408 ? 'any' : 'none';
	// A proxy's error page may be gone the next time, whatever its status.
	if (isWebPage(response) && status !== 413) return 'reads';
	return isRefusal(status) ? 'none' : 'reads';
}

/** A success that came while the file was still being sent: the server cannot have the whole file. */
export const CUT_SHORT: Failure = {
	kind: 'cut short',
	code: '',
	text: '',
	retry: 'reads',
	mayHaveBeenDone: true,
};

/**
 * An error that ended a request in place of a response.
 * @param isBodyWhole whether the whole body was sent; if not, the service cannot have processed the request
 */
export function failedConnection(error: unknown, isBodyWhole: boolean): Failure {
	const { syscall, ...cause } = causeOf(error);
	const { code, text } = cause;
	const undone = { ...cause, mayHaveBeenDone: false };
	const cut = { retry: isBodyWhole ? 'reads' : 'any', mayHaveBeenDone: isBodyWhole } as const;
	if (error instanceof TimeLimitError) {
		return { kind: 'time limit', phase: error.phase, limitMs: error.limitMs, ...cut };
	}
	if (error instanceof ResponseTooLargeError) {
		return { kind: 'response too large', ...cause, retry: 'none', mayHaveBeenDone: true };
	}
	if (NO_TUNNEL.test(text)) return { kind: 'not reached', retry: 'any', ...undone };
	if (code === '') return { kind: 'other', ...cause, retry: 'none', mayHaveBeenDone: true };
	if (NEVER_SENT.test(code)) return { kind: 'other', retry: 'none', ...undone };
	if (TLS_BROKE.test(code)) return { kind: 'broken', ...cause, ...cut };
	if (CERTIFICATE.test(code)) return { kind: 'certificate not trusted', retry: 'none', ...undone };
	if (NEVER_CONNECTED.has(code) || syscall === 'connect') {
		return { kind: 'not reached', retry: 'any', ...undone };
	}
	if (OWN_STORAGE.has(code)) {
		return { kind: 'file not kept', ...cause, retry: 'none', mayHaveBeenDone: isBodyWhole };
	}
	return { kind: 'broken', ...cause, ...cut };
}

/** Node.js refuses to send a malformed request, and n8n's SSRF protection one to a forbidden address. */
const NEVER_SENT = /^ERR_(INVALID|UNESCAPED|HTTP_INVALID)|^SsrfBlocked/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
/** What OpenSSL reports once nothing waits to be sent any more: everything may have arrived. */
const TLS_BROKE = /^ERR_SSL/;
/** A proxy hung up in place of making a connection; the library that n8n uses gives this error no code. */
const NO_TUNNEL = /^Proxy connection ended before receiving CONNECT response/;
/** Errors of n8n's own disk or binary storage while a file is read or saved. */
const OWN_STORAGE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'ENOENT', 'EMFILE', 'EIO']);
/**
 * EPROTO: while a TLS handshake fails, what is to be sent still waits for its end, and Node.js reports the
 * failure of that write.
 */
const NEVER_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EADDRNOTAVAIL',
	'EPROTO',
]);

/** The error of the operating system or OpenSSL, which axios and n8n wrap in their own. */
function causeOf(error: unknown): { code: string; text: string; syscall?: string } {
	const chain: NodeJS.ErrnoException[] = [];
	for (let one = error; one instanceof Error && chain.length < 6; ) {
		chain.push(one);
		// If several addresses were tried, the first one's error.
		one = one instanceof AggregateError ? (one.errors as unknown[])[0] : one.cause;
	}
	const blocked = chain.find(({ name }) => name.startsWith('SsrfBlocked'));
	const coded = chain.find(({ code }) => typeof code === 'string');
	return {
		code: blocked?.name ?? coded?.code ?? codeKeptBy(error),
		syscall: chain.find(({ syscall }) => typeof syscall === 'string')?.syscall,
		text: coded?.message ?? messageOf(error),
	};
}

/**
 * n8n 1 drops the cause of its error and keeps its code where others have a response's status. A real
 * status there means that the response broke off, as n8n is told not to throw for statuses.
 */
function codeKeptBy(error: unknown): string {
	if (!(error instanceof NodeApiError) || !error.httpCode) return '';
	return /^\d/.test(error.httpCode) ? 'ERR_BAD_RESPONSE' : error.httpCode;
}

/** n8n replaces the message of an error by its own and moves the original to the description. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { description } = error as { description?: string | null };
	return [error.message, description].filter(Boolean).join(': ');
}
