/** One file on its way to the service, and what the output and messages say of it. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { CallError, withNote } from '../../api/errors/callError';
import type { Client } from '../../api/client';
import type { CollectionChoice, UploadedFile, UploadMethod } from '../../api/upload';
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
export function throwFirstFailure(uploads: FileUpload[]) {
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
	const note = [
		`The file: ${describedFile(failed.file)}.`,
		...listed(
			'Already uploaded, do not upload again',
			uploaded.filter((upload) => !isOpen(upload)),
		),
		...listed(
			'Uploaded, but still to be confirmed with Document › Confirm Upload',
			uploaded.filter(isOpen),
		),
		...listed('Perhaps uploaded, check with Document › Get Many', inDoubt),
	].join(' ');
	throw new RunStoppedError(failed.file.itemIndex, withNote(error, note));
}

const MOST_LISTED = 20;

function listed(title: string, uploads: FileUpload[]): string[] {
	if (uploads.length === 0) return [];
	const documents = uploads.slice(0, MOST_LISTED).map(({ file, uploaded }) => {
		const id = uploaded && `: ${uploaded.documentId ?? 'ID unknown'}`;
		return `${describedFile(file)}${id ?? ''}`;
	});
	const rest = uploads.length - MOST_LISTED;
	return [`${title}: ${documents.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`];
}
