/** What the account's API reference says of each API Detail. */
import type { ApiDetail } from '../account/apiDetails';
import { DOCUMENT_ID, lastStep, namesAnId } from '../account/fields';
import {
	CONFIRM_SHAPE,
	LIST_DOCUMENTS,
	OF_NO_DOCUMENT,
	SHOWN_CALLS,
	UPLOAD,
} from '../account/parse';
import {
	allows,
	partsBelow,
	takesFile,
	typesOf,
	valuesOf,
	type ApiOperation,
	type Part,
	type Reference,
} from './reference';

/** What a source says of an API Detail, or of the three that make rows. */
export interface Proposal {
	detail: ApiDetail | 'rows';
	/** As it is to be entered; empty where there is only something to say. */
	value: string;
	/**
	 * `fixed`: the API reference leaves no doubt. `possible`: for the user to choose. `elsewhere`:
	 * a field has this name in other responses than those that count. `works`, `fails`: what a real read
	 * with the credential's own value has shown. `note`: only the text.
	 */
	says: 'fixed' | 'possible' | 'elsewhere' | 'works' | 'fails' | 'note';
	/** A text without its period: what it rests on, or what is said beside the value. */
	why: string;
}

/** Says what a reference has for an API Detail, the likeliest first; `signing` may return upload URLs (§4.3). */
type Finder = (
	reference: Reference & { signing: ApiOperation[] },
) => Array<Omit<Proposal, 'detail'>>;

/** An API Detail that an API reference does not tell has a finder that finds nothing. */
const FINDERS: Record<ApiDetail, Finder> = {
	uploadFileField(reference) {
		const fields = of(reference, UPLOAD).flatMap(({ form }) => form.parts);
		const files = fields.filter(takesFile);
		// A form that declares no file may carry it in any field that is not the interface's own.
		const possible = files.length > 0 ? files : fields.filter(mayBeFile);
		const only = files.length > 0 && 'The upload endpoint has no other field for a file';
		return choices(
			reference,
			possible.map(({ name }) => name),
			'',
			only,
		);
	},
	documentIdField(reference) {
		const responses = of(reference, UPLOAD).map(({ response }) => response);
		const parts = responses.flatMap(partsBelow).filter(isOfUploadedDocument);
		// The node finds a bare name nearest to the top; it also fits responses that hold it elsewhere.
		const entryFor = (part: Part) => {
			const same = parts.filter(({ name }) => name === part.name);
			const nearest = same.filter((one) => depthOf(one) === depthOf(same[0]));
			const isAlone = new Set(pathsOf(nearest)).size === 1;
			return isAlone && nearest.includes(part) ? part.name : part.path;
		};
		const possible = parts.filter(mayBeId);
		const named = possible.filter(({ name }) => namesAnId(name));
		const entries = [...named, ...possible].slice(0, MOST).flatMap((part) => entryFor(part) ?? []);
		// What is nearer to the top, or as near in another object, may be the document's ID instead.
		const own = named.find(({ name }) => name === DOCUMENT_ID);
		const isNearest =
			own !== undefined &&
			possible.every((part) => depthOf(part) >= depthOf(own)) &&
			named.every((part) => depthOf(part) > depthOf(own) || parentOf(part) === parentOf(own));
		return isNearest && entries.includes(DOCUMENT_ID)
			? choices(reference, [DOCUMENT_ID], '', 'The response to an upload has this field')
			: choices(reference, entries, 'in the response to an upload');
	},
	rows: () => [],
	workflowEndpoint(reference) {
		const reading = reference.operations.filter(
			(operation) =>
				['GET', 'POST'].includes(operation.method) &&
				operation.endpoint.includes('{workflow_id}') &&
				!isShown(operation) &&
				partsBelow(operation.response).some(
					// A list is not about the one workflow.
					({ name, path }) => name === 'is_extracting' && !path?.includes('['),
				),
		);
		const isCertain = reading.every(
			({ method, endpoint }) =>
				method === 'GET' && !endpoint.replace('{workflow_id}', '').includes('{'),
		);
		return choices(
			reference,
			reading.map(({ endpoint }) => endpoint),
			'',
			isCertain && "It is the only endpoint that reads one workflow and returns 'is_extracting'",
		);
	},
	finishedStatuses(reference) {
		const parts = of(reference, LIST_DOCUMENTS).flatMap(({ response }) => partsBelow(response));
		const statuses = parts.filter(({ name }) => name === 'extraction_status').flatMap(valuesOf);
		return choices(reference, statuses, 'declared in the OpenAPI document');
	},
	uploadUrlEndpoint: (reference) =>
		choices(
			reference,
			reference.signing.map(({ endpoint }) => endpoint),
		),
	uploadUrlBody: ({ signing }) => signing.flatMap(printedBody),
	uploadUrlField: (reference) =>
		reference.signing.flatMap(({ endpoint, response }) =>
			choices(reference, pathsOf(partsBelow(response).filter(isUrl)), `returned by ${endpoint}`),
		),
	uploadHeadersField: (reference) =>
		reference.signing.flatMap(({ endpoint, response }) => {
			const headers = partsBelow(response).filter(
				(part) => /headers?$/i.test(part.name) && allows(part, 'object'),
			);
			return choices(reference, pathsOf(headers), `returned by ${endpoint}`);
		}),
	confirmMethod: (reference) =>
		choices(
			reference,
			confirming(reference).map(({ method }) => method),
			'',
			'It is the method of the only endpoint that can confirm: its path ends with /documents/confirm',
		),
	confirmBody: (reference) => confirming(reference).flatMap(printedBody),
};

/** All that an API reference says. */
export function findingsIn(reference: Reference): Proposal[] {
	const described = { ...reference, signing: signingIn(reference) };
	return Object.entries(FINDERS).flatMap(([detail, find]) =>
		find(described).map((proposal) => ({ detail: detail as ApiDetail, ...proposal })),
	);
}

/** Nobody would choose from more. */
const MOST = 12;

/**
 * @param beside what is said of a value that is not the only one
 * @param only why a value is right if it is the only one; without it, none is certain
 */
function choices(
	{ isCutShort }: Reference,
	values: string[],
	beside = '',
	only: string | false = false,
): ReturnType<Finder> {
	const distinct = [...new Set(values)];
	const isFixed = only !== false && distinct.length === 1 && !isCutShort;
	return distinct
		.slice(0, MOST)
		.map((value) =>
			isFixed ? { value, says: 'fixed', why: only } : { value, says: 'possible', why: beside },
		);
}

const of = ({ operations }: Reference, call: string) =>
	operations.filter((operation) => operation.call === call);

/** Whether the interface shows what the operation does (§4). */
const isShown = (operation: ApiOperation) =>
	SHOWN_CALLS.has(operation.call) || operation.call.endsWith(` ${CONFIRM_SHAPE}`);

const confirming = ({ operations }: Reference) =>
	operations.filter(
		({ call, method }) => call === `${method} ${CONFIRM_SHAPE}` && method !== 'GET',
	);

/**
 * The operations that may return signed upload URLs. The interface shows neither method nor path
 * (§4.3): it may be whatever returns a URL, once the document is known to be this service's.
 */
function signingIn({ operations }: Reference): ApiOperation[] {
	if (!operations.some(isShown)) return [];
	return operations
		.filter((operation) => !isShown(operation) && partsBelow(operation.response).some(isUrl))
		.sort(({ call: one }, { call: other }) => Number(isNamed(other)) - Number(isNamed(one)))
		.slice(0, MOST);
}

const isNamed = (call: string) => /upload|sign/i.test(call);

function isUrl(part: Part): boolean {
	if (!allows(part, 'string') || part.parts.length > 0) return false;
	const isUri = hasFormat(part, /^(?:uri|url|iri)$/i);
	// The entry of a list is called as the list is.
	const name = lastStep(part.path ?? '');
	return isUri || /url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name);
}

const hasFormat = ({ schemas }: Part, pattern: RegExp) =>
	schemas.some(({ format }) => typeof format === 'string' && pattern.test(format));

const pathsOf = (parts: Part[]) => parts.flatMap(({ path }) => path ?? []);

const parentOf = ({ path = '' }: Part) => path.slice(0, path.lastIndexOf('.') + 1);

const depthOf = ({ path = '' }: Part) => path.split(/[.[]/).length;

/** Whether a part may be the ID of the uploaded document: its name means nothing else (§2, §3). */
const isOfUploadedDocument = ({ name }: Part) => !OF_NO_DOCUMENT.has(name);

/** Whether a part is a text or a number, and no address, date or one of a few values. */
const mayBeId = (part: Part) =>
	part.parts.length === 0 &&
	allows(part, 'string', 'integer') &&
	valuesOf(part).length === 0 &&
	!hasFormat(part, /date|time|uri|url|email/);

/** The fields of an upload that the interface names (§4.2). */
const UPLOAD_NAMES = new Set(['workflow_id', 'collection_id', 'collection_name']);

const mayBeFile = (field: Part) =>
	allows(field, 'string', 'array') && valuesOf(field).length === 0 && !UPLOAD_NAMES.has(field.name);

/** What an operation's JSON body looks like, as API references print it. */
function printedBody({ endpoint, body }: ApiOperation): ReturnType<Finder> {
	if (body.schemas.length === 0) return [];
	const why = `Enter the body that follows. In place of each <…>, put a value or a placeholder: {file_name}, {content_type}, {file_size}, {workflow_id}, {collection_id}, {collection_name} or, in Confirm Body, {document_id}. Body of ${endpoint}: ${JSON.stringify(printed(body, MOST_PRINTED))}`;
	return [{ value: '', says: 'note', why }];
}

/** Values in a printed body. */
const MOST_PRINTED = 60;

function printed(part: Part, most: number): unknown {
	const shown = part.parts
		.filter(({ schemas }) => !schemas.some(({ readOnly }) => readOnly === true))
		.slice(0, most);
	const each = Math.floor(most / Math.max(1, shown.length));
	const entry = shown.find(({ name }) => name === '[0]');
	if (entry) return [printed(entry, each)];
	// Without a prototype, so that a property named __proto__ is one.
	const body = Object.create(null) as { [name: string]: unknown };
	for (const inner of shown) body[inner.name] = printed(inner, each);
	if (shown.length > 0) return body;
	const values = valuesOf(part).slice(0, most);
	return `<${values.length > 0 ? `one of: ${values.join(', ')}` : typesOf(part).join(' or ') || 'any'}>`;
}
