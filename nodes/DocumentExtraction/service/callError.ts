/**
 * The facts of a failed call of the service, with the service's own reason in whatever form it is
 * (interface.md §7). `messages/` puts them into words.
 */
import type { Failure, Problem } from '../http/request';
import { nameInMessage, redact, withoutSignedUrls } from '../http/redact';
import {
	hasSuccessStatus,
	header,
	isWebPage,
	parsedJson,
	type HttpResponse,
} from '../http/response';
import type { TimeLimitError } from '../http/transfer';
import type { Client } from './client';
import type { ApiDetail } from '../account/apiDetails';
import { isObject, levelsOf } from '../account/fields';

/** What the service says, safe to show. */
export interface Reason {
	/** Empty where it says nothing, or says it by entries. */
	text: string;
	/** Whether the text is the title of a web page. */
	isTitle?: boolean;
	/** Whether it is said by a response whose status is that of a success. */
	isInSuccess?: boolean;
	/** What a 422 says of each field. */
	entries?: ReasonEntry[];
}

/** Why a value is refused, and its place, e.g. `["body", "document_ids", 2]`. */
interface ReasonEntry {
	loc: Array<string | number>;
	msg: string;
}

/** What was called. */
interface Call {
	/** Which server was called. */
	peer: 'service' | 'storage';
	/** Whether it carries a file. */
	isUpload?: boolean;
	/** The file that it is about. */
	fileName?: string;
	/** The form field that carries the file. */
	fileField?: string;
	/** Whether it names documents or a collection by IDs, which the node has not found itself. */
	usesEnteredIds?: boolean;
	/** What a write changes, which is also where to see whether it was done; undefined for reads. */
	changes?: 'upload' | 'upload URL' | 'confirmation' | 'extraction' | 'merge';
}

/** What failures have in common. All texts are safe to show. */
export interface CommonFacts extends Partial<Call> {
	statusCode?: number;
	/** What the service, or the storage, says itself. */
	reason?: Reason;
	/** Whether the service may have processed the request all the same. */
	isOutcomeUnknown?: boolean;
	/** Whether the same call may succeed later. */
	mayPass?: boolean;
	/** When to try again at the earliest, as the service asks. */
	retryAfterMs?: number;
}

/** A call, and on whose behalf it is made. */
export interface CallContext extends Call {
	client: Client;
	/** The API Details that the call is made from. */
	fromDetails?: ApiDetail[];
}

export interface FailedCall extends Call {
	/** Base URL, without a trailing `/` or `/api/v1`. */
	address: string;
	environment: 'test' | 'live';
	workflowId: string;
	/** The API Details that it was made from, unless all have worked before in this execution. */
	suspects: ApiDetail[];
}

/** What is known besides, by the kind of the failure. */
interface FactsByKind
	extends Record<Exclude<Problem, 'file not kept'>, FailedCall & { code: string; text: string }> {
	response: FailedCall & {
		statusCode: number;
		/** The new address of a redirect; empty where none is given. */
		location: string;
	};
	'time limit': FailedCall & Pick<TimeLimitError, 'phase' | 'limitMs'>;
	/** n8n does not give, or does not take, a file that it keeps. */
	'file not kept': { text: string };
	'no page of results': object;
	/** Pages that are not those of the list; without numbers where rows or whole pages are repeated. */
	'list without pages': { asked?: number; came?: number };
	/** The results that were asked for are those of another document. */
	'another document': { asked: string; came: string };
	'list that changes': object;
	'not the workflow': { workflowId: string };
	/** A response to an upload lacks what the credential names. */
	'lacks field': {
		detail: 'documentIdField' | 'uploadUrlField';
		fileName: string;
		/** The path in the credential. */
		field: string;
		/** The fields that the response has. */
		has: string;
		/** Whether only the file can be to blame: other responses had it, or this one says why it has none. */
		isOnlyHere: boolean;
	};
	/** The status of a document is one of 'Failed Statuses'. */
	'extraction failed': { status?: string; documentId: string };
	/** Waiting ended before the extraction did. */
	'not finished': {
		maxWaitS: number;
		/** Undefined where the whole workflow was waited for. */
		documentId?: string;
		/** The last status that was seen, and whether it is not the document's own. */
		status?: string;
		isOfWorkflow?: boolean;
		/** 'Finished Statuses', where it lacks the status of the document. */
		finished?: string[];
		/** Why it cannot be told: no sign tells, the document has no status, or the workflow never extracted. */
		unclear: 'no sign' | 'no status' | 'idle workflow' | false;
		/** Why the last look failed. */
		lastFailure?: string;
	};
}

export type Kind = keyof FactsByKind;
export type FailureFacts<K extends Kind = Kind> = {
	[One in K]: { kind: One } & CommonFacts & FactsByKind[One];
}[K];

/** A call of the service that failed; the node turns it into one of n8n's errors. */
export class CallError extends Error {
	/** @param about what was called for whom, for the log: users read the words that are made of the facts */
	constructor(
		readonly facts: FailureFacts,
		about = '',
	) {
		super(about === '' ? facts.kind : `${about}: ${facts.kind}`);
	}
}

/** Whether the service, or the storage, has answered with one of these statuses. */
export function hasStatus(error: Error, ...statuses: number[]): boolean {
	return error instanceof CallError && statuses.includes(error.facts.statusCode ?? 0);
}

/** Whether a response was larger than the node reads. */
export function isTooLarge(error: unknown): boolean {
	return error instanceof CallError && error.facts.kind === 'response too large';
}

/** Whether a write that failed may have been done. */
export function isInDoubt(error: Error | undefined): boolean {
	return error instanceof CallError && error.facts.isOutcomeUnknown === true;
}

/** Whether a call that failed may succeed later. */
export function mayPass(error: Error | undefined): boolean {
	return error instanceof CallError && error.facts.mayPass === true;
}

/** The error about a call that failed; its message names who called: `upload, item 2, data, a.pdf`. */
export function callError(call: CallContext, failure: Failure): CallError {
	const { client, fromDetails = [], ...about } = call;
	const { account, workflowId, journal, writer } = client;
	const { retry, mayHaveBeenDone, ...facts } = failure;
	const known = {
		...about,
		address: redact(account.address),
		environment: account.environment,
		workflowId: redact(workflowId),
		suspects: fromDetails.every((detail) => journal.workingDetails.has(detail)) ? [] : fromDetails,
		isOutcomeUnknown: call.changes !== undefined && mayHaveBeenDone,
		mayPass: retry !== 'none',
	};
	const file = call.fileName === undefined ? [] : [nameInMessage(call.fileName)];
	const what = call.changes ?? (call.isUpload ? 'put' : 'read');
	const who = [what, writer, ...file].join(', ');
	if (facts.kind === 'time limit') return new CallError({ ...known, ...facts }, who);
	if (facts.kind !== 'response') {
		const text = redact(facts.text, account.apiKey);
		return new CallError({ ...known, ...facts, text } as FailureFacts<Problem>, who);
	}
	const { response, ...rest } = facts;
	const { statusCode } = response;
	// What a proxy says, the service has not said (RFC 9110 §15.5.8).
	const reason = statusCode === 407 ? undefined : reasonOf(response, account.apiKey);
	const location = redact(header(response, 'location') ?? '');
	return new CallError({ ...known, ...rest, statusCode, reason, location }, who);
}

/** Fields that may hold a sentence about a failure, the most specific first. */
const REASON_FIELDS = ['detail', 'message', 'error_description', 'reason', 'error', 'msg'];
const MOST_REASONS = 20;

/** @param secret the API key, which must not appear */
function reasonOf(response: HttpResponse, secret: string): Reason {
	const start = response.text.slice(0, 20_000);
	if (isWebPage(response)) {
		const title = /<title(?:\s[^<>]*)?>([^<]*)</i.exec(start)?.[1] ?? '';
		return { text: redact(title, secret), isTitle: true };
	}
	// Only Code and Message of a storage's XML, as the rest may contain the signature.
	const xml = ['Code', 'Message'].flatMap(
		(name) => new RegExp(`<${name}>([^<]*)<`).exec(start)?.[1] ?? [],
	);
	const json = parsedJson(response.text);
	const body = xml.length > 0 ? xml.join(': ') : json === undefined ? response.text : json;
	// The field that holds them is not shown (interface.md §7).
	const entries = [...levelsOf(body)].flat().filter(isReasonEntry).slice(0, MOST_REASONS);
	if (entries.length > 0) {
		const safe = (step: string | number) =>
			typeof step === 'string' ? redact(step, secret) : step;
		const safeEntries = entries.map(({ loc, msg }) => ({
			loc: loc.map(safe),
			msg: redact(msg, secret),
		}));
		return { text: '', entries: safeEntries };
	}
	// The last resort is the JSON itself.
	const shown = () => (saysSomething(body) ? JSON.stringify(withoutSignedUrls(body)) : '');
	const said = typeof body === 'string' ? body : (sentenceIn(body) ?? shown());
	const isInSuccess = hasSuccessStatus(response) && reportsFailure(body);
	return { text: redact(said, secret), ...(isInSuccess && { isInSuccess }) };
}

/**
 * Whether the JSON of a response says itself that the call failed, whatever its status: clients act on
 * definitive successes only (interface.md §7). What bodies of responses hold is not shown, so only what
 * means nothing else counts: an object whose own `success` is false, or whose own `error` or `errors`
 * says something. `detail` and `message` do not: they may tell of a success.
 */
export function reportsFailure(json: unknown): boolean {
	const { success, error, errors } = isObject(json)
		? (json as { success?: unknown; error?: unknown; errors?: unknown })
		: {};
	return success === false || saysSomething(error) || saysSomething(errors);
}

/** Not null, false, 0, or an empty text, list or object. */
function saysSomething(value: unknown): boolean {
	return typeof value === 'object' && value !== null
		? Object.keys(value).length > 0
		: Boolean(value);
}

/**
 * What the service notes in a response that succeeded, or in a document, safe to show; empty where it
 * notes nothing.
 * @param secret the API key, which must not appear
 */
export function noteIn(json: unknown, secret: string): string {
	return redact(sentenceIn(withoutSignedUrls(json)) ?? '', secret);
}

/** The sentence in e.g. `{"error":{"message":"…"}}` or `errors[].message`. */
function sentenceIn(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (value === null || typeof value !== 'object' || depth > 5) return undefined;
	if (Array.isArray(value)) {
		const said = value
			.slice(0, MOST_REASONS)
			.flatMap((entry) => sentenceIn(entry, depth + 1) ?? []);
		return said.length > 0 ? said.join('. ') : undefined;
	}
	const fields = new Map<string, unknown>(Object.entries(value));
	for (const name of [...REASON_FIELDS, 'errors', 'details']) {
		const sentence = sentenceIn(fields.get(name), depth + 1);
		if (sentence) return sentence;
	}
	return undefined;
}

function isReasonEntry(value: unknown): value is ReasonEntry {
	const entry = value as Partial<ReasonEntry> | null;
	const isStep = (step: unknown) => typeof step === 'string' || typeof step === 'number';
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc) && entry.loc.every(isStep);
}
