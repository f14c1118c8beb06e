/** The two ways of uploading a file (interface.md §4.2, §4.3), up to the document that came of it. */
import { multipartPayload, rawPayload, type FileContent } from '../http/payload';
import { withoutSignedUrls } from '../http/redact';
import { hasSuccessStatus, isWebPage, readResponse, type HttpResponse } from '../http/response';
import { CallError } from './callError';
import type { Client } from './client';
import { problemOfUrl } from './credential';
import { hasDetail, howToCorrect, howToFillIn, requiredDetail } from './details/apiDetails';
import { fieldsOf } from './details/fields';
import {
	assertDirectUpload,
	assertSignedUpload,
	endpoint,
	hasSignedDetails,
	uploadUrlRequestBody,
	type PlaceholderValues,
} from './details/requests';
import {
	uploadedIdIn,
	uploadHeadersIn,
	uploadUrlIn,
	type UploadHeaders,
} from './details/responses';
import { once, recall, remember, type WriteKey } from './memory';
import { sentences } from './sentences';
import { callService, putWithoutKey, workflowPath } from './service';

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
	key: WriteKey,
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
	const fileField = requiredDetail(client.credential, 'uploadFileField');
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
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadFileField'],
	});
	return { documentId: uploadedIdIn(client.credential, json), response: json };
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

/** Where a file may be put, and the document that it then belongs to. */
interface SignedUpload extends UploadHeaders {
	url: string;
	documentId: string;
	response: unknown;
}

/**
 * Asks for a signed upload URL.
 * @throws CallError when the response lacks the URL or the document's ID under the API Details;
 * UserError when the headers that it names are not there or cannot be sent
 */
export async function requestUploadUrl(
	client: Client,
	values: PlaceholderValues,
): Promise<SignedUpload> {
	const { credential, address } = client;
	const { json } = await callService(client, {
		...endpoint(credential, 'uploadUrlEndpoint', values),
		body: uploadUrlRequestBody(credential, values),
		fileName: values.file_name?.toString(),
		expects: 'json',
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const url = uploadUrlIn(credential, json);
	if (url === undefined || !URL.canParse(url)) {
		throw new CallError({
			message: "The response holds no upload URL under the API Detail 'Upload URL Field'",
			description: `The field is '${requiredDetail(credential, 'uploadUrlField')}'. The response has: ${fieldsOf(json)}. ${howToCorrect('uploadUrlField')}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const problem = problemOfUrl(url, address);
	if (problem) {
		throw new CallError({
			message: `The node does not send the file to the upload URL: ${problem}`,
			description: `The URL is in the response under '${requiredDetail(credential, 'uploadUrlField')}', the API Detail 'Upload URL Field'. If that is the wrong field, correct it; the response has: ${fieldsOf(json)}. If it is the right one, ask your account team for upload URLs that start with https://.`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const documentId = uploadedIdIn(credential, json);
	if (documentId === undefined) throw noDocumentId(client, json, 'No file was uploaded.');
	return { url, documentId, response: json, ...uploadHeadersIn(credential, json) };
}

/**
 * A response to an upload that names no document under the API Detail 'Document ID Field'.
 * @param state what has become of the file
 */
export function noDocumentId({ credential }: Client, response: unknown, state: string): CallError {
	const field = requiredDetail(credential, 'documentIdField');
	const isEmpty = !hasDetail(credential, 'documentIdField');
	return new CallError({
		message: "The response to the upload holds no document ID under 'Document ID Field'",
		description: sentences(
			state,
			isEmpty
				? `The API Detail 'Document ID Field' is empty, so the node looked for '${field}'.`
				: `The API Detail 'Document ID Field' is '${field}'.`,
			`The response has: ${fieldsOf(response)}.`,
			isEmpty ? howToFillIn('documentIdField') : howToCorrect('documentIdField'),
		),
		failure: { cause: 'configuration-invalid' },
	});
}

/**
 * Puts a file to a signed URL, without the key. Putting it again replaces the same object, so it is
 * retried like a read.
 * @param signed gives the URL, once there is a place for the file
 * @param hasWaited whether time has passed since the service gave the URL
 * @returns whether it is stored; if not, the storage does not take the URL, which may have expired or
 * been used already, so that a new one may be asked for
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
		{ payload: rawPayload(file), size: file.size },
		async () => {
			tries++;
			return await signed();
		},
		async (incoming, transfer) => {
			const response = await readResponse(incoming, transfer);
			if (hasSuccessStatus(response) && !isWebPage(response)) {
				return { response, success: { value: true } };
			}
			const isInDoubt = !isLastTry && mayHaveExpired(response, hasWaited || tries > 1);
			return isInDoubt ? { response, success: { value: false } } : { response };
		},
	);
}

/** An expired URL is 403 at S3 and Azure, and 400 at Google; a URL that is new has another fault then. */
function mayHaveExpired({ statusCode }: HttpResponse, hasWaited: boolean): boolean {
	return statusCode === 403 || (statusCode === 400 && hasWaited);
}

/** Something that is made when it is first needed, and only then. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return async () => await (made ??= make());
}
