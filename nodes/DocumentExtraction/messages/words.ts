/** Turns what is known of a failure into words, where the node makes n8n's errors: a table of rules. */
import { DETAILS_LABEL, labelsOf, lineOf, type ApiDetail } from '../account/apiDetails';
import {
	COMPARE_BASE_URL,
	LESS_AT_A_TIME,
	TO_TEAM,
	WORKFLOW_ID_LABEL,
} from '../account/credential';
import { asSentence, nameInMessage, paragraphs, sentences } from '../http/redact';
import type { CommonFacts, FailedCall, FailureFacts, Kind, Sentences } from '../service/callError';

export interface Words {
	message: string;
	description: string;
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
	const { statusCode = 0, said, isOutcomeUnknown } = facts;
	const [happened, ...advice] = text(facts);
	return {
		message: `${happened}${statusCode > 0 ? ` (${statusCode})` : ''}`,
		description: paragraphs(said, sentences(...advice), isOutcomeUnknown && outcomeUnknown(facts)),
	};
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

interface Rule<F> {
	/** Left out where it fits always. */
	when?: (facts: F) => boolean;
	/** The service's own reason stands between what happened and what to do. */
	text: (facts: F) => Sentences;
}

/** By their names, in the order in which they are tried: the first that fits counts. The last always fits. */
interface Rules<F> {
	[name: string]: Rule<F>;
}

type FailedResponse = FailureFacts<'response'>;

const always = <F>(text: Rule<F>['text']): Rules<F> => ({ always: { text } });

const AGAIN_LATER = 'Try again later. If it keeps happening, show this to your account team.';

/** As long as the node waits for a rate limit, in ms. */
const FIVE_MINUTES = 300_000;

/** What n8n's storages say of a file that is not there any more. */
const IS_LOST = /not found|not exist|no such|ENOENT/i;

const where = ({ peer, address }: FailedCall) =>
	peer === 'storage' ? "the storage's address" : address;

const fileOr = ({ fileName }: FailedResponse, otherwise: string) =>
	fileName === undefined ? otherwise : nameInMessage(fileName);

const notAccepted = (facts: FailedResponse) =>
	`The service did not accept ${fileOr(facts, 'the request')}`;

const compareInCheckSetup = (details: ApiDetail[]) =>
	details.length > 0 &&
	`Compare ${labelsOf(details, ' and ')} in the credential with the output of Workflow › Check Setup.`;

/** The one form field that a 422 calls missing, where it is not the one that carried the file. */
function wantedFileField({ statusCode, suspects, fileField, missing = [] }: FailedResponse) {
	if (statusCode !== 422 || !suspects.includes('uploadFileField')) return undefined;
	const known = [fileField, 'collection_id', 'collection_name'];
	const [wanted, ...others] = new Set(missing.filter((field) => !known.includes(field)));
	return others.length === 0 ? wanted : undefined;
}

/** Which sentences a failure gets: of its kind, by the first rule that fits. */
export const RULES: { [K in Kind]: Rules<FailureFacts<K>> } = {
	response: {
		proxy: {
			when: ({ statusCode }) => statusCode === 407,
			text: ({ peer }) => [
				`The proxy between n8n and the ${peer} needs a user name and password`,
				`This request did not reach the ${peer}. Show this to whoever runs your n8n:`,
				'its proxy is in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, and exceptions are in NO_PROXY.',
			],
		},
		redirect: {
			when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
			text: ({ peer, location }) => [
				`The ${peer} redirects the request to another address`,
				location !== '' && `The new address is ${location}.`,
				'The node follows no redirects: ask your account team for the final address.',
			],
		},
		'rate limit': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 429,
			text: ({ retryAfterMs = 0 }) => [
				'The service received too many requests',
				retryAfterMs > FIVE_MINUTES
					? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits.`
					: 'For five minutes the node paused and tried again, and the service kept refusing.',
				'Run this again later. If it happens often, ask your account team for a higher limit.',
			],
		},
		'too large': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 413,
			text: (facts) => [
				`${fileOr(facts, 'The request')} is too large for the service`,
				...(facts.isUpload
					? [
							'Smaller files work: split the document, or scan it again with a lower resolution.',
							"For files of this size, set 'Upload Method' in the options to Signed URL.",
							'Only such uploads need the lines for signed uploads in the credential:',
							'Workflow › Check Setup says what to enter there.',
						]
					: ["If this step has the option 'Documents per Call', add it, and enter e.g. 100."]),
				TO_TEAM,
			],
		},
		'web page': {
			when: ({ isWebPage }) => isWebPage,
			text: ({ peer, isOutcomeUnknown }) => [
				`A web page came back instead of a response from the ${peer}`,
				"'Base URL' in the credential, or an endpoint in its API Details, may lead to a website.",
				'Else, a proxy or firewall on the way has responded.',
				!isOutcomeUnknown && AGAIN_LATER,
			],
		},
		'server is down': {
			when: ({ peer, statusCode, mayPass }) =>
				peer === 'storage' ? mayPass === true : statusCode >= 500 || statusCode === 408,
			text: ({ peer, isOutcomeUnknown }) => [
				`The ${peer} could not handle the request`,
				!isOutcomeUnknown && AGAIN_LATER,
			],
		},
		'error in a success': {
			when: ({ isErrorInSuccess }) => isErrorInSuccess,
			text: (facts) => [
				`The service reports an error for ${fileOr(facts, 'the request')}`,
				'If the service says what is wrong, correct that.',
				TO_TEAM,
			],
		},
		'unexpected form': {
			when: ({ statusCode }) => statusCode < 300,
			text: ({ peer }) => [
				`The response of the ${peer} is incomplete or not in the expected form`,
				'It should be JSON or, when documents are merged, a PDF.',
				COMPARE_BASE_URL,
				TO_TEAM,
			],
		},
		'signed URL refused': {
			when: ({ peer }) => peer === 'storage',
			text: ({ isUpload }) => [
				'The storage refused the signed URL',
				isUpload
					? compareInCheckSetup(['uploadUrlBody', 'uploadHeadersField'])
					: 'Run this again: the URL may have expired.',
				TO_TEAM,
			],
		},
		'key refused': {
			when: ({ statusCode }) => [401, 403].includes(statusCode),
			text: ({ statusCode, environment }) => [
				`The service refused ${statusCode === 401 ? 'the API key' : 'access'}`,
				"In your account's API settings, check that the key is not revoked",
				'and has the scope (the permission) for this step.',
				`If not, create a new ${environment} key, and copy it whole into 'API Key' in the credential.`,
				TO_TEAM,
			],
		},
		'not found': {
			when: ({ statusCode }) => [404, 405].includes(statusCode),
			text: (facts) => [
				'The service cannot find what was requested',
				!facts.isUpload && compareInCheckSetup(facts.suspects),
				facts.usesEnteredIds && 'Check the IDs in this step.',
				`Check '${WORKFLOW_ID_LABEL}' (${facts.workflowId}):`,
				`it must be the ID from the workflow's page in the service's ${facts.environment} environment.`,
				`Compare 'Base URL' in the credential (${facts.address}) with what your account team gave you.`,
			],
		},
		'already there': {
			when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
			text: (facts) => [
				notAccepted(facts),
				'What you asked for may have been done already, or an extraction may be running:',
				'wait a while, and look with Extraction › Get Many before you repeat it.',
			],
		},
		'another file field': {
			when: (facts) => wantedFileField(facts) !== undefined,
			text: (facts) => {
				const wanted = wantedFileField(facts) ?? '';
				return [
					notAccepted(facts),
					`The service asks for \`${wanted}\`: add the line \`${lineOf('uploadFileField', wanted)}\``,
					`to '${DETAILS_LABEL}' in the credential, in place of the one that is there.`,
				];
			},
		},
		'file refused': {
			// What a 422 says of a field is about the line, if that has not worked before.
			when: ({ fileName, missing, suspects }) =>
				fileName !== undefined && (missing === undefined || suspects.length === 0),
			text: (facts) => [
				notAccepted(facts),
				'Open the file: it may be damaged, or protected by a password.',
				"Files of types that the service does not read are skipped by the option 'MIME Types'.",
				compareInCheckSetup(facts.suspects),
				TO_TEAM,
			],
		},
		'request refused': {
			text: (facts) => [
				notAccepted(facts),
				compareInCheckSetup(facts.suspects) ||
					`Check the fields of this node, where IDs are no names, and '${WORKFLOW_ID_LABEL}'.`,
				TO_TEAM,
			],
		},
	},
	'time limit': always(({ peer, phase, limitMs, isOutcomeUnknown }) => [
		{
			responding: `The ${peer} did not respond in time`,
			sending: `The upload to the ${peer} stalled`,
			receiving: `The response of the ${peer} stalled`,
		}[phase],
		`It was given ${Math.round(limitMs / 1000)} seconds.`,
		!isOutcomeUnknown && AGAIN_LATER,
	]),
	'not reached': always((facts) => [
		`The ${facts.peer} cannot be reached`,
		`n8n cannot connect to ${where(facts)} (${facts.code}).`,
		facts.peer === 'service' && COMPARE_BASE_URL,
		'If it keeps happening, show this to whoever runs your n8n: its network must allow the connection.',
	]),
	'certificate not trusted': always((facts) => [
		`The ${facts.peer} has a certificate that n8n does not trust`,
		`The connection to ${where(facts)} was not made (${facts.code}).`,
		facts.peer === 'service' && COMPARE_BASE_URL,
		'If it is right, show this to whoever runs your n8n.',
		'If your company or a proxy issued the certificate, NODE_EXTRA_CA_CERTS makes n8n trust it.',
	]),
	broken: always((facts) => [
		`The connection to the ${facts.peer} broke`,
		`The connection to ${where(facts)} ended too early (${facts.code}).`,
		!facts.isOutcomeUnknown && 'Try again.',
		'If it happens often, show this to whoever runs your n8n: a proxy or the network may cut connections.',
	]),
	'file not kept': always(({ fileName, text }) => [
		[
			IS_LOST.test(text) ? 'n8n has lost' : 'n8n could not read or save',
			fileName === undefined ? 'a file' : `the file ${nameInMessage(fileName)}`,
		].join(' '),
		`n8n's storage says: ${asSentence(text)}`,
		'Run the workflow again from its first node, so that it gets the file again.',
		'If this happens often, show it to whoever runs your n8n: the storage may be full or overloaded,',
		'or, in queue mode, not shared by all of its processes.',
	]),
	'response too large': always(({ peer, text }) => [
		`The response of the ${peer} is too large`,
		`The response is ${text}, the most that the node accepts.`,
		LESS_AT_A_TIME,
		TO_TEAM,
	]),
	other: always(({ peer, text }) => [
		`The request to the ${peer} did not succeed`,
		asSentence(text),
		'If this happens again, show it to whoever runs your n8n.',
	]),
	finding: always(({ says }) => says),
};
