/** Turns what is known of a failure into words, where the node makes n8n's errors. */
import type { NodeApiError } from 'n8n-workflow';

import { asSentence, paragraphs, sentences, shortened } from '../http/redact';
import type { CommonFacts, FailureFacts, Kind, Reason } from '../service/callError';
import type { Stage } from '../service/upload';
import { RULES, type Rule, type Rules } from './rules';

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
export function factsOf(error: Error): FailureFacts | undefined {
	const { facts } = reasonFor(error) as Error & { facts?: FailureFacts };
	return facts;
}

/** The words for an error: the service's reason, what to do, what is unknown, what was done. */
export function wordsOf(error: Error): Words {
	if (error instanceof FailedAfter) {
		const { description, ...words } = wordsOf(error.reason);
		const before = description && asSentence(description);
		return { ...words, description: paragraphs(before, error.note) };
	}
	const facts = factsOf(error);
	if (facts) return wordsFor(facts.kind, facts);
	const { description } = error as { description?: string | null };
	return { message: error.message, description: description ?? '' };
}

function wordsFor<K extends Kind>(kind: K, facts: FailureFacts<K>): Words {
	const rules: Rules<FailureFacts<K>> = RULES[kind];
	const fits = ({ when }: Rule<FailureFacts<K>>) => when?.(facts) ?? true;
	const { text } = Object.values(rules).find(fits) as Rule<FailureFacts<K>>;
	const { peer = 'service', statusCode = 0, reason, isOutcomeUnknown } = facts;
	const [happened, ...advice] = text(facts);
	return {
		message: `${happened}${statusCode > 0 ? ` (${statusCode})` : ''}`,
		description: paragraphs(
			saidBy(peer, reason),
			sentences(...advice),
			isOutcomeUnknown && outcomeUnknown(facts),
		),
		failure: classOf(facts),
	};
}

const CLASSES: { [status: number]: NodeApiError['failure'] } = {
	401: { cause: 'credential-invalid' },
	403: { cause: 'credential-invalid' },
	503: { cause: 'temporarily-unavailable' },
};

/** How n8n classifies a response. */
function classOf({ peer, statusCode = 0, retryAfterMs, reason }: CommonFacts): Words['failure'] {
	if (statusCode === 429) return { cause: 'rate-limited', retryAfterMs };
	const isAboutKey = peer !== 'storage' && !reason?.isTitle;
	return isAboutKey || statusCode > 403 ? CLASSES[statusCode] : undefined;
}

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

/** What may have been done, by what a write changes, and what to do about it. */
const IN_DOUBT = {
	upload: [
		"the file may be at the service already. Look with Document › Get Many and 'Return All'.",
		'If the file is there, enter its ID in Extraction › Extract Documents,',
		'and later in Extraction › Get Many; upload it again only if it is missing.',
	],
	extraction: [
		'the extraction may have started. Look with Extraction › Get Many after a while.',
		'If the results are missing, start it with Extraction › Extract Documents',
		'or, if they are still the old ones, with Force.',
	],
	confirmation: [
		'the upload may be confirmed. If Document › Get Many does not show that it is,',
		'confirm it with Document › Confirm Upload.',
	],
	'upload URL': ['a document without a file may have been made. No file was sent: run this again.'],
	merge: [
		'the service may have merged the documents.',
		'Run this again, unless a second merged PDF would do harm.',
	],
};

const outcomeUnknown = ({ changes = 'upload' }: CommonFacts) =>
	sentences('The outcome is unknown:', ...IN_DOUBT[changes]);

/** How a run that stopped names the files that are or may be at the service, by how far they have come. */
const UPLOADED: { [stage in Stage['name']]?: string } = {
	extracting: 'Already uploaded, with the extraction started; do not upload again',
	confirmed: 'Already uploaded; do not upload again',
	stored: 'Uploaded, but perhaps not confirmed (use Document › Confirm Upload first)',
	unknown: 'Perhaps uploaded (look with Document › Get Many)',
};

interface FileState {
	/** Its name and item. */
	name: string;
	stage: Stage;
	error?: Error;
}

/**
 * What a run says that stopped at its first failure, so that nobody uploads twice.
 * @param failed the file that stopped it
 */
export function alreadyUploaded(files: FileState[], failed: FileState): string {
	// Whether the file that failed is there, its error says.
	const others = files.filter((file) => file !== failed || file.stage.name !== 'unknown');
	const lists = Object.entries(UPLOADED).map(([reached, title]) => {
		const names = others
			.filter(({ stage }) => stage.name === reached)
			.map(({ name, stage }) => ('documentId' in stage ? `${name}: ${stage.documentId}` : name));
		return names.length > 0 && `${title}: ${names.join('; ')}.`;
	});
	// A call for several documents fails for all of them, as does a wait that cannot go on.
	const reasonOf = ({ error }: FileState) => error && reasonFor(error);
	const isOfOne = files.filter((file) => reasonOf(file) === reasonOf(failed)).length < 2;
	const isOneThere = files.some(({ stage }) => 'documentId' in stage);
	const hasOthers = isOneThere && files.length > 1;
	return paragraphs(
		isOfOne && `This happened with the file ${failed.name}.`,
		...lists,
		sentences(
			hasOthers && 'Do not upload the files that are listed here with an ID again:',
			hasOthers && "put a Filter node before this step, or change 'Input Data Field Name'.",
			isOneThere && !hasOthers && 'Do not upload the file again.',
			isOneThere && 'To extract such a file, use Extraction › Extract Documents with its ID,',
			isOneThere && 'and later Extraction › Get Many.',
		),
	);
}
