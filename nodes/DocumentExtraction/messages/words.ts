/** Turns what is known of a failure into words, where the node makes n8n's errors: a table of rules. */
import type { NodeApiError } from 'n8n-workflow';

import {
	API_DETAILS,
	DETAILS_LABEL,
	howToCorrect,
	labelsOf,
	lineOf,
	type ApiDetail,
} from '../account/apiDetails';
import { WORKFLOW_ID_LABEL } from '../account/credential';
import {
	asSentence,
	counted,
	nameInMessage,
	paragraphs,
	sentences,
	shortened,
} from '../http/redact';
import type { CommonFacts, FailedCall, FailureFacts, Kind, Reason } from '../service/callError';
import type { Stage } from '../service/upload';

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
	407: { cause: 'configuration-invalid' },
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

/** What happened, to which a response's status is added; then what to do, of which some may not apply. */
type Text = [happened: string, ...advice: Array<string | false | undefined>];

interface Rule<F> {
	/** Left out where it fits always. */
	when?: (facts: F) => boolean;
	/** The service's own reason stands between what happened and what to do. */
	text: (facts: F) => Text;
}

/** By their names, in the order in which they are tried: the first that fits counts. The last always fits. */
interface Rules<F> {
	[name: string]: Rule<F>;
}

type FailedResponse = FailureFacts<'response'>;

const always = <F>(text: Rule<F>['text']): Rules<F> => ({ always: { text } });

const TO_TEAM = 'If that does not help, show this to your account team.';
const AGAIN_LATER = 'Try again later. If it keeps happening, show this to your account team.';
const COMPARE_BASE_URL =
	"Compare 'Base URL' in the credential with the address that your account team gave you.";
const LESS_AT_A_TIME = "If this step has the field 'Return All', switch it off, and lower 'Limit'.";

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
function wantedFileField({ statusCode, suspects, fileField, reason }: FailedResponse) {
	if (statusCode !== 422 || !suspects.includes('uploadFileField')) return undefined;
	const missing = (reason?.entries ?? [])
		.filter(({ loc: [part], msg }) => part === 'body' && /missing|required/i.test(msg))
		.map(({ loc }) => String(loc[1]));
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
			when: ({ reason }) => reason?.isTitle === true,
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
			when: ({ reason }) => reason?.isInSuccess === true,
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
			when: ({ fileName, reason, suspects }) =>
				fileName !== undefined && (reason?.entries === undefined || suspects.length === 0),
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
	'cut short': always(({ peer }) => [
		`The ${peer} responded before it had the whole file`,
		`The response was a success, but the ${peer}, or a proxy before it, did not take all of the file.`,
		'It may be too large for one of them. Show this to your account team.',
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
	'no page of results': always(() => [
		'The response of the service is not a page of results',
		"The response should contain 'total' and 'items'.",
		COMPARE_BASE_URL,
		TO_TEAM,
	]),
	'list without pages': always(({ asked, came }) => [
		"The list cannot be read page by page with the parameter 'page'",
		asked === undefined
			? 'Its pages repeat rows, or contain more rows than the list says it has.'
			: `The node expected page ${asked} and got page ${came}.`,
		LESS_AT_A_TIME,
		'If that does not help, ask your account team how this list can be read page by page.',
	]),
	'another document': always(({ asked, came }) => [
		'The service gave the results of another document',
		`The node asked for document ${asked} and got results of document ${came}.`,
		'A cache or a proxy may ignore the part of the address after the question mark.',
		'Show this to whoever runs it, or to your account team.',
	]),
	'list that changes': always(() => [
		'The list changed each time it was read',
		'Run this again when no documents are arriving.',
	]),
	'not the workflow': always(({ workflowId }) => [
		"'Workflow Endpoint' in the credential does not lead to the service's workflow",
		`The response does not say whether the workflow ${workflowId} is extracting ('is_extracting').`,
		howToCorrect('workflowEndpoint'),
	]),
	'lacks field': {
		'file refused': {
			when: ({ detail, isOnlyHere }) => detail === 'uploadUrlField' && isOnlyHere,
			text: ({ fileName }) => [
				`The service gave no upload URL for ${nameInMessage(fileName)}`,
				'No file was sent.',
				'Open the file: it may be damaged, or of a type or size that the service does not take.',
				TO_TEAM,
			],
		},
		always: {
			text: ({ fileName, detail, field, has, isOnlyHere }) => [
				[
					`The response for ${nameInMessage(fileName)} has no`,
					detail === 'uploadUrlField' ? 'upload URL' : 'document ID, or several,',
					`under '${API_DETAILS[detail].label}'`,
				].join(' '),
				...(isOnlyHere
					? [
							'Other responses in this run had one, so the line in the credential is right. Open the file.',
						]
					: [
							`The node looked for '${field}'. The response has: ${has}.`,
							'If one of these fields contains it, enter that field in the credential,',
							`in the line '${API_DETAILS[detail].label}: …' of '${DETAILS_LABEL}'.`,
						]),
				TO_TEAM,
			],
		},
	},
	'extraction failed': always(({ documentId, status }) => [
		`The extraction failed (status: ${status})`,
		`Document ${documentId} has this status, which is one of 'Failed Statuses' in the credential.`,
		'Open the file: if it is damaged, protected by a password or hardly readable, upload a better copy.',
		'If it is fine, extract the document again with Extraction › Extract Documents.',
	]),
	'not finished': always((facts) => {
		const { documentId, status, finished, unclear } = facts;
		const isOfWorkflow = documentId === undefined || facts.isOfWorkflow;
		const whose = isOfWorkflow ? ' that of the workflow at the service' : '';
		return [
			`The extraction was not finished after ${counted(facts.maxWaitS, 'second')}`,
			documentId !== undefined && `The node waited for document ${documentId}.`,
			status !== undefined && `The last status that the node saw was${whose}: ${status}.`,
			facts.lastFailure && `When the node last checked, this happened: ${facts.lastFailure}.`,
			finished &&
				'If it means that the extraction is over (your account team knows), change the line to',
			finished && `'${lineOf('finishedStatuses', [...finished, status].join(', '))}'.`,
			unclear === 'no status' &&
				"The node found no status for it: check the ID or, after an upload, 'Document ID Field'.",
			unclear === 'idle workflow' &&
				'After the start, the node never saw the workflow at the service extracting.',
			unclear === 'idle workflow' && 'There may have been nothing left to extract.',
			unclear === 'no sign' &&
				"Only with 'Finished Statuses' in the credential, the node can tell an empty extraction",
			unclear === 'no sign' && 'from one that is still running.',
			'The extraction may still be running: fetch its results later with Extraction › Get Many.',
			"If extractions often take this long, raise 'Max Wait' in the options.",
		];
	}),
};
