/** The two ways of uploading a file (interface.md §4.2, §4.3), up to the document that came of it. */
import { multipartPayload, rawPayload, type FileContent } from '../http/payload';
import { withoutSignedUrls } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse } from '../http/response';
import { CallError } from './errors/callError';
import type { Client } from './client';
import { isSafeUrl } from './credential';
import { assertDirectUpload, uploadFileField } from './details/directUpload';
import { endpoint } from './details/endpoint';
import { fieldsOf } from './details/fields';
import { howToFillIn } from './details/labels';
import type { PlaceholderValues } from './details/placeholders';
import { documentIdField, uploadedIdIn, uploadUrlField, uploadUrlIn } from './details/responses';
import { assertSignedUpload, hasSignedDetails, uploadUrlBody } from './details/signedUpload';
import { once, remember } from './memory';
import { callService, callWithoutKey, workflowPath } from './service';

/** The collection that documents are placed in: by ID or, where the interface takes one, by name. */
export interface CollectionChoice {
	id?: string;
	name?: string;
}

export type UploadMethod = 'direct' | 'signed';

/** A file that is at the service. */
export interface UploadedFile {
	/** Undefined where the response holds none under 'Document ID Field'. */
	documentId: string | undefined;
	/** What the service responded, signed URLs left out. */
	response: unknown;
}

/** From this size on, in MB (1,000,000 bytes), Automatic uploads by signed URL, unless told otherwise. */
export const DEFAULT_SIGNED_FROM_MB = 10;

/** How one file goes up. Automatic needs the signed API Details for large files only if one is filled in. */
export function uploadMethodFor(
	{ credential }: Client,
	chosen: UploadMethod | 'automatic',
	signedFromMb: number,
	size: number,
): UploadMethod {
	if (chosen !== 'automatic') return chosen;
	return size >= signedFromMb * 1_000_000 && hasSignedDetails(credential) ? 'signed' : 'direct';
}

/**
 * Checks that files can go up this way, before the first request.
 * @throws UserError naming the API Detail that is missing, wrong, or would lose the collection
 */
export function assertCanUpload(
	client: Client,
	method: UploadMethod,
	collection: CollectionChoice,
) {
	if (method === 'direct') assertDirectUpload(client.credential);
	else assertSignedUpload(client.credential, placeholders(client, collection));
}

/** What a placeholder of a template stands for, as far as the client and the collection tell. */
export function placeholders(client: Client, collection: CollectionChoice): PlaceholderValues {
	return {
		workflow_id: client.workflowId,
		collection_id: collection.id,
		collection_name: collection.name,
	};
}

/**
 * Uploads one file; a signed upload still has to be confirmed.
 * @param key what tells the file from all others of the run: a document for it is created only once
 */
export async function uploadFile(
	client: Client,
	method: UploadMethod,
	file: FileContent,
	collection: CollectionChoice,
	key: string,
): Promise<UploadedFile> {
	return method === 'direct'
		? await uploadDirect(client, file, collection)
		: await uploadSigned(client, file, collection, key);
}

async function uploadDirect(
	client: Client,
	file: FileContent,
	collection: CollectionChoice,
): Promise<UploadedFile> {
	const fileField = uploadFileField(client.credential);
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
		expects: 'any',
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadFileField'],
	});
	return { documentId: uploadedIdIn(client.credential, json), response: json };
}

async function uploadSigned(
	client: Client,
	file: FileContent,
	collection: CollectionChoice,
	key: string,
): Promise<UploadedFile> {
	const values = {
		...placeholders(client, collection),
		file_name: file.name,
		content_type: file.mimeType,
		file_size: file.size,
	};
	let upload = await once(client, `${key} URL`, async () => await createUploadUrl(client, values));
	const outcome = await putFile(client, upload.url, file);
	if (outcome === 'url refused') {
		upload = await createUploadUrl(client, values);
		remember(client, `${key} URL`, { value: upload });
		await putFile(client, upload.url, file, { isLastTry: true });
	}
	return {
		documentId: upload.documentId,
		response: withoutSignedUrls(upload.response, upload.url),
	};
}

/**
 * Asks for a signed upload URL.
 * @throws CallError when the response lacks the URL or the document's ID under the API Details
 */
export async function createUploadUrl(
	client: Client,
	values: PlaceholderValues,
): Promise<{ url: string; documentId: string; response: unknown }> {
	const { credential, address } = client;
	const { json } = await callService(client, {
		...endpoint(credential, 'uploadUrlEndpoint', values),
		body: uploadUrlBody(credential, values),
		expects: 'json',
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const url = uploadUrlIn(credential, json);
	if (url === undefined || !isSafeUrl(url, address)) {
		throw new CallError({
			message: "The response holds no upload URL under the API Detail 'Upload URL Field'",
			description: `The field is '${uploadUrlField(credential)}'. The response has: ${fieldsOf(json)}.`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const documentId = uploadedIdIn(credential, json);
	if (documentId === undefined) throw noDocumentId(client, json, 'No file was uploaded.');
	return { url, documentId, response: json };
}

/**
 * A response to an upload that names no document under the API Detail 'Document ID Field'.
 * @param state what has become of the file
 */
export function noDocumentId({ credential }: Client, response: unknown, state: string): CallError {
	return new CallError({
		message: "The response to the upload holds no document ID under 'Document ID Field'",
		description: `${state} The API Detail 'Document ID Field' is '${documentIdField(credential)}'. The response has: ${fieldsOf(response)}. ${howToFillIn('documentIdField')}`,
		failure: { cause: 'configuration-invalid' },
	});
}

/**
 * Puts a file to its signed URL, without the key. Putting it again replaces the same object, so it
 * is retried like a read.
 * @returns `url refused` where the storage does not take the URL (403: expired or used up), so that
 * a new one may be asked for
 */
async function putFile(
	client: Client,
	url: string,
	file: FileContent,
	{ isLastTry = false } = {},
): Promise<'stored' | 'url refused'> {
	return await callWithoutKey<'stored' | 'url refused'>(client, 'storage', {
		method: 'PUT',
		url,
		file: { payload: rawPayload(file), size: file.size },
		read: async (incoming, transfer) => {
			const response = await readResponse(incoming, transfer);
			if (hasSuccessStatus(response) && !isWebPage(response)) {
				return { response, success: { value: 'stored' } };
			}
			const isRefused = response.statusCode === 403 && !isLastTry;
			return isRefused ? { response, success: { value: 'url refused' } } : { response };
		},
	});
}
