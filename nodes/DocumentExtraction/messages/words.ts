/** Turns what is known of a failure into words, where the node makes n8n's errors. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, Kind } from '../api/callError';
import type { Reason } from '../api/reason';
import { asSentence, paragraphs } from '../api/sentences';
import { shortened } from '../http/redact';
import { fieldName } from './fields';
import { bodiesOf, outcomeUnknown, type Cause, type Rule, type Rules } from './rule';
import { RULES } from './rules';

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
