/** Uploading a file, directly or to a signed URL, which is then confirmed (interface.md §4.2 to §4.4). */

import { fromLine, ifReady, ready } from '../account/account';
import {
	API_DETAILS,
	detailError,
	DETAILS_LABEL,
	howToCorrect,
	type ApiDetail,
} from '../account/apiDetails';
import { problemOfUrl, TO_TEAM } from '../account/credential';
import { fieldsOf, idIn, isObject, levelsOf, textIn, valueIn } from '../account/fields';
import {
	filledBody,
	filledEndpoint,
	namesOneDocument,
	type PlaceholderValues,
} from '../account/parse';
import { settled, type Outcome } from '../http/concurrency';
import { multipartPayload, rawPayload, type FileContent } from '../http/transfer';
import { nameInMessage } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse } from '../http/response';
import { finding, hasStatus, noteIn, type CallError } from './callError';
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
	/** Directly uploaded, it may be at the service: there was no response. */
	| { name: 'in doubt' }
	/** It is at the service, but its response has no document ID. */
	| { name: 'without ID'; response: unknown }
	/** At the service; `stored` is still to be confirmed, and from `confirmed` on it is a document. */
	| {
			name: 'stored' | 'confirmed' | 'extracting';
			documentId: string;
			/** To the upload or, after a signed one, to the confirmation. */
			response?: unknown;
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
	const file = { name: 'file', mimeType: 'type', size: 1 };
	const values = { ...placeholders(client, collection, file), document_id: 'id' };
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
	const placeholder = `{collection_${collection.id === undefined ? 'name' : 'id'}}`;
	const text = JSON.stringify(lines.map((line) => ifReady<unknown>(account.details[line])));
	if (text.includes(placeholder)) return;
	throw detailError(lines[0], `has no ${placeholder}`, {
		description: [
			"Therefore, the node cannot pass the collection on: add a field with it, or leave 'Collection' empty.",
			'The line may have the other placeholder: {collection_name} is for a collection By Name,',
			'{collection_id} for one From List or By ID.',
		].join(' '),
	});
}

/** The values of the placeholders, but for a document's ID, of a file as far as it is known. */
export function placeholders(
	client: Client,
	collection: CollectionChoice,
	{ name, mimeType, size }: Partial<Pick<FileContent, 'name' | 'mimeType' | 'size'>> = {},
): PlaceholderValues {
	return {
		workflow_id: client.workflowId,
		collection_id: collection.id,
		collection_name: collection.name,
		file_name: name,
		content_type: mimeType,
		file_size: size,
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
	if (method === 'signed') {
		// A file that was put must not be put again, e.g. after its upload was confirmed.
		const documentId = await once(
			client,
			'PUT',
			async () => await putFile(client, file, collection),
		);
		return { name: 'stored', documentId };
	}
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
		? { name: 'without ID', response: json }
		: { name: 'confirmed', documentId, response: json };
}

/**
 * Puts a file to a signed URL, and to a new one if that has expired.
 * @returns the ID of the document that it will be
 */
async function putFile(client: Client, file: FileContent, collection: CollectionChoice) {
	const values = placeholders(client, collection, file);
	for (let number = 1; ; number++) {
		// Each URL is another write.
		const requesting = { ...client, writer: `${client.writer}, URL ${number}` };
		let uses = 0;
		let documentId = '';
		const { error } = await settled(
			putTo(client, file, async () => {
				const upload = await requestUploadUrl(requesting, values);
				uses++;
				({ documentId } = upload);
				return upload;
			}),
		);
		if (!error) return documentId;
		if (number > 1 || !hasExpired(error, uses)) throw error;
	}
}

/** Refused, and not at its first use: it has expired or is used up. S3 and Azure say 403, Google says 400. */
const hasExpired = (error: Error, uses: number) => uses > 1 && hasStatus(error, 400, 403);

/**
 * Puts a file to a signed URL, without the key. Putting it again replaces the same object, so it is
 * retried like a read.
 * @param target requests the URL, only when it is the file's turn to be sent: it might have expired
 */
async function putTo(client: Client, file: FileContent, target: () => Promise<SignedUpload>) {
	const storing = { ...client, maxConcurrency: mostUploads(client) };
	await exchange<true>(
		{ client: storing, peer: 'storage', isUpload: true, fileName: file.name },
		// The storage's host is not known before there is a URL, so its limiter belongs to service and key.
		['storage', client.account.address, client.account.apiKey],
		{
			method: 'PUT',
			target,
			payload: rawPayload(file),
			size: file.size,
			isWrite: false,
			read: async (incoming, transfer) => {
				const response = await readResponse(incoming, transfer);
				const isStored = hasSuccessStatus(response) && !isWebPage(response);
				return isStored ? { response, success: { value: true } } : { response };
			},
		},
	);
}

/** A signed URL for one file, and the document that the file will be. */
interface SignedUpload {
	url: string;
	/** That the upload has to carry; whether there are any is not shown (interface.md §4.3). */
	headers: { [name: string]: string };
	documentId: string;
	response: unknown;
}

/**
 * Requests a signed upload URL.
 * @throws CallError when the response has no URL or no document ID where the API Details say; UserError
 * when the URL or its headers cannot be used
 */
export async function requestUploadUrl(
	client: Client,
	values: PlaceholderValues,
): Promise<SignedUpload> {
	const { address, apiKey, uploadUrl } = client.account;
	const { endpoint, body, urlField, headersField } = ready(uploadUrl);
	const fileName = String(values.file_name);
	const { json } = await callService(client, {
		...fromLine('uploadUrlEndpoint', () => filledEndpoint(endpoint, values)),
		body: body && filledBody(body, [values]),
		fileName,
		expects: 'json',
		changes: 'upload URL',
		fromDetails: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const url = textIn(json, urlField);
	if (url === undefined || !URL.canParse(url)) {
		throw lacksField(client, 'uploadUrlField', fileName, json);
	}
	const problem = problemOfUrl(url, address);
	if (problem) {
		const has = `The response has: ${fieldsOf(json)}.`;
		throw detailError('uploadUrlField', `leads to a URL that the node does not use: ${problem}`, {
			description: `${has} If this is the right field, ask your account team for other URLs.`,
		});
	}
	const documentId = uploadedDocumentId(client, json);
	if (documentId === undefined) throw lacksField(client, 'documentIdField', fileName, json);
	return { url, documentId, response: json, headers: uploadHeadersIn(json, headersField, apiKey) };
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7e]*$/;

/**
 * The headers that the response of the upload URL endpoint names for the upload.
 * @param path the API Detail 'Upload Headers Field'; without it there are none
 * @param apiKey must not reach the storage, as no other key must: it would act in somebody's name
 * @throws UserError naming the API Detail, where they are not there or cannot be sent
 */
export function uploadHeadersIn(
	response: unknown,
	path: string | undefined,
	apiKey: string,
): SignedUpload['headers'] {
	const found = path === undefined ? {} : valueIn(response, path);
	const description = `The response has: ${fieldsOf(response)}. ${howToCorrect('uploadHeadersField')}`;
	if (!isObject(found)) {
		throw detailError('uploadHeadersField', 'does not lead to an object of headers', {
			description,
		});
	}
	const headers: SignedUpload['headers'] = {};
	for (const [name, value] of Object.entries(found)) {
		// The node sends the file itself, so it knows these.
		if (value === null || /^(content-length|host)$/i.test(name)) continue;
		const isKey = /authorization|cookie/i.test(name) || String(value).includes(apiKey);
		if (isKey || !HEADER.test(`${name}: ${String(value)}`)) {
			const what = 'leads to something that cannot be sent as a header';
			throw detailError('uploadHeadersField', what, { description });
		}
		// The node sets it to the file's type; the service's own choice takes its place.
		headers[/^content-type$/i.test(name) ? 'Content-Type' : name] = String(value);
	}
	return headers;
}

/** A URL is no ID: it may be a signed one, which must not go on. */
function uploadedDocumentId({ account, journal }: Client, response: unknown) {
	// That of another document must not pass for it, so only the field that the user named counts.
	const found = idIn(response, ready(account.details.documentIdField));
	const documentId = found !== undefined && /^https?:/i.test(found) ? undefined : found;
	journal.hasFoundIds ||= documentId !== undefined;
	return documentId;
}

/**
 * The error about a response to an upload in which an API Detail leads to nothing, or to several values.
 * Where another response has had one, or the service gives a reason in place of any URL, only the file
 * can be to blame.
 * @param isOutcomeUnknown whether the service may have the file all the same
 */
export function lacksField(
	{ account, journal }: Client,
	detail: 'documentIdField' | 'uploadUrlField',
	fileName: string,
	response: unknown,
	isOutcomeUnknown = false,
): CallError {
	const said = noteIn(response, account.apiKey);
	const hasUrl = [...levelsOf(response)].flat().some((value) => /^https?:/i.test(String(value)));
	const name = nameInMessage(fileName);
	if (detail === 'uploadUrlField' && ((said !== '' && !hasUrl) || journal.hasFoundIds)) {
		return finding(
			[
				`The service gave no upload URL for ${name}`,
				'No file was sent.',
				'Open the file: it may be damaged, or of a type or size that the service does not take.',
				TO_TEAM,
			],
			{ said },
		);
	}
	const { label } = API_DETAILS[detail];
	const what = detail === 'uploadUrlField' ? 'upload URL' : 'document ID, or several,';
	const isLineRight =
		'Other responses in this run had one, so the line in the credential is right.';
	const advice = journal.hasFoundIds
		? [isLineRight, 'Open the file.']
		: [
				`The node looked for '${ready(account.details[detail])}'. The response has: ${fieldsOf(response)}.`,
				'If one of these fields contains it, enter that field in the credential,',
				`in the line '${label}: …' of '${DETAILS_LABEL}'.`,
			];
	return finding([`The response for ${name} has no ${what} under '${label}'`, ...advice, TO_TEAM], {
		said,
		isOutcomeUnknown,
	});
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
