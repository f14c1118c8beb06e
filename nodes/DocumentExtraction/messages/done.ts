/** What was done before a failure, and need not be done again. */
import { counted, paragraphs, sentences } from '../api/sentences';
import type { Stage } from '../api/upload';
import { shortened } from '../http/redact';

/** A file of a run. */
interface FileState {
	/** Its name and item. */
	name: string;
	stage: Stage;
}

/** How a run stopped. */
interface Stop {
	/** Whether the outcome of what failed is unknown. */
	isInDoubt: boolean;
	/** Whether the user sees the run, and may execute the step again at once. */
	isEditor: boolean;
}

/**
 * What a run says that stopped at its first failure, so that nobody uploads twice.
 * @param failed the file that stopped it
 * @param log is given each list that is too long for a message
 */
export function alreadyUploaded(
	files: FileState[],
	failed: FileState,
	stop: Stop,
	log: (list: string) => void,
): string {
	const uploaded = files.filter(({ stage }) => 'documentId' in stage);
	const isStored = ({ stage }: FileState) => stage.name === 'stored';
	const isDocument = ({ stage }: FileState) => stage.name === 'confirmed';
	// Of the others that were in flight, the errors themselves are not shown.
	const inDoubt = files.filter((file) => file.stage.name === 'unknown' && file !== failed);
	const lists: Array<[title: string, files: FileState[]]> = [
		['Already uploaded and extraction started, do not upload again', uploaded.filter(isStarted)],
		['Already uploaded, do not upload again', uploaded.filter(isDocument)],
		[
			'Uploaded, but still to be confirmed with Document › Confirm Upload',
			uploaded.filter(isStored),
		],
		['Perhaps uploaded, check with Document › Get Many', inDoubt],
	];
	return paragraphs(
		sentences(
			stop.isEditor && beforeNextClick(uploaded, files.length, stop),
			`The file: ${failed.name}.`,
		),
		...lists.map(([title, some]) => listed(title, some, log)),
	);
}

const isStarted = ({ stage }: FileState) => ['extracting', 'done'].includes(stage.name);

function beforeNextClick(uploaded: FileState[], count: number, stop: Stop): string {
	if (uploaded.length === 0) return '';
	const [are, them] = uploaded.length === 1 ? ['is', 'it'] : ['are', 'them'];
	const which = count === 1 ? 'The file' : `${uploaded.length} of ${counted(count, 'file')}`;
	const state = `${which} ${are} at the service already.`;
	if (uploaded.length < count) {
		return `${state} Remove ${them} from the input before you run this step again, and extract ${them} with Extraction › Extract Documents.`;
	}
	const isToConfirm = uploaded.some(({ stage }) => stage.name === 'stored');
	const next = uploaded.every(isStarted)
		? 'read the results with Extraction › Get Many'
		: `extract ${them} with Extraction › Extract Documents`;
	return sentences(
		`${state} Running this step again would upload ${them} a second time.`,
		(isToConfirm || !stop.isInDoubt) &&
			`Instead, correct what is wrong, ${isToConfirm ? 'confirm what is listed below, ' : ''}and then ${next}.`,
	);
}

/** In characters: n8n saves descriptions with the execution and sends them to the editor. */
const LONGEST_LIST = 60_000;

function listed(title: string, files: FileState[], log: (list: string) => void): string {
	if (files.length === 0) return '';
	const list = files
		.map(({ name, stage }) => ('documentId' in stage ? `${name}: ${stage.documentId}` : name))
		.join('; ');
	const whole = `${title}: ${list}.`;
	if (whole.length <= LONGEST_LIST) return whole;
	log(whole);
	return `${title}: ${files.length} files. n8n's log names all of them; the first are ${shortened(list, LONGEST_LIST)}.`;
}
