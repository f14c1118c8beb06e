/** What the account's API reference says of each API Detail. */
import { ALL_DETAILS, type ApiDetail } from '../account/apiDetails';
import { DOCUMENT_ID, isFieldPath, lastStep, namesAnId } from '../account/fields';
import {
	CONFIRM_SHAPE,
	LIST_DOCUMENTS,
	OF_NO_DOCUMENT,
	SHOWN_CALLS,
	UPLOAD,
} from '../account/parse';
import { allows, isFile, valuesOf, type ApiOperation, type Part } from './reference';

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
	/** Why a value is certain if it is the only one; none is without this. */
	only?: string;
	/** The values that may be certain; all without this. */
	certain?: RegExp;
}

const is = (call: string) => (operation: ApiOperation) => operation.call === call;

/** API Details that are a list of values of `extraction_status`. */
export const STATUS_DETAILS = ALL_DETAILS.filter((detail) => detail.endsWith('Statuses'));

/** What is not in the table, an API reference does not tell. */
const FINDINGS: Finding[] = [
	{
		detail: 'uploadFileField',
		from: is(UPLOAD),
		// A field of the form, or the entries of one that is a list.
		values: ({ form }) =>
			form
				.filter((part) => isFile(part) && ['', '[0]'].includes(part.steps.slice(1).join('.')))
				.map(({ steps: [name] }) => name),
		only: 'The upload endpoint has no other field for a file',
	},
	{
		detail: 'documentIdField',
		from: is(UPLOAD),
		values: ({ response }) => documentIds(response),
		only: 'The response to an upload has this field',
		certain: new RegExp(`^${DOCUMENT_ID}$`),
	},
	{
		detail: 'workflowEndpoint',
		from: (operation) =>
			['GET', 'POST'].includes(operation.method) &&
			operation.endpoint.includes('{workflow_id}') &&
			!isShown(operation) &&
			// A list is not about the one workflow.
			operation.response.some(
				(part) => nameOf(part) === 'is_extracting' && !part.steps.includes('[0]'),
			),
		values: ({ endpoint }) => [endpoint],
		only: "It is the only endpoint that reads one workflow and returns 'is_extracting'",
		// A POST may change something; another parameter is not the workflow's.
		certain: /^GET [^{}]*\{workflow_id\}[^{}]*$/,
	},
	...STATUS_DETAILS.map((detail) => ({
		detail,
		from: is(LIST_DOCUMENTS),
		values: ({ response }: ApiOperation) =>
			response.filter((part) => nameOf(part) === 'extraction_status').flatMap(valuesOf),
	})),
	{
		detail: 'uploadUrlEndpoint',
		from: maySign,
		values: ({ endpoint }) => [endpoint],
	},
	{
		detail: 'uploadUrlField',
		from: maySign,
		values: ({ response }) => pathsOf(response.filter(isUrl)),
	},
	{
		detail: 'uploadHeadersField',
		from: maySign,
		values: ({ response }) =>
			pathsOf(response.filter((part) => /headers?$/i.test(part.path) && allows(part, 'object'))),
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

/** All that an API reference says; nothing if it is another service's, without a call of the interface. */
export function findingsIn(operations: ApiOperation[]): Proposal[] {
	if (!operations.some(isShown)) return [];
	const likelyToSign = ({ call }: ApiOperation) => Number(/upload|sign/i.test(call));
	const inOrder = operations.toSorted((one, other) => likelyToSign(other) - likelyToSign(one));
	return FINDINGS.flatMap(({ detail, from, values, only, certain = /^/ }) => {
		const distinct = [...new Set(inOrder.filter(from).flatMap(values))];
		if (only && distinct.length === 1 && certain.test(distinct[0])) {
			return [{ detail, value: distinct[0], says: 'fixed', why: only }];
		}
		return distinct
			.slice(0, MOST)
			.map((value): Proposal => ({ detail, value, says: 'possible', why: '' }));
	});
}

/** Whether the interface shows what the operation does (§4). */
function isShown({ call }: ApiOperation) {
	return SHOWN_CALLS.has(call) || call.endsWith(` ${CONFIRM_SHAPE}`);
}

/** Whether it may return signed upload URLs: it returns a URL. More is not shown (§4.3). */
function maySign(operation: ApiOperation) {
	return !isShown(operation) && operation.response.some(isUrl);
}

function isUrl(part: Part): boolean {
	const isNamed = /url|href|(?:^|[^a-z])uri/i.test(lastStep(part.path));
	return allows(part, 'string') && (isNamed || hasFormat(part, /^(?:uri|url|iri)$/i));
}

const nameOf = ({ steps }: Part) => steps.at(-1);

const hasFormat = ({ schemas }: Part, pattern: RegExp) =>
	schemas.some(({ format }) => typeof format === 'string' && pattern.test(format));

/** A name that no path can hold is nothing to choose. */
const pathsOf = (parts: Part[]) => parts.map(({ path }) => path).filter(isFieldPath);

/** What to enter for each field that may be the ID of the uploaded document. */
function documentIds(response: Part[]): string[] {
	const possible = response.filter(
		(part) =>
			!OF_NO_DOCUMENT.has(lastStep(part.path)) &&
			allows(part, 'string', 'integer') &&
			valuesOf(part).length === 0 &&
			!hasFormat(part, /date|time|uri|url|email/),
	);
	const paths = pathsOf(possible);
	return isNearestId(DOCUMENT_ID, paths) ? [DOCUMENT_ID] : idsAmong(paths, pathsOf(response));
}

/**
 * What to enter for some fields that may be an ID, those named as one first. A bare name is found nearest
 * to the top; a field that stands elsewhere needs its path.
 * @param all the paths of the response
 */
export function idsAmong(paths: string[], all: string[]): string[] {
	const isNamed = (path: string) => Number(namesAnId(lastStep(path)));
	return paths
		.toSorted((one, other) => isNamed(other) - isNamed(one))
		.map((path) => {
			const name = lastStep(path);
			const nearest = nearestOf(all.filter((other) => lastStep(other) === name));
			return nearest.length === 1 && nearest[0] === path ? name : path;
		});
}

/**
 * Whether no other field that may be an ID stands nearer to the top than this one, nor is named as an ID
 * and as near: this one could be another document's, such as one that is linked.
 * @param paths those of a response that may lead to an ID
 */
export function isNearestId(field: string, paths: string[]): boolean {
	const nearest = nearestOf(paths);
	const own = nearest.find((path) => lastStep(path) === field);
	const rivals = nearest.filter((path) => namesAnId(lastStep(path)));
	return own !== undefined && rivals.every((path) => parentOf(path) === parentOf(own));
}

/** Those of the paths that have the fewest steps. */
function nearestOf(paths: string[]): string[] {
	const least = Math.min(...paths.map(depthOf));
	return paths.filter((path) => depthOf(path) === least);
}

const depthOf = (path: string) => path.split(/[.[]/).length;
const parentOf = (path: string) => path.slice(0, -lastStep(path).length);
