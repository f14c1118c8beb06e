/** What the account's API reference says of each API Detail. */
import type { ApiDetail } from '../account/apiDetails';
import { DOCUMENT_ID, lastStep, namesAnId, namesAnotherDocument } from '../account/fields';
import {
	CONFIRM_SHAPE,
	LIST_DOCUMENTS,
	OF_NO_DOCUMENT,
	SHOWN_CALLS,
	UPLOAD,
} from '../account/parse';
import { allows, valuesOf, type ApiOperation, type Part, type Reference } from './reference';

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

/** What an API reference says of an API Detail. */
interface Finding {
	detail: ApiDetail;
	/** The operations that tell it. */
	from: (operation: ApiOperation) => boolean;
	/** What each of them tells, the likeliest first. */
	values: (operation: ApiOperation) => string[];
	/** Why a value is right if it is the only one. Without this, none is certain. */
	only?: string;
	/** Whether an operation can make its only value certain; each can without this. */
	isCertain?: (operation: ApiOperation) => boolean;
	/** What is said beside a value that is not certain. */
	beside?: (operation: ApiOperation) => string;
}

const is = (call: string) => (operation: ApiOperation) => operation.call === call;
const returned = ({ endpoint }: ApiOperation) => `returned by ${endpoint}`;

/** What is not in the table, an API reference does not tell. */
const FINDINGS: Finding[] = [
	{
		detail: 'uploadFileField',
		from: is(UPLOAD),
		// A form that declares no file may carry it in any field that is not the interface's own.
		values: ({ form }) =>
			form
				.filter((field) => (declaresFile(form) ? field.isFile : mayBeFile(field)))
				.map(({ name }) => name),
		only: 'The upload endpoint has no other field for a file',
		isCertain: ({ form }) => declaresFile(form),
	},
	{
		detail: 'documentIdField',
		from: is(UPLOAD),
		values: ({ response }) => documentIds(response),
		only: `The response to an upload has this field`,
		isCertain: ({ response }) => documentIds(response).includes(DOCUMENT_ID),
		beside: () => 'in the response to an upload',
	},
	{
		detail: 'workflowEndpoint',
		from: (operation) =>
			['GET', 'POST'].includes(operation.method) &&
			operation.endpoint.includes('{workflow_id}') &&
			!isShown(operation) &&
			// A list is not about the one workflow.
			operation.response.some(({ name, path }) => name === 'is_extracting' && !path?.includes('[')),
		values: ({ endpoint }) => [endpoint],
		only: "It is the only endpoint that reads one workflow and returns 'is_extracting'",
		isCertain: ({ method, endpoint }) =>
			method === 'GET' && !endpoint.replace('{workflow_id}', '').includes('{'),
	},
	{
		detail: 'finishedStatuses',
		from: is(LIST_DOCUMENTS),
		values: ({ response }) =>
			response.filter(({ name }) => name === 'extraction_status').flatMap(valuesOf),
		beside: () => 'declared in the OpenAPI document',
	},
	{
		detail: 'uploadUrlEndpoint',
		from: maySign,
		values: ({ endpoint }) => [endpoint],
	},
	{
		detail: 'uploadUrlField',
		from: maySign,
		values: ({ response }) => pathsOf(response.filter(isUrl)),
		beside: returned,
	},
	{
		detail: 'uploadHeadersField',
		from: maySign,
		values: ({ response }) =>
			pathsOf(response.filter((part) => /headers?$/i.test(part.name) && allows(part, 'object'))),
		beside: returned,
	},
	{
		detail: 'confirmMethod',
		from: ({ call, method }) => call === `${method} ${CONFIRM_SHAPE}` && method !== 'GET',
		values: ({ method }) => [method],
		only: 'It is the method of the only endpoint that can confirm: its path ends with /documents/confirm',
	},
];

/** Nobody would choose from more. */
const MOST = 12;

/** All that an API reference says. */
export function findingsIn({ operations, isCutShort }: Reference): Proposal[] {
	// Unless it has one of the calls that the interface shows, it is another service's.
	if (!operations.some(isShown)) return [];
	return FINDINGS.flatMap(({ detail, from, values, only, isCertain = () => true, beside }) => {
		const asked = operations.filter(from).sort(uploadsFirst);
		const byValue = new Map<string, ApiOperation>();
		for (const operation of asked) {
			for (const value of values(operation)) {
				if (!byValue.has(value)) byValue.set(value, operation);
			}
		}
		const isFixed = only && byValue.size === 1 && asked.every(isCertain) && !isCutShort;
		return [...byValue]
			.slice(0, MOST)
			.map(
				([value, operation]): Proposal =>
					isFixed
						? { detail, value, says: 'fixed', why: only }
						: { detail, value, says: 'possible', why: beside?.(operation) ?? '' },
			);
	});
}

/** Whether the interface shows what the operation does (§4). */
function isShown({ call }: ApiOperation) {
	return SHOWN_CALLS.has(call) || call.endsWith(` ${CONFIRM_SHAPE}`);
}

/**
 * Whether the operation may return signed upload URLs. The interface shows neither method nor path
 * (§4.3): it may be whatever returns a URL.
 */
function maySign(operation: ApiOperation) {
	return !isShown(operation) && operation.response.some(isUrl);
}

const isNamed = ({ call }: ApiOperation) => Number(/upload|sign/i.test(call));
const uploadsFirst = (one: ApiOperation, other: ApiOperation) => isNamed(other) - isNamed(one);

function isUrl(part: Part): boolean {
	if (!allows(part, 'string')) return false;
	const isUri = hasFormat(part, /^(?:uri|url|iri)$/i);
	// The entry of a list is called as the list is.
	const name = lastStep(part.path ?? '');
	return isUri || /url|href|(?:^|[^a-z])uris?(?:[^a-z]|$)|Uris?(?:[^a-z]|$)/i.test(name);
}

const hasFormat = ({ schemas }: Part, pattern: RegExp) =>
	schemas.some(({ format }) => typeof format === 'string' && pattern.test(format));

const pathsOf = (parts: Part[]) => parts.flatMap(({ path }) => path ?? []);

const declaresFile = (form: ApiOperation['form']) => form.some(({ isFile }) => isFile);

/** The fields of an upload that the interface names (§4.2). */
const UPLOAD_NAMES = new Set(['workflow_id', 'collection_id', 'collection_name']);

const mayBeFile = (field: Part) =>
	allows(field, 'string', 'array') && valuesOf(field).length === 0 && !UPLOAD_NAMES.has(field.name);

/**
 * The fields that may be the ID of the uploaded document: `document_id` alone where it is there, or else
 * those that are named as an ID first. A bare name stands for the part nearest to the top.
 */
function documentIds(response: Part[]): string[] {
	// A name that means something else (§2, §3), or that an earlier document has, is no choice.
	const parts = response.filter(
		({ name, path }) => !OF_NO_DOCUMENT.has(name) && !path?.split('.').some(namesAnotherDocument),
	);
	const entryFor = (part: Part) => {
		const same = parts.filter(({ name }) => name === part.name);
		const nearest = same.filter((one) => depthOf(one) === depthOf(same[0]));
		return nearest.includes(part) && new Set(pathsOf(nearest)).size === 1 ? part.name : part.path;
	};
	const possible = parts.filter(mayBeId);
	const named = possible.filter(({ name }) => namesAnId(name));
	const entries = [...named, ...possible].slice(0, MOST).flatMap((part) => entryFor(part) ?? []);
	return entries.includes(DOCUMENT_ID) ? [DOCUMENT_ID] : entries;
}

const depthOf = ({ path = '' }: Part) => path.split(/[.[]/).length;

/** Whether a part is a text or a number, and no address, date or one of a few values. */
const mayBeId = (part: Part) =>
	allows(part, 'string', 'integer') &&
	valuesOf(part).length === 0 &&
	!hasFormat(part, /date|time|uri|url|email/);
