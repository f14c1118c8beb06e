/**
 * The facts of a failed call of the service, with what the service says itself (interface.md §7).
 * `messages/` puts them into words.
 */
import type { Failure, Problem } from '../http/request';
import { asSentence, nameInMessage, redact, withoutSignedUrls } from '../http/redact';
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
import { isObject, isOuter, levelsOf } from '../account/fields';

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

/** A call, and on whose behalf it is made. */
export interface CallContext extends Call {
	client: Client;
	/** The API Details that the call is made from. */
	fromDetails?: ApiDetail[];
}

/** What failures have in common. All texts are safe to show. */
export interface CommonFacts extends Partial<Call> {
	statusCode?: number;
	/** What the service, or the storage, says itself, as sentences. */
	said?: string;
	/** Whether the service may have processed the request all the same. */
	isOutcomeUnknown?: boolean;
	/** Whether the same call may succeed later. */
	mayPass?: boolean;
	/** When to try again at the earliest, as the service asks. */
	retryAfterMs?: number;
}

export interface FailedCall extends Call {
	/** Base URL, without a trailing `/` or `/api/v1`. */
	address: string;
	environment: 'test' | 'live';
	workflowId: string;
	/** The API Details that it was made from, unless all have worked before in this execution. */
	suspects: ApiDetail[];
}

/** What happened, to which a response's status is added; then what to do, of which some may not apply. */
export type Sentences = [happened: string, ...advice: Array<string | false | undefined>];

/** What is known besides, by the kind of the failure. */
interface FactsByKind
	extends Record<Exclude<Problem, 'file not kept'>, FailedCall & { code: string; text: string }> {
	response: FailedCall & {
		statusCode: number;
		/** The new address of a redirect; empty where none is given. */
		location: string;
		isWebPage: boolean;
		/** Whether its status is that of a success, and its JSON says that the call failed. */
		isErrorInSuccess: boolean;
		/** The form fields that a 422 calls missing; undefined where it says nothing of single fields. */
		missing?: string[];
	};
	'time limit': FailedCall & Pick<TimeLimitError, 'phase' | 'limitMs'>;
	/** n8n does not give, or does not take, a file that it keeps. */
	'file not kept': { text: string };
	/** A response that came, and from which the node cannot go on: whoever reads it knows the words. */
	finding: { says: Sentences };
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

/** The error about a response that came, and from which the node cannot go on. */
export function finding(says: Sentences, more: CommonFacts = {}): CallError {
	return new CallError({ kind: 'finding', says, ...more });
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
		environment: account.credential.environment,
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
	const location = redact(header(response, 'location') ?? '');
	const sayings = sayingsOf(call.peer, response, account.apiKey);
	return new CallError({ ...known, ...rest, statusCode, location, ...sayings }, who);
}

/** Fields that may hold a sentence about a failure, the most specific first. */
const REASON_FIELDS = ['detail', 'message', 'error_description', 'reason', 'error', 'msg'];
const MOST_REASONS = 20;

/** What a response says of a failure, in whatever form; not of a proxy's refusal (RFC 9110 §15.5.8). */
function sayingsOf(peer: Call['peer'], response: HttpResponse, secret: string) {
	const start = response.text.slice(0, 20_000);
	if (isWebPage(response)) {
		const title = redact(/<title(?:\s[^<>]*)?>([^<]*)</i.exec(start)?.[1] ?? '', secret);
		const isShown = title !== '' && response.statusCode !== 407;
		const said = isShown ? `The response is a web page with the title “${title}”.` : '';
		return { said, isWebPage: true, isErrorInSuccess: false };
	}
	// Only Code and Message of a storage's XML, as the rest may contain the signature.
	const xml = ['Code', 'Message'].flatMap(
		(name) => new RegExp(`<${name}>([^<]*)<`).exec(start)?.[1] ?? [],
	);
	const json = parsedJson(response.text);
	const body = xml.length > 0 ? xml.join(': ') : json === undefined ? response.text : json;
	// The field that holds them is not shown (interface.md §7).
	const entries = [...levelsOf(body)].flat().filter(isEntry).slice(0, MOST_REASONS);
	const ofFields = entries.map(({ loc, msg }) => `${placeOf(loc)}: ${msg}`).join('. ');
	// The last resort is the JSON itself.
	const shown = () => (saysSomething(body) ? JSON.stringify(withoutSignedUrls(body)) : '');
	const text = typeof body === 'string' ? body : (sentenceIn(body) ?? shown());
	const missing = entries
		.filter(({ loc: [part], msg }) => part === 'body' && /missing|required/i.test(msg))
		.map(({ loc }) => redact(String(loc[1]), secret));
	return {
		said: response.statusCode === 407 ? '' : saying(peer, ofFields || text, secret),
		isWebPage: false,
		isErrorInSuccess: hasSuccessStatus(response) && reportsFailure(body),
		...(entries.length > 0 && { missing }),
	};
}

function saying(who: string, text: string, secret: string): string {
	const safe = redact(text, secret);
	return safe && `The ${who} says: ${asSentence(safe)}`;
}

/** Why a value is refused, and its place. */
interface Entry {
	loc: Array<string | number>;
	msg: string;
}

function isEntry(value: unknown): value is Entry {
	const entry = value as Partial<Entry> | null;
	const isStep = (step: unknown) => typeof step === 'string' || typeof step === 'number';
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc) && entry.loc.every(isStep);
}

/** `["body", "document_ids", 2]` → `document_ids, entry 3`. */
function placeOf([part, ...steps]: Entry['loc']): string {
	const isPart = ['body', 'query', 'path'].includes(String(part));
	const place = (isPart ? steps : [part, ...steps])
		.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : step))
		.join(', ');
	return place || 'The request';
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
	return isOuter(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/**
 * What the service notes in a response that succeeded, or in a document, as a sentence; empty where it
 * notes nothing.
 * @param secret the API key, which must not appear
 */
export function noteIn(json: unknown, secret: string): string {
	return saying('service', sentenceIn(withoutSignedUrls(json)) ?? '', secret);
}

/** The sentence in e.g. `{"error":{"message":"…"}}` or `errors[].message`. */
function sentenceIn(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (!isOuter(value) || depth > 5) return undefined;
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
