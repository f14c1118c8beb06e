/** Uploading a file, directly or to a signed URL, which is then confirmed (interface.md §4.2 to §4.4). */
import { UserError } from 'n8n-workflow';

import { fromLine, ifReady, ready } from '../account/account';
import { API_DETAILS, detailError, howToCorrect, type ApiDetail } from '../account/apiDetails';
import { problemOfUrl } from '../account/credential';
import { fieldsOf, idIn, isObject, levelsOf, textIn, valueIn } from '../account/fields';
import {
	filledBody,
	filledEndpoint,
	namesOneDocument,
	type PlaceholderValues,
} from '../account/parse';
import { settled, type Outcome } from '../http/concurrency';
import { multipartPayload, rawPayload, type FileContent } from '../http/transfer';
import { withoutSignedUrls } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse } from '../http/response';
import { CallError, hasStatus, noteIn, type FailureFacts } from './callError';
import { forWholeRun, mostUploads, type Client } from './client';
import { DEFAULT_DOCUMENTS_PER_CALL } from './extractions';
import {
	callForEach,
	callService,
	exchange,
	once,
	workflowPath,
	type ServiceCall,
	type ServiceResponse,
} from './call';

/** The collection that documents are placed in: by ID or, where the interface takes one, by name. */
export interface CollectionChoice {
	id?: string;
	name?: string;
}

export type UploadMethod = 'direct' | 'signed';

/** How far a file has come. */
export type Stage =
	| { name: 'planned' }
	/** Directly uploaded, it may be at the service: there was no response, or no document ID in it. */
	| { name: 'unknown'; response?: unknown }
	/** At the service; `stored` is still to be confirmed, and from `confirmed` on it is a document. */
	| {
			name: 'stored' | 'confirmed' | 'extracting';
			documentId: string;
			/** What the service responded, without signed URLs. */
			response: unknown;
	  };

/**
 * Checks, before the first request, that a file can take these steps, and that one of them has a place for
 * the collection, where one is chosen: it would be lost silently.
 * @throws UserError naming the API Detail that is missing or wrong, that has no such place, or that needs a
 * collection where none is chosen
 */
export function assertCanTake(
	client: Client,
	steps: Array<'directUpload' | 'uploadUrl' | 'confirmation'>,
	collection: CollectionChoice,
) {
	const { account } = client;
	for (const step of steps) ready<unknown>(account[step]);
	const file = { document_id: 'id', file_name: 'file', content_type: 'type', file_size: 1 };
	const values = { ...file, ...placeholders(client, collection) };
	if (steps.includes('uploadUrl')) {
		const { endpoint } = ready(account.uploadUrl);
		fromLine('uploadUrlEndpoint', () => filledEndpoint(endpoint, values));
	}
	if (steps.includes('confirmation')) {
		const { body } = ready(account.confirmation);
		fromLine('confirmBody', () => filledBody(body, [values]));
	}
	const chosen = collection.id ?? collection.name;
	if (steps.includes('directUpload') || chosen === undefined) return;
	const lines: ApiDetail[] = steps.flatMap((step): ApiDetail[] =>
		step === 'uploadUrl' ? ['uploadUrlBody', 'uploadUrlEndpoint'] : ['confirmBody'],
	);
	const placeholder = `collection_${collection.id === undefined ? 'name' : 'id'}`;
	const text = JSON.stringify(lines.map((line) => ifReady<unknown>(account.details[line])));
	if (text.includes(`{${placeholder}}`)) return;
	throw new UserError(
		`The credential's line '${API_DETAILS[lines[0]].label}' has no {${placeholder}}`,
		{
			description: [
				'Therefore, the node cannot pass the collection on.',
				`If the endpoint accepts one, add e.g. "${placeholder}": "{${placeholder}}" to this line;`,
				'your API reference has the name. If the line has the other placeholder for collections,',
				"choose 'Collection' that way: {collection_name} By Name, {collection_id} From List or By ID.",
				"If the endpoint takes no collection, leave 'Collection' empty.",
			].join(' '),
		},
	);
}

/** The values of those placeholders that do not depend on a file or document. */
export function placeholders(client: Client, collection: CollectionChoice): PlaceholderValues {
	return {
		workflow_id: client.workflowId,
		collection_id: collection.id,
		collection_name: collection.name,
	};
}

/**
 * Uploads one file.
 * @returns how far it has come: a signed upload still has to be confirmed
 * @throws CallError; UserError for an API Detail that is missing or malformed
 */
export async function uploadFile(
	client: Client,
	method: UploadMethod,
	file: FileContent,
	collection: CollectionChoice,
): Promise<Stage> {
	if (method === 'signed') return await uploadSigned(client, file, collection);
	const { fileField } = ready(client.account.directUpload);
	const { json } = await callService(client, {
		method: 'POST',
		path: `${workflowPath(client)}/documents`,
		file: {
			payload: multipartPayload(file, fileField, {
				collection_id: collection.id,
				collection_name: collection.name,
			}),
			size: file.size,
		},
		fileName: file.name,
		fileField,
		expects: 'any',
		changes: 'upload',
		fromDetails: ['uploadFileField'],
	});
	const documentId = uploadedDocumentId(client, json);
	return documentId === undefined
		? { name: 'unknown', response: json }
		: { name: 'confirmed', documentId, response: json };
}

async function uploadSigned(
	client: Client,
	file: FileContent,
	collection: CollectionChoice,
): Promise<Stage> {
	const values = {
		...placeholders(client, collection),
		file_name: file.name,
		content_type: file.mimeType,
		file_size: file.size,
	};
	// A file that was put must not be put again, e.g. after its upload was confirmed.
	const upload = await once(client, 'PUT', async () => await putFile(client, file, values));
	return {
		name: 'stored',
		documentId: upload.documentId,
		response: withoutSignedUrls(upload.response, { url: upload.url, headers: upload.source }),
	};
}

/** Headers that a signed upload has to carry; whether there are any is not shown (interface.md §4.3). */
interface UploadHeaders {
	/** By name; without the API Detail there are none. */
	headers: { [name: string]: string };
	/** The part of the response that contains them, which is not for later nodes. */
	source?: object;
}

/** HTTP itself sets these, for the file and the address that the node sends to. */
const SET_BY_HTTP =
	/^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
/** A signed URL needs none of these, and they would let its host act in somebody's name. */
const SECRET = /^(authorization|cookie|proxy-authorization)$/i;
const HEADER = /^[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7e]*$/;

/**
 * The headers that the response of the upload URL endpoint names for the upload.
 * @param path the API Detail 'Upload Headers Field'
 * @param apiKey must not reach the storage
 * @throws UserError naming the API Detail, where they are not there or cannot be sent
 */
export function uploadHeadersIn(
	response: unknown,
	path: string | undefined,
	apiKey: string,
): UploadHeaders {
	const source = path === undefined ? null : valueIn(response, path);
	if (source === null) return { headers: {} };
	if (!isObject(source)) {
		throw unusableHeaders('does not lead to an object of headers in the response', response);
	}
	const headers: UploadHeaders['headers'] = {};
	for (const [name, value] of Object.entries(source)) {
		if (value === null || SET_BY_HTTP.test(name)) continue;
		const text = String(value);
		if (SECRET.test(name) || text.includes(apiKey) || !HEADER.test(`${name}: ${text}`)) {
			throw unusableHeaders('leads to something that cannot be sent as a header', response);
		}
		// The node sets it to the file's type; the service's own choice takes its place.
		headers[/^content-type$/i.test(name) ? 'Content-Type' : name] = text;
	}
	return { headers, source };
}

function unusableHeaders(what: string, response: unknown): UserError {
	return detailError('uploadHeadersField', what, {
		description: [
			`The response has: ${fieldsOf(response)}. ${howToCorrect('uploadHeadersField')}`,
			'If the response contains no headers for the upload, delete the line.',
		].join(' '),
	});
}

/** A signed URL for one file, and the document that the file will be. */
interface SignedUpload extends UploadHeaders {
	url: string;
	documentId: string;
	response: unknown;
}

/**
 * Requests a signed upload URL.
 * @throws CallError when the response has no usable URL or no document ID where the API Details say;
 * UserError when its upload headers are missing or cannot be sent
 */
export async function requestUploadUrl(
	client: Client,
	values: PlaceholderValues,
): Promise<SignedUpload> {
	const { address, apiKey, uploadUrl } = client.account;
	const { endpoint, body, urlField: field, headersField } = ready(uploadUrl);
	const { json } = await callService(client, {
		...fromLine('uploadUrlEndpoint', () => filledEndpoint(endpoint, values)),
		body: body && filledBody(body, [values]),
		fileName: values.file_name?.toString(),
		expects: 'json',
		changes: 'upload URL',
		fromDetails: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const url = textIn(json, field);
	if (url === undefined || !URL.canParse(url)) {
		const reason = { text: noteIn(json, apiKey) };
		const hasUrl = [...levelsOf(json)].flat().some((value) => /^https?:/i.test(String(value)));
		// Where other files had a URL, or there is a reason and no URL at all, the field is not to blame.
		const isRefusal = client.journal.hasFoundIds || (reason.text !== '' && !hasUrl);
		const fileName = String(values.file_name ?? '');
		const has = fieldsOf(json);
		throw new CallError({ kind: 'no upload URL', reason, field, has, isRefusal, fileName });
	}
	const problem = problemOfUrl(url, address);
	if (problem) {
		throw new CallError({ kind: 'unsafe upload URL', problem, field, has: fieldsOf(json) });
	}
	const documentId = uploadedDocumentId(client, json, url);
	if (documentId === undefined) {
		throw noDocumentId(client, String(values.file_name), json, { isUpload: false });
	}
	return { url, documentId, response: json, ...uploadHeadersIn(json, headersField, apiKey) };
}

/** @param url a signed one, which must not go on as an ID */
function uploadedDocumentId({ account, journal }: Client, response: unknown, url?: string) {
	// That of another document must not pass for it, so only the field that the user named counts.
	const found = idIn(response, ready(account.documentIdField));
	const documentId = found === url ? undefined : found;
	journal.hasFoundIds ||= documentId !== undefined;
	return documentId;
}

/**
 * The error about a response to an upload in which 'Document ID Field' leads to no ID, or to several.
 * Where another response has had one, only the file can be to blame.
 * @param sent `isUpload`: whether the file was sent; `isOutcomeUnknown`: whether the service may have it
 */
export function noDocumentId(
	{ account, journal }: Client,
	fileName: string,
	response: unknown,
	sent: Pick<FailureFacts<'no document ID'>, 'isUpload' | 'isOutcomeUnknown'>,
): CallError {
	const field = ready(account.documentIdField);
	return new CallError({
		kind: 'no document ID',
		fileName,
		reason: { text: noteIn(response, account.apiKey) },
		isOnlyHere: journal.hasFoundIds,
		field,
		has: fieldsOf(response),
		...sent,
	});
}

/** The signed URLs of one file, in all tries of the execution. */
interface SignedUrls {
	/** The one that counts, and how often the file was put to it. */
	latest?: SignedUpload;
	uses: number;
	/** How many were requested before it and have expired. */
	expired: number;
	/** Whether one was refused at its first use: not because of its age, so a new one would be refused, too. */
	isRefused: boolean;
}

/**
 * Puts a file to a signed URL, without the key, and to a new one if that has expired. Putting it again
 * replaces the same object, so it is retried like a read.
 * @returns what the file was put to
 */
async function putFile(
	client: Client,
	file: FileContent,
	values: PlaceholderValues,
): Promise<SignedUpload> {
	const { address, apiKey } = client.account;
	const none: SignedUrls = { uses: 0, expired: 0, isRefused: false };
	const urls = await once(client, 'upload URLs', async () => none);
	const target = async () => {
		// Each of them is another write.
		const requesting = { ...client, writer: `${client.writer}, URL ${urls.expired + 1}` };
		urls.latest ??= await requestUploadUrl(requesting, values);
		urls.uses++;
		return urls.latest;
	};
	const put = async () =>
		await exchange<SignedUpload>(
			{
				client: { ...client, maxConcurrency: mostUploads(client) },
				peer: 'storage',
				isUpload: true,
				fileName: file.name,
			},
			// The storage's host is not known before there is a URL, so its limiter belongs to service and key.
			['storage', address, apiKey],
			{
				method: 'PUT',
				// Only when it is the file's turn to be sent: a URL that waited for that might have expired.
				target,
				payload: rawPayload(file),
				size: file.size,
				isWrite: false,
				read: async (incoming, transfer) => {
					const response = await readResponse(incoming, transfer);
					const isStored = hasSuccessStatus(response) && !isWebPage(response);
					return isStored && urls.latest
						? { response, success: { value: urls.latest } }
						: { response };
				},
			},
		);
	const first = await settled(put());
	if (!first.error) return first.value;
	if (!hasExpired(urls, first.error)) throw first.error;
	Object.assign(urls, { latest: undefined, uses: 0, expired: urls.expired + 1 });
	return await put();
}

/** Whether a URL is refused as expired or used up: S3 and Azure do so with 403, Google with 400. */
function hasExpired(urls: SignedUrls, error: Error): boolean {
	if (!urls.latest || !hasStatus(error, 400, 403)) return false;
	urls.isRefused ||= urls.uses === 1;
	return !urls.isRefused;
}

/**
 * Confirms files that were put to signed URLs: many in one call, if the API Detail 'Confirm Body'
 * repeats a list over {document_id}, else one call per document.
 * @returns for each document, in order, the service's response or why it is not confirmed
 */
export async function confirmDocuments(
	client: Client,
	documents: PlaceholderValues[],
): Promise<Array<Outcome<ServiceResponse>>> {
	const { method, body } = ready(client.account.confirmation);
	const callFor = (some: PlaceholderValues[]): ServiceCall => ({
		method,
		path: `${workflowPath(client)}/documents/confirm`,
		body: fromLine('confirmBody', () => filledBody(body, some)),
		expects: 'any',
		changes: 'confirmation',
		fromDetails: ['confirmMethod', 'confirmBody'],
	});
	// Two files may be one document, which is confirmed once.
	const distinct = new Map(documents.map((document) => [document.document_id, document]));
	const size = namesOneDocument(body) ? 1 : DEFAULT_DOCUMENTS_PER_CALL;
	const things = [...distinct.values()];
	const outcomes = await callForEach(forWholeRun(client), things, callFor, size);
	const outcomeOf = new Map([...distinct.keys()].map((id, index) => [id, outcomes[index]]));
	return documents.map(({ document_id: id }) => outcomeOf.get(id) as Outcome<ServiceResponse>);
}
