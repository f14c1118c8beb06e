/** The service's own reason for a failure, in whatever form it is (interface.md §7), read once. */
import { hasSuccessStatus, isWebPage, parsedJson, type HttpResponse } from '../http/response';
import { redact, withoutSignedUrls } from '../http/redact';
import { isObject, levelsOf } from '../account/fields';

/** Fields that may hold a sentence about a failure, the most specific first. */
const REASON_FIELDS = ['detail', 'message', 'error_description', 'reason', 'title', 'error', 'msg'];
const MOST_ENTRIES = 20;
const MOST_STEPS = 6;

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

/** The place of a value that is refused, and why. */
interface ReasonEntry {
	/** The field and the fields and entries around it, e.g. `["body", "document_ids", 2]`. */
	loc: Array<string | number>;
	msg: string;
	/** Whether it is missing, and not wrong. */
	isMissing: boolean;
}

/** As the service sends it (interface.md §7). */
interface ValidationEntry extends Pick<ReasonEntry, 'loc' | 'msg'> {
	type?: unknown;
}

/** @param secret the API key, which must not appear */
export function reasonOf(response: HttpResponse, secret: string): Reason {
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
	const entries = validationEntries(body)
		.slice(0, MOST_ENTRIES)
		.map(({ loc, msg, type = '' }) => ({
			loc: loc
				.slice(0, MOST_STEPS)
				.map((step) => (typeof step === 'string' ? redact(step, secret) : step)),
			msg: redact(msg, secret),
			isMissing: /missing|required/i.test(`${String(type)} ${msg}`),
		}));
	if (entries.length > 0) return { text: '', entries };
	const said = typeof body === 'string' ? body : body && (sentenceIn(body) ?? shortJson(body));
	const isInSuccess = hasSuccessStatus(response) && reportsFailure(body);
	return { text: redact(String(said ?? ''), secret), ...(isInSuccess && { isInSuccess }) };
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

/** In what succeeded, a title is that of a document. */
const NOTED_FIELDS = REASON_FIELDS.filter((name) => name !== 'title');

/**
 * What the service notes in a response that succeeded, or in a document, safe to show; empty where it
 * notes nothing.
 * @param secret the API key, which must not appear
 */
export function noteIn(json: unknown, secret: string): string {
	return redact(sentenceIn(withoutSignedUrls(json), NOTED_FIELDS) ?? '', secret);
}

/** The sentence in e.g. `{"error":{"message":"…"}}`, `errors[].message` or `title`. */
function sentenceIn(value: unknown, names = REASON_FIELDS, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (value === null || typeof value !== 'object' || depth > 5) return undefined;
	if (Array.isArray(value)) {
		const sentences = value
			.slice(0, MOST_ENTRIES)
			.flatMap((entry) => sentenceIn(entry, names, depth + 1) ?? []);
		return sentences.length > 0 ? sentences.join('. ') : undefined;
	}
	const fields = new Map<string, unknown>(Object.entries(value));
	for (const name of [...names, 'errors', 'details']) {
		const sentence = sentenceIn(fields.get(name), names, depth + 1);
		if (sentence) return sentence;
	}
	return undefined;
}

/** The last resort: the JSON itself; empty where it says nothing, or is nested too deeply for that. */
function shortJson(body: unknown): string {
	try {
		const json = JSON.stringify(body);
		return json === '{}' || json === '[]' ? '' : json;
	} catch {
		return '';
	}
}

/** The entries of a 422, found by their shape, as the field that holds them is not shown (interface.md §7). */
function validationEntries(body: unknown): ValidationEntry[] {
	return [...levelsOf(body)].flat().filter(isValidationEntry);
}

function isValidationEntry(value: unknown): value is ValidationEntry {
	const entry = value as Partial<ValidationEntry> | null;
	const isStep = (step: unknown) => typeof step === 'string' || typeof step === 'number';
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc) && entry.loc.every(isStep);
}
