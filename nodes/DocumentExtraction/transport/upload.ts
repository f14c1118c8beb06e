/** The two ways of uploading a file (interface.md §4.2–4.4), up to the document that came of it. */
import type { IExecuteFunctions, IHttpRequestMethods, IN8nHttpFullResponse } from 'n8n-workflow';

import { isSafeUrl } from '../api/credential';
import { requireDetail } from '../api/details/detail';
import { assertDirectUpload, uploadFileField } from '../api/details/directUpload';
import { endpoint } from '../api/details/endpoint';
import { fieldsOf } from '../api/details/fields';
import { howToFillIn } from '../api/details/labels';
import type { PlaceholderValues } from '../api/details/placeholders';
import {
	documentIdField,
	documentIdIn,
	uploadUrlField,
	uploadUrlIn,
} from '../api/details/responses';
import {
	assertConfirm,
	assertSignedUpload,
	confirmBody,
	confirmsManyAtOnce,
	hasSignedDetails,
	uploadUrlBody,
} from '../api/details/signedUpload';
import { settleInOrder, type Settled } from './concurrency';
import { explained, type Connection } from './connection';
import { apiError, hasSuccessStatus, isWebPage } from './errors';
import { multipartPayload, rawPayload, smallContent, type InputFile } from './files';
import {
	callService,
	exchange,
	failedJudgement,
	OWN_JUDGEMENT,
	rawAnswer,
	workflowPath,
} from './request';
import { stopSignal } from './stop';

/** The collection that documents are placed in: by ID or, where the interface takes one, by name. */
export interface CollectionChoice {
	id?: string;
	name?: string;
}

export type UploadMethod = 'direct' | 'signed' | 'automatic';

/** A file that is at the service. */
export interface UploadedFile {
	file: InputFile;
	method: 'direct' | 'signed';
	/** Undefined where the answer holds none under 'Document ID Field'. */
	documentId: string | undefined;
	/** What the service answered, signed URLs left out. */
	answer: unknown;
	/** Set when a signed upload was confirmed. */
	isConfirmed?: boolean;
}

/** From this size on, in MB (1,000,000 bytes), Automatic uploads by signed URL, unless told otherwise. */
export const DEFAULT_SIGNED_FROM_MB = 10;

/** How one file goes up. Automatic needs the signed API Details for large files only if one is filled in. */
export function uploadMethodFor(
	connection: Connection,
	chosen: UploadMethod,
	signedFromMb: number,
	file: InputFile,
): 'direct' | 'signed' {
	if (chosen !== 'automatic') return chosen;
	const isLarge = file.size >= signedFromMb * 1_000_000;
	return isLarge && hasSignedDetails(connection.credential) ? 'signed' : 'direct';
}

/**
 * Checks that files can go up this way, before the first request.
 * @throws NodeOperationError naming the API Detail that is missing, wrong, or would lose the collection
 */
export function assertCanUpload(
	context: IExecuteFunctions,
	connection: Connection,
	method: 'direct' | 'signed',
	collection: CollectionChoice,
) {
	explained(context, connection.itemIndex, () => {
		if (method === 'direct') assertDirectUpload(connection.credential);
		else assertSignedUpload(connection.credential, placeholders(connection, collection));
	});
}

/** Checks that documents can be confirmed, before the first request. */
export function assertCanConfirm(context: IExecuteFunctions, connection: Connection) {
	explained(context, connection.itemIndex, () => assertConfirm(connection.credential));
}

/** Uploads one file; a signed upload still has to be confirmed. */
export async function uploadFile(
	context: IExecuteFunctions,
	connection: Connection,
	method: 'direct' | 'signed',
	file: InputFile,
	collection: CollectionChoice,
): Promise<UploadedFile> {
	return method === 'direct'
		? await uploadDirect(context, connection, file, collection)
		: await uploadSigned(context, connection, file, collection);
}

async function uploadDirect(
	context: IExecuteFunctions,
	connection: Connection,
	file: InputFile,
	collection: CollectionChoice,
): Promise<UploadedFile> {
	const fileField = explained(context, connection.itemIndex, () =>
		uploadFileField(connection.credential),
	);
	const content = await smallContent(context, file);
	const { json } = await callService(context, connection, {
		method: 'POST',
		path: `${workflowPath(context, connection)}/documents`,
		payload: async () =>
			await multipartPayload(context, file, content, fileField, {
				collection_id: collection.id,
				collection_name: collection.name,
			}),
		answer: 'any',
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadFileField'],
	});
	const documentId = explained(context, connection.itemIndex, () =>
		documentIdIn(connection.credential, json),
	);
	return { file, method: 'direct', documentId, answer: json };
}

async function uploadSigned(
	context: IExecuteFunctions,
	connection: Connection,
	file: InputFile,
	collection: CollectionChoice,
): Promise<UploadedFile> {
	const values = {
		...placeholders(connection, collection),
		file_name: file.name,
		content_type: file.mimeType,
		file_size: file.size,
	};
	let upload = await createUploadUrl(context, connection, values);
	const outcome = await putFile(context, connection, upload.url, file);
	if (outcome === 'url refused') {
		upload = await createUploadUrl(context, connection, values);
		await putFile(context, connection, upload.url, file, { isLastTry: true });
	}
	return {
		file,
		method: 'signed',
		documentId: upload.documentId,
		answer: withoutSignedUrls(upload.answer),
	};
}

/** What a placeholder of a template stands for, as far as the connection and the collection tell. */
export function placeholders(
	connection: Connection,
	collection: CollectionChoice,
): PlaceholderValues {
	return {
		workflow_id: connection.workflowId,
		collection_id: collection.id,
		collection_name: collection.name,
	};
}

/**
 * Asks for a signed upload URL.
 * @throws NodeApiError when the answer lacks the URL or the document's ID under the API Details
 */
export async function createUploadUrl(
	context: IExecuteFunctions,
	connection: Connection,
	values: PlaceholderValues,
): Promise<{ url: string; documentId: string; answer: unknown }> {
	const { credential, itemIndex } = connection;
	const call = explained(context, itemIndex, () => ({
		...endpoint(credential, 'uploadUrlEndpoint', values),
		body: uploadUrlBody(credential, values),
	}));
	const { json } = await callService(context, connection, {
		...call,
		answer: 'json',
		shownBy: 'Document › Get Many',
		madeFrom: ['uploadUrlEndpoint', 'uploadUrlBody'],
	});
	const { url, documentId } = explained(context, itemIndex, () => ({
		url: uploadUrlIn(credential, json),
		documentId: documentIdIn(credential, json),
	}));
	if (url === undefined || !isSafeUrl(url, connection.address)) {
		throw apiError(context, connection, {
			message: "The answer holds no upload URL under the API Detail 'Upload URL Field'",
			description: `The field is '${uploadUrlField(credential)}'. The answer has: ${fieldsOf(json)}.`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (documentId === undefined) {
		throw apiError(context, connection, {
			message: "The answer holds no document ID under the API Detail 'Document ID Field'",
			description: `The field is '${documentIdField(credential)}'. The answer has: ${fieldsOf(json)}. ${howToFillIn('documentIdField')}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	return { url, documentId, answer: json };
}

/**
 * Puts a file to its signed URL, without the key. Putting it again replaces the same object, so it
 * is repeated like a read.
 * @returns `url refused` where the storage does not take the URL (403: expired or used up), so that
 * a new one may be asked for
 */
async function putFile(
	context: IExecuteFunctions,
	connection: Connection,
	url: string,
	file: InputFile,
	{ isLastTry = false } = {},
): Promise<'stored' | 'url refused'> {
	const nature = { isWrite: false, peer: 'storage' as const };
	const content = await smallContent(context, file);
	return await exchange<'stored' | 'url refused'>(
		context,
		connection,
		nature,
		new URL(url).origin,
		{
			payload: async () => await rawPayload(context, file, content),
			send: async ({ body, headers }) =>
				(await context.helpers.httpRequest({
					method: 'PUT',
					url,
					headers,
					body,
					encoding: 'arraybuffer',
					abortSignal: stopSignal(context),
					...OWN_JUDGEMENT,
				})) as IN8nHttpFullResponse,
			judge: async (response) => {
				const answer = rawAnswer(response);
				if (hasSuccessStatus(answer) && !isWebPage(answer)) return { result: 'stored' };
				if (answer.statusCode === 403 && !isLastTry) return { result: 'url refused' };
				return failedJudgement(context, connection, nature, answer);
			},
		},
	);
}

/**
 * Confirms uploads that were put to signed URLs: in one call, if the API Detail 'Confirm Body'
 * repeats a list over {document_id}, else one call per document.
 * @returns what the service answered to each document, in order, or why it is not confirmed
 */
export async function confirmDocuments(
	context: IExecuteFunctions,
	connection: Connection,
	documents: PlaceholderValues[],
): Promise<Array<Settled<unknown>>> {
	const { credential, itemIndex } = connection;
	const confirm = async (together: PlaceholderValues[]) => {
		const { json } = await callService(context, connection, {
			method: requireDetail(credential, 'confirmMethod') as IHttpRequestMethods,
			path: `${workflowPath(context, connection)}/documents/confirm`,
			body: explained(context, itemIndex, () => confirmBody(credential, together)),
			answer: 'any',
			shownBy: 'Document › Get Many',
			madeFrom: ['confirmMethod', 'confirmBody'],
		});
		return json;
	};
	const isTogether = explained(context, itemIndex, () => confirmsManyAtOnce(credential));
	const calls = isTogether ? [documents] : documents.map((document) => [document]);
	const outcomes = await settleInOrder(calls, connection.maxConcurrency, false, confirm);
	return calls.flatMap((together, index) =>
		together.map(() => outcomes[index] as Settled<unknown>),
	);
}

/** An answer for the user, without the signed URLs that it carried: whoever has one may write. */
export function withoutSignedUrls(value: unknown): unknown {
	if (typeof value === 'string')
		return /https?:\/\/[^\s?]+\?/i.test(value) ? '(signed URL)' : value;
	if (Array.isArray(value)) return value.map((entry) => withoutSignedUrls(entry));
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [key, withoutSignedUrls(entry)]),
	);
}
