/** Turns what is known of a failure into words, where the node makes n8n's errors. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, Kind } from '../service/callError';
import type { Reason } from '../service/reason';
import { asSentence, counted, paragraphs, sentences } from '../service/sentences';
import type { Stage } from '../service/upload';
import { shortened } from '../http/redact';
import { fieldName, RESPONSES } from './responses';
import { bodiesOf, FAILURES, type Call, type Cause, type Rule, type Rules } from './rules';

/** Which words a failure gets: of its kind, by the first rule that fits. */
export const RULES: { [K in Kind]: Rules<Facts<K>> } = { response: RESPONSES, ...FAILURES };

export interface Words {
	message: string;
	description: string;
	/** The kind of failure, by n8n's classification. */
	failure?: NodeApiError['failure'];
}

/**
 * A failure, and what was done before it or is known besides. The failure itself is not changed: Retry
 * On Fail meets one that is remembered with each try.
 */
class FailedAfter extends Error {
	constructor(
		readonly reason: Error,
		/** Sentences that follow those about the failure. */
		readonly note: string,
	) {
		super(reason.message);
	}
}

/** @param note sentences about what was done before the failure; empty where there is nothing to say */
export function failedAfter(reason: Error, note: string): Error {
	return note === '' ? reason : new FailedAfter(reason, note);
}

/** The failure itself. */
export function reasonFor(error: Error): Error {
	return error instanceof FailedAfter ? reasonFor(error.reason) : error;
}

/** What is known of a call that failed; undefined for other errors, which have words of their own. */
export function factsOf(error: Error): Facts | undefined {
	const { facts } = reasonFor(error) as Error & { facts?: Facts };
	return facts;
}

/**
 * The words for an error. Their order is always: the service's own reason, what to do, what is unknown,
 * what was done before.
 */
export function wordsOf(error: Error): Words {
	if (error instanceof FailedAfter) {
		const { description, ...words } = wordsOf(error.reason);
		return {
			...words,
			description: paragraphs(description && asSentence(description), error.note),
		};
	}
	const facts = factsOf(error);
	if (facts) return wordsFor(facts.kind, facts);
	const { description } = error as { description?: string | null };
	return { message: error.message, description: description ?? '' };
}

function wordsFor<K extends Kind>(kind: K, facts: Facts<K>): Words {
	const { message, advice, cause } = ruleFor(kind, facts);
	const { statusCode = 0, retryAfterMs } = facts;
	const known = typeof cause === 'function' ? cause(facts) : cause;
	const failure = known ?? CAUSES[statusCode];
	return {
		message: `${textOf(message, facts)}${statusCode > 0 ? ` (${statusCode})` : ''}`,
		description: paragraphs(
			saidBy('peer' in facts ? facts.peer : 'service', facts.reason, bodiesOf(facts).length > 0),
			textOf(advice, facts),
			facts.isOutcomeUnknown && outcomeUnknown(facts),
		),
		...(failure && {
			failure: failure === 'rate-limited' ? { cause: failure, retryAfterMs } : { cause: failure },
		}),
	};
}

/** The first rule that fits; the last one of each kind fits always. */
function ruleFor<K extends Kind>(kind: K, facts: Facts<K>): Rule<Facts<K>> {
	const rules: Rules<Facts<K>> = RULES[kind];
	return Object.values(rules).find(({ when }) => when?.(facts) ?? true) as Rule<Facts<K>>;
}

const textOf = <F>(text: string | ((facts: F) => string), facts: F) =>
	typeof text === 'string' ? text : text(facts);

/** Whoever responds so. */
const CAUSES: { [statusCode: number]: Cause | undefined } = {
	407: 'configuration-invalid',
	429: 'rate-limited',
	503: 'temporarily-unavailable',
};

/**
 * The reason of the service, or of the storage, as sentences; empty where it gives none.
 * @param areOwnNames whether fields are called as the service does, and not as the panel does
 */
export function saidBy(
	peer: string,
	{ text, isTitle, entries = [] }: Reason = { text: '' },
	areOwnNames = false,
) {
	if (isTitle) return text && `Its title is “${text}”.`;
	const said =
		text || entries.map(({ loc, msg }) => `${fieldName(loc, areOwnNames)}: ${msg}`).join('. ');
	return said && `The ${peer} says: ${asSentence(shortened(said))}`;
}

/** What to do about a write that may have been done. */
function outcomeUnknown({ isUpload, changes }: Partial<Call>): string {
	if (isUpload) {
		return 'The outcome is unknown: the file may be there already. Look with Document › Get Many, and upload the file again only if it is missing.';
	}
	switch (changes) {
		case 'extraction':
			return 'The outcome is unknown: the extraction may have started all the same. Look with Extraction › Get Many after a while. If the results are missing, or still the old ones, start it with Extraction › Extract Documents.';
		case 'confirmation':
			return 'The outcome is unknown: the file may be confirmed all the same. Look with Document › Get Many. If it is not there, confirm it with Document › Confirm Upload.';
		default:
			return 'The outcome is unknown: the service may have processed the request all the same. Look with Document › Get Many before you repeat it.';
	}
}

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
	const toConfirm = isToConfirm ? 'confirm what is listed below, ' : '';
	const next = uploaded.every(isStarted)
		? 'read the results with Extraction › Get Many'
		: `correct what is wrong, ${toConfirm}and then extract ${them} with Extraction › Extract Documents`;
	return sentences(
		`${state} Running this step again would upload ${them} a second time.`,
		(isToConfirm || !stop.isInDoubt) && `Instead, ${next}.`,
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
