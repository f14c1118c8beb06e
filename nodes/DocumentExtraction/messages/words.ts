/** Turns what is known of a failure into words, where the node makes n8n's errors. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, FailedCall, Kind } from '../service/callError';
import type { Reason } from '../service/reason';
import { asSentence, paragraphs, sentences } from '../service/sentences';
import type { Stage } from '../service/upload';
import { shortened } from '../http/redact';
import { RULES, type Cause, type Rule, type Rules } from './rules';

export interface Words {
	message: string;
	description: string;
	/** The kind of failure, by n8n's classification. */
	failure?: NodeApiError['failure'];
}

/**
 * A failure, and what was done before it or is known besides. The failure itself is not changed: with
 * Retry On Fail, every try meets the same remembered failure again.
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

/** The words for an error, in this order: the service's reason, what to do, what is unknown, what was done. */
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
	const known = cause ?? CAUSES[statusCode];
	return {
		message: `${textOf(message, facts)}${statusCode > 0 ? ` (${statusCode})` : ''}`,
		description: paragraphs(
			saidBy('peer' in facts ? facts.peer : 'service', facts.reason),
			textOf(advice, facts),
			facts.isOutcomeUnknown && outcomeUnknown(facts),
		),
		...(known && {
			failure: known === 'rate-limited' ? { cause: known, retryAfterMs } : { cause: known },
		}),
	};
}

/** The kind of failure that a status tells, whoever responds with it. */
const CAUSES: { [statusCode: number]: Cause | undefined } = {
	407: 'configuration-invalid',
	429: 'rate-limited',
	503: 'temporarily-unavailable',
};

/** The first rule that fits; the last one of each kind fits always. */
function ruleFor<K extends Kind>(kind: K, facts: Facts<K>): Rule<Facts<K>> {
	const rules: Rules<Facts<K>> = RULES[kind];
	return Object.values(rules).find(({ when }) => when?.(facts) ?? true) as Rule<Facts<K>>;
}

const textOf = <F>(text: string | ((facts: F) => string), facts: F) =>
	typeof text === 'string' ? text : text(facts);

/** The reason of the service, or of the storage, as sentences; empty where it gives none. */
export function saidBy(peer: string, { text, isTitle, entries = [] }: Reason = { text: '' }) {
	if (isTitle) return text && `The response is a web page with the title “${text}”.`;
	const said = text || entries.map(({ loc, msg }) => `${placeOf(loc)}: ${msg}`).join('. ');
	return said && `The ${peer} says: ${asSentence(shortened(said))}`;
}

/** `["body", "document_ids", 2]` → `document_ids, entry 3`. */
function placeOf([part, ...steps]: Array<string | number>): string {
	const isPart = ['body', 'query', 'path'].includes(String(part));
	const place = (isPart ? steps : [part, ...steps])
		.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : step))
		.join(', ');
	return place || 'The request';
}

/** What to do about a write that may have been done. */
function outcomeUnknown({ isUpload, changes }: Partial<FailedCall>): string {
	if (isUpload) {
		return "The outcome is unknown: the file may be at the service already. Look with Document › Get Many and 'Return All'. If the file is there, enter its ID in Extraction › Extract Documents, and later in Extraction › Get Many; upload it again only if it is missing.";
	}
	switch (changes) {
		case 'extraction':
			return 'The outcome is unknown: the extraction may have started all the same. Look with Extraction › Get Many after a while. If the results are missing, start it with Extraction › Extract Documents. If they are still the old ones, switch on Force there.';
		case 'confirmation':
			return 'The outcome is unknown: the upload may be confirmed all the same. If Document › Get Many does not show that it is, confirm it with Document › Confirm Upload. Then extract the document with Extraction › Extract Documents, if you want its values.';
		case 'upload URL':
			return 'The outcome is unknown: the service may have made a URL, but the node did not receive it, and sent no file. Run this again. If Document › Get Many shows a document from the first try, that one has no file.';
		default:
			return 'The outcome is unknown: the service may have merged the documents all the same. Run this again, unless a second merged PDF would do harm.';
	}
}

/** How a run that stopped names the files that are or may be at the service, by how far they have come. */
const UPLOADED: Array<[title: string, stage: Stage['name']]> = [
	['Already uploaded, with the extraction started; do not upload again', 'extracting'],
	['Already uploaded; do not upload again', 'confirmed'],
	['Uploaded, but perhaps not confirmed (use Document › Confirm Upload first)', 'stored'],
	['Perhaps uploaded (look with Document › Get Many)', 'unknown'],
];

interface FileState {
	/** Its name and item. */
	name: string;
	stage: Stage;
	error?: Error;
}

const LEAVE_OUT = sentences(
	'Do not upload the files that are listed here with an ID again.',
	"Leave them out: with a Filter node before this step or, if all files are in one item, by naming only the other files' fields in 'Input Data Field Name'.",
);
const START = 'If the extraction has not started, start it with Extraction › Extract Documents.';
const READ_LATER = 'Later, read the values with Extraction › Get Many, one ID at a time.';

/**
 * What a run says that stopped at its first failure, so that nobody uploads twice.
 * @param failed the file that stopped it
 */
export function alreadyUploaded(files: FileState[], failed: FileState): string {
	// Whether the file that failed is there, its error says.
	const others = files.filter((file) => file !== failed || file.stage.name !== 'unknown');
	const lists = UPLOADED.map(([title, reached]) => {
		const names = others
			.filter(({ stage }) => stage.name === reached)
			.map(({ name, stage }) => ('documentId' in stage ? `${name}: ${stage.documentId}` : name));
		return names.length > 0 && `${title}: ${names.join('; ')}.`;
	});
	// A call for several documents fails for all of them, as does a wait that cannot go on.
	const reasonOf = ({ error }: FileState) => error && reasonFor(error);
	const isOfOne = files.filter((file) => reasonOf(file) === reasonOf(failed)).length < 2;
	const isOneThere = files.some(({ stage }) => 'documentId' in stage);
	const isOneLeft = files.some(({ stage: { name } }) => name === 'confirmed' || name === 'stored');
	return paragraphs(
		isOfOne && `This happened with the file ${failed.name}.`,
		...lists,
		isOneThere &&
			sentences(
				files.length > 1 ? LEAVE_OUT : 'Do not upload the file again.',
				isOneLeft && START,
				READ_LATER,
			),
		[isOfOne, isOneThere, files.length > 1].every(Boolean) &&
			"To let the others continue next time even if one file fails, set 'On Error' in this node's Settings to Continue (using error output).",
	);
}
