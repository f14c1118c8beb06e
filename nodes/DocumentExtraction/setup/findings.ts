/** What the account's API reference says of each API Detail. */
import { ALL_DETAILS, type ApiDetail } from '../account/apiDetails';
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
	isFile,
	valuesOf,
	type ApiOperation,
	type Part,
	type Reference,
} from './reference';

/** What a source says of an API Detail. */
export interface Proposal {
	detail: ApiDetail;
	/** As it is to be entered; empty where there is only something to say. */
	value: string;
	/**
	 * `fixed`: the API reference leaves no doubt. `possible`: for the user to choose. `elsewhere`:
	 * a field has this name in other responses than those that count. `works`, `doubtful`, `fails`:
	 * what a real read with the credential's own value has shown. `note`: only the text.
	 */
	says: 'fixed' | 'possible' | 'elsewhere' | 'works' | 'doubtful' | 'fails' | 'note';
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

/** API Details that are a list of values of `extraction_status`. */
export const STATUS_DETAILS = ALL_DETAILS.filter((detail) => detail.endsWith('Statuses'));

/** What is not in the table, an API reference does not tell. */
const FINDINGS: Finding[] = [
	{
		detail: 'uploadFileField',
		from: is(UPLOAD),
		values: ({ form }) => form.filter(isFile).map(({ name }) => name),
		only: 'The upload endpoint has no other field for a file',
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
	...STATUS_DETAILS.map(
		(detail): Finding => ({
			detail,
			from: is(LIST_DOCUMENTS),
			values: ({ response }) =>
				response.filter(({ name }) => name === 'extraction_status').flatMap(valuesOf),
			beside: () => 'declared in the OpenAPI document',
		}),
	),
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

/**
 * What to enter for each field that may be the ID of the uploaded document, those named as an ID first. A
 * bare name is found nearest to the top; a field that stands elsewhere needs its path.
 */
function documentIds(response: Part[]): string[] {
	const possible = response.filter((part) => !OF_NO_DOCUMENT.has(part.name) && mayBeId(part));
	const named = possible.filter(({ name }) => namesAnId(name));
	const entries = [...named, ...possible].slice(0, MOST).flatMap(({ name, path }) => {
		const paths = pathsOf(response.filter((other) => other.name === name));
		const nearest = paths.filter((other) => depthOf(other) === depthOf(paths[0]));
		return path !== undefined && nearest.length === 1 && nearest[0] === path ? name : (path ?? []);
	});
	return isNearestId(DOCUMENT_ID, pathsOf(possible)) ? [DOCUMENT_ID] : entries;
}

/**
 * Whether no other field that may be an ID stands nearer to the top than this one, nor is named as an ID
 * and as near: this one could be another document's, such as one that is linked.
 * @param paths those of a response that may lead to an ID
 */
export function isNearestId(field: string, paths: string[]): boolean {
	const byDepth = paths.toSorted((one, other) => depthOf(one) - depthOf(other));
	const own = byDepth.find((path) => lastStep(path) === field);
	if (own === undefined) return false;
	return byDepth.every((path) => {
		if (depthOf(path) !== depthOf(own)) return depthOf(path) > depthOf(own);
		return parentOf(path) === parentOf(own) || !namesAnId(lastStep(path));
	});
}

const depthOf = (path: string) => path.split(/[.[]/).length;
const parentOf = (path: string) => path.slice(0, -lastStep(path).length);

/** Whether a part is a text or a number, and no address, date or one of a few values. */
const mayBeId = (part: Part) =>
	allows(part, 'string', 'integer') &&
	valuesOf(part).length === 0 &&
	!hasFormat(part, /date|time|uri|url|email/);
