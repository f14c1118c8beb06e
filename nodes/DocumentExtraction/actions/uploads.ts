/** Uploading the files of all items of a run, for the operations that begin with it. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { settleInOrder } from '../transport/concurrency';
import {
	connect,
	DEFAULT_MAX_CONCURRENCY,
	readCredential,
	type Connection,
} from '../transport/connection';
import { isOutcomeUnknown, withNote, withoutMarkup } from '../transport/errors';
import { selectFiles, type InputFile, type SkippedFile } from '../transport/files';
import { counted, hintAtCounts, logProgress, occasionalLog } from '../transport/progress';
import { stopSignal } from '../transport/stop';
import {
	assertCanConfirm,
	assertCanUpload,
	confirmDocuments,
	DEFAULT_SIGNED_FROM_MB,
	placeholders,
	uploadFile,
	uploadMethodFor,
	type CollectionChoice,
	type UploadedFile,
	type UploadMethod,
} from '../transport/upload';
import { chosenCollection, fileFilterOptions, optionsOf, waitOptions } from './fields';
import type { Outcome } from './operation';

/** A file on its way to the service, with the settings of its item. */
export interface FileUpload {
	file: InputFile;
	connection: Connection;
	collection: CollectionChoice;
	method: 'direct' | 'signed';
	options: IDataObject;
	/** Set when the file is at the service and, after a signed upload, confirmed. */
	uploaded?: UploadedFile;
	error?: Error;
}

/** The files of a run in the order of items and fields; or why an item has none. */
export type ItemUploads =
	| { itemIndex: number; uploads: FileUpload[]; error?: undefined }
	| { itemIndex: number; error: Error };

/**
 * Uploads and confirms the files of all items. Every item's settings are checked before the first
 * request, with the first item's credential; one of its own is checked before the item's requests.
 * @param check what else has to be right about an item for what follows the upload
 * @throws the first failure, when the node does not continue on fail; its description names the
 * documents that are uploaded already
 */
export async function uploadFilesOfItems(
	context: IExecuteFunctions,
	check: (connection: Connection) => void = () => {},
): Promise<ItemUploads[]> {
	const items: ItemUploads[] = [];
	const skipped: SkippedFile[] = [];
	const credentials = new Map<number, ReturnType<typeof readCredential>>();
	const connectItem: ConnectItem = async (itemIndex, credentialOf = itemIndex) => {
		// n8n takes its time to read a credential: once for all files of an item.
		const credential = credentials.get(credentialOf) ?? readCredential(context, credentialOf);
		credentials.set(credentialOf, credential);
		const connection = await connect(context, itemIndex, credential);
		check(connection);
		return connection;
	};
	const plans = await settleInOrder(
		[...context.getInputData().keys()],
		DEFAULT_MAX_CONCURRENCY,
		!context.continueOnFail(),
		async (itemIndex) => {
			try {
				// The first item's credential stands in, until an item does not go with it or its turn comes.
				return await planItem(context, await connectItem(itemIndex, 0), itemIndex);
			} catch {
				return await planItem(context, await connectItem(itemIndex), itemIndex);
			}
		},
	);
	for (const [itemIndex, plan] of plans.entries()) {
		if (plan?.error) {
			if (!context.continueOnFail()) throw plan.error;
			items.push({ itemIndex, error: plan.error });
		} else if (plan) {
			skipped.push(...plan.value.skipped);
			items.push({ itemIndex, uploads: plan.value.uploads });
		}
	}
	report(context, items, skipped);
	const uploads = items.flatMap((item) => (item.error ? [] : item.uploads));
	await uploadEach(context, uploads, connectItem);
	await confirmSigned(context, uploads);
	return items;
}

/** A checked connection for an item, by its own credential or that of another item. */
type ConnectItem = (itemIndex: number, credentialOf?: number) => Promise<Connection>;

async function planItem(context: IExecuteFunctions, connection: Connection, itemIndex: number) {
	const options = optionsOf(context, itemIndex, ...fileFilterOptions, ...waitOptions);
	const collection = chosenCollection(context, itemIndex);
	const { files, skipped } = await selectFiles(
		context,
		itemIndex,
		context.getNodeParameter('binaryPropertyName', itemIndex),
		options,
	);
	const uploads = files.map((file): FileUpload => {
		const upload = { file, collection, options };
		return { ...upload, ...route(context, connection, upload) };
	});
	return { uploads, skipped };
}

/** Which way a file goes to the service, checked before its first request. */
function route(
	context: IExecuteFunctions,
	connection: Connection,
	{ file, collection, options }: Pick<FileUpload, 'file' | 'collection' | 'options'>,
): Pick<FileUpload, 'connection' | 'method'> {
	const chosen = context.getNodeParameter('uploadMethod', file.itemIndex) as UploadMethod;
	const signedFromMb = Number(options.signedFromMb ?? DEFAULT_SIGNED_FROM_MB);
	const method = uploadMethodFor(connection, chosen, signedFromMb, file);
	assertCanUpload(context, connection, method, collection);
	if (method === 'signed') assertCanConfirm(context, connection);
	return { connection, method };
}

async function uploadEach(
	context: IExecuteFunctions,
	uploads: FileUpload[],
	connectItem: ConnectItem,
) {
	// While some are in flight, others are made ready or go to the storage. One at a time stays one.
	const lanes = Math.max(1, ...uploads.map(({ connection }) => 2 * connection.maxConcurrency - 1));
	const stopsAtFailure = !context.continueOnFail();
	const log = occasionalLog(context);
	let done = 0;
	const outcomes = await settleInOrder(uploads, lanes, stopsAtFailure, async (upload) => {
		stopSignal(context)?.throwIfAborted();
		const connection = await connectItem(upload.file.itemIndex);
		Object.assign(upload, route(context, connection, upload));
		const uploaded = await uploadOnce(context, upload);
		done++;
		log(`uploaded ${done} of ${counted(uploads.length, 'file')}`);
		return uploaded;
	});
	if (done > 0) logProgress(context, `uploaded ${done} of ${counted(uploads.length, 'file')}`);
	for (const [index, outcome] of outcomes.entries()) {
		if (outcome?.error) uploads[index].error = outcome.error;
		else if (outcome) uploads[index].uploaded = outcome.value;
	}
	stopAtFailure(context, uploads);
}

/**
 * What each execution of the node has uploaded, by item and field. n8n's Retry On Fail runs the whole
 * node again, with the same execute data: files that are at the service are not uploaded again.
 */
const uploadedBefore = new WeakMap<object, Map<string, UploadedFile>>();

async function uploadOnce(
	context: IExecuteFunctions,
	{ connection, method, file, collection }: FileUpload,
): Promise<UploadedFile> {
	const execution = context.getExecuteData();
	const before = uploadedBefore.get(execution) ?? new Map<string, UploadedFile>();
	uploadedBefore.set(execution, before);
	const key = `${file.itemIndex} ${file.field}`;
	const uploaded =
		before.get(key) ?? (await uploadFile(context, connection, method, file, collection));
	before.set(key, uploaded);
	return uploaded;
}

/** Confirms what went up by signed URL; documents that one call can name together go together. */
async function confirmSigned(context: IExecuteFunctions, uploads: FileUpload[]) {
	const signed = uploads.filter(
		({ uploaded }) => uploaded?.method === 'signed' && !uploaded.isConfirmed,
	);
	const groups = grouped(signed, ({ connection, collection }) => [connection, collection]);
	const confirmGroup = async (group: FileUpload[]) => {
		const confirmations = await confirmDocuments(
			context,
			group[0].connection,
			group.map(({ file, connection, collection, uploaded }) => ({
				...placeholders(connection, collection),
				document_id: uploaded?.documentId,
				file_name: file.name,
				content_type: file.mimeType,
				file_size: file.size,
			})),
		);
		for (const [index, upload] of group.entries()) {
			const confirmation = confirmations[index];
			if (confirmation.error) upload.error = confirmation.error;
			else if (upload.uploaded) {
				upload.uploaded.isConfirmed = true;
				upload.uploaded.answer = {
					upload: upload.uploaded.answer,
					confirm: confirmation.value,
				};
			}
		}
	};
	await Promise.all(groups.map(confirmGroup));
	stopAtFailure(context, uploads);
}

/**
 * Entries that may share a call, in the order of their first: they go to the same workflow with the
 * same credential, and agree in whatever else the key names.
 */
export function grouped<T>(
	entries: T[],
	keyOf: (entry: T) => [Connection, ...others: unknown[]],
): T[][] {
	const groups = new Map<string, T[]>();
	for (const entry of entries) {
		const [{ credential, workflowId }, ...others] = keyOf(entry);
		const key = JSON.stringify([credential, workflowId, ...others]);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return [...groups.values()];
}

/** Throws the first failure of a run, unless the node continues on fail. */
export function stopAtFailure(context: IExecuteFunctions, uploads: FileUpload[]) {
	const failed = uploads.find(({ error }) => error);
	if (failed?.error && !context.continueOnFail()) throw stopped(context, failed.error, uploads);
}

/** An error that ends the run: it names what is uploaded, so that nobody uploads it twice. */
function stopped(context: IExecuteFunctions, error: Error, uploads: FileUpload[]): Error {
	const isOpen = ({ uploaded }: FileUpload) =>
		uploaded?.method === 'signed' && !uploaded.isConfirmed;
	const uploaded = uploads.filter((upload) => upload.uploaded);
	// The others that were on their way: only the first failure is shown.
	const inDoubt = uploads.filter(
		(upload) =>
			!upload.uploaded && upload.error && upload.error !== error && isOutcomeUnknown(upload.error),
	);
	const notes = [
		...listed(
			'Already uploaded, do not upload again',
			uploaded.filter((upload) => !isOpen(upload)),
		),
		...listed(
			'Uploaded, but still to be confirmed with Document › Confirm Upload',
			uploaded.filter(isOpen),
		),
		...listed('Perhaps uploaded, look with Document › Get Many', inDoubt),
	];
	const known = error instanceof NodeApiError || error instanceof NodeOperationError;
	const ending = known ? error : new NodeOperationError(context.getNode(), error);
	return withNote(ending, notes.join(' '));
}

function listed(title: string, uploads: FileUpload[]): string[] {
	if (uploads.length === 0) return [];
	const documents = uploads.map(({ file, uploaded }) => {
		const id = uploaded && `: ${uploaded.documentId ?? 'ID unknown'}`;
		return `item ${file.itemIndex} ${file.field}${id ?? ''}`;
	});
	return [`${title}: ${withoutMarkup(documents.join('; '))}.`];
}

/** The outcome of a file that failed: its own file goes with it, and the document's ID if it has one. */
export function failedUpload({ file, uploaded }: FileUpload, error: Error): Outcome {
	return {
		itemIndex: file.itemIndex,
		error,
		binary: { [file.field]: file.binary },
		details: { file: describeFile(file), documentId: uploaded?.documentId },
	};
}

/** What an output item says of the file that it came from. */
export function describeFile({ field, name, mimeType, size }: InputFile): IDataObject {
	return { field, name, mimeType, size };
}

/** An output item for a file, with the file itself where the user wants to keep it. */
export function fileItem(
	{ file, uploaded, options }: FileUpload,
	json: IDataObject,
): INodeExecutionData {
	return {
		json: { documentId: uploaded?.documentId ?? null, file: describeFile(file), ...json },
		...(options.keepInputFiles ? { binary: { [file.field]: file.binary } } : {}),
	};
}

function report(context: IExecuteFunctions, items: ItemUploads[], skipped: SkippedFile[]) {
	const empty = items.filter((item) => !item.error && item.uploads.length === 0);
	const messages = [
		...skipped.map(
			({ itemIndex, field, reason }) =>
				`Skipped the file '${field}' of item ${itemIndex}: ${reason}`,
		),
		...empty.map(({ itemIndex }) => `Item ${itemIndex} has no file to upload`),
	];
	if (messages.length === 0) return;
	const shown = withoutMarkup(messages.slice(0, 5).join('. '));
	const more = messages.length > 5 ? `. And ${messages.length - 5} more` : '';
	context.addExecutionHints({ message: `${shown}${more}.`, location: 'outputPane' });
	logProgress(context, messages.join('. '));
}

/** Tells below the output how many of the run's files are uploaded. */
export function hintAtUploads(context: IExecuteFunctions, items: ItemUploads[]) {
	const uploads = items.flatMap((item) => (item.error ? [] : item.uploads));
	if (uploads.length === 0) return;
	const done = uploads.filter(({ uploaded }) => uploaded).length;
	hintAtCounts(context, `Uploaded ${done} of ${counted(uploads.length, 'file')}`);
}
