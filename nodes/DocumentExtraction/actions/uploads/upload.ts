/** Uploading the files of all items of a run, for the operations that begin with it. */
import { UserError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { once } from '../../api/memory';
import { counted, hintAtCounts, logProgress, occasionalLog } from '../../api/run';
import { noDocumentId, uploadFile, type UploadedFile } from '../../api/upload';
import { settleInOrder } from '../../http/concurrency';
import { nameInMessage } from '../../http/redact';
import { contentOf, describedFile } from '../inputFiles';
import { confirmUploads } from './confirm';
import { throwFirstFailure, uploadsOf, type FileUpload, type ItemUploads } from './fileUpload';
import { clientForItems, planUploads, route, type ClientForItem } from './plan';

/** What follows the upload. */
export interface Purpose {
	/** What else has to be right about an item, checked before the first request. */
	check?: (client: Client) => void;
	/** Whether an upload without a document ID is of no use. */
	needsDocumentId: boolean;
}

/**
 * Uploads and confirms the files of all items.
 * @throws the first failure, when the node does not continue on fail; its description names the
 * documents that are uploaded already
 */
export async function uploadFilesOfItems(
	context: IExecuteFunctions,
	{ check = () => {}, needsDocumentId }: Purpose,
): Promise<ItemUploads[]> {
	const clientFor = clientForItems(context, check);
	const items = await planUploads(context, clientFor);
	const invalid = items.find((item) => item.error);
	if (invalid?.error && !context.continueOnFail()) return [invalid];
	const uploads = uploadsOf(items);
	await uploadEach(context, uploads, clientFor, needsDocumentId);
	await confirmUploads(uploads);
	if (!context.continueOnFail()) throwFirstFailure(context, uploads);
	return items;
}

/** How many files go one after the other, at the most, until one has shown that the settings work; Stop Workflow ends with the first. */
const MOST_FIRST = 3;

async function uploadEach(
	context: IExecuteFunctions,
	uploads: FileUpload[],
	clientFor: ClientForItem,
	needsDocumentId: boolean,
) {
	const stopsAtFailure = !context.continueOnFail();
	const log = occasionalLog(context);
	let done = 0;
	let withoutId: FileUpload | undefined;
	const uploadNext = async (upload: FileUpload) => {
		if (withoutId) throw notUploaded(upload, withoutId);
		const client = await clientFor(upload.file.itemIndex);
		Object.assign(upload, route(context, client, upload));
		upload.uploaded = await uploadOnce(context, upload);
		done++;
		log(`uploaded ${done} of ${counted(uploads.length, 'file')}`);
		if (!needsDocumentId || upload.uploaded.documentId !== undefined) return;
		withoutId = upload;
		const state =
			'The file was uploaded, but not extracted. Document › Get Many lists it, with its ID.';
		throw noDocumentId(client, upload.uploaded.response, state);
	};
	const settle = async (some: FileUpload[], lanes: number) => {
		const outcomes = await settleInOrder(some, lanes, stopsAtFailure, uploadNext);
		for (const [index, outcome] of outcomes.entries()) some[index].error = outcome?.error;
	};
	// While some are in flight, others are made ready or go to the storage. One at a time stays one.
	const lanes = uploads.reduce(
		(most, { client }) => Math.max(most, 2 * client.maxConcurrency - 1),
		1,
	);
	// n8n takes its time to read credentials: while the first file is under way, it reads the next ones.
	const readAhead = Promise.allSettled(
		uploads.slice(1, 1 + lanes).map(async ({ file }) => await clientFor(file.itemIndex)),
	);
	// One file first: with a wrong setting, only that one is uploaded in vain.
	const mostFirst = Math.min(stopsAtFailure ? 1 : MOST_FIRST, uploads.length);
	let next = 0;
	while (next < mostFirst && done === 0) await settle([uploads[next++]], 1);
	await readAhead;
	if (stopsAtFailure) throwFirstFailure(context, uploads);
	await settle(uploads.slice(next), lanes);
	if (done > 0) logProgress(context, `uploaded ${done} of ${counted(uploads.length, 'file')}`);
	if (stopsAtFailure) throwFirstFailure(context, uploads);
}

function notUploaded({ file }: FileUpload, first: FileUpload): UserError {
	return new UserError(`The node did not try to upload ${nameInMessage(file.name)}`, {
		description: `The response to the upload of ${describedFile(first.file)} holds no document ID under the API Detail 'Document ID Field', so every other file would be uploaded in vain, too. Correct that field in the credential first, as the message about that file says, and then upload this one.`,
	});
}

async function uploadOnce(
	context: IExecuteFunctions,
	{ client, method, file, collection }: FileUpload,
): Promise<UploadedFile> {
	const key = ['upload', file.itemIndex, file.field];
	return await once(
		client,
		key,
		async () => await uploadFile(client, method, await contentOf(context, file), collection, key),
	);
}

/** Says above the output how many of the run's files are uploaded, and where to find what failed. */
export function hintAtUploads(context: IExecuteFunctions, items: ItemUploads[]) {
	const uploads = uploadsOf(items);
	if (uploads.length === 0) return;
	const done = uploads.filter(({ uploaded }) => uploaded).length;
	const failed = [...items, ...uploads].filter(({ error }) => error).length;
	const where =
		context.getNode().onError === 'continueErrorOutput'
			? 'the Error branch says why'
			: "'error' in the output says why";
	const failures = failed > 0 ? `. ${counted(failed, 'item')} failed: ${where}` : '';
	hintAtCounts(context, `Uploaded ${done} of ${counted(uploads.length, 'file')}${failures}`);
}
