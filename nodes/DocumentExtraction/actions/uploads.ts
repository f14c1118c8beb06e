/** Uploading the files of all items of a run, for the operations that begin with it. */
import { UserError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { hasStatus, isInDoubt, isOnTheWay } from '../api/callError';
import { createClient, DEFAULT_MAX_CONCURRENCY, mostUploads, type Client } from '../api/client';
import { DETAIL_GROUPS } from '../account/apiDetails';
import { once, recall } from '../api/memory';
import { addHint, logProgress, occasionalLog, runOf } from '../api/run';
import { counted, fewOf, seconds, sentences } from '../api/sentences';
import {
	assertCanUpload,
	confirmDocuments,
	DEFAULT_SIGNED_FROM_MB,
	noDocumentId,
	placeholders,
	uploadFile,
	uploadMethodFor,
	type CollectionChoice,
	type UploadedFile,
	type UploadMethod,
} from '../api/upload';
import { settleInOrder } from '../http/concurrency';
import type { FileContent } from '../http/payload';
import { nameInMessage } from '../http/redact';
import { alreadyUploaded, type FileState } from '../messages/done';
import { failedAfter, reasonFor } from '../messages/words';
import {
	adviceWithoutFiles,
	describedFile,
	fileFilters,
	itemLabel,
	selectFiles,
	type SkippedFile,
} from './inputFiles';
import { contentOf, filesOf, type InputFile } from './itemFiles';
import { grouped, MOST_NAMED, RunStoppedError, type Outcome } from './operation';
import { checkedOptions, chosenCollection } from './parameters';
import { waitOptions } from './waiting';

export const uploadMethod: INodeProperties = {
	displayName: 'Upload Method',
	name: 'uploadMethod',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'Uses a signed URL for large files, if the credential is set up for it',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per file, for smaller files',
		},
		{
			name: 'Signed URL',
			value: 'signed',
			description: `For large files: the file goes straight to storage, and the upload is then confirmed. Needs '${DETAIL_GROUPS.signedUploads.label}' in the credential.`,
		},
	],
	default: 'automatic',
	description: 'How to send files to the service',
};

/** The options of operations that upload. */
export const fileOptions: INodeProperties[] = [
	...fileFilters,
	{
		displayName: 'File Hash',
		name: 'fileHash',
		type: 'boolean',
		default: false,
		description:
			'Whether to include the SHA-256 of each file in its output item, which tells whether the same file has come before',
	},
	{
		displayName: 'Keep Input Files',
		name: 'keepInputFiles',
		type: 'boolean',
		default: false,
		description: 'Whether to include each file in its output item',
	},
	{
		displayName: 'Signed URL From Size (MB)',
		name: 'signedFromMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SIGNED_FROM_MB,
		description: "Upload Method 'Automatic' uploads files of this size and above by signed URL",
	},
];

/** A file with the settings of its item. */
export interface FileUpload {
	file: InputFile;
	client: Client;
	collection: CollectionChoice;
	method: UploadMethod;
	options: IDataObject;
	/** Set when the file is at the service; a signed upload is still to be confirmed then. */
	uploaded?: UploadedFile & { fileHash?: string };
	/** The SHA-256 of the file in hex, where the user wants it, and it was sent whole. */
	fileHash?: string;
	/** Set when a signed upload is confirmed: what the service responded. */
	confirmation?: { response: unknown };
	/** Set when the document's extraction is started. */
	isExtractionStarted?: boolean;
	error?: Error;
}

/** The files of an item in the order of its fields, or why it is invalid. */
type ItemUploads =
	| { itemIndex: number; uploads: FileUpload[]; error?: undefined }
	| { itemIndex: number; error: Error };

export function uploadsOf(items: ItemUploads[]): FileUpload[] {
	return items.flatMap((item) => (item.error ? [] : item.uploads));
}

/**
 * Uploads and confirms the files of all items. Every item is checked before the first request.
 * @param purpose.needsDocumentId whether an upload without a document ID has failed
 * @param purpose.check throws a UserError where an item lacks what the operation needs besides
 * @param purpose.beforeUpload called once with all files that will be uploaded
 * @throws RunStoppedError at the first failure, when the node does not continue on fail; it names the
 * documents that are uploaded already
 */
export async function uploadFilesOfItems(
	context: IExecuteFunctions,
	purpose: {
		needsDocumentId: boolean;
		check?: (client: Client) => void;
		beforeUpload?: (uploads: FileUpload[]) => void;
	},
): Promise<ItemUploads[]> {
	const items = await planUploads(context, purpose.check);
	const invalid = items.find((item) => item.error);
	if (invalid && !context.continueOnFail()) return [invalid];
	const uploads = uploadsOf(items);
	stopAtFirstFailure(context, uploads);
	const sound = uploads.filter(({ error }) => !error);
	purpose.beforeUpload?.(sound);
	await uploadEach(context, sound, purpose.needsDocumentId);
	stopAtFirstFailure(context, uploads);
	await confirmUploads(uploads);
	stopAtFirstFailure(context, uploads);
	return items;
}

/** Not skipped: the service can extract nothing from it, and a document would be lost unnoticed. */
function emptyFileError({ name }: InputFile): UserError {
	return new UserError(`${nameInMessage(name)} is empty (0 bytes)`, {
		description:
			"It was not uploaded. Get the file again from where it came from. To skip empty files, set 'Min File Size (MB)' in the options, e.g. to 0.0001.",
	});
}

/** The files of each item and how each is uploaded, or why the item is invalid. */
async function planUploads(
	context: IExecuteFunctions,
	check?: (client: Client) => void,
): Promise<ItemUploads[]> {
	const plans = await settleInOrder(
		[...context.getInputData().keys()],
		DEFAULT_MAX_CONCURRENCY,
		!context.continueOnFail(),
		async (itemIndex) => await planItem(context, itemIndex, check),
	);
	const skipped: SkippedFile[] = [];
	const items = plans.flatMap((plan, itemIndex): ItemUploads[] => {
		if (plan === undefined) return [];
		if (plan.error) return [{ itemIndex, error: plan.error }];
		for (const file of plan.value.skipped) skipped.push(file);
		return [{ itemIndex, uploads: plan.value.uploads }];
	});
	reportSkipped(context, items, skipped);
	return items;
}

async function planItem(
	context: IExecuteFunctions,
	itemIndex: number,
	check?: (client: Client) => void,
) {
	const client = await createClient(context, itemIndex);
	check?.(client);
	const options = checkedOptions(context, itemIndex, [...fileOptions, ...waitOptions]);
	const collection = chosenCollection(context, itemIndex);
	const selection = context.getNodeParameter('binaryPropertyName', itemIndex);
	const { files, skipped } = await selectFiles(context, itemIndex, selection, options);
	const chosen = context.getNodeParameter('uploadMethod', itemIndex) as UploadMethod | 'automatic';
	if (!['automatic', 'direct', 'signed'].includes(chosen)) {
		throw new UserError(
			"'Upload Method' must be Automatic, Direct or Signed URL (in an expression: automatic, direct or signed)",
		);
	}
	const signedFromMb = Number(options.signedFromMb ?? DEFAULT_SIGNED_FROM_MB);
	const uploads = files.map((file): FileUpload => {
		const method = uploadMethodFor(client, chosen, signedFromMb, file.size);
		assertCanUpload(client, method, collection);
		const error = file.error ?? (file.size === 0 ? emptyFileError(file) : undefined);
		return { file, client, collection, method, options, error };
	});
	return { uploads, skipped };
}

/** Nothing is skipped silently: a hint names the first few, n8n's log all. */
function reportSkipped(context: IExecuteFunctions, items: ItemUploads[], skipped: SkippedFile[]) {
	const empty = items.filter((item) => !item.error && item.uploads.length === 0);
	const itemCount = context.getInputData().length;
	// Items whose message would be the same share one.
	const withoutFile = new Map<string, number[]>();
	for (const { itemIndex } of empty) {
		const isAllSkipped = skipped.some(({ file }) => file.itemIndex === itemIndex);
		const others = isAllSkipped ? '' : otherFiles(context, itemIndex);
		withoutFile.set(others, [...(withoutFile.get(others) ?? []), itemIndex]);
	}
	const messages = [
		...skipped.map(({ file, reason }) => `Skipped ${describedFile(file)}: ${reason}`),
		...[...withoutFile].map(([others, indexes]) => {
			const place = itemCount > 1 ? ` in ${itemLabel(indexes, itemCount)}` : '';
			return `There is no file to upload${place}${others}`;
		}),
	];
	if (messages.length === 0) return;
	const advice = skipped.length === 0 && adviceWithoutFiles(context);
	addHint(context, sentences(`${fewOf(messages, MOST_NAMED, '. ', '. And')}.`, advice));
	logProgress(context, messages.join('. '));
}

/** Where an item has its files, if a pattern matches none of them. */
function otherFiles(context: IExecuteFunctions, itemIndex: number): string {
	const fields = Object.keys(filesOf(context, context.getInputData()[itemIndex]));
	const pattern = context.getNodeParameter('binaryPropertyName', itemIndex);
	if (fields.length === 0 || typeof pattern !== 'string') return '';
	return `: no file matches ${nameInMessage(pattern)}, but there are files in ${fewOf(fields.map(nameInMessage), MOST_NAMED)}`;
}

/** With Continue On Fail, how many files are uploaded one by one until one succeeds. */
const MOST_FIRST = 3;

async function uploadEach(
	context: IExecuteFunctions,
	uploads: FileUpload[],
	needsDocumentId: boolean,
) {
	const stopsAtFailure = !context.continueOnFail();
	const log = occasionalLog(context);
	let done = 0;
	/** Whether an upload has shown that the settings are right. */
	let isProven = false;
	let obstacle: FileUpload | undefined;
	const progress = () => `uploaded ${done} of ${counted(uploads.length, 'file')}`;
	const uploadNext = async (upload: FileUpload) => {
		const { client, method, file, collection, options } = upload;
		const key = ['upload', file.itemIndex, file.field];
		const isObstructed = obstacle?.client.account.address === client.account.address;
		if (obstacle && isObstructed && !recall(client, key)) throw notTried(upload, obstacle);
		client.stop?.throwIfAborted();
		const hash: FileContent['hash'] = options.fileHash ? {} : undefined;
		const send = async () => {
			const content = { ...(await contentOf(context, file)), hash };
			const uploaded = await uploadFile(client, method, content, collection, key);
			return { ...uploaded, fileHash: hash?.sha256 };
		};
		try {
			upload.uploaded = await once(client, key, send);
		} finally {
			upload.fileHash = upload.uploaded?.fileHash ?? hash?.sha256;
		}
		done++;
		log(progress());
		const lacksId = needsDocumentId && upload.uploaded.documentId === undefined;
		if (lacksId) throw withoutId(upload);
		isProven = true;
	};
	const settle = async (some: FileUpload[], concurrency: number) => {
		const outcomes = await settleInOrder(some, concurrency, stopsAtFailure, uploadNext);
		for (const [index, outcome] of outcomes.entries()) some[index].error = outcome?.error;
	};
	// A first file alone shows whether the settings are right, before the others are uploaded.
	const mostFirst = Math.min(stopsAtFailure ? 1 : MOST_FIRST, uploads.length);
	let next = 0;
	while (next < mostFirst && !isProven && !isOnTheWay(uploads[next - 1]?.error)) {
		await settle([uploads[next++]], 1);
	}
	stopAtFirstFailure(context, uploads);
	if (!isProven) {
		obstacle = uploads.slice(0, next).find((one) => one.uploaded ?? isOnTheWay(one.error));
	}
	const concurrency = uploads.reduce((most, { client }) => Math.max(most, mostUploads(client)), 1);
	await settle(uploads.slice(next), concurrency);
	// What was said of the first ones is not so if a later response had an ID.
	for (const upload of isProven ? uploads.slice(0, next) : []) {
		if (upload.uploaded && upload.error) upload.error = withoutId(upload);
	}
	if (done > 0) logProgress(context, progress());
}

/**
 * The error about a file whose upload succeeded without a document ID.
 * @param isOutcomeUnknown whether the file may be at the service in vain
 */
export function withoutId({ client, file, uploaded }: FileUpload, isOutcomeUnknown = true) {
	return noDocumentId(client, file.name, uploaded?.response, { isUpload: true, isOutcomeUnknown });
}

/** @param obstacle the upload that showed that others would fail, too */
function notTried({ file }: FileUpload, obstacle: FileUpload): Error {
	if (isOnTheWay(obstacle.error)) return obstacle.error as Error;
	return new UserError(`The node did not try to upload ${nameInMessage(file.name)}`, {
		description: `The response to the upload of ${describedFile(obstacle.file)} has no document ID under 'Document ID Field' in the credential, so the other files would also be uploaded in vain. Correct that field first, as the message about that file says, and then upload this one.`,
	});
}

/** Confirms signed uploads; those with the same settings together. */
async function confirmUploads(uploads: FileUpload[]) {
	const signed = uploads.filter(
		({ method, uploaded, error }) => method === 'signed' && uploaded && !error,
	);
	const groups = grouped(signed, ({ client, collection }) => [client, collection]);
	const confirm = async (group: FileUpload[]) => {
		const [{ client }] = group;
		const documents = group.map(({ file, collection, uploaded }) => ({
			...placeholders(client, collection),
			document_id: uploaded?.documentId,
			file_name: file.name,
			content_type: file.mimeType,
			file_size: file.size,
		}));
		const outcomes = await confirmDocuments(client, documents);
		for (const [index, upload] of group.entries()) {
			const outcome = outcomes[index];
			if (outcome.error) upload.error = outcome.error;
			else upload.confirmation = { response: outcome.value };
		}
	};
	await Promise.all(groups.map(confirm));
}

/** Hints at what the run did, where to read why files failed, how long it waited and how often it retried. */
export function hintAtUploads(context: IExecuteFunctions, items: ItemUploads[]) {
	const uploads = uploadsOf(items);
	const done = uploads.filter(({ uploaded }) => uploaded).length;
	const failed = [...items, ...uploads].filter(({ error }) => error).length;
	if (uploads.length + failed === 0) return;
	const hasErrorBranch = context.getNode().onError === 'continueErrorOutput';
	// n8n opens the branch in its Binary view where its items have files.
	const where = hasErrorBranch
		? 'the Error branch says why, in its Table or JSON view'
		: "'error' in the output says why";
	const { retries, waitedMs, waitedForMissing } = runOf(context);
	const why = waitedForMissing
		? ", in part for values that were still missing: to wait less, fill in 'Workflow Endpoint' in the credential"
		: '';
	addHint(
		context,
		sentences(
			uploads.length > 0 && `Uploaded ${done} of ${counted(uploads.length, 'file')}.`,
			failed > 0 && `${counted(failed, 'item')} failed: ${where}.`,
			waitedMs > 0 && `Waited ${seconds(waitedMs)} for the extraction${why}.`,
			retries > 0 && `Retried ${counted(retries, 'request')} after rate limits or brief failures.`,
		),
	);
}

/** The file, as described in an output item. */
function fileFields({ field, name, mimeType, size }: InputFile): IDataObject {
	return { field, name, mimeType, size };
}

/** The fields of an output item that describe a document and its file. */
export function documentFields(upload: FileUpload): IDataObject {
	const { file, uploaded } = upload;
	return {
		documentId: uploaded?.documentId ?? null,
		file: fileFields(file),
		...hashField(upload),
	};
}

export function hashField({ fileHash }: FileUpload): IDataObject {
	return fileHash === undefined ? {} : { fileHash };
}

/** An output item for a file, with the file itself where the user wants to keep it. */
export function fileItem({ file, options }: FileUpload, json: IDataObject): INodeExecutionData {
	return options.keepInputFiles ? { json, binary: { [file.field]: file.binary } } : { json };
}

/** The outcome of a failed file, with the file itself and, if it was uploaded, the document's ID. */
export function failedUpload(upload: FileUpload, error: Error): Outcome {
	const { file, uploaded } = upload;
	return {
		itemIndex: file.itemIndex,
		error,
		binary: { [file.field]: file.binary },
		details: {
			file: fileFields(file),
			documentId: uploaded?.documentId,
			...hashField(upload),
		},
	};
}

/**
 * Ends a run at its first failure, unless the node continues on fail.
 * @throws RunStoppedError; its reason names what is uploaded, so that nobody uploads it twice
 */
export function stopAtFirstFailure(context: IExecuteFunctions, uploads: FileUpload[]) {
	const failed = uploads.find(({ error }) => error);
	if (context.continueOnFail() || !failed?.error) return;
	const reason = reasonFor(failed.error);
	const files = uploads.map(stateOf);
	const note = alreadyUploaded(
		files,
		files[uploads.indexOf(failed)],
		{
			isInDoubt: isInDoubt(reason),
			isRefused: hasStatus(reason, 404, 409, 422),
			isEditor: context.getMode() === 'manual',
		},
		(list) => logProgress(context, list),
	);
	throw new RunStoppedError(failed.file.itemIndex, failedAfter(failed.error, note));
}

function stateOf(upload: FileUpload): FileState {
	const { file, method, uploaded, confirmation, isExtractionStarted = false, error } = upload;
	return {
		name: describedFile(file),
		documentId: uploaded?.documentId,
		isUploaded: uploaded !== undefined,
		isInDoubt: uploaded
			? uploaded.documentId === undefined
			: error !== undefined && isInDoubt(reasonFor(error)),
		isToConfirm: method === 'signed' && !confirmation,
		isExtractionStarted,
	};
}
