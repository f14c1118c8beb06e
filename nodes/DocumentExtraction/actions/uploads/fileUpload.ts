/** One file on its way to the service, and what the output and messages say of it. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { CallError, withNote, withPreface } from '../../api/callError';
import type { Client } from '../../api/client';
import { counted, logProgress, sentences } from '../../api/run';
import type { CollectionChoice, UploadedFile, UploadMethod } from '../../api/upload';
import { shortened } from '../../http/redact';
import { describedFile, type InputFile } from '../inputFiles';
import { RunStoppedError, type Outcome } from '../operation';

/** A file with the settings of its item. */
export interface FileUpload {
	file: InputFile;
	client: Client;
	collection: CollectionChoice;
	method: UploadMethod;
	options: IDataObject;
	/** Set when the file is at the service; a signed upload is still to be confirmed then. */
	uploaded?: UploadedFile;
	/** Set when a signed upload is confirmed: what the service responded. */
	confirmation?: { response: unknown };
	error?: Error;
}

/** The files of an item in the order of its fields; or why it has none. */
export type ItemUploads =
	| { itemIndex: number; uploads: FileUpload[]; error?: undefined }
	| { itemIndex: number; error: Error };

export function uploadsOf(items: ItemUploads[]): FileUpload[] {
	return items.flatMap((item) => (item.error ? [] : item.uploads));
}

/** What an output item says of the file that it came from. */
export function fileFields({ field, name, mimeType, size }: InputFile): IDataObject {
	return { field, name, mimeType, size };
}

/** What an output item says of the document that was made of a file. */
export function documentFields({ file, uploaded }: FileUpload): IDataObject {
	return { documentId: uploaded?.documentId ?? null, file: fileFields(file) };
}

/** An output item for a file, with the file itself where the user wants to keep it. */
export function fileItem({ file, options }: FileUpload, json: IDataObject): INodeExecutionData {
	return {
		json,
		...(options.keepInputFiles ? { binary: { [file.field]: file.binary } } : {}),
	};
}

/** The outcome of a file that failed: its own file goes with it, and the document's ID if it has one. */
export function failedUpload({ file, uploaded }: FileUpload, error: Error): Outcome {
	return {
		itemIndex: file.itemIndex,
		error,
		binary: { [file.field]: file.binary },
		details: { file: fileFields(file), documentId: uploaded?.documentId },
	};
}

/**
 * Ends a run at its first failure, if there is one.
 * @throws RunStoppedError; its reason names what is uploaded, so that nobody uploads it twice
 */
export function throwFirstFailure(context: IExecuteFunctions, uploads: FileUpload[]) {
	const failed = uploads.find(({ error }) => error);
	if (!failed?.error) return;
	const { error } = failed;
	const isOpen = ({ method, confirmation }: FileUpload) => method === 'signed' && !confirmation;
	const uploaded = uploads.filter((upload) => upload.uploaded);
	// The others that were on their way: only the first failure is shown.
	const inDoubt = uploads.filter(
		(upload) =>
			upload.error !== error &&
			upload.error instanceof CallError &&
			upload.error.isOutcomeUnknown &&
			!upload.uploaded,
	);
	const isTrial = context.getMode() === 'manual' && uploaded.length > 0;
	const note = sentences(
		`The file: ${describedFile(failed.file)}.`,
		listed(
			context,
			'Already uploaded, do not upload again',
			uploaded.filter((upload) => !isOpen(upload)),
		),
		listed(
			context,
			'Uploaded, but still to be confirmed with Document › Confirm Upload',
			uploaded.filter(isOpen),
		),
		listed(context, 'Perhaps uploaded, check with Document › Get Many', inDoubt),
	);
	const reason = withNote(error, note);
	throw new RunStoppedError(
		failed.file.itemIndex,
		isTrial ? withPreface(reason, beforeNextClick(uploads, uploaded.length)) : reason,
	);
}

/**
 * Whoever tries a flow in the editor executes the step again after a failure, and the node cannot see
 * what the run before has uploaded.
 */
function beforeNextClick(uploads: FileUpload[], uploaded: number): string {
	const [are, them] = uploaded === 1 ? ['is', 'it'] : ['are', 'them'];
	const orElse =
		uploaded < uploads.length ? `, or extract ${them} with Extraction › Extract Documents` : '';
	return `${uploaded} of ${counted(uploads.length, 'file')} ${are} at the service already. Remove ${them} from the input before you run this step again${orElse}.`;
}

/** In characters. n8n shows descriptions whole, but saves them with the execution and sends them to the editor. */
const LONGEST_LIST = 60_000;

/** All documents by file and ID; in n8n's log where a message cannot hold them all. */
function listed(context: IExecuteFunctions, title: string, uploads: FileUpload[]): string {
	if (uploads.length === 0) return '';
	const documents = uploads.map(({ file, uploaded }) => {
		const id = uploaded && `: ${uploaded.documentId ?? 'ID unknown'}`;
		return `${describedFile(file)}${id ?? ''}`;
	});
	const whole = `${title}: ${documents.join('; ')}.`;
	if (whole.length <= LONGEST_LIST) return whole;
	logProgress(context, whole);
	return `${title}: ${uploads.length} files, which n8n's log names all, beginning with ${shortened(documents.join('; '), LONGEST_LIST)}.`;
}
