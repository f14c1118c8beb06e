/** What was done before a failure, and need not be done again. */
import { counted, fewOf, sentences } from '../api/sentences';
import { shortened } from '../http/redact';

export const startedBefore = (documentIds: string[]) =>
	documentIds.length > 0 ? `Started before: ${fewOf(documentIds)}.` : '';

/** A file of a run. */
export interface FileState {
	/** Its name and item. */
	name: string;
	documentId?: string;
	/** Whether the service has accepted it. */
	isUploaded: boolean;
	/** Whether it cannot be told if it is a document: without a response, or without an ID in it. */
	isInDoubt: boolean;
	isToConfirm: boolean;
	isExtractionStarted: boolean;
}

/**
 * What a run says that stopped at its first failure, so that nobody uploads twice.
 * @param failed the file that stopped it
 * @param stop.isInDoubt whether the outcome of what failed is unknown
 * @param stop.isEditor whether the user sees the run, and may execute the step again at once
 * @param log is given each list that is too long for a message
 */
export function alreadyUploaded(
	files: FileState[],
	failed: FileState,
	stop: { isInDoubt: boolean; isEditor: boolean },
	log: (list: string) => void,
): string {
	const uploaded = files.filter(({ isUploaded, isInDoubt }) => isUploaded && !isInDoubt);
	// Of the others that were in flight, the errors themselves are not shown.
	const inDoubt = files.filter((file) => file.isInDoubt && file !== failed);
	const lists: Array<[title: string, files: FileState[]]> = [
		['Already uploaded, do not upload again', uploaded.filter(({ isToConfirm }) => !isToConfirm)],
		[
			'Uploaded, but still to be confirmed with Document › Confirm Upload',
			uploaded.filter(({ isToConfirm }) => isToConfirm),
		],
		['Perhaps uploaded, check with Document › Get Many', inDoubt],
	];
	return sentences(
		stop.isEditor && beforeNextClick(files, stop.isInDoubt),
		`The file: ${failed.name}.`,
		...lists.map(([title, some]) => listed(title, some, log)),
	);
}

function beforeNextClick(files: FileState[], isInDoubt: boolean): string {
	const uploaded = files.filter((file) => file.isUploaded && !file.isInDoubt);
	if (uploaded.length === 0) return '';
	const [are, them] = uploaded.length === 1 ? ['is', 'it'] : ['are', 'them'];
	const which =
		files.length === 1 ? 'The file' : `${uploaded.length} of ${counted(files.length, 'file')}`;
	const state = `${which} ${are} at the service already.`;
	if (uploaded.length < files.length) {
		return `${state} Remove ${them} from the input before you run this step again.`;
	}
	const next = uploaded.some(({ isToConfirm }) => isToConfirm)
		? 'confirm what is listed below'
		: uploaded.every(({ isExtractionStarted }) => isExtractionStarted)
			? 'read the results with Extraction › Get Many'
			: `extract ${them} with Extraction › Extract Documents`;
	return sentences(
		`${state} Running this step again would upload ${them} a second time.`,
		!isInDoubt && `Instead, ${next}.`,
	);
}

/** In characters: n8n saves descriptions with the execution and sends them to the editor. */
const LONGEST_LIST = 60_000;

function listed(title: string, files: FileState[], log: (list: string) => void): string {
	if (files.length === 0) return '';
	const list = files
		.map(({ name, isUploaded, documentId = 'ID unknown' }) =>
			isUploaded ? `${name}: ${documentId}` : name,
		)
		.join('; ');
	const whole = `${title}: ${list}.`;
	if (whole.length <= LONGEST_LIST) return whole;
	log(whole);
	return `${title}: ${files.length} files. n8n's log names all of them; the first are ${shortened(list, LONGEST_LIST)}.`;
}
