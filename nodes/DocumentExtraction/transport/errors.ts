import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, JsonObject } from 'n8n-workflow';

import { API_DETAILS, type ApiDetail } from '../api/details/labels';
import type { Connection, Context } from './connection';
import { LONGEST_RETRY_AFTER_MS } from './pacing';

/** An answer as it came over the wire, before anybody trusts it. */
export interface RawAnswer {
	statusCode: number;
	headers: { [name: string]: string | string[] | undefined };
	text: string;
}

/** What an error has to know about the call that it speaks of. */
export interface CallNature {
	/** Whether the call changes something at the service. */
	isWrite: boolean;
	/** The operation that shows whether a write was done, e.g. `Document › Get Many`. */
	shownBy?: string;
	/** The API Details that say how to make this call. */
	madeFrom?: ApiDetail[];
	/** Who should have answered, where it is not the service itself. */
	peer?: 'storage';
}

/** A call that failed, and when it may be repeated without doing anything twice. */
export interface CallFailure {
	error: NodeApiError;
	/** `always`: certainly not done; `reads`: only what changes nothing; `never`: it would fail again. */
	repeat: 'always' | 'reads' | 'never';
	/** How long the service asks to be left alone, in ms. */
	retryAfterMs?: number;
	isRateLimit?: boolean;
}

interface Explanation {
	message: string;
	description: string;
	repeat: CallFailure['repeat'];
	failure?: NodeApiError['failure'];
}

const MAX_SERVICE_TEXT = 600;

/** Refusals that a call which was made wrongly meets, too. */
const PERHAPS_MADE_WRONGLY = new Set([400, 404, 405, 415, 422]);

/** Fields of requests as the node's panel names them (interface.md §4). */
const FIELD_LABELS = new Map<unknown, string>([
	['workflow_id', 'Workflow ID'],
	['document_id', 'Document ID'],
	['document_ids', 'Document IDs'],
	['collection_id', 'Collection'],
	['collection_name', 'Collection'],
	['column_ids', 'Column Names or IDs'],
	['force', 'Force'],
	['label_order', 'Label Order'],
	['page', 'Page'],
	['limit', 'Limit'],
]);
/** What a `loc` begins with: the part of the request that the field stands in. */
const PLACES = new Set<unknown>(['body', 'query', 'path']);

/** Codes that only a connection that was never made has: nothing can have been done. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);
/** Codes that an established connection may end with as well; the system call tells them apart. */
const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);
export const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
/** Node refuses to send a request that is malformed. */
const NEVER_SENT_CODE = /^ERR_(INVALID|UNESCAPED|HTTP_INVALID)/;

/** n8n renders descriptions as HTML: no text that others wrote may bring markup along. */
export function withoutMarkup(text: string): string {
	return text
		.replace(/</g, '‹')
		.replace(/>/g, '›')
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
}

/** Text of the service, fit to be shown: no key, no query of a URL, which may be signed, no markup, bounded. */
export function harmless(text: string, key?: string): string {
	const safe = withoutMarkup(
		text
			.slice(0, 20 * MAX_SERVICE_TEXT)
			.replaceAll(key || '\0', '***')
			.replace(/Bearer\s+\S+/gi, 'Bearer ***')
			.replace(/(\?|%3f)[^\s"'<>]*?(=|%3d)[^\s"'<>]*/gi, '?…'),
	);
	return safe.length > MAX_SERVICE_TEXT ? `${safe.slice(0, MAX_SERVICE_TEXT)}…` : safe;
}

export function header(answer: RawAnswer, name: string): string | undefined {
	const value = answer.headers[name];
	return Array.isArray(value) ? value[0] : value;
}

/** The parsed JSON, or undefined where the text is none. */
export function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

export function hasSuccessStatus({ statusCode }: Pick<RawAnswer, 'statusCode'>): boolean {
	return statusCode >= 200 && statusCode < 300;
}

export function isWebPage(answer: RawAnswer): boolean {
	return (
		/text\/html|application\/xhtml/i.test(header(answer, 'content-type') ?? '') ||
		/^\s*<(!doctype html|html)/i.test(answer.text.slice(0, 1000))
	);
}

/** Builds the error for an answer that is not a definitive success. */
export function failedAnswer(
	context: Context,
	connection: Connection,
	call: CallNature,
	answer: RawAnswer,
): CallFailure {
	const explanation = explainAnswer(connection, call, answer);
	const retryAfterMs = retryAfter(answer);
	const isRateLimit = answer.statusCode === 429;
	return {
		repeat: explanation.repeat,
		retryAfterMs,
		isRateLimit,
		error: apiError(context, connection, {
			...explanation,
			failure: isRateLimit ? { cause: 'rate-limited', retryAfterMs } : explanation.failure,
			description: withOutcome(explanation, call, answer.statusCode) + orWrongly(call, answer),
			statusCode: answer.statusCode,
		}),
	};
}

/**
 * Builds the error for a call that got no answer at all.
 * @param isUndone the request certainly did not arrive whole
 */
export function failedConnection(
	context: Context,
	connection: Connection,
	call: CallNature,
	cause: unknown,
	isUndone = false,
): CallFailure {
	const explanation = explainConnection(connection, call, cause);
	if (isUndone && explanation.repeat === 'reads') explanation.repeat = 'always';
	return {
		repeat: explanation.repeat,
		error: apiError(context, connection, {
			...explanation,
			description: withOutcome(explanation, call),
		}),
	};
}

/**
 * The one place that makes errors of calls. The message is only ever ours: n8n replaces a message
 * that happens to contain a code such as EPERM, even inside a word (n8n-workflow, node.error.js).
 */
export function apiError(
	context: Context,
	connection: Pick<Connection, 'itemIndex'>,
	about: {
		message: string;
		description: string;
		statusCode?: number;
		failure?: NodeApiError['failure'];
		details?: IDataObject;
	},
): NodeApiError {
	const error = new NodeApiError(context.getNode(), {} as JsonObject, {
		message: about.message,
		description: withoutMarkup(about.description),
		httpCode: about.statusCode?.toString(),
		itemIndex: connection.itemIndex,
		failure: about.failure,
	});
	if (about.details) error.context.details = about.details;
	return error;
}

/** Says what was done before the error, so that nobody does it again. */
export function withNote(error: unknown, note: string): Error {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.description = `${error.description ?? ''} ${note}`.trim();
	}
	return error as Error;
}

function explainAnswer(
	{ credential, workflowId }: Connection,
	call: CallNature,
	answer: RawAnswer,
): Explanation {
	const status = answer.statusCode;
	const said = serviceText(answer, credential.apiKey);
	const sentence = (advice: string) => (said ? `${advice} It says: ${ended(said)}` : advice);
	const peer = call.peer ?? 'service';

	if (status >= 300 && status < 400) {
		const target = header(answer, 'location') ?? '';
		const advice =
			peer === 'service'
				? `, so that the API key stays with the 'Base URL' of the credential. The new address is ${harmless(target) || 'not given'}. Check 'Base URL' and the endpoints in the API Details.`
				: '. Ask for the URL of its final address in your account.';
		return {
			message: `The ${peer} redirects the request to another address (${status})`,
			description: `The node does not follow${advice}`,
			repeat: 'never',
		};
	}
	if (isWebPage(answer)) {
		const title = /<title[^>]*>([^<]*)/i.exec(answer.text.slice(0, 20_000))?.[1];
		const tooLarge = status === 413 ? ' The file is probably larger than it lets through.' : '';
		const orElse = peer === 'service' ? ", or from a wrong 'Base URL' in the credential" : '';
		return {
			message: `A web page answered instead of the ${peer} (${status})`,
			description: `${title ? `Its title is “${harmless(title, credential.apiKey)}”. ` : ''}It usually comes from a proxy or firewall between n8n and the ${peer}${orElse}.${tooLarge}`,
			repeat: status === 429 ? 'always' : 'reads',
		};
	}
	if (call.peer === 'storage') return explainStorage(status, said);
	if (status < 300) {
		return {
			message: `The answer of the service is incomplete or not in the expected form (${status})`,
			description: sentence(
				answer.text
					? 'It should be JSON, but cannot be read as JSON.'
					: 'It should be JSON, but it is empty.',
			),
			repeat: 'reads',
		};
	}
	switch (status) {
		case 401:
		case 403:
			return {
				message: `The service refused the API key (${status})`,
				description: sentence(
					`The credential uses a ${credential.environment} key with workflow '${harmless(workflowId)}'. Check that the key is complete, not revoked, belongs to the environment of this workflow, and has the scope that this operation needs.`,
				),
				repeat: 'never',
				failure: status === 401 ? { cause: 'credential-invalid' } : undefined,
			};
		case 404:
			return {
				message: 'The service does not know what the request names (404)',
				description: sentence(
					`Check that workflow '${harmless(workflowId)}' exists in the ${credential.environment} environment (test and live workflows have different IDs), and the IDs of documents and collections that you entered.`,
				),
				repeat: 'never',
			};
		case 408:
			return {
				message: 'The service stopped waiting for the request (408)',
				description: sentence('The connection may be slow. Try again later.'),
				repeat: 'reads',
			};
		case 413:
			return {
				message: 'The file is too large for this way of uploading (413)',
				description: sentence("Set 'Upload Method' to Signed URL, which is made for large files."),
				repeat: 'never',
			};
		case 422:
			return {
				message: 'The service found values that it does not accept (422)',
				description: `${ended(said || 'It does not say which')} Check these fields of the node.`,
				repeat: 'never',
			};
		case 429:
			return {
				message: 'The service received too many requests (429)',
				description: sentence(tooManyRequests(retryAfter(answer))),
				repeat: 'always',
			};
	}
	if (status >= 500) {
		return {
			message: `The service could not handle the request (${status})`,
			description: sentence('This is usually temporary. Try again later.'),
			repeat: 'reads',
			failure: status === 503 ? { cause: 'temporarily-unavailable' } : undefined,
		};
	}
	return {
		message: `The service did not accept the request (${status})`,
		description: sentence('Check the fields of this node.'),
		repeat: 'never',
	};
}

function tooManyRequests(retryAfterMs = 0): string {
	const advice = "Lower 'Max Concurrency' in the options, or run fewer workflows at the same time.";
	return retryAfterMs > LONGEST_RETRY_AFTER_MS
		? `It asks to be left alone for ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits. ${advice}`
		: `The node waited and tried again, but the limit was still exceeded. ${advice}`;
}

function explainStorage(status: number, said: string): Explanation {
	const quote = said ? ` The storage says: ${ended(said)}` : '';
	if (status < 300) {
		return {
			message: `The answer of the storage is not a file (${status})`,
			description: `Check which field of the answer holds the URL of the file.${quote}`,
			repeat: 'reads',
		};
	}
	if (status === 429 || status === 408 || (status >= 500 && status !== 501)) {
		return {
			message: `The storage could not handle the request (${status})`,
			description: `This is usually temporary. Try again later.${quote}`,
			repeat: status === 429 ? 'always' : 'reads',
		};
	}
	return {
		message: `The storage refused the signed URL (${status})`,
		description: `It may have expired or been used already, or it was made for a file of another type or size.${quote}`,
		repeat: 'never',
	};
}

function explainConnection(
	{ address, credential }: Connection,
	call: CallNature,
	cause: unknown,
): Explanation {
	const { code, syscall, message } = lowestCause(cause);
	const peer = call.peer === 'storage' ? 'The storage' : 'The service';
	const where = call.peer === 'storage' ? 'the storage' : address;
	if (code && NEVER_SENT_CODE.test(code)) {
		return {
			message: 'The request was not sent',
			description: harmless(message, credential.apiKey),
			repeat: 'never',
		};
	}
	if (!code) {
		return {
			message: `The request to ${peer.toLowerCase()} did not succeed`,
			description: ended(harmless(message, credential.apiKey)),
			repeat: call.isWrite ? 'reads' : 'never',
		};
	}
	if (CERTIFICATE_CODE.test(code)) {
		return {
			message: `${peer} has a certificate that n8n does not trust`,
			description: `The connection to ${where} was not made (${code}). If the certificate is your own, add its authority to n8n with NODE_EXTRA_CA_CERTS.`,
			repeat: 'never',
		};
	}
	if (NEVER_CONNECTED.has(code) || (UNREACHABLE.has(code) && syscall === 'connect')) {
		return {
			message: `${peer} cannot be reached`,
			description: `No connection to ${where} could be made (${code}). Check 'Base URL' in the credential, and that n8n's network lets it through.`,
			repeat: 'always',
		};
	}
	return {
		message: `The connection broke before ${peer.toLowerCase()} answered`,
		description: `The connection to ${where} ended too early (${code}).`,
		repeat: 'reads',
	};
}

const OUTCOME_UNKNOWN = 'The outcome is unknown: the service may have done it all the same.';

/** Whether a write that failed may have been done all the same. */
export function isOutcomeUnknown(error: Error): boolean {
	return error instanceof NodeApiError && !!error.description?.includes(OUTCOME_UNKNOWN);
}

/** Says of a write that may or may not have been done how to find out, so that nobody does it twice. */
function withOutcome(explanation: Explanation, call: CallNature, statusCode = 0): string {
	const isRefusal = statusCode >= 300 && statusCode < 500 && statusCode !== 408;
	if (!call.shownBy || explanation.repeat !== 'reads' || isRefusal) return explanation.description;
	return `${explanation.description} ${OUTCOME_UNKNOWN} Before you repeat it, look with ${call.shownBy}.`;
}

/** Names the API Details that the call was made from, where they may be why it was refused. */
function orWrongly({ madeFrom = [] }: CallNature, answer: RawAnswer): string {
	const isInDoubt = PERHAPS_MADE_WRONGLY.has(answer.statusCode) && !isWebPage(answer);
	if (madeFrom.length === 0 || !isInDoubt) return '';
	const labels = madeFrom.map((detail) => `'${API_DETAILS[detail].label}'`).join(' and ');
	return ` Check in the credential, too, the API Detail${madeFrom.length > 1 ? 's' : ''} ${labels}.`;
}

/** A text that ends as a sentence does, so that another may follow. */
function ended(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/**
 * The service's own reason: `detail`, the entries of a 422 under whatever name, or the raw text. Of
 * an object storage's XML only Code and Message: the rest may hold the signature.
 */
function serviceText(answer: RawAnswer, key: string): string {
	const body = parsedJson(answer.text);
	const xml = ['Code', 'Message'].flatMap(
		(name) => new RegExp(`<${name}>([^<]*)<`).exec(answer.text.slice(0, 20_000))?.[1] ?? [],
	);
	if (xml.length > 0) return harmless(xml.join(': '), key);
	if (body === undefined) return harmless(answer.text, key);
	if (body === null) return '';
	const entries = validationEntries(body);
	if (entries.length > 0) {
		return harmless(entries.map(({ loc, msg }) => `${location(loc)}: ${msg}`).join('. '), key);
	}
	const { detail } = body as IDataObject;
	return harmless(typeof detail === 'string' ? detail : JSON.stringify(body), key);
}

interface ValidationEntry {
	loc: Array<string | number>;
	msg: string;
}

function isValidationEntry(value: unknown): value is ValidationEntry {
	const entry = value as Partial<ValidationEntry> | null;
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc);
}

/** The entries of a 422, found by their shape: the field that holds them is not shown (§7). */
function validationEntries(body: unknown, depth = 0): ValidationEntry[] {
	if (Array.isArray(body)) return body.filter(isValidationEntry);
	if (body === null || typeof body !== 'object' || depth > 4) return [];
	return Object.values(body).flatMap((value) => validationEntries(value, depth + 1));
}

/** `["body", "document_ids", 2]` → `Document IDs, entry 3`. */
function location(loc: Array<string | number>): string {
	const steps = PLACES.has(loc[0]) ? loc.slice(1) : loc;
	return (
		steps
			.map((step) =>
				typeof step === 'number' ? `entry ${step + 1}` : (FIELD_LABELS.get(step) ?? String(step)),
			)
			.join(', ') || 'Request'
	);
}

/** `Retry-After` in ms, given in seconds or as a date (RFC 9110 §10.2.3). */
function retryAfter(answer: RawAnswer): number | undefined {
	const value = header(answer, 'retry-after')?.trim();
	if (!value) return undefined;
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The system's or TLS's code under n8n's and axios's wrappings, and the system call that it ended. */
export function lowestCause(error: unknown): { code?: string; syscall?: string; message: string } {
	const chain = causesOf(error);
	const coded = chain.find(({ code }) => typeof code === 'string');
	return {
		code: coded?.code ?? codeKeptBy(error),
		syscall: chain.find(({ syscall }) => typeof syscall === 'string')?.syscall,
		message: coded?.message ?? (error instanceof Error ? error.message : String(error)),
	};
}

/**
 * n8n 1 loses the cause of its error, and keeps the code where the status of an answer would be. A
 * status there is that of an answer that broke off: no other one makes n8n throw.
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
