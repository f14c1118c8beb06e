/** One request, from its turn to its outcome: limiter → send → read → why it failed → retry. */
import {
	NodeApiError,
	type IDataObject,
	type IHttpRequestMethods,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { pause } from './concurrency';
import {
	backoffMs,
	limiterFor,
	LimitTooLong,
	LONGEST_RETRY_AFTER_MS,
	type RateSigns,
} from './limiter';
import {
	isWebPage,
	rateSigns,
	ResponseTooLargeError,
	retryAfterMs,
	type HttpResponse,
} from './response';
import {
	type ByteStream,
	SLOWEST_BYTES_PER_MS,
	TimeLimitError,
	Transfer,
	type Payload,
	type PayloadFactory,
} from './transfer';

/** No try begins later than this after the first one, in ms, in addition to the time for its bytes. */
const LONGEST_TIME_MS = 300_000;

/**
 * The node handles every status itself, as n8n's errors hide the service's reason, and n8n sends a
 * request again after a 401. With redirects, n8n would buffer the body and send the key along. n8n's
 * time limit includes the time for sending the body; the node's own limits do not.
 */
const SEND_OPTIONS = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	encoding: 'stream',
	timeout: 0,
} satisfies Partial<IHttpRequestOptions>;

export interface HttpRequest<T> {
	method: IHttpRequestMethods;
	/** Where it goes, asked for in each try when it is its turn, with headers that belong to the address. */
	target: () => Promise<{ url: string; headers?: IDataObject }>;
	/** Makes the body, anew for each try: a stream can be read only once. */
	payload: PayloadFactory;
	/** Sends it with one of n8n's helpers, which ends at this signal. */
	send: (options: IHttpRequestOptions, signal: AbortSignal) => Promise<IN8nHttpFullResponse>;
	/** Reads the response; only a definitive success has a value. */
	read: (incoming: IN8nHttpFullResponse, transfer: Transfer) => Promise<ReadResponse<T>>;
	/** Whether the request changes something. */
	isWrite: boolean;
	/** The size of the file that it carries, in bytes. */
	size?: number;
}

export interface ReadResponse<T> {
	response: HttpResponse;
	success?: { value: T };
}

export interface RequestOptions {
	/** Requests with the same key share a rate limit. */
	limiterKey: string;
	/** The execution. */
	owner: object;
	maxConcurrency: number;
	/** How often a request is tried, not counting tries that a rate limit refused. */
	maxTries: number;
	stop: AbortSignal | undefined;
	/** How long a try may take altogether, in ms; undefined for as long as bytes move. */
	patienceMs?: number;
}

/** Why there is no response, or none that can be read. */
export type Problem =
	| 'certificate not trusted'
	| 'not reached'
	| 'file not kept'
	| 'broken'
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

type Attempt<T> = { value: T; failure?: undefined } | { failure: Failure };

/**
 * Makes a request, and retries it where that cannot do anything twice.
 * @throws RequestError with the facts of the last failure; the signal's reason after Stop
 */
export async function makeRequest<T>(options: RequestOptions, request: HttpRequest<T>): Promise<T> {
	const { limiterKey, owner, maxConcurrency, maxTries, stop } = options;
	const { isWrite, size = 0 } = request;
	let startedAt: number | undefined;
	/** When the present row of refusals began: an upload may take longer than they are waited for. */
	let refusedAt: number | undefined;
	let failures = 0;
	let last: Failure | undefined;
	for (;;) {
		const turn = { owner, maxConcurrency, isRepeat: last !== undefined, signal: stop };
		// The limiter of the moment: it may have been forgotten while the request paused.
		const attempt = await limiterFor(limiterKey)
			.run(turn, async () => {
				startedAt ??= performance.now();
				return await tryOnce(request, options);
			})
			.catch((error: unknown) => {
				if (error instanceof LimitTooLong) throw new RequestError(notSent(error, last));
				throw error;
			});
		if (!attempt.failure) return attempt.value;
		last = attempt.failure;
		const now = performance.now();
		// After a 429 the limiter holds everybody back; other failures concern this request alone.
		const isLimited = statusOf(last) === 429;
		refusedAt = isLimited ? (refusedAt ?? now) : undefined;
		if (!isLimited) failures++;
		const waitMs = isLimited ? 0 : backoffMs(last.retryAfterMs ?? 0, failures);
		const passedMs = now - (refusedAt ?? startedAt ?? now) - size / SLOWEST_BYTES_PER_MS;
		// One request probes a rate limit for all others, perhaps for minutes: only time bounds its tries.
		const isLast = failures >= maxTries || passedMs + waitMs > LONGEST_TIME_MS;
		if (isLast || !mayBeSentAgain(last, isWrite)) throw new RequestError(last);
		await pause(waitMs, stop);
	}
}

const statusOf = (failure: Failure | undefined) =>
	failure?.kind === 'response' ? failure.response.statusCode : undefined;

/** A write is sent again only where it certainly was not done (interface.md §7). */
function mayBeSentAgain({ retry, retryAfterMs = 0 }: Failure, isWrite: boolean): boolean {
	if (retry === 'none' || (retry === 'reads' && isWrite)) return false;
	return retryAfterMs <= LONGEST_RETRY_AFTER_MS;
}

async function tryOnce<T>(
	request: HttpRequest<T>,
	{ stop, patienceMs }: RequestOptions,
): Promise<{ result: Attempt<T>; signs?: RateSigns }> {
	const transfer = new Transfer(stop, patienceMs);
	let payload: Payload | undefined;
	try {
		const target = await request.target();
		payload = await request.payload(transfer);
		const { signal } = transfer;
		const options: IHttpRequestOptions = {
			...SEND_OPTIONS,
			method: request.method,
			url: target.url,
			headers: { ...payload.headers, ...target.headers },
			...(payload.body === undefined ? {} : { body: payload.body }),
			abortSignal: signal,
		};
		const incoming = await request.send(options, signal);
		const notConnected = refusalOfProxy(target.url, incoming);
		if (notConnected) return { result: { failure: notConnected } };
		const { response, success } = await request.read(incoming, transfer);
		const signs = { ...rateSigns(response), isSuccess: success !== undefined };
		const isWhole = payload.isWhole();
		if (success) return { result: isWhole ? success : { failure: CUT_SHORT }, signs };
		return { result: { failure: failedResponse(response, isWhole) }, signs };
	} catch (error) {
		stop?.throwIfAborted();
		const cause = transfer.error() ?? error;
		// What a request is made of, e.g. an upload URL, may be missing for reasons of its own.
		if (!payload && !(cause instanceof TimeLimitError)) throw cause;
		return { result: { failure: failedConnection(cause, payload?.isWhole() ?? false) } };
	} finally {
		payload?.discard();
		transfer.end();
	}
}

/** What n8n 1 hands on of a response, if that is the response itself. */
type ProxyResponse = ByteStream & { socket?: { encrypted?: boolean } };

/**
 * The failure of an https request to which a proxy has responded in place of making the connection: its
 * response did not come through TLS. Unknown where n8n hands on a copy of the response, as n8n 2.41 does.
 */
function refusalOfProxy(url: string, incoming: IN8nHttpFullResponse): Failure | undefined {
	const { body, statusCode } = incoming as { body: ProxyResponse | null; statusCode: number };
	const isFromServer = !body?.socket || body.socket.encrypted || !url.startsWith('https:');
	// A password that is missing is named as such.
	if (isFromServer || statusCode === 407) return undefined;
	body.destroy();
	const code = `${statusCode} from a proxy`;
	return { kind: 'not reached', code, text: '', retry: 'any', mayHaveBeenDone: false };
}

/** The failure of a request that the limiter did not send; with the last response, if that was a 429. */
function notSent({ retryAfterMs }: LimitTooLong, last: Failure | undefined): Failure {
	const wasRefused = last?.kind === 'response' && last.response.statusCode === 429;
	const response = wasRefused ? last.response : { statusCode: 429, headers: {}, text: '' };
	return { ...failedResponse(response, false), retryAfterMs };
}

/**
 * A response that is not a definitive success; only 2xx count as done (interface.md §7).
 * @param isBodyWhole whether the whole body was sent; if not, the service cannot have processed the request
 */
function failedResponse(response: HttpResponse, isBodyWhole: boolean): Failure {
	const retry = retryable(response);
	return {
		kind: 'response',
		response,
		retryAfterMs: retryAfterMs(response),
		retry: retry === 'reads' && !isBodyWhole ? 'any' : retry,
		mayHaveBeenDone: isBodyWhole && !isRefusal(response.statusCode),
	};
}

/** Whether the request was certainly not processed. Of redirects, only these ask to repeat it elsewhere. */
function isRefusal(status: number): boolean {
	return [301, 307, 308].includes(status) || (status >= 400 && status < 500 && status !== 408);
}

function retryable(response: HttpResponse): Failure['retry'] {
	const { statusCode: status } = response;
	if (status === 429) return 'any';
	// A method that is not implemented now will not be implemented a second later; a proxy neither.
	if ((status >= 300 && status < 400) || [407, 413, 501].includes(status)) return 'none';
	// A proxy's error page may be gone the next time, whatever its status.
	return isRefusal(status) && !isWebPage(response) ? 'none' : 'reads';
}

/** A success that came while the file was still being sent: the server cannot have the whole file. */
const CUT_SHORT: Failure = {
	kind: 'broken',
	code: 'response before the whole file was sent',
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
