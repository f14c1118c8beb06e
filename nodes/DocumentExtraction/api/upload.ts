/** Uploading a file, directly or to a signed URL, which is then confirmed (interface.md §4.2 to §4.4). */
import { UserError } from 'n8n-workflow';

import { ifReady, ready } from '../account/account';
import { API_DETAILS, enteredText, howToCorrect, SIGNED_DETAILS } from '../account/apiDetails';
import { problemOfUrl } from '../account/credential';
import { fieldsOf, idIn, idsIn, textIn, valueIn } from '../account/fields';
import {
	filledBody,
	filledEndpoint,
	namesOneDocument,
	type PlaceholderValues,
} from '../account/templates';
import { settleInOrder, type Outcome } from '../http/concurrency';
import { multipartPayload, type FileContent } from '../http/payload';
import { withoutSignedUrls } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse, type HttpResponse } from '../http/response';
import { CallError, type Facts } from './callError';
import type { Client } from './client';
import { chunks, DEFAULT_DOCUMENTS_PER_CALL } from './extractions';
import { noteIn } from './reason';
import { once, recall, remember, type WriteKey } from './memory';
import { callService, putWithoutKey, workflowPath } from './service';

/** The collection that documents are placed in: by ID or, where the interface takes one, by name. */
export interface CollectionChoice {
	id?: string;
	name?: string;
}

export type UploadMethod = 'direct' | 'signed';

/** A file that is at the service. */
export interface UploadedFile {
	/** Undefined where the response has none in 'Document ID Field'. */
	documentId: string | undefined;
	/** The service's response, without signed URLs. */
	response: unknown;
}

/** The size from which Automatic uploads by signed URL by default, in MB (1,000,000 bytes). */
export const DEFAULT_SIGNED_FROM_MB = 10;

/**
 * How to upload a file. Automatic never chooses a signed URL while its API Details are all empty.
 * @param signedFromMb the size from which Automatic chooses a signed URL, in MB (1,000,000 bytes)
 * @param size of the file, in bytes
 */
export function uploadMethodFor(
	{ account }: Client,
	chosen: UploadMethod | 'automatic',
	signedFromMb: number,
	size: number,
): UploadMethod {
	if (chosen !== 'automatic') return chosen;
	if (size < signedFromMb * 1_000_000) return 'direct';
	const isBegun = SIGNED_DETAILS.some((detail) => enteredText(account.credential, detail) !== '');
	return isBegun ? 'signed' : 'direct';
}

/**
 * Checks, before the first request, that files can be uploaded this way.
 * @throws UserError naming the API Detail that is missing, wrong, or has no place for the collection
 */
export function assertCanUpload(
	client: Client,
	method: UploadMethod,
	collection: CollectionChoice,
) {
	const { directUpload, confirmation } = client.account;
	if (method === 'signed') assertCanRequestUploadUrl(client, placeholders(client, collection));
	ready<unknown>(method === 'signed' ? confirmation : directUpload);
}

/**
 * Checks, before the first request, that a signed upload URL can be requested.
 * @param values those that are known already
 * @throws UserError naming the API Detail that is missing, wrong, or has no place for the collection
 */
export function assertCanRequestUploadUrl({ account }: Client, values: PlaceholderValues) {
	const { endpoint, body } = ready(account.uploadUrl);
	const file = { file_name: '', content_type: '', file_size: 0 };
	filledEndpoint(endpoint, 'uploadUrlEndpoint', { ...file, ...values });
	const places = [endpoint, body, ifReady(account.details.confirmBody)];
	assertCollectionHasPlace(values, places, 'A signed upload', 'uploadUrlBody', 'upload directly');
}

/**
 * Checks, before the first request, that documents can be confirmed.
 * @param values of a collection that the confirmation alone can name
 * @throws UserError naming the API Detail that is missing, wrong, or has no place for the collection
 */
export function assertCanConfirm({ account }: Client, values: PlaceholderValues) {
	const { body } = ready(account.confirmation);
	const orElse = 'choose it when the upload URL is created';
	assertCollectionHasPlace(values, [body], 'The confirmation', 'confirmBody', orElse);
}

/** A chosen collection that no body names would be lost silently. */
function assertCollectionHasPlace(
	values: PlaceholderValues,
	places: unknown[],
	what: string,
	detail: 'uploadUrlBody' | 'confirmBody',
	orElse: string,
) {
	const text = JSON.stringify(places);
	for (const [name, label, other] of [
		['collection_id', 'ID', 'name'],
		['collection_name', 'name', 'ID'],
	] as const) {
		if (values[name] === undefined || text.includes(`{${name}}`)) continue;
		throw new UserError(`${what} cannot pass on the collection's ${label}`, {
			description: `Leave 'Collection' empty, choose it by its ${other}, or ${orElse}. Or, if the endpoint accepts a collection, add {${name}} to '${API_DETAILS[detail].label}' in the credential.`,
		});
	}
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
 * Uploads one file; a signed upload still has to be confirmed.
 * @param key identifies the file within the run, so that a retry does not ask for a second upload URL
 * @throws CallError; UserError for an API Detail that is missing or malformed
 */
export async function uploadFile(
	client: Client,
	method: UploadMethod,
	file: FileContent,
	collection: CollectionChoice,
	key: WriteKey,
): Promise<UploadedFile> {
	if (method === 'signed') return await uploadSigned(client, file, collection, key);
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
		expects: 'any',
		changes: 'documents',
		madeFrom: ['uploadFileField'],
	});
	return { documentId: documentIdIn(client, json), response: json };
}

async function uploadSigned(
	client: Client,
	file: FileContent,
	collection: CollectionChoice,
	key: WriteKey,
): Promise<UploadedFile> {
	const values = {
		...placeholders(client, collection),
		file_name: file.name,
		content_type: file.mimeType,
		file_size: file.size,
	};
	const urlKey = ['URL', key];
	const create = async () => await requestUploadUrl(client, values);
	const hasWaited = recall(client, urlKey) !== undefined;
	let signed = lazily(async () => await once(client, urlKey, create));
	if (!(await putFile(client, file, signed, { hasWaited }))) {
		signed = lazily(async () => {
			const value = await create();
			remember(client, urlKey, { value });
			return value;
		});
		await putFile(client, file, signed, { isLastTry: true });
	}
	const upload = await signed();
	return {
		documentId: upload.documentId,
		response: withoutSignedUrls(upload.response, { url: upload.url, headers: upload.source }),
	};
}

/** Headers that a signed upload has to carry; whether there are any is not shown (interface.md §4.3). */
interface UploadHeaders {
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
 * @param path the API Detail 'Upload Headers Field'
 * @param apiKey must not reach the storage
 * @throws UserError naming the API Detail, where they are not there or cannot be sent
 */
export function uploadHeadersIn(
	response: unknown,
	path: string | undefined,
	apiKey: string,
): UploadHeaders {
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
		const text = String(value);
		const isSecret = SECRET.has(lowerCase) || text.includes(apiKey);
		if (isSecret || typeof value === 'object' || !isHeader(name, text)) {
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
		...filledEndpoint(endpoint, 'uploadUrlEndpoint', values),
		body: body && filledBody(body, [values]),
		fileName: values.file_name?.toString(),
		expects: 'json',
		changes: 'documents',
		madeFrom: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const url = textIn(json, field);
	if (url === undefined || !URL.canParse(url)) {
		const reason = { text: noteIn(json, apiKey) };
		throw new CallError({ kind: 'no upload URL', reason, field, has: fieldsOf(json) });
	}
	const problem = problemOfUrl(url, address);
	if (problem) {
		throw new CallError({ kind: 'unsafe upload URL', problem, field, has: fieldsOf(json) });
	}
	const documentId = documentIdIn(client, json, url);
	if (documentId === undefined) {
		throw noDocumentId(client, String(values.file_name), json, { isUpload: false });
	}
	return { url, documentId, response: json, ...uploadHeadersIn(json, headersField, apiKey) };
}

/** @param url a signed one, which must not go on as an ID */
function documentIdIn({ account, run }: Client, response: unknown, url?: string) {
	// That of another document must not pass for it, so only the field that the user named counts.
	const found = idIn(response, ready(account.documentIdField));
	const documentId = found === url ? undefined : found;
	run.hasFoundIds ||= documentId !== undefined;
	return documentId;
}

/**
 * The error about a response to an upload in which 'Document ID Field' leads to no ID, or to several.
 * Where another response has had one, only the file can be to blame.
 * @param sent whether the file was sent, and whether the service may have it therefore
 */
export function noDocumentId(
	{ account, run }: Client,
	fileName: string,
	response: unknown,
	sent: Pick<Facts<'no document ID'>, 'isUpload' | 'isOutcomeUnknown'>,
): CallError {
	const field = ready(account.documentIdField);
	return new CallError({
		kind: 'no document ID',
		fileName,
		reason: { text: noteIn(response, account.apiKey) },
		isOnlyHere: run.hasFoundIds,
		areSeveral: idsIn(response, field).length > 1,
		field,
		has: fieldsOf(response),
		...sent,
	});
}

/**
 * Puts a file to a signed URL, without the key. Putting it again replaces the same object, so it is
 * retried like a read.
 * @param signed returns the URL; called when it is the file's turn to be sent
 * @param hasWaited whether time has passed since the URL was signed
 * @returns whether the file is stored; if not, the URL may have expired or been used, and a new one
 * may be requested
 */
async function putFile(
	client: Client,
	file: FileContent,
	signed: () => Promise<SignedUpload>,
	{ hasWaited = false, isLastTry = false },
): Promise<boolean> {
	let tries = 0;
	return await putWithoutKey<boolean>(
		client,
		file,
		async () => {
			tries++;
			return await signed();
		},
		async (incoming, transfer) => {
			const response = await readResponse(incoming, transfer);
			if (hasSuccessStatus(response) && !isWebPage(response)) {
				return { response, success: { value: true } };
			}
			const isRenewable = !isLastTry && mayHaveExpired(response, hasWaited || tries > 1);
			return isRenewable ? { response, success: { value: false } } : { response };
		},
	);
}

/** An expired URL gets 403 from S3 and Azure, but 400 from Google; a new URL gets 400 for other reasons. */
function mayHaveExpired({ statusCode }: HttpResponse, hasWaited: boolean): boolean {
	return statusCode === 403 || (statusCode === 400 && hasWaited);
}

/** Makes something once, when it is first needed. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return async () => await (made ??= make());
}

/**
 * Confirms files that were put to signed URLs: many in one call, if the API Detail 'Confirm Body'
 * repeats a list over {document_id}, else one call per document. What an earlier try of the execution
 * has confirmed, or may have, is not confirmed again.
 * @returns for each document, in order, the service's response or why it is not confirmed
 */
export async function confirmDocuments(
	client: Client,
	documents: PlaceholderValues[],
): Promise<Array<Outcome<unknown>>> {
	const { account, maxConcurrency } = client;
	const { method, body } = ready(account.confirmation);
	const confirm = async (group: PlaceholderValues[]) => {
		const { json } = await callService(client, {
			method,
			path: `${workflowPath(client)}/documents/confirm`,
			body: filledBody(body, group),
			expects: 'any',
			changes: 'confirmation',
			madeFrom: ['confirmMethod', 'confirmBody'],
		});
		return json;
	};
	const open = new Map<string, PlaceholderValues>();
	const confirmations = new Map<string, Outcome<unknown>>();
	for (const document of documents) {
		const before = recall(client, confirmKey(client, document));
		// Two files may be one document, which is confirmed once.
		if (before) confirmations.set(String(document.document_id), before);
		else open.set(String(document.document_id), document);
	}
	const size = namesOneDocument(body) ? 1 : DEFAULT_DOCUMENTS_PER_CALL;
	const groups = chunks([...open.values()], size);
	const outcomes = await settleInOrder(groups, maxConcurrency, false, confirm);
	for (const [number, group] of groups.entries()) {
		const outcome = outcomes[number] as Outcome<unknown>;
		for (const document of group) {
			confirmations.set(String(document.document_id), outcome);
			remember(client, confirmKey(client, document), outcome);
		}
	}
	return documents.map(({ document_id: id }) => confirmations.get(String(id)) as Outcome<unknown>);
}

const confirmKey = (
	{ account, workflowId }: Client,
	{ document_id: documentId = '' }: PlaceholderValues,
): WriteKey => ['confirm', account.address, workflowId, documentId];
