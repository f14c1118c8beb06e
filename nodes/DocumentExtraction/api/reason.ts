/** The service's own reason for a failure, in whatever form it is (interface.md §7). */
import { parsedJson } from '../http/json';
import type { HttpResponse } from '../http/response';
import { DEEPEST_LEVEL, redact, withoutSignedUrls } from '../http/redact';
import { WORKFLOW_ID_LABEL } from './credential';
import { asSentence } from './run';

export const COLLECTION_LABEL = 'Collection';
export const COLUMNS_LABEL = 'Column Names or IDs';
export const DOCUMENT_LABEL = 'Document ID';

/** Fields of requests (interface.md §4), by the names in the node's panel. */
const FIELD_LABELS = new Map<unknown, string>([
	['workflow_id', WORKFLOW_ID_LABEL],
	['document_id', DOCUMENT_LABEL],
	['document_ids', 'Document IDs'],
	['collection_id', COLLECTION_LABEL],
	['collection_name', COLLECTION_LABEL],
	['column_ids', COLUMNS_LABEL],
	['force', 'Force'],
	['label_order', 'Label Order'],
	['page', 'Page'],
	['limit', 'Limit'],
]);
/** The first entry of a `loc`: the part of the request that the field is in. */
const PLACES = new Set<unknown>(['body', 'query', 'path']);

/** Fields that may hold a sentence about a failure, the most specific first. */
const REASON_FIELDS = ['detail', 'message', 'error_description', 'reason', 'title', 'error', 'msg'];
const MOST_ENTRIES = 20;

/** An entry of a 422: the place of the failure, its description and its type. */
interface ValidationEntry {
	loc: Array<string | number>;
	msg: string;
	type?: unknown;
}

/**
 * The reason as a text that is safe to show; empty where there is none.
 * @param secret the API key, which must not appear
 */
export function reasonOf({ text }: HttpResponse, secret: string): string {
	return redact(reasonIn(text), secret);
}

function reasonIn(text: string): string {
	const start = text.slice(0, 20_000);
	// Only Code and Message of a storage's XML, as the rest may contain the signature.
	const xml = ['Code', 'Message'].flatMap(
		(name) => new RegExp(`<${name}>([^<]*)<`).exec(start)?.[1] ?? [],
	);
	if (xml.length > 0) return xml.join(': ');
	const body = parsedJson(text);
	if (body === undefined) return text;
	if (body === null) return '';
	const entries = validationEntries(body);
	if (entries.length > 0) {
		return entries.map(({ loc, msg }) => `${fieldName(loc)}: ${msg}`).join('. ');
	}
	return sentenceIn(body) ?? shortJson(body);
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

/** As a sentence. */
export function saidIn(json: unknown, secret: string): string {
	const text = noteIn(json, secret);
	return text && `The service says: ${asSentence(text)}`;
}

/** A value from the service itself, where it holds no secret but perhaps signed URLs. */
export function shownJson(json: unknown, secret: string): string {
	return json === undefined ? 'empty' : redact(shortJson(withoutSignedUrls(json)), secret);
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

/** The last resort: the JSON itself; empty where it is nested too deeply for that. */
function shortJson(body: unknown): string {
	try {
		return JSON.stringify(body);
	} catch {
		return '';
	}
}

/** The entries of a 422, found by their shape, as the field that holds them is not shown (interface.md §7). */
function validationEntries(body: unknown, depth = 0): ValidationEntry[] {
	if (Array.isArray(body)) return body.filter(isValidationEntry).slice(0, MOST_ENTRIES);
	if (body === null || typeof body !== 'object' || depth > DEEPEST_LEVEL) return [];
	return Object.values(body).flatMap((value) => validationEntries(value, depth + 1));
}

function isValidationEntry(value: unknown): value is ValidationEntry {
	const entry = value as Partial<ValidationEntry> | null;
	const isStep = (step: unknown) => typeof step === 'string' || typeof step === 'number';
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc) && entry.loc.every(isStep);
}

/** `["body", "document_ids", 2]` → `Document IDs, entry 3`. */
function fieldName(loc: Array<string | number>): string {
	const steps = PLACES.has(loc[0]) ? loc.slice(1) : loc;
	return (
		steps
			.map((step) =>
				typeof step === 'number' ? `entry ${step + 1}` : (FIELD_LABELS.get(step) ?? String(step)),
			)
			.join(', ') || 'Request'
	);
}

/** The entries of a 422. */
function entriesOf({ statusCode, text }: HttpResponse): ValidationEntry[] {
	return statusCode === 422 ? validationEntries(parsedJson(text)) : [];
}

function isMissing({ msg, type }: ValidationEntry): boolean {
	const kind = typeof type === 'string' ? type.slice(0, 100) : '';
	return /missing|required/i.test(`${kind} ${msg.slice(0, 200)}`);
}

/** The form fields that are missing in an upload, by the entries of a 422. */
export function missingFormFields(response: HttpResponse): string[] {
	return entriesOf(response).flatMap((entry) => {
		const { loc } = entry;
		const name = loc.at(-1);
		return isMissing(entry) && loc[0] === 'body' && typeof name === 'string' ? [name] : [];
	});
}

/** The node's fields for IDs and numbers, by their labels, whose values a 422 refuses. */
export function fieldsRefused(response: HttpResponse): string[] {
	return entriesOf(response)
		.filter((entry) => !isMissing(entry) && !entry.loc.includes('collection_name'))
		.flatMap(({ loc }) => loc.flatMap((step) => FIELD_LABELS.get(step) ?? []));
}
