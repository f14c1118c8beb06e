/** The sentences for what failed: a table of rules, by the kind of the failure. */
import {
	DETAILS_LABEL,
	howToCorrect,
	howToFillIn,
	labelsOf,
	lineOf,
	type ApiDetail,
} from '../account/apiDetails';
import { WORKFLOW_ID_LABEL } from '../account/credential';
import { asSentence, counted, nameInMessage } from '../http/redact';
import type { FailedCall, FailureFacts, Kind } from '../service/callError';

/** What happened, to which a response's status is added; then what to do, of which some may not apply. */
export type Text = [happened: string, ...advice: Array<string | false | undefined>];

export interface Rule<F> {
	/** Left out where it fits always. */
	when?: (facts: F) => boolean;
	/** The service's own reason stands between what happened and what to do. */
	text: (facts: F) => Text;
}

/** By their names, in the order in which they are tried: the first that fits counts. The last always fits. */
export interface Rules<F> {
	[name: string]: Rule<F>;
}

type FailedResponse = FailureFacts<'response'>;

const always = <F>(text: Rule<F>['text']): Rules<F> => ({ always: { text } });

const TO_TEAM = 'If that does not help, show this to your account team.';
const AGAIN_LATER = 'Try again later. If it keeps happening, show this to your account team.';
const KEEPS_HAPPENING = 'If this keeps happening, show it to your account team.';
const COMPARE_BASE_URL =
	"Compare 'Base URL' in the credential with the address that your account team gave you.";
const LESS_AT_A_TIME = "If this step has the field 'Return All', switch it off, and lower 'Limit'.";

/** What to do about a file that the service refuses. */
const REPAIR_FILE = [
	'Open the file. If it is damaged or protected by a password, use a better copy.',
	'If the service does not read files of this type, have them skipped:',
	"in the option 'MIME Types', enter the types that it does read.",
];

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
	`Compare ${labelsOf(details, ' and ')} in the credential with the output of Workflow › Check Setup.`;

/** What a key must be allowed to do, by what the call changes; names of scopes are not shown (§5). */
const TASKS = {
	nothing: 'read the workflow and its results',
	upload: 'upload documents',
	merge: 'merge documents',
	'upload URL': 'upload documents',
	confirmation: 'upload documents',
	extraction: 'start extractions',
};

/** How to go on later, where it is not by running the same again. */
const LATER: { [changes in NonNullable<FailedCall['changes']>]?: string } = {
	extraction: 'Start the extraction later with Extraction › Extract Documents.',
	confirmation: 'Confirm the upload later with Document › Confirm Upload.',
};

/** What no signed upload can do without. */
const SIGNED_FIELDS: ApiDetail[] = [
	'uploadUrlEndpoint',
	'uploadUrlField',
	'confirmMethod',
	'confirmBody',
];

/** What follows from a field that leads to something else than the ID of a document. */
const wrongIds = ({ suspects }: FailedResponse) =>
	suspects.includes('documentIdField') &&
	"If 'Document ID Field' was wrong, so are the IDs here: Document › Get Many shows the right ones.";

/** All that the service says of a request that it refuses. */
const saidOf = ({ reason }: FailedResponse) =>
	[reason?.text, ...(reason?.entries ?? []).flatMap(({ loc, msg }) => [...loc, msg])]
		.join(' ')
		.trim();

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
			when: ({ statusCode, isFromProxy }) => statusCode === 407 || isFromProxy === true,
			text: ({ peer, statusCode }) => [
				statusCode === 407
					? `The proxy between n8n and the ${peer} needs a user name and password`
					: `The proxy between n8n and the ${peer} did not connect them`,
				`This request did not reach the ${peer}.`,
				'If it keeps happening, show this to whoever runs your n8n.',
				'n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment.',
				`If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
			],
		},
		redirect: {
			when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
			text: ({ peer, location }) => [
				`The ${peer} redirects the request to another address`,
				location !== '' && `The new address is ${location}.`,
				'The node follows no redirects.',
				peer === 'service'
					? "Ask your account team for the final address, and enter that in 'Base URL' in the credential."
					: 'Show this to your account team.',
			],
		},
		'rate limit': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 429,
			text: ({ retryAfterMs = 0, changes }) => [
				'The service received too many requests',
				retryAfterMs > FIVE_MINUTES
					? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits.`
					: 'For five minutes the node paused and tried again, and the service kept refusing.',
				(changes && LATER[changes]) ?? 'Run this again later.',
				'If it happens often, ask your account team for a higher limit.',
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
							`Only such uploads need ${labelsOf(SIGNED_FIELDS, ', ')} in the credential:`,
							'Workflow › Check Setup says what to enter there.',
						]
					: ["If this step has the option 'Documents per Call', add it, and enter e.g. 100."]),
				TO_TEAM,
			],
		},
		'web page': {
			when: ({ reason }) => reason?.isTitle === true,
			text: ({ peer, statusCode, isOutcomeUnknown }) => [
				`A web page came back instead of a response from the ${peer}`,
				...(peer === 'service' && (statusCode < 300 || [404, 405].includes(statusCode))
					? [
							"'Base URL' in the credential, or an endpoint in its API Details, probably leads to a website.",
							'Enter what your account team or your API reference says.',
						]
					: [
							`It comes from the ${peer}, or from a proxy or firewall on the way to it.`,
							!isOutcomeUnknown && 'Try again later.',
						]),
				'If it keeps happening, show this to your account team',
				'or, if the service works for other people, to whoever runs your n8n.',
			],
		},
		'server is down': {
			when: ({ peer, statusCode, mayPass }) =>
				peer === 'storage' ? mayPass === true : statusCode >= 500 || statusCode === 408,
			text: ({ peer, isOutcomeUnknown }) => [
				`The ${peer} could not handle the request`,
				isOutcomeUnknown ? KEEPS_HAPPENING : AGAIN_LATER,
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
				"Check 'Base URL' in the credential and, if this step has it, 'Download URL Field' in the options.",
				TO_TEAM,
			],
		},
		'signed URL refused': {
			when: ({ peer }) => peer === 'storage',
			text: ({ isUpload }) => [
				'The storage refused the signed URL',
				isUpload
					? 'The URL may have been made for another type or size, or may need headers.'
					: 'Run this again: the URL may have expired.',
				isUpload && compareInCheckSetup(['uploadUrlBody', 'uploadHeadersField']),
				TO_TEAM,
			],
		},
		'key refused': {
			when: ({ statusCode }) => [401, 403].includes(statusCode),
			text: ({ statusCode, changes, environment }) => [
				`The service refused ${statusCode === 401 ? 'the API key' : 'access'}`,
				"In your account's API settings, check that the key is not revoked",
				`and has the scope (the permission) to ${TASKS[changes ?? 'nothing']}.`,
				`If not, create a new ${environment} key.`,
				"Copy the whole key into 'API Key' in the credential.",
				TO_TEAM,
			],
		},
		'not found': {
			when: ({ statusCode }) => [404, 405].includes(statusCode),
			text: (facts) => [
				'The service cannot find what was requested',
				!facts.isUpload && facts.suspects.length > 0 && compareInCheckSetup(facts.suspects),
				wrongIds(facts),
				facts.usesEnteredIds &&
					'Check the IDs in this step: Document › Get Many and Workflow › Get show those that exist.',
				`Check '${WORKFLOW_ID_LABEL}' (${facts.workflowId}), in the credential or in this node's options:`,
				`it must be the ID from the workflow's page in the service's ${facts.environment} environment.`,
				`Compare 'Base URL' in the credential (${facts.address}) with what your account team gave you.`,
				'If all is right, what this step needs may have been deleted: show this to your account team.',
			],
		},
		'already there': {
			when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
			text: (facts) => [
				notAccepted(facts),
				'What you asked for may have been done already, or an extraction may be running:',
				'wait a while, and look with Extraction › Get Many before you repeat it.',
				'If the values are not there, show this to your account team.',
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
		'line refused': {
			when: (facts) => {
				const { suspects, isUpload, fileName, reason } = facts;
				const isOfField = !isUpload && reason?.entries !== undefined;
				const saysNothing = fileName !== undefined && saidOf(facts) === '';
				const isNamed = /missing|required|field/i.test(saidOf(facts));
				return suspects.length > 0 && (isOfField || saysNothing || isNamed);
			},
			text: (facts) => [
				notAccepted(facts),
				compareInCheckSetup(facts.suspects),
				wrongIds(facts),
				TO_TEAM,
			],
		},
		'file refused': {
			when: (facts) => facts.fileName !== undefined && !/collection|workflow/i.test(saidOf(facts)),
			text: (facts) => [notAccepted(facts), ...REPAIR_FILE, TO_TEAM],
		},
		'request refused': {
			text: (facts) => [
				notAccepted(facts),
				!facts.fileName && facts.suspects.length > 0 && compareInCheckSetup(facts.suspects),
				'Check the fields of this node (where an ID is asked for, enter no name),',
				`and '${WORKFLOW_ID_LABEL}'.`,
				wrongIds(facts),
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
		isOutcomeUnknown ? KEEPS_HAPPENING : AGAIN_LATER,
		phase !== 'responding' &&
			`The network between n8n and the ${peer}, or the place where n8n keeps files, may be slow.`,
	]),
	'not reached': always((facts) => [
		`The ${facts.peer} cannot be reached`,
		`n8n cannot connect to ${where(facts)} (${facts.code}).`,
		/\/\/(localhost|127\.)/.test(where(facts)) &&
			'If n8n runs in a container, localhost is the container, and not your computer.',
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
		'If this happens often, show it to whoever runs your n8n:',
		'the storage may be full, missing or overloaded.',
		'In queue mode, all processes of n8n must be able to read what one of them has stored.',
	]),
	'response too large': always(({ peer, text }) => [
		`The response of the ${peer} is too large`,
		`The response is ${text}, the most that the node accepts.`,
		LESS_AT_A_TIME,
		"For a list of documents, enter in 'Query Parameters' what your API reference offers for smaller pages.",
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
		'If the two are the same, show this to your account team.',
	]),
	'list without pages': always(({ asked, came }) => [
		"The list cannot be read page by page with the parameter 'page'",
		asked === undefined
			? 'Its pages repeat rows, or contain more rows than the list says it has.'
			: `The node expected page ${asked} and got page ${came}.`,
		LESS_AT_A_TIME,
		'If that does not help, ask your account team how this list can be read page by page.',
		"For documents, enter what they say in 'Query Parameters'.",
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
	'no upload URL': {
		'file refused': {
			when: ({ isRefusal }) => isRefusal,
			text: ({ fileName }) => [
				`The service gave no upload URL for ${nameInMessage(fileName)}`,
				'No file was sent.',
				...REPAIR_FILE,
				TO_TEAM,
			],
		},
		always: {
			text: ({ field, has }) => [
				"The response has no upload URL under 'Upload URL Field' in the credential",
				`The node looked for '${field}'. The response has: ${has}.`,
				howToCorrect('uploadUrlField'),
				"If no field of the response is a URL, correct the line 'Upload URL Endpoint' instead.",
			],
		},
	},
	'unsafe upload URL': always(({ problem, field, has }) => [
		`The node does not use the upload URL: ${problem}`,
		`The URL is under '${field}', as 'Upload URL Field' in the credential says; the response has: ${has}.`,
		'If that is the wrong field, correct this line. If it is the right one, ask your account team',
		'for upload URLs that start with https:// and do not lead to localhost.',
	]),
	'no document ID': always(({ fileName, field, has, isOnlyHere, isUpload }) => [
		`The response for ${nameInMessage(fileName)} has no document ID, or several, under 'Document ID Field'`,
		!isOnlyHere && `The node looked for '${field}'. The response has: ${has}.`,
		!isOnlyHere && "If one of these fields contains the document's ID, enter that field",
		!isOnlyHere && "in the line 'Document ID Field: …' of 'API Details' in the credential.",
		isOnlyHere && "Other responses in this run had an ID, so 'Document ID Field' is right.",
		!isUpload && 'No file was sent.',
		'If you cannot tell what is wrong, show this to your account team, with the file.',
	]),
	'extraction failed': always(({ documentId, status }) => [
		`The extraction failed (status: ${status})`,
		`Document ${documentId} has this status, which is one of 'Failed Statuses' in the credential.`,
		'Open the file: if it is damaged, protected by a password or hardly readable, upload a better copy.',
		'If it is fine, extract the document again with Extraction › Extract Documents.',
		TO_TEAM,
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
				`'Finished Statuses' (${finished.join(', ')}) in the credential does not list this status.`,
			finished &&
				'If it means that the extraction is over (your account team knows), change the line to',
			finished && `'${lineOf('finishedStatuses', [...finished, status].join(', '))}'.`,
			unclear === 'no status' && 'The node found no status for it.',
			unclear === 'no status' && 'If Document › Get Many does not show this ID, it is wrong:',
			unclear === 'no status' && "check it or, after an upload, 'Document ID Field'.",
			unclear === 'idle workflow' &&
				'After the start, the node never saw the workflow at the service extracting.',
			unclear === 'idle workflow' &&
				"If nothing was left to extract, lower 'Max Wait', and set 'On Timeout' to Return Status.",
			'The extraction may still be running: fetch its results later with Extraction › Get Many.',
			"If extractions often take this long, raise 'Max Wait' in the options.",
			unclear === 'no sign' &&
				"Without 'Finished Statuses' in the credential, the node cannot tell a failed or empty extraction",
			unclear === 'no sign' && `from one that is still running. ${howToFillIn('finishedStatuses')}`,
		];
	}),
};
