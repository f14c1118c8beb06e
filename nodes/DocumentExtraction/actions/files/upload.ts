/** Uploading the files of all items of a run, for the operations that begin with it. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isInDoubt } from '../../service/callError';
import {
	addHint,
	logProgress,
	mostUploads,
	needsAttention,
	occasionalLog,
	runOf,
	type Client,
} from '../../service/client';
import { counted, fewOf, nameInMessage, redact, seconds, sentences } from '../../http/redact';
import {
	assertCanTake,
	confirmDocuments,
	lacksField,
	placeholders,
	uploadFile,
	type CollectionChoice,
	type Stage,
	type UploadMethod,
} from '../../service/upload';
import { settled, settleInOrder } from '../../http/concurrency';
import { hashOf } from '../../http/transfer';
import { failedAfter, reasonFor } from '../../messages/words';
import {
	contentOf,
	describedFile,
	fileFilters,
	inputDataFieldName,
	itemLabel,
	selectFiles,
	type InputFile,
	type SkippedFile,
} from './inputFiles';
import { grouped, MOST_NAMED, itemByItem, type ItemOutcome } from '../operation';
import {
	checkedOptions,
	chosenCollection,
	createClient,
	idsFrom,
	maxConcurrencyOf,
	uploadCollection,
} from '../parameters';
import { waitOptions } from '../waiting';

/** The size from which Automatic uploads by signed URL by default, in MB (1,000,000 bytes). */
const DEFAULT_SIGNED_FROM_MB = 10;

const uploadMethod: INodeProperties = {
	displayName: 'Upload Method',
	name: 'uploadMethod',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Uses a signed URL for large files if the credential has a line for signed uploads',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per file, for smaller files',
		},
		{
			name: 'Signed URL',
			value: 'signed',
			description:
				"For large files: the file goes straight to storage, and the upload is then confirmed. Needs the lines for signed uploads in the credential's API Details.",
		},
	],
	default: 'automatic',
	description: 'How to send files to the service',
};

const skipHashes: INodeProperties = {
	displayName: 'Skip Hashes',
	name: 'skipHashes',
	type: 'string',
	default: '',
	placeholder: "e.g. {{ $('Get rows').all().map((row) => row.json.fileHash) }}",
	description:
		'SHA-256 hashes of files that are not to be sent again: an expression that gives a list, e.g. of a data table, or hashes separated by commas. Such a file is not uploaded; its item has skipped: true and its hash.',
};

/** The fields of operations that upload, and their options. */
export const fileFields = [inputDataFieldName, uploadCollection];

export const fileOptions: INodeProperties[] = [
	...fileFilters,
	{
		displayName: 'File Hash',
		name: 'fileHash',
		type: 'boolean',
		default: false,
		description:
			'Whether to add the SHA-256 hash of each file to its output item. Identical files have the same hash, so you can detect duplicates.',
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
		description:
			'Automatic uses signed URLs from this size on, if the credential has a line for them',
	},
	skipHashes,
	uploadMethod,
];

/** A file with the settings of its item, and how far it has come. */
export interface FileUpload<Settings = unknown> {
	file: InputFile;
	client: Client;
	collection: CollectionChoice;
	method: UploadMethod;
	options: IDataObject;
	/** Of the files that are not to be sent. */
	knownHashes: ReadonlySet<string>;
	/** What the operation has read of the item besides. */
	settings: Settings;
	/** Its SHA-256, once something has needed it. */
	hash?: string;
	stage: Stage;
	/** Why it comes no further. */
	error?: Error;
	/** The JSON of its output items. */
	output?: IDataObject[];
}

/** What an operation does besides uploading. */
interface UploadOperation<Settings> {
	/** Whether an upload without a document ID has failed. */
	needsDocumentId: boolean;
	/** Throws a UserError where an item lacks what the operation needs besides. */
	settingsOf: (client: Client, itemIndex: number) => Settings;
	/** Called once with all files that are uploaded: gives each its output, or an error. */
	finish: (uploads: Array<FileUpload<Settings>>) => Promise<void>;
}

/**
 * Uploads and confirms the files of all items, and finishes them as the operation does. Every item is
 * checked before the first request. After a failure there is no further step, unless the node continues.
 */
export async function uploadFilesOfItems<Settings>(
	context: IExecuteFunctions,
	operation: UploadOperation<Settings>,
): Promise<ItemOutcome[]> {
	const { uploads, invalid } = await planUploads(context, operation.settingsOf);
	if (invalid.length > 0 && !context.continueOnFail()) return invalid;
	const wanted = () => uploads.filter(({ error, output }) => !error && !output);
	const steps = [
		async () => await skipKnown(context, wanted()),
		async () => await uploadEach(context, wanted(), operation.needsDocumentId),
		async () => await confirmUploads(wanted()),
		async () => await operation.finish(wanted()),
	];
	for (const step of steps) if (mayGoOn(context, uploads)) await step();
	if (!mayGoOn(context, uploads)) return [stoppedOutcome(context, uploads)];
	hintAtUploads(context, uploads, invalid.length);
	return [...invalid, ...uploads.map(outcomeOfFile)];
}

function mayGoOn(context: IExecuteFunctions, uploads: FileUpload[]): boolean {
	return context.continueOnFail() || uploads.every(({ error }) => !error);
}

/** Not skipped: the service can extract nothing from it, and a document would be lost unnoticed. */
function emptyFileError({ name }: InputFile): UserError {
	return new UserError(`${nameInMessage(name)} is empty (0 bytes)`, {
		description:
			"It was not uploaded. Get the file again from where it came from. To skip empty files, set 'Min File Size (MB)' in the options, e.g. to 0.0001.",
	});
}

/** The files of each item and how each is uploaded, or why the item is invalid. */
async function planUploads<Settings>(
	context: IExecuteFunctions,
	settingsOf: UploadOperation<Settings>['settingsOf'],
) {
	const planItem = async (itemIndex: number) => {
		const client = await createClient(context, itemIndex);
		const settings = settingsOf(client, itemIndex);
		const options = checkedOptions(context, itemIndex, [...fileOptions, ...waitOptions]);
		const collection = chosenCollection(context, itemIndex);
		const selected = await selectFiles(context, itemIndex, options);
		const chosen = options.uploadMethod ?? uploadMethod.default;
		const knownHashes = hashesIn(options);
		const signedFromMb = Number(options.signedFromMb ?? DEFAULT_SIGNED_FROM_MB);
		const uploads = selected.files.map((file): FileUpload<Settings> => {
			const isLarge = chosen === 'automatic' && file.size >= signedFromMb * 1_000_000;
			const isSigned = chosen === 'signed' || (isLarge && client.account.hasSignedLines);
			assertCanTake(
				client,
				isSigned ? ['uploadUrl', 'confirmation'] : ['directUpload'],
				collection,
			);
			return {
				file,
				client: { ...client, writer: `${client.writer}, ${file.field}` },
				collection,
				method: isSigned ? 'signed' : 'direct',
				options,
				knownHashes,
				settings,
				stage: { name: 'planned' },
				error: file.error ?? (file.size === 0 ? emptyFileError(file) : undefined),
			};
		});
		return { itemIndex, uploads, skipped: selected.skipped };
	};
	const { values: plans, failed: invalid } = await itemByItem(context, planItem);
	const empty = plans.filter((plan) => plan.uploads.length + plan.skipped.length === 0);
	reportSkipped(
		context,
		plans.flatMap(({ skipped }) => skipped),
		empty.map(({ itemIndex }) => itemIndex),
	);
	return { uploads: plans.flatMap(({ uploads }) => uploads), invalid };
}

/**
 * The hashes of files that are not to be sent; none where a table has no rows yet.
 * @throws UserError for what is no SHA-256: files that are known would be sent again
 */
function hashesIn({ skipHashes: entered }: IDataObject): Set<string> {
	const { displayName } = skipHashes;
	const hashes = idsFrom(entered, displayName).map((hash) => hash.toLowerCase());
	const wrong = hashes.find((hash) => !/^[\da-f]{64}$/.test(hash));
	if (wrong === undefined) return new Set(hashes);
	throw new UserError(
		`'${displayName}' has '${nameInMessage(redact(wrong))}', which is not a SHA-256 hash`,
		{ description: "Enter hashes of 64 digits, as the option 'File Hash' gives them." },
	);
}

/**
 * Nothing is skipped silently: a hint names the first few, n8n's log all.
 * @param empty the items without any file
 */
function reportSkipped(context: IExecuteFunctions, skipped: SkippedFile[], empty: number[]) {
	const count = context.getInputData().length;
	needsAttention(context, 'left out', skipped.length);
	const messages = skipped.map(({ file, reason }) => `Skipped ${describedFile(file)}: ${reason}`);
	if (empty.length > 0) {
		const place = count > 1 ? ` in ${itemLabel(empty, count)}` : '';
		messages.push(
			`There is no file to upload${place}: no field that contains a file matches 'Input Data Field Name'. If there was none to expect, as in an email without attachments, nothing is wrong`,
		);
	}
	if (messages.length === 0) return;
	addHint(context, `${fewOf(messages, MOST_NAMED, '. ', '. And')}.`);
	logProgress(context, messages.join('. '));
}

/** Works on files, and notes which fail; after a failure on no others, unless the node continues on fail. */
async function workOn(
	context: IExecuteFunctions,
	uploads: FileUpload[],
	concurrency: number,
	work: (upload: FileUpload) => Promise<void>,
) {
	const stops = !context.continueOnFail();
	const outcomes = await settleInOrder(uploads, concurrency, stops, work);
	for (const [index, outcome] of outcomes.entries()) uploads[index].error = outcome?.error;
}

/** The SHA-256 of a file, which is read for it, and again when it is sent. */
export async function hashOfFile(context: IExecuteFunctions, upload: FileUpload): Promise<string> {
	const { file, client } = upload;
	upload.hash ??= await hashOf(contentOf(context, file), client.stop);
	return upload.hash;
}

/** Gives files whose hash is known an item that says so. */
async function skipKnown(context: IExecuteFunctions, uploads: FileUpload[]) {
	const compared = uploads.filter(({ knownHashes }) => knownHashes.size > 0);
	await workOn(context, compared, maxConcurrencyOf(context), async (upload) => {
		upload.client.stop?.throwIfAborted();
		const fileHash = await hashOfFile(context, upload);
		if (!upload.knownHashes.has(fileHash)) return;
		upload.output = [{ fileName: upload.file.name, fileHash, skipped: true }];
	});
}

/** How many files are uploaded one by one, until one shows that responses have document IDs. */
const MOST_FIRST = 3;

/**
 * Uploads files: first one alone, and then the others. Where its response is a success without a document
 * ID, 'Document ID Field' is probably wrong, and the others would be uploaded in vain. A file that the
 * service refuses, or reports an error for, shows nothing of that, so the next one goes alone, too.
 */
async function uploadEach(
	context: IExecuteFunctions,
	uploads: FileUpload[],
	needsDocumentId: boolean,
) {
	const log = occasionalLog(context);
	const progress = () =>
		`uploaded ${uploads.filter(isSent).length} of ${counted(uploads.length, 'file')}`;
	const lacksId = ({ stage }: FileUpload) => needsDocumentId && stage.name === 'without ID';
	const hasIds = () => uploads.some(({ client }) => client.journal.hasFoundIds);
	const uploadSome = async (some: FileUpload[], concurrency: number) => {
		await workOn(context, some, concurrency, async (upload) => {
			await uploadOne(context, upload);
			log(progress());
			if (lacksId(upload)) throw withoutId(upload);
		});
	};

	let tried = 0;
	const mostFirst = Math.min(MOST_FIRST, uploads.length);
	while (tried < mostFirst && !hasIds() && mayGoOn(context, uploads)) {
		await uploadSome([uploads[tried++]], 1);
	}
	if (!mayGoOn(context, uploads)) return;
	const others = uploads.slice(tried);
	const inVain = hasIds() ? undefined : uploads.find(lacksId);
	if (inVain) {
		for (const upload of others) upload.error = notTried(upload, inVain);
		return;
	}
	await uploadSome(others, mostUploads({ maxConcurrency: maxConcurrencyOf(context) }));
	logProgress(context, progress());
}

const isSent = ({ stage }: FileUpload) => !['planned', 'in doubt'].includes(stage.name);

/** Uploads a file, and notes how far it has come. */
async function uploadOne(context: IExecuteFunctions, upload: FileUpload) {
	const { client, method, file, collection, options } = upload;
	client.stop?.throwIfAborted();
	if (options.fileHash === true) await hashOfFile(context, upload);
	const sent = await settled(uploadFile(client, method, contentOf(context, file), collection));
	if (method === 'direct' && isInDoubt(sent.error)) upload.stage = { name: 'in doubt' };
	if (sent.error) throw sent.error;
	upload.stage = sent.value;
}

/**
 * The error about a file whose upload succeeded without a document ID.
 * @param isOutcomeUnknown whether the file may be at the service although the node has no ID for it
 */
export function withoutId({ client, file, stage }: FileUpload, isOutcomeUnknown = true) {
	const response = stage.name === 'without ID' ? stage.response : undefined;
	return lacksField(client, 'documentIdField', file.name, response, isOutcomeUnknown);
}

/** @param inVain the upload that showed that others would be in vain */
function notTried({ file }: FileUpload, inVain: FileUpload): Error {
	return new UserError(`The node did not try to upload ${nameInMessage(file.name)}`, {
		description: `It would be in vain: the response for ${describedFile(inVain.file)} has no document ID. First do what the message about that file says, and then upload this one.`,
	});
}

/** Confirms signed uploads; those with the same settings together. */
async function confirmUploads(uploads: FileUpload[]) {
	const stored = uploads.flatMap((upload) =>
		upload.stage.name === 'stored' ? [{ upload, ...upload.stage }] : [],
	);
	const groups = grouped(stored, ({ upload }) => [upload.client, upload.collection]);
	const confirm = async (group: typeof stored) => {
		const { client } = group[0].upload;
		const documents = group.map(({ upload: { file, collection }, documentId }) => ({
			...placeholders(client, collection, file),
			document_id: documentId,
		}));
		const confirmed = await settled(confirmDocuments(client, documents));
		for (const [index, { upload, documentId }] of group.entries()) {
			const outcome = confirmed.error ? confirmed : confirmed.value[index];
			if (outcome.error) upload.error = outcome.error;
			else upload.stage = { name: 'confirmed', documentId, response: outcome.value.json };
		}
	};
	await Promise.all(groups.map(confirm));
}

/** Hints at what the run did, and how long it waited. */
function hintAtUploads(context: IExecuteFunctions, uploads: FileUpload[], invalid: number) {
	const tried = uploads.filter(({ stage, output }) => stage.name !== 'planned' || !output);
	const failed = invalid + uploads.filter(({ error }) => error).length;
	const { waitedMs } = runOf(context);
	const hint = sentences(
		tried.length > 0 &&
			`Uploaded ${tried.filter(isSent).length} of ${counted(tried.length, 'file')}.`,
		failed > 0 &&
			`${counted(failed, 'item')} failed: 'error' and 'message' in the JSON output say why.`,
		waitedMs > 0 && `Waited ${seconds(waitedMs)} for the extraction.`,
	);
	if (hint) addHint(context, hint);
}

/** The fields of an output item that describe a document and its file. */
export function documentFields(upload: FileUpload): IDataObject {
	const { stage, file } = upload;
	const { field, name, mimeType, size } = file;
	const documentId = 'documentId' in stage ? stage.documentId : null;
	return { documentId, file: { field, name, mimeType, size }, ...hashField(upload) };
}

export function hashField({ hash, options }: FileUpload): IDataObject {
	return options.fileHash && hash !== undefined ? { fileHash: hash } : {};
}

/** The output of a file, with the file itself where it failed or the user wants to keep it. */
function outcomeOfFile(upload: FileUpload): ItemOutcome {
	const { file, options, error, output = [] } = upload;
	const { itemIndex } = file;
	const binary = { [file.field]: file.binary };
	if (error) {
		const { documentId, ...about } = documentFields(upload);
		const details = { ...about, documentId: documentId ?? undefined };
		return { itemIndex, error, binary, details };
	}
	const kept = options.keepInputFiles ? { binary } : {};
	return { itemIndex, items: output.map((json) => ({ json, ...kept })) };
}

/** The first failure, which ends the run. It names what is uploaded, so that nobody uploads it twice. */
function stoppedOutcome(context: IExecuteFunctions, uploads: FileUpload[]): ItemOutcome {
	const failed = uploads.find(({ error }) => error) as FileUpload;
	const note = alreadyUploaded(uploads, failed).filter(Boolean);
	// A message may be too long for n8n, and is cut then.
	logProgress(context, `stopped by a failure. ${sentences(...note)}`);
	const error = failedAfter(failed.error as Error, note.join('\n\n'));
	return { itemIndex: failed.file.itemIndex, error };
}

/** How a run that stopped names the files that are or may be at the service, by how far they have come. */
const UPLOADED: Array<[title: string, ...stages: Array<Stage['name']>]> = [
	['Already uploaded, with the extraction started; do not upload again', 'extracting'],
	['Already uploaded; do not upload again', 'confirmed'],
	['Uploaded, but perhaps not confirmed (use Document › Confirm Upload first)', 'stored'],
	['Perhaps uploaded (look with Document › Get Many)', 'without ID', 'in doubt'],
];

/**
 * What a run says that stopped at its first failure, in paragraphs, so that nobody uploads twice.
 * @param failed the file that stopped it
 */
function alreadyUploaded(uploads: FileUpload[], failed: FileUpload): Array<string | false> {
	// Whether the file that failed is there, its error says.
	const others = uploads.filter((upload) => upload !== failed || 'documentId' in upload.stage);
	const lists = UPLOADED.map(([title, ...stages]) => {
		const names = others
			.filter(({ stage }) => stages.includes(stage.name))
			.map(({ file, stage }) =>
				[describedFile(file), ...('documentId' in stage ? [stage.documentId] : [])].join(': '),
			);
		return names.length > 0 && `${title}: ${names.join('; ')}.`;
	});
	// A call for several documents fails for all of them, as does a wait that cannot go on.
	const reasonOf = ({ error }: FileUpload) => error && reasonFor(error);
	const isOfOne = uploads.filter((upload) => reasonOf(upload) === reasonOf(failed)).length < 2;
	const isOneThere = uploads.some(({ stage }) => 'documentId' in stage);
	const hasOthers = isOneThere && uploads.length > 1;
	return [
		isOfOne && `This happened with the file ${describedFile(failed.file)}.`,
		...lists,
		sentences(
			hasOthers && 'Do not upload the files that are listed here with an ID again:',
			hasOthers && "put a Filter node before this step, or change 'Input Data Field Name'.",
			isOneThere && !hasOthers && 'Do not upload the file again.',
			isOneThere && 'To extract such a file, use Extraction › Extract Documents with its ID,',
			isOneThere && 'and later Extraction › Get Many.',
		),
	];
}
