/** Reads what the service itself says about a failure, whatever its form (interface.md §7). */
import { parsedJson } from '../http/json';
import type { HttpResponse } from '../http/response';
import { DEEPEST_LEVEL, redact } from '../http/redact';
import { WORKFLOW_ID_LABEL } from './credential';

/** Fields of requests as the node's panel names them (interface.md §4). */
const FIELD_LABELS = new Map<unknown, string>([
	['workflow_id', WORKFLOW_ID_LABEL],
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

/** Fields in which services put a sentence about a failure, the most telling first. */
const REASON_FIELDS = ['detail', 'message', 'error_description', 'reason', 'title', 'error', 'msg'];
const MOST_ENTRIES = 20;

/** An entry of a 422: where the failure is, in words and for machines. */
interface ValidationEntry {
	loc: Array<string | number>;
	msg: string;
	type?: unknown;
}

/** The service's own reason in words, fit to be shown; empty where it gives none. */
export function reasonOf({ text }: HttpResponse, secret: string): string {
	return redact(reasonIn(text), secret);
}

function reasonIn(text: string): string {
	const start = text.slice(0, 20_000);
	// Of an object storage's XML only Code and Message: the rest may hold the signature.
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

/** A sentence such as `{"error":{"message":"…"}}`, `errors[].message` or `title` holds. */
function sentenceIn(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (value === null || typeof value !== 'object' || depth > 5) return undefined;
	if (Array.isArray(value)) {
		const sentences = value
			.slice(0, MOST_ENTRIES)
			.flatMap((entry) => sentenceIn(entry, depth + 1) ?? []);
		return sentences.length > 0 ? sentences.join('. ') : undefined;
	}
	const fields = new Map<string, unknown>(Object.entries(value));
	for (const name of [...REASON_FIELDS, 'errors', 'details']) {
		const sentence = sentenceIn(fields.get(name), depth + 1);
		if (sentence) return sentence;
	}
	return undefined;
}

/** Raw JSON is the last resort; what is nested too deeply for it gives nothing. */
function shortJson(body: unknown): string {
	try {
		return JSON.stringify(body);
	} catch {
		return '';
	}
}

/** The entries of a 422, found by their shape: the field that holds them is not shown (§7). */
function validationEntries(body: unknown, depth = 0): ValidationEntry[] {
	if (Array.isArray(body)) return body.filter(isValidationEntry).slice(0, MOST_ENTRIES);
	if (body === null || typeof body !== 'object' || depth > DEEPEST_LEVEL) return [];
	return Object.values(body).flatMap((value) => validationEntries(value, depth + 1));
}

function isValidationEntry(value: unknown): value is ValidationEntry {
	const entry = value as Partial<ValidationEntry> | null;
	return typeof entry?.msg === 'string' && Array.isArray(entry.loc);
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

/** The form fields of an upload that the service misses, by a 422's entries of type `missing`. */
export function missingFormFields({ statusCode, text }: HttpResponse): string[] {
	if (statusCode !== 422) return [];
	return validationEntries(parsedJson(text)).flatMap(({ loc, msg, type }) => {
		const isMissing = /missing|required/i.test(
			`${String(type).slice(0, 100)} ${msg.slice(0, 200)}`,
		);
		const name = loc.at(-1);
		return isMissing && loc[0] === 'body' && typeof name === 'string' ? [name] : [];
	});
}
