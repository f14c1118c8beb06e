/** What lies under the errors that n8n and its HTTP client wrap around each other. */
import { NodeApiError } from 'n8n-workflow';

/** The error of the system or of TLS. */
export interface Cause {
	code?: string;
	/** The system call that it ended. */
	syscall?: string;
	message: string;
}

/** Codes that only a connection that was never made has: nothing can have been done. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);
/** Codes that an established connection may end with as well; the system call tells them apart. */
const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
/** `https://` to a port that speaks http, and what OpenSSL says of other mismatches. */
const TLS_HANDSHAKE = /^(EPROTO|ERR_SSL)/;
/** What n8n's own disk or binary storage fails with, while a file is read or kept. */
const OWN_STORAGE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'ENOENT', 'EMFILE', 'EIO']);
/** Node refuses to send a request that is malformed. */
const NEVER_SENT = /^ERR_(INVALID|UNESCAPED|HTTP_INVALID)/;

export type ConnectionProblem =
	| 'not sent'
	| 'certificate not trusted'
	| 'no TLS'
	| 'not reached'
	| 'file not kept'
	| 'broken'
	| 'unknown';

/** What a connection ended with; `broken`, `file not kept` and `unknown` can have reached the service. */
export function connectionProblem({ code, syscall }: Cause): ConnectionProblem {
	if (!code) return 'unknown';
	if (NEVER_SENT.test(code)) return 'not sent';
	if (CERTIFICATE.test(code)) return 'certificate not trusted';
	if (TLS_HANDSHAKE.test(code)) return 'no TLS';
	if (OWN_STORAGE.has(code)) return 'file not kept';
	if (NEVER_CONNECTED.has(code)) return 'not reached';
	return UNREACHABLE.has(code) && syscall === 'connect' ? 'not reached' : 'broken';
}

/** The system's or TLS's error under n8n's and axios's wrappings. */
export function lowestCause(error: unknown): Cause {
	const chain = causesOf(error);
	const coded = chain.find(({ code }) => typeof code === 'string');
	return {
		code: coded?.code ?? codeKeptBy(error),
		syscall: chain.find(({ syscall }) => typeof syscall === 'string')?.syscall,
		message: coded?.message ?? messageOf(error),
	};
}

/** n8n puts a sentence of its own into the message, and what was thrown into the description. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { description } = error as { description?: string | null };
	return [error.message, description].filter(Boolean).join(': ');
}

/**
 * n8n 1 loses the cause of its error, and keeps the code where the status of a response would be. A
 * status there is that of a response that broke off: no other one makes n8n throw.
 */
function codeKeptBy(error: unknown): string | undefined {
	if (!(error instanceof NodeApiError) || !error.httpCode) return undefined;
	return /^\d/.test(error.httpCode) ? 'ERR_BAD_RESPONSE' : error.httpCode;
}

/** An error and what caused it; of several addresses that were tried, the first one's error. */
function causesOf(error: unknown, depth = 0): NodeJS.ErrnoException[] {
	if (!(error instanceof Error) || depth > 5) return [];
	const cause = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause;
	return [error, ...causesOf(cause, depth + 1)];
}
