/** What responses hold under the fields that the user has named. */
import { UserError } from 'n8n-workflow';

import type { DocumentExtractionCredential } from '../credential';
import { API_DETAILS, detailValue, DOCUMENT_ID, howToCorrect, requiredDetail } from './apiDetails';
import {
	fieldsOf,
	isBareName,
	lastStep,
	levelsOf,
	ownValue,
	partsOfItself,
	textIn,
	valueIn,
	wordsIn,
} from './fields';

/**
 * The ID of the document that an upload has made, or undefined where there is none under the field
 * that the user named: that of another document must not pass for it.
 */
export function uploadedIdIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): string | undefined {
	return idIn(response, requiredDetail(credential, 'documentIdField'));
}

/** The ID under a field; undefined where there is none, or where it is not clear which one. */
export function idIn(response: unknown, field: string): string | undefined {
	const [id, ...others] = idsIn(response, field);
	return others.length === 0 ? id : undefined;
}

/**
 * The different IDs under a field, of which a path leads to one at most; by a bare name, those on the
 * level nearest to the top, but never that of another document, e.g. one that was there before.
 */
export function idsIn(response: unknown, field: string): string[] {
	if (!isBareName(field)) return [textIn(response, field) ?? []].flat();
	for (const level of levelsOf(response, Infinity, partsOfItself)) {
		const found = level.filter((outer) => ownValue(outer, field) !== undefined);
		if (found.length > 0) return [...new Set(found.flatMap((outer) => textIn(outer, field) ?? []))];
	}
	return [];
}

/**
 * The ID of the one document that an entry of a list is about, or undefined where there is none: under
 * the name that the interface gives it (interface.md §2), or else where the user found it in responses
 * to uploads, whose path may not fit here.
 */
export function documentIdIn(
	credential: DocumentExtractionCredential,
	entry: unknown,
): string | undefined {
	const field = requiredDetail(credential, 'documentIdField');
	const found = idIn(entry, DOCUMENT_ID) ?? idIn(entry, field);
	if (found !== undefined) return found;
	const name = lastStep(field);
	// A name of one word, such as `id`, may be that of the result's own ID.
	const isSpecific = wordsIn(name).filter(Boolean).length > 1;
	return isSpecific ? idIn(entry, name) : undefined;
}

/** The values of `extraction_status` that mean finished; empty where the user has named none. */
export function finishedStatuses(credential: DocumentExtractionCredential): Set<string> {
	return new Set(detailValue(credential, 'finishedStatuses'));
}

/** The API Details that say where a result holds its values. */
export const RESULT_DETAILS = ['valuesField', 'columnNameField', 'columnValueField'] as const;

export type ResultDetail = (typeof RESULT_DETAILS)[number];

/**
 * Where a result holds its values, as names or paths that `valueIn` takes: Values Field alone in an
 * object of column → value; with Column Value Field, in an object of column → box. With Column Name
 * Field and Column Value Field, in one entry per column, under Values Field or as a result of its own.
 */
export type ResultFields = { [detail in ResultDetail]?: string };

/**
 * The fields of results that the user has named; undefined where there are none.
 * @throws UserError when one is no field, or does not work without another one that is empty
 */
export function resultFields(credential: DocumentExtractionCredential): ResultFields | undefined {
	const fields: ResultFields = {
		valuesField: detailValue(credential, 'valuesField'),
		columnNameField: detailValue(credential, 'columnNameField'),
		columnValueField: detailValue(credential, 'columnValueField'),
	};
	return Object.values(fields).some((path) => path !== undefined) ? fields : undefined;
}

/** Like `resultFields`, but a malformed field, which fails only what needs it, counts as none. */
export function usableResultFields(
	credential: DocumentExtractionCredential,
): ResultFields | undefined {
	try {
		return resultFields(credential);
	} catch {
		return undefined;
	}
}

/**
 * The signed URL in a response, or undefined where the field is not there.
 * @throws UserError when the API Detail is empty or no field
 */
export function uploadUrlIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): string | undefined {
	return textIn(response, requiredDetail(credential, 'uploadUrlField'));
}

/** Headers that a signed upload has to carry; whether there are any is not shown (interface.md §4.3). */
export interface UploadHeaders {
	/** By name; without the API Detail there are none. */
	headers: { [name: string]: string };
	/** The part of the response that holds them, which is not for later nodes. */
	source?: object;
}

/** HTTP itself sets these, for the file and the address that the node sends to. */
const SET_BY_HTTP = new Set([
	'connection',
	'content-length',
	'expect',
	'host',
	'keep-alive',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);
/** A signed URL needs none of these, and they would let its host act in somebody's name. */
const SECRET = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * The headers that the response of the upload URL endpoint names for the upload.
 * @throws UserError naming the API Detail, where they are not there or cannot be sent
 */
export function uploadHeadersIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): UploadHeaders {
	const path = detailValue(credential, 'uploadHeadersField');
	if (path === undefined) return { headers: {} };
	const source = valueIn(response, path);
	if (source === null) return { headers: {} };
	if (typeof source !== 'object' || Array.isArray(source)) {
		throw unusable('does not lead to an object of headers in the response', response);
	}
	const headers: UploadHeaders['headers'] = {};
	for (const [name, value] of Object.entries(source as object)) {
		const lowerCase = name.toLowerCase();
		if (value === null || SET_BY_HTTP.has(lowerCase)) continue;
		if (SECRET.has(lowerCase)) {
			throw unusable(`leads to the header '${lowerCase}', which the node does not send`, response);
		}
		const text = String(value);
		if (typeof value === 'object' || !isHeader(name, text) || text.includes(credential.apiKey)) {
			throw unusable('leads to something that cannot be sent as a header', response);
		}
		// The node sets it to the file's type; the service's own choice takes its place.
		headers[lowerCase === 'content-type' ? 'Content-Type' : name] = text;
	}
	return { headers, source: source as object };
}

function isHeader(name: string, value: string): boolean {
	return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}

function unusable(what: string, response: unknown): UserError {
	const { label, emptyIf } = API_DETAILS.uploadHeadersField;
	return new UserError(`The credential's field '${label}' ${what}`, {
		description: `The response has: ${fieldsOf(response)}. ${howToCorrect('uploadHeadersField')} Empty it if ${emptyIf}.`,
	});
}
