/**
 * Everything that the service's interface leaves open. The user copies it from the account's API
 * reference into the credential's API Details; here, and nowhere else, it is read, checked and
 * applied. The day the service publishes a detail, this file changes.
 */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import { API_PREFIX, type DocumentExtractionCredential } from './credential';

/** What an operation needs from an API Detail, for the message that says it is missing. */
export const API_DETAILS = {
	uploadFileField: {
		label: 'Upload File Field',
		copy: 'the name of the form field that carries the file, from the upload endpoint (POST …/documents)',
	},
	workflowEndpoint: {
		label: 'Workflow Endpoint',
		copy: 'the endpoint that returns the workflow with its columns, as METHOD /path',
	},
	uploadUrlEndpoint: {
		label: 'Upload URL Endpoint',
		copy: 'the endpoint that returns a signed upload URL, as METHOD /path',
	},
	uploadUrlBody: {
		label: 'Upload URL Body',
		copy: 'the JSON body of the endpoint that returns a signed upload URL, with placeholders',
	},
	uploadUrlField: {
		label: 'Upload URL Field',
		copy: 'where the answer of the upload URL endpoint holds the URL',
	},
	confirmMethod: {
		label: 'Confirm Method',
		copy: 'the method of the endpoint whose path ends with /documents/confirm',
	},
	confirmBody: {
		label: 'Confirm Body',
		copy: 'the JSON body of the endpoint whose path ends with /documents/confirm, with {document_id}',
	},
	documentIdField: {
		label: 'Document ID Field',
		copy: 'where an answer to an upload holds the ID of the document',
	},
	finishedStatuses: {
		label: 'Finished Statuses',
		copy: "the values of a document's extraction_status that mean that its extraction is over",
	},
} as const;

export type ApiDetail = keyof typeof API_DETAILS;

export type Placeholder =
	| 'workflow_id'
	| 'document_id'
	| 'collection_id'
	| 'collection_name'
	| 'file_name'
	| 'content_type'
	| 'file_size';

export type PlaceholderValues = { [name in Placeholder]?: string | number };

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const UPLOAD_PLACEHOLDERS: Placeholder[] = [
	'workflow_id',
	'collection_id',
	'collection_name',
	'file_name',
	'content_type',
	'file_size',
];
const ALLOWED_PLACEHOLDERS: { [detail in ApiDetail]?: Placeholder[] } = {
	workflowEndpoint: ['workflow_id'],
	uploadUrlEndpoint: UPLOAD_PLACEHOLDERS,
	uploadUrlBody: UPLOAD_PLACEHOLDERS,
	confirmBody: ['document_id', ...UPLOAD_PLACEHOLDERS],
};

const PLACEHOLDER = /\{(\w+)\}/g;
/** Segments that lead to another path than they stand in. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|\?|$)/i;

function mistake(detail: ApiDetail, what: string): UserError {
	const { label, copy } = API_DETAILS[detail];
	return new UserError(`The API Detail '${label}' ${what}`, {
		extra: { description: `Open the credential, switch on 'Set API Details' and copy ${copy}.` },
	});
}

/** Whether the user has filled in an API Detail. */
export function hasDetail(credential: DocumentExtractionCredential, detail: ApiDetail): boolean {
	return String(credential[detail] ?? '').trim() !== '';
}

/**
 * The text of an API Detail that an operation cannot do without.
 * @throws UserError naming the field and what to copy there, when it is empty
 */
export function requireDetail(credential: DocumentExtractionCredential, detail: ApiDetail): string {
	if (!hasDetail(credential, detail)) {
		throw mistake(detail, 'is empty, and this operation needs it');
	}
	return String(credential[detail]).trim();
}

function checkPlaceholders(detail: ApiDetail, text: string) {
	const allowed = ALLOWED_PLACEHOLDERS[detail] ?? [];
	for (const [placeholder, name] of text.matchAll(PLACEHOLDER)) {
		if (!allowed.some((known) => known === name)) {
			throw mistake(
				detail,
				`contains ${placeholder}, which is not a placeholder here. Known are ${allowed.map((known) => `{${known}}`).join(', ')}`,
			);
		}
	}
}

/**
 * An endpoint of the form `METHOD /path`, relative to /api/v1, with its placeholders filled in and
 * encoded. A pasted /api/v1 prefix is tolerated.
 * @throws UserError when it is empty, not of that form, or lacks a placeholder's value
 */
export function endpoint(
	credential: DocumentExtractionCredential,
	detail: 'workflowEndpoint' | 'uploadUrlEndpoint',
	values: PlaceholderValues,
): { method: IHttpRequestMethods; path: string } {
	const text = requireDetail(credential, detail);
	const parts = /^(GET|POST|PUT|PATCH)\s+(\/[^\s#\\]*)$/i.exec(text);
	const path = parts?.[2];
	if (!path || path.startsWith('//') || DOT_SEGMENT.test(path)) {
		throw mistake(
			detail,
			"is not of the form METHOD /path, e.g. 'GET /path/to/{workflow_id}' with one of GET, POST, PUT, PATCH",
		);
	}
	checkPlaceholders(detail, path);
	const filled = path
		.replace(new RegExp(`^${API_PREFIX}(?=/)`), '')
		.replace(PLACEHOLDER, (placeholder, name: Placeholder) => {
			const value = values[name];
			if (value === undefined) throw mistake(detail, `needs a value for ${placeholder}`);
			return encodeURIComponent(value);
		});
	if (DOT_SEGMENT.test(filled)) throw mistake(detail, `becomes another path: ${filled}`);
	return { method: parts[1].toUpperCase() as IHttpRequestMethods, path: filled };
}

function parseTemplate(
	credential: DocumentExtractionCredential,
	detail: 'uploadUrlBody' | 'confirmBody',
): Json {
	const text = requireDetail(credential, detail);
	checkPlaceholders(detail, text);
	let template: Json;
	try {
		template = JSON.parse(text) as Json;
	} catch {
		throw mistake(
			detail,
			'is not valid JSON. Placeholders stand in quotes too, e.g. {"size": "{file_size}"}',
		);
	}
	if (template === null || typeof template !== 'object') {
		throw mistake(detail, 'must be a JSON object or list');
	}
	return template;
}

function mentions(template: Json, placeholder: Placeholder): boolean {
	return JSON.stringify(template).includes(`{${placeholder}}`);
}

function isRepeated(list: Json[]): boolean {
	return list.length === 1 && mentions(list[0], 'document_id');
}

/** What differs from document to document. */
const OF_ONE_DOCUMENT: Placeholder[] = ['document_id', 'file_name', 'content_type', 'file_size'];

/** Whether something outside the lists that are repeated speaks of one document only. */
function speaksOfOne(template: Json): boolean {
	if (typeof template === 'string') {
		return OF_ONE_DOCUMENT.some((placeholder) => mentions(template, placeholder));
	}
	if (template === null || typeof template !== 'object') return false;
	if (Array.isArray(template) && isRepeated(template)) return false;
	return Object.values(template).some(speaksOfOne);
}

function fillText(text: string, values: PlaceholderValues): string | number | undefined {
	const whole = /^\{(\w+)\}$/.exec(text);
	if (whole) return values[whole[1] as Placeholder];
	const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as Placeholder);
	const missing = names.find((name) => values[name] === undefined);
	if (missing && names.includes('document_id')) {
		throw mistake('confirmBody', `needs a value for {${missing}} beside {document_id}`);
	}
	if (missing) return undefined;
	return text.replace(PLACEHOLDER, (_, name: Placeholder) => String(values[name]));
}

function fill(template: Json, documents: PlaceholderValues[]): Json | undefined {
	if (typeof template === 'string') return fillText(template, documents[0]);
	if (Array.isArray(template)) {
		const entries = isRepeated(template)
			? documents.map((document) => fill(template[0], [document]))
			: template.map((entry) => fill(entry, documents));
		return entries.filter((entry) => entry !== undefined);
	}
	if (template === null || typeof template !== 'object') return template;
	return Object.fromEntries(
		Object.entries(template)
			.map(([key, value]) => [key, fill(value, documents)] as const)
			.filter((entry): entry is [string, Json] => entry[1] !== undefined),
	);
}

/** The body that asks for one signed upload URL, or undefined where the endpoint takes none. */
export function uploadUrlBody(
	credential: DocumentExtractionCredential,
	file: PlaceholderValues,
): IDataObject | undefined {
	if (!hasDetail(credential, 'uploadUrlBody')) return undefined;
	return fill(parseTemplate(credential, 'uploadUrlBody'), [file]) as IDataObject;
}

/** Whether one confirm call can name many documents. */
export function confirmsManyAtOnce(credential: DocumentExtractionCredential): boolean {
	return !speaksOfOne(parseTemplate(credential, 'confirmBody'));
}

/** The body that confirms these documents; more than one only if `confirmsManyAtOnce`. */
export function confirmBody(
	credential: DocumentExtractionCredential,
	documents: PlaceholderValues[],
): IDataObject {
	return fill(parseTemplate(credential, 'confirmBody'), documents) as IDataObject;
}

/**
 * Checks that a signed upload URL can be asked for, before the first request: every API Detail that
 * this needs, and a place for the collection, which would otherwise be lost silently.
 */
export function assertSignedUpload(
	credential: DocumentExtractionCredential,
	values: PlaceholderValues,
) {
	endpoint(credential, 'uploadUrlEndpoint', {
		file_name: '',
		content_type: '',
		file_size: 0,
		...values,
	});
	fieldPath('uploadUrlField', requireDetail(credential, 'uploadUrlField'));
	assertDocumentIdField(credential);
	const carriers = [credential.uploadUrlEndpoint, credential.uploadUrlBody, credential.confirmBody];
	if (hasDetail(credential, 'uploadUrlBody')) parseTemplate(credential, 'uploadUrlBody');
	for (const [name, label] of [
		['collection_id', 'ID'],
		['collection_name', 'name'],
	] as const) {
		if (values[name] === undefined) continue;
		if (!carriers.some((carrier) => String(carrier ?? '').includes(`{${name}}`))) {
			throw mistake(
				'uploadUrlBody',
				`has no place for the collection's ${label} ({${name}}), so a signed upload would lose the collection`,
			);
		}
	}
}

/** Checks that a direct upload can be done, before the first request. */
export function assertDirectUpload(credential: DocumentExtractionCredential) {
	requireDetail(credential, 'uploadFileField');
	assertDocumentIdField(credential);
}

function assertDocumentIdField(credential: DocumentExtractionCredential) {
	fieldPath('documentIdField', documentIdField(credential));
}

/** Where answers name a document; unless the user says otherwise, as the interface names it (§2). */
export function documentIdField(credential: DocumentExtractionCredential): string {
	return hasDetail(credential, 'documentIdField')
		? requireDetail(credential, 'documentIdField')
		: 'document_id';
}

/** Checks that documents can be confirmed, before the first request. */
export function assertConfirm(credential: DocumentExtractionCredential) {
	requireDetail(credential, 'confirmMethod');
	const template = parseTemplate(credential, 'confirmBody');
	if (!mentions(template, 'document_id')) {
		throw mistake('confirmBody', 'does not mention {document_id}');
	}
	assertDocumentIdField(credential);
}

/** The values of `extraction_status` that mean finished; empty where the user has named none. */
export function finishedStatuses(credential: DocumentExtractionCredential): Set<string> {
	return new Set(
		String(credential.finishedStatuses ?? '')
			.split(',')
			.map((status) => status.trim())
			.filter(Boolean),
	);
}

/** Whether API Details for the signed upload have been filled in, even in part. */
export function hasSignedDetails(credential: DocumentExtractionCredential): boolean {
	const details: ApiDetail[] = [
		'uploadUrlEndpoint',
		'uploadUrlBody',
		'uploadUrlField',
		'confirmMethod',
		'confirmBody',
	];
	return details.some((detail) => hasDetail(credential, detail));
}

/** The ID of the one document that an answer speaks of, or undefined where the field is not there. */
export function documentIdIn(
	credential: DocumentExtractionCredential,
	answer: unknown,
): string | undefined {
	return textIn(answer, documentIdField(credential));
}

/** The signed URL in an answer, or undefined where the field is not there. */
export function uploadUrlIn(
	credential: DocumentExtractionCredential,
	answer: unknown,
): string | undefined {
	return textIn(answer, fieldPath('uploadUrlField', requireDetail(credential, 'uploadUrlField')));
}

function fieldPath(detail: 'documentIdField' | 'uploadUrlField', path: string): string {
	if (isFieldPath(path)) return path;
	throw mistake(detail, "is neither a field name nor a path such as 'a.b[0].c'");
}

/** Whether a text is a bare field name or a dot path such as `a.b[0].c`. */
export function isFieldPath(path: string): boolean {
	return /^[^.[\]\s]+(\[\d+\])*(\.[^.[\]\s]+(\[\d+\])*)*$/.test(path);
}

/**
 * A value in an answer whose shape is not shown. A bare name is found wherever it stands, nearest
 * to the top first; a dot path is taken literally. Only own properties count.
 */
export function valueIn(answer: unknown, path: string): unknown {
	const steps = path.match(/[^.[\]]+/g) ?? [];
	if (steps.length > 1) {
		return steps.reduce<unknown>((value, step) => ownValue(value, step), answer);
	}
	let level: unknown[] = [answer];
	while (level.length > 0) {
		for (const value of level) {
			const found = ownValue(value, path);
			if (found !== undefined) return found;
		}
		level = level.flatMap((value) =>
			value !== null && typeof value === 'object' ? Object.values(value) : [],
		);
	}
	return undefined;
}

/** The fields of an answer, in the form that `valueIn` takes: what a user may choose from. */
export function fieldsOf(answer: unknown): string {
	return pathsIn(answer, '').filter(isFieldPath).slice(0, 20).join(', ') || 'no fields';
}

function pathsIn(value: unknown, path: string, depth = 0): string[] {
	if (value === null || typeof value !== 'object' || depth > 8) return [path];
	// The entries of a list are alike.
	if (Array.isArray(value)) return pathsIn(value[0], `${path}[0]`, depth + 1);
	return Object.entries(value).flatMap(([name, inner]) =>
		pathsIn(inner, path ? `${path}.${name}` : name, depth + 1),
	);
}

function ownValue(value: unknown, key: string): unknown {
	if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
	return (value as { [key: string]: unknown })[key];
}

function textIn(answer: unknown, path: string): string | undefined {
	const value = valueIn(answer, path);
	return (typeof value === 'string' && value !== '') || typeof value === 'number'
		? String(value)
		: undefined;
}
