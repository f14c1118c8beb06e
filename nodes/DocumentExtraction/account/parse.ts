/** Reads what users enter in API Details, and fills in the placeholders of endpoints and bodies. */
import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import { parsedJson, roundedNumberIn } from '../http/response';
import { API_PREFIX } from './credential';
import { isFieldPath, isOuter, lastStep } from './fields';

/** An entry that cannot be right. Its message completes a sentence that begins with its line. */
export class MalformedDetailError extends Error {}

export type Placeholder =
	| 'workflow_id'
	| 'document_id'
	| 'collection_id'
	| 'collection_name'
	| 'file_name'
	| 'content_type'
	| 'file_size';

/** What the meaning of an entry depends on besides its text. */
export interface ParseContext {
	/** The service's address. */
	address: string;
	/** The credential's own. */
	workflowId: string;
	/** Those that the entry may contain. */
	placeholders: Placeholder[];
}

const PLACEHOLDER = /\{(\w+)\}/g;

function assertKnownPlaceholders(text: string, known: Placeholder[]) {
	for (const [placeholder, name] of text.matchAll(PLACEHOLDER)) {
		if (known.some((other) => other === name)) continue;
		const names = known.map((other) => `{${other}}`);
		throw new MalformedDetailError(
			`contains ${placeholder}, which is not a placeholder here. Known placeholders: ${names.join(', ')}`,
		);
	}
}

/** A text without the quotation marks or backticks that references print around it. */
export function unquoted(text: string): string {
	const inner = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’)$/s.exec(text.trim());
	return (inner ? (inner.slice(1).find((part) => part !== undefined) ?? '') : text).trim();
}

/** The name of a field in a response, or the path to one. */
export function parseFieldPath(text: string): string {
	const path = unquoted(text);
	if (isFieldPath(path)) return path;
	throw new MalformedDetailError("is neither a field name nor a path such as 'a.b[0].c'");
}

/** Names that the interface gives to other things than the ID of a document (§2, §3). */
export const OF_NO_DOCUMENT = new Set([
	'extraction_status',
	'workflow_id',
	'collection_id',
	'column_id',
]);

/** The path to a document's ID. */
export function parseDocumentIdPath(text: string): string {
	const path = parseFieldPath(text);
	const name = lastStep(path);
	if (!OF_NO_DOCUMENT.has(name)) return path;
	throw new MalformedDetailError(`leads to '${name}', which is not the ID of a document`);
}

/** Values that are separated by commas, semicolons or bars. */
export function parseList(text: string): string[] {
	return text.split(/[,;|]/).map(unquoted).filter(Boolean);
}

/** A name, or the part of a curl command that sends the file, -F 'name=@file'. */
const FILE_FIELD = /^(?:(?:-F|--form)[\s=]*)?["']?([^\s"'`“”‘’=@<>{}:;,\\]+)(?:=["']?@[^@]*)?$/;

/** The form field that carries a file. */
export function parseFileField(text: string): string {
	const name = FILE_FIELD.exec(unquoted(text))?.[1];
	if (name) return name;
	throw new MalformedDetailError(
		[
			"is not the name of a form field. Enter the name alone, e.g. 'file',",
			"or the part of a curl command that sends the file, e.g. -F 'file=@invoice.pdf'",
		].join(' '),
	);
}

/** A method and a path relative to /api/v1, whose placeholders are written `{workflow_id}`. */
export class Endpoint {
	constructor(
		readonly method: IHttpRequestMethods,
		readonly path: string,
	) {}
}

/** The methods that an API Detail can name. */
export const METHODS: IHttpRequestMethods[] = ['GET', 'POST', 'PUT', 'PATCH'];

/** The method of a write: a read would be repeated after a failure. */
export function parseConfirmMethod(text: string): IHttpRequestMethods {
	const word = unquoted(text).toUpperCase();
	const method = METHODS.find((known) => known !== 'GET' && known === word);
	if (method) return method;
	throw new MalformedDetailError('must be PATCH, POST or PUT');
}

/** Segments that lead to another path than they stand in. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|\?|$)/i;

/** `METHOD /path` with or without /api/v1, or `METHOD` and a whole URL below Base URL. */
function parseEndpoint(
	entered: string,
	{ address, workflowId, placeholders }: ParseContext,
): Endpoint {
	const [word, target = '', ...more] = unquoted(entered).split(/\s+/);
	const method = METHODS.find((known) => known === word.toUpperCase());
	const below = target.startsWith(`${address}/`) ? target.slice(address.length) : target;
	const entry = below.startsWith(`${API_PREFIX}/`) ? below.slice(API_PREFIX.length) : below;
	// An operation's options may name another workflow than the one in the pasted path.
	const own = encodeURIComponent(workflowId);
	const path = entry.replace(/[^/?&=]+/g, (part) => (part === own ? '{workflow_id}' : part));
	const isPath = /^\/[^/\s#\\]/.test(path) && !/[#\\<>]|[/=]:|^\/api\/v\d/.test(path);
	const hasBraces = /[{}]/.test(path.replace(PLACEHOLDER, ''));
	if (!method || more.length > 0 || !isPath || hasBraces || DOT_SEGMENT.test(path)) {
		throw new MalformedDetailError(
			[
				`must be a method (${METHODS.join(', ')}), a space and a path, e.g. 'GET /path/to/{workflow_id}'.`,
				'The path begins with / and is the part after /api/v1;',
				"write the workflow's ID as {workflow_id}, not as :workflow_id or <workflow_id>.",
				'If you enter a whole address in place of the path,',
				"it must begin with the address in 'Base URL'",
			].join(' '),
		);
	}
	assertKnownPlaceholders(path, placeholders);
	return new Endpoint(method, path);
}

/** Refuses the writes that the interface shows: the node calls this endpoint as a read. */
function withoutShownWrites(endpoint: Endpoint, isNot: string): Endpoint {
	if (endpoint.method === 'GET' || !isShownPath(endpoint.path)) return endpoint;
	throw new MalformedDetailError(`${isNot}: it uploads, confirms, extracts or merges`);
}

export function parseReadEndpoint(text: string, context: ParseContext): Endpoint {
	const isNot = 'does not read the workflow, but changes something at the service';
	return withoutShownWrites(parseEndpoint(text, context), isNot);
}

export function parseUploadUrlEndpoint(text: string, context: ParseContext): Endpoint {
	const endpoint = parseEndpoint(text, context);
	// With a query, the path of an upload may be a way of its own to ask for a URL.
	const isOther = endpoint.path.includes('?');
	return isOther ? endpoint : withoutShownWrites(endpoint, 'does not return an upload URL');
}

/** The calls whose paths the interface shows (§4), with `{}` for each part that changes. */
export const UPLOAD = 'POST workflows/{}/documents';
export const LIST_DOCUMENTS = 'GET workflows/{}/documents';
const LIST_EXTRACTIONS = 'GET workflows/{}/extractions';
/** Its method is not shown (§4.4). */
export const CONFIRM_SHAPE = 'workflows/{}/documents/confirm';

export const SHOWN_CALLS = new Set([
	UPLOAD,
	LIST_DOCUMENTS,
	LIST_EXTRACTIONS,
	'POST workflows/{}/extract',
	'POST workflows/{}/documents/{}/extract',
	'POST workflows/{}/collections/{}/merged-document',
]);

const SHOWN_PATHS = [...SHOWN_CALLS].map((call) => call.split(' ')[1]).concat(CONFIRM_SHAPE);
const SHOWN_PATH = new RegExp(`^(?:${SHOWN_PATHS.join('|').replaceAll('{}', '[^/]+')})$`, 'i');

/** Whether a path, relative to /api/v1, with or without a query, is one that the interface shows. */
function isShownPath(path: string): boolean {
	const segments = path.replace(/\?.*$/s, '').split('/').filter(Boolean);
	return SHOWN_PATH.test(segments.join('/'));
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON body with placeholders in place of values. */
export type Template = Json[] | { [key: string]: Json };

export function parseTemplate(entered: string, { placeholders }: ParseContext): Template {
	// As expressions in n8n are written.
	const text = entered.replace(/\{\{\s*(\w+)\s*\}\}/g, '{$1}');
	assertKnownPlaceholders(text, placeholders);
	const template = parsedJson(text) as Json | undefined;
	if (template === undefined) {
		throw new MalformedDetailError(
			[
				'is not valid JSON. No comma may stand before } or ], every { and [ needs its } or ],',
				'and placeholders need double quotes too, e.g. {"size": "{file_size}"}',
			].join(' '),
		);
	}
	if (!isOuter(template)) {
		throw new MalformedDetailError('must be a JSON object or list');
	}
	const integer = roundedNumberIn(text);
	if (integer !== undefined) {
		throw new MalformedDetailError(
			`contains ${integer}, a number with more digits than can be sent. Put it in double quotes`,
		);
	}
	return template;
}

/** The body of a confirmation, which has to name the document. */
export function parseConfirmBody(text: string, context: ParseContext): Template {
	const template = parseTemplate(text, context);
	if (mentions(template, 'document_id')) return template;
	throw new MalformedDetailError('does not mention {document_id}');
}

/** Whether a placeholder stands anywhere in a template. */
export function mentions(template: Json, placeholder: Placeholder): boolean {
	return JSON.stringify(template).includes(`{${placeholder}}`);
}

/** A placeholder without a value is left out of a body. */
export type PlaceholderValues = { [name in Placeholder]?: string | number };

/**
 * An endpoint, relative to /api/v1, with its placeholders filled in and encoded.
 * @throws MalformedDetailError when a placeholder has no value, or would lead to another path
 */
export function filledEndpoint({ method, path }: Endpoint, values: PlaceholderValues): Endpoint {
	const filled = path.replace(PLACEHOLDER, (placeholder, name: Placeholder) => {
		const value = String(values[name] ?? '');
		// Dots alone would lead to another path.
		if (/^\.*$/.test(value)) throw emptyPlaceholder(placeholder);
		return encodeURIComponent(value);
	});
	return new Endpoint(method, filled);
}

/** The error about a placeholder that cannot be left out where it stands. */
const emptyPlaceholder = (placeholder: string) =>
	new MalformedDetailError(
		[
			`contains ${placeholder}, for which this node has no usable value: fill in the field of this node`,
			'that it stands for. For {collection_id}, choose the collection by ID or from the list;',
			'for {collection_name}, by name',
		].join(' '),
	);

/**
 * Fills a body with the values of one document, or of several if `namesOneDocument` is false. A list whose
 * one entry mentions {document_id} is repeated for each; everything else takes the values of the first.
 * @throws MalformedDetailError when a value is missing beside {document_id}
 */
export function filledBody(template: Template, documents: PlaceholderValues[]): IDataObject {
	return fill(template, documents) as IDataObject;
}

function isRepeated(list: Json[]): boolean {
	return list.length === 1 && mentions(list[0], 'document_id');
}

/** What differs from document to document. */
const OF_ONE_DOCUMENT: Placeholder[] = ['document_id', 'file_name', 'content_type', 'file_size'];

/** Whether something outside the lists that are repeated belongs to a single document. */
export function namesOneDocument(template: Json): boolean {
	if (typeof template === 'string') {
		return OF_ONE_DOCUMENT.some((placeholder) => mentions(template, placeholder));
	}
	if (!isOuter(template)) return false;
	if (Array.isArray(template) && isRepeated(template)) return false;
	return Object.entries(template).flat().some(namesOneDocument);
}

function fill(template: Json, documents: PlaceholderValues[]): Json | undefined {
	if (typeof template === 'string') return filledText(template, documents[0]);
	if (Array.isArray(template)) {
		const entries = isRepeated(template)
			? documents.map((document) => fill(template[0], [document]))
			: template.map((entry) => fill(entry, documents));
		return entries.filter((entry) => entry !== undefined);
	}
	if (!isOuter(template)) return template;
	return Object.fromEntries(
		Object.entries(template)
			.map(([key, value]) => [filledText(key, documents[0]) ?? key, fill(value, documents)])
			.filter(([, value]) => value !== undefined),
	);
}

/** A text that is one placeholder becomes its value; one whose value is missing is left out. */
function filledText(text: string, values: PlaceholderValues): string | number | undefined {
	const whole = /^\{(\w+)\}$/.exec(text);
	if (whole) return values[whole[1] as Placeholder];
	const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as Placeholder);
	const missing = names.find((name) => values[name] === undefined);
	if (missing && names.includes('document_id')) {
		throw emptyPlaceholder(`{${missing}}`);
	}
	if (missing) return undefined;
	return text.replace(PLACEHOLDER, (_, name: Placeholder) => String(values[name]));
}
