/** Headers that a signed upload has to carry. The interface does not show whether there are any (§4.3). */
import { UserError } from 'n8n-workflow';

import type { DocumentExtractionCredential } from '../credential';
import { fieldPath, fieldsOf, valueIn } from './fields';
import { API_DETAILS, howToCorrect } from './apiDetails';

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
/** A signed URL needs none of these, and whoever gets them may act in somebody's name. */
const SECRET = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * The headers that the response of the upload URL endpoint names for the upload.
 * @throws UserError naming the API Detail, where they are not there or cannot be sent
 */
export function uploadHeadersIn(
	credential: DocumentExtractionCredential,
	response: unknown,
): UploadHeaders {
	const path = fieldPath(credential, 'uploadHeadersField');
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
		// The node's own, for which the file's type stands unless the service names one.
		headers[lowerCase === 'content-type' ? 'Content-Type' : name] = text;
	}
	return { headers, source: source as object };
}

function isHeader(name: string, value: string): boolean {
	return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}

function unusable(what: string, response: unknown): UserError {
	return new UserError(`The API Detail '${API_DETAILS.uploadHeadersField.label}' ${what}`, {
		description: `The response has: ${fieldsOf(response)}. ${howToCorrect('uploadHeadersField')} Empty it if ${API_DETAILS.uploadHeadersField.emptyIf}.`,
	});
}
