/** The words for what failed: a table of rules, by the kind of the failure. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, FailedCall, Kind } from '../service/callError';
import { WORKFLOW_ID_LABEL } from '../account/credential';
import {
	DETAILS_LABEL,
	howToCorrect,
	howToFillIn,
	labelsOf,
	lineOf,
	type ApiDetail,
} from '../account/apiDetails';
import { asSentence, counted, sentences } from '../service/sentences';
import { nameInMessage } from '../http/redact';

export interface Rule<F> {
	/** Left out where it fits always. */
	when?: (facts: F) => boolean;
	/** What happened; a response's status is added to it. */
	message: string | ((facts: F) => string);
	/** What to do; the service's own reason stands before it. */
	advice: string | ((facts: F) => string);
	/** The kind of failure, by n8n's classification. */
	cause?: Cause;
}

export type Cause = NonNullable<NodeApiError['failure']>['cause'];

/** By their names, in the order in which they are tried: the first one that fits counts, and the last one fits always. */
export interface Rules<F> {
	[name: string]: Rule<F>;
}

const always = <F>(
	message: Rule<F>['message'],
	advice: Rule<F>['advice'],
	cause?: Rule<F>['cause'],
): Rules<F> => ({ always: { message, advice, cause } });

const where = ({ peer, address }: FailedCall) =>
	peer === 'storage' ? "the storage's address" : address;

const withoutId = ({ fileName }: Facts<'no document ID'>) =>
	`The response for ${nameInMessage(fileName)} has no document ID, or several, under 'Document ID Field'`;

type FailedResponse = Facts<'response'>;

const isStatus =
	(...statuses: number[]) =>
	({ statusCode }: FailedResponse) =>
		statuses.includes(statusCode);

const fileOr = ({ fileName }: FailedResponse, otherwise: string) =>
	fileName === undefined ? otherwise : nameInMessage(fileName);

const refused = (facts: FailedResponse) =>
	`The service did not accept ${fileOr(facts, 'the request')}`;

/**
 * The one field that the service misses in a direct upload, where it can only be the file's: the others
 * that the interface names are optional (interface.md §4.2, §7).
 */
function wantedFileField({ statusCode, suspects, fileField, reason }: FailedResponse) {
	if (statusCode !== 422 || !suspects.includes('uploadFileField')) return undefined;
	const missing = (reason?.entries ?? []).flatMap(({ loc: [part, field], isMissing }) =>
		isMissing && part === 'body' && typeof field === 'string' ? [field] : [],
	);
	const known = [fileField, 'collection_id', 'collection_name'];
	const [wanted, ...others] = new Set(missing.filter((field) => !known.includes(field)));
	return others.length === 0 ? wanted : undefined;
}

const tryLater = ({ isOutcomeUnknown }: Facts<'response' | 'time limit'>) =>
	isOutcomeUnknown
		? 'If this keeps happening, show it to your account team.'
		: 'Try again later. If it keeps happening, show this to your account team.';

/** What a key must be allowed to do, by what the call changes. The names of scopes are not shown (interface.md §5). */
const TASKS = {
	nothing: 'read the workflow and its results',
	documents: 'merge documents',
	'upload URL': 'upload documents',
	confirmation: 'upload documents',
	extraction: 'start extractions',
};

/** What follows from a field that leads to something else than the ID of a document. */
const WRONG_IDS =
	"If 'Document ID Field' was wrong, any IDs in this message are wrong, too: Document › Get Many shows the right ones.";

/** What no signed upload can do without. */
const SIGNED_FIELDS: ApiDetail[] = [
	'uploadUrlEndpoint',
	'uploadUrlField',
	'confirmMethod',
	'confirmBody',
];

/** What to do about a file that the service refuses. */
const REPAIR_FILE = [
	'Open the file. If it is damaged or protected by a password, use a better copy.',
	"If the service does not read files of this type, have them skipped: in the option 'MIME Types', enter the types that it does read.",
];

/** What to check where the service refuses a request: what its reason is about, or else all that it may be about. */
function checks({ isUpload, suspects, fileName, reason }: FailedResponse): string[] {
	const { text = '', entries = [] } = reason ?? {};
	const said = [text, ...entries.map(({ loc, msg }) => [...loc, msg].join(' '))].join(' ').trim();
	const which = suspects.length > 1 ? 'each' : 'it';
	const entered = `Compare ${labelsOf(suspects, ' and ')} in the credential with the item about ${which} in the output of Workflow › Check Setup.`;
	const isAboutField = /missing|required|field/i.test(said) || (!isUpload && entries.length > 0);
	if (suspects.length > 0 && isAboutField) return [entered];
	if (/collection/i.test(said)) return ["Check 'Collection'."];
	if (/workflow/i.test(said)) return [`Check '${WORKFLOW_ID_LABEL}'.`];
	if (fileName !== undefined) return said || suspects.length === 0 ? REPAIR_FILE : [entered];
	return [
		...(suspects.length > 0 ? [entered] : []),
		`Check the fields of this node (where an ID is asked for, enter no name), and '${WORKFLOW_ID_LABEL}'.`,
	];
}

const NOT_FOUND = 'The service cannot find what was requested';
const CHECK_IDS = sentences(
	'Check the IDs that are entered in this step: each must be an ID, and not a name.',
	'Document › Get Many shows the IDs of documents, and Workflow › Get shows those of collections.',
);

const webPage = ({ peer }: FailedResponse) =>
	`A web page came back instead of a response from the ${peer}`;

/** How to go on later, where it is not by running the same again. */
const LATER: { [changes in NonNullable<FailedCall['changes']>]?: string } = {
	extraction:
		'Start the extraction later with Extraction › Extract Documents, and then read the values with Extraction › Get Many.',
	confirmation: sentences(
		'Confirm the upload later with Document › Confirm Upload.',
		'Then extract the document with Extraction › Extract Documents, if you want its values.',
	),
};

const notFinished = ({ maxWaitS }: Facts<'not finished'>) =>
	`The extraction was not finished after ${counted(maxWaitS, 'second')}`;

type SeenInVain = Omit<Facts<'not finished'>, 'finished'>;

/** What a wait in vain was for, and what was seen last. */
const whatWasSeen = ({ documentId, status, isOfWorkflow, lastFailure }: SeenInVain) =>
	sentences(
		documentId !== undefined && `The node waited for document ${documentId}.`,
		status !== undefined &&
			(documentId === undefined || isOfWorkflow
				? `The last status that the node saw was that of the workflow at the service: ${status}.`
				: `The last status that the node saw was: ${status}.`),
		lastFailure && `When the node last checked, this happened: ${lastFailure}.`,
	);

const FETCH_LATER =
	'The extraction may still be running: fetch its results later with Extraction › Get Many.';
const STILL_MISSING = 'If they are still missing then, show this to your account team.';
const RAISE_MAX_WAIT = "If extractions often take this long, raise 'Max Wait' in the options.";

/** Which words a failure gets: of its kind, by the first rule that fits. */
export const RULES: { [K in Kind]: Rules<Facts<K>> } = {
	response: {
		'proxy asks for a password': {
			when: isStatus(407),
			message: ({ peer }) => `The proxy between n8n and the ${peer} needs a user name and password`,
			advice: ({ peer }) =>
				`Show this to whoever runs your n8n. This request did not reach the ${peer}. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter the user name and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
		},
		'proxy makes no connection': {
			when: ({ isFromProxy }) => isFromProxy === true,
			message: ({ peer }) => `The proxy between n8n and the ${peer} did not connect them`,
			advice: ({ peer, mayPass }) =>
				sentences(
					`This request did not reach the ${peer}.`,
					mayPass === true && 'Try again later.',
					'If it keeps happening, show this to whoever runs your n8n.',
					'n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment.',
					`If the ${peer} should be reached without the proxy, name its host in NO_PROXY there.`,
				),
		},
		redirect: {
			when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
			message: ({ peer }) => `The ${peer} redirects the request to another address`,
			advice: ({ peer, location }) =>
				sentences(
					location !== '' && `The new address is ${location}.`,
					peer === 'service' &&
						"The node follows no redirects, so that the API key is sent to 'Base URL' only.",
					peer === 'service' &&
						"Ask your account team for the final address, and enter that in 'Base URL' in the credential.",
					peer === 'storage' && 'The node follows no redirects. Show this to your account team.',
				),
		},
		'rate limit': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 429,
			message: 'The service received too many requests',
			advice: ({ retryAfterMs = 0, isPauseTooLong, changes }) =>
				sentences(
					isPauseTooLong
						? `The service asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits.`
						: 'For five minutes the node paused and tried again, and the service kept refusing.',
					(changes && LATER[changes]) ?? 'Run this again later.',
					'If it happens often, run fewer executions with this API key at the same time, or ask your account team for a higher limit.',
				),
		},
		'too large': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 413,
			message: (facts) => `${fileOr(facts, 'The request')} is too large for the service`,
			advice: ({ isUpload, fileName }) =>
				sentences(
					isUpload &&
						'Smaller files work: split the document, or scan it again with a lower resolution.',
					isUpload && "For files of this size, set 'Upload Method' in the options to Signed URL.",
					isUpload &&
						`Signed uploads, and only these, need ${labelsOf(SIGNED_FIELDS, ', ')} in the credential.`,
					isUpload && 'Workflow › Check Setup says what to enter there.',
					!isUpload && fileName !== undefined && 'Smaller files work: use one.',
					!isUpload &&
						fileName === undefined &&
						"If this step has the option 'Documents per Call', add it, and enter e.g. 100.",
					'If that does not help, show this to your account team.',
				),
		},
		'web site': {
			when: ({ peer, reason, statusCode }) =>
				reason?.isTitle === true &&
				peer === 'service' &&
				(statusCode < 300 || [404, 405].includes(statusCode)),
			message: webPage,
			advice: ({ suspects }) =>
				sentences(
					suspects.some((name) => name.endsWith('Endpoint'))
						? "'Base URL' in the credential, or one of the endpoints in its API Details, probably leads to a website, not to the API."
						: "'Base URL' in the credential probably leads to a website, not to the API.",
					'Enter what your account team or your API reference says.',
					'If that is entered already, show this to your account team.',
					'If the service works for other people, show this to whoever runs your n8n: a proxy may have responded.',
				),
		},
		'web page': {
			when: ({ reason }) => reason?.isTitle === true,
			message: webPage,
			advice: ({ peer, isOutcomeUnknown }) =>
				sentences(
					`The page comes from the ${peer}, or from a proxy or firewall on the way to it.`,
					!isOutcomeUnknown && 'Try again later.',
					'If it keeps happening, show this to your account team or, if the service works for other people, to whoever runs your n8n.',
				),
		},
		'storage gives no file': {
			when: ({ peer, statusCode }) => peer === 'storage' && statusCode < 300,
			message: 'The response of the storage is not a file',
			advice: "Check 'Download URL Field' in the options, or show this to your account team.",
		},
		'server is down': {
			when: ({ peer, statusCode, mayPass }) =>
				peer === 'storage' ? mayPass === true : statusCode >= 500 || statusCode === 408,
			message: ({ peer }) => `The ${peer} could not handle the request`,
			advice: tryLater,
		},
		'signed URL refused': {
			when: ({ peer }) => peer === 'storage',
			message: 'The storage refused the signed URL',
			advice: ({ isUpload }) =>
				sentences(
					isUpload
						? `Compare the lines ${labelsOf(['uploadUrlBody', 'uploadHeadersField'], ' and ')} in the credential with the items about them in the output of Workflow › Check Setup: the URL may have been made for another type or size, or may need headers.`
						: 'Run this again: the URL may have expired.',
					'If it keeps happening, show this to your account team.',
				),
		},
		'error in a success': {
			when: ({ reason }) => reason?.isInSuccess === true,
			message: (facts) => `The service reports an error for ${fileOr(facts, 'the request')}`,
			advice: sentences(
				'If the service says what is wrong, correct that.',
				'If it does not, or if you cannot, show this to your account team.',
			),
		},
		'no JSON': {
			when: ({ statusCode }) => statusCode < 300,
			message: 'The response of the service is incomplete or not in the expected form',
			advice:
				"The response should be JSON or, when documents are merged, a PDF. If this happens again, check 'Base URL' in the credential, or show this to your account team.",
		},
		'key refused': {
			when: isStatus(401, 403),
			message: ({ statusCode }) =>
				`The service refused ${statusCode === 401 ? 'the API key' : 'access'}`,
			advice: ({ isUpload, changes, environment, workflowId }) =>
				sentences(
					`In the API settings of your account at the extraction service, check that the key is not revoked and has the scope (the permission) to ${isUpload ? 'upload documents' : TASKS[changes ?? 'nothing']}.`,
					`If it is not like that, or you cannot tell, create a new ${environment} key.`,
					"Copy the whole key into 'API Key' in the credential.",
					`If that does not help, show this to your account team, and ask which scope the key needs, whether workflow '${workflowId}' is in the ${environment} environment, and whether 'Base URL' is right.`,
				),
			cause: 'credential-invalid',
		},
		'ID not found': {
			when: ({ statusCode, usesEnteredIds, reason }) =>
				statusCode === 404 &&
				usesEnteredIds === true &&
				/document|collection/i.test(reason?.text ?? ''),
			message: NOT_FOUND,
			advice: sentences(
				CHECK_IDS,
				'If they are right, show this to your account team, with the IDs: what they name may have been deleted.',
			),
		},
		'not found': {
			when: isStatus(404, 405),
			message: NOT_FOUND,
			advice: ({ isUpload, usesEnteredIds, suspects, workflowId, environment, address }) =>
				sentences(
					!isUpload &&
						suspects.length > 0 &&
						`Compare ${labelsOf(suspects, ' and ')} in the credential with your API reference, or with what Workflow › Check Setup says.`,
					suspects.includes('documentIdField') && WRONG_IDS,
					usesEnteredIds && CHECK_IDS,
					`Check '${WORKFLOW_ID_LABEL}' (${workflowId}), in the credential or in this node's options: it must be the ID from the workflow's page in the service's ${environment} environment.`,
					`Compare 'Base URL' in the credential (${address}) with the address that your account team gave you.`,
					'If all is right, or this step worked before, show this to your account team: what it needs may have been deleted.',
				),
		},
		'already there': {
			when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
			message: refused,
			advice: [
				'What you asked for may have been done already, or an extraction may be running: wait a while, and look with Extraction › Get Many before you repeat it.',
				'If the values are not there, show this to your account team.',
			].join(' '),
		},
		'another file field': {
			when: (facts) => wantedFileField(facts) !== undefined,
			message: refused,
			advice: (facts) => {
				const wanted = wantedFileField(facts) ?? '';
				return [
					`The service asks for \`${wanted}\`: add the line \`${lineOf('uploadFileField', wanted)}\``,
					`to '${DETAILS_LABEL}' in the credential, in place of the one that is there.`,
				].join(' ');
			},
			cause: 'configuration-invalid',
		},
		'request refused': {
			message: refused,
			advice: (facts) =>
				sentences(
					...checks(facts),
					facts.suspects.includes('documentIdField') && WRONG_IDS,
					'If that does not help, show this to your account team.',
				),
		},
	},
	'time limit': {
		'no response': {
			when: ({ phase }) => phase === 'responding',
			message: ({ peer }) => `The ${peer} did not respond in time`,
			advice: (facts) =>
				`It was given ${Math.round(facts.limitMs / 1000)} seconds for its response. ${tryLater(facts)}`,
		},
		stalled: {
			message: ({ peer, phase }) =>
				phase === 'sending'
					? `The upload to the ${peer} stalled`
					: `The response of the ${peer} stalled`,
			advice: ({ peer, isOutcomeUnknown }) =>
				sentences(
					'Data moved too slowly, or not at all, for too long.',
					!isOutcomeUnknown && 'Try again.',
					`If it happens often, show this to whoever runs your n8n: the network between n8n and the ${peer}, or the place where n8n keeps files, may be slow.`,
				),
		},
	},
	'not reached': always(
		({ peer }) => `The ${peer} cannot be reached`,
		(facts) =>
			sentences(
				`n8n cannot connect to ${where(facts)} (${facts.code}).`,
				/\/\/(localhost|127\.)/.test(where(facts)) &&
					'If n8n runs in a container, localhost is the container, and not your computer.',
				facts.peer === 'service' &&
					"Compare 'Base URL' in the credential with the address that your account team gave you.",
				'If it has worked before, try again later. If it keeps happening, show this to whoever runs your n8n: its network, or its proxy, must allow the connection.',
			),
	),
	'no TLS': always(
		({ peer }) => `No https connection to the ${peer} could be made`,
		(facts) =>
			`The encrypted connection to ${where(facts)} failed (${facts.code}). ${
				facts.peer === 'service'
					? "Compare 'Base URL' in the credential with the address that your account team gave you: its port may be wrong. If it is right, show this to whoever runs your n8n. If the service runs on the same machine as n8n, 'Base URL' may have to begin with http://localhost (allowed only with 'Environment' set to Test)."
					: 'Show this to your account team.'
			}`,
	),
	'certificate not trusted': always(
		({ peer }) => `The ${peer} has a certificate that n8n does not trust`,
		(facts) =>
			sentences(
				`The connection to ${where(facts)} was not made (${facts.code}).`,
				facts.peer === 'service' && "Check 'Base URL' in the credential first.",
				'Show this to whoever runs your n8n. If the certificate has expired or is for another host name, the owner of the server must replace it. If it was issued by your company or a proxy, use NODE_EXTRA_CA_CERTS to make n8n trust the certificate authority that issued it.',
			),
	),
	broken: always(
		({ peer }) => `The connection to the ${peer} broke`,
		(facts) =>
			sentences(
				`The connection to ${where(facts)} ended too early (${facts.code}).`,
				!facts.isOutcomeUnknown && 'Try again.',
				'If it happens often, show this to whoever runs your n8n: a proxy or the network may cut connections.',
			),
	),
	'cut short': always(
		({ peer }) => `The ${peer} responded before it had the whole file`,
		({ peer }) =>
			sentences(
				`The response was a success, but the ${peer}, or a proxy before it, did not take all of the file.`,
				'It may be too large for one of them.',
				'Show this to your account team or, if larger files work for other people, to whoever runs your n8n.',
			),
	),
	'file not kept': always(
		'n8n could not read or save a file',
		({ text }) =>
			`n8n's storage says: ${asSentence(text)} It may be full, missing or overloaded, or n8n may have no access to it. Show this to whoever runs your n8n, and run the workflow again once that is fixed.`,
	),
	'file unreadable': always(
		({ fileName, text }) =>
			`n8n ${/not found|not exist|no such|ENOENT/i.test(text) ? 'has lost' : 'cannot read'} the file ${nameInMessage(fileName)}`,
		({ text }) =>
			`n8n's storage says: ${asSentence(text)} Run the workflow again from its first node, so that it gets the file again. If this happens often, show this to whoever runs your n8n: the file may have been deleted, or this process of n8n cannot read what another one has stored. In queue mode, all processes of n8n must be able to read what one of them has stored.`,
	),
	'response too large': always(
		({ peer }) => `The response of the ${peer} is too large`,
		({ text }) =>
			`The response is ${text}, the most that the node accepts. Ask for less at a time: if this step has the field 'Return All', switch it off, and lower 'Limit'; for a list of documents, enter in 'Query Parameters' what your API reference offers for smaller pages. If that does not help, show this to your account team.`,
	),
	other: always(
		({ peer }) => `The request to the ${peer} did not succeed`,
		({ text }) => `${asSentence(text)} If this happens again, show it to whoever runs your n8n.`,
	),
	'no page of results': always(
		'The response of the service is not a page of results',
		"The response should contain 'total' and 'items'. 'Base URL' in the credential may belong to another service: compare it with the address that your account team gave you. If the two are the same, show this to your account team.",
	),
	'list without pages': always(
		"The list cannot be read page by page with the parameter 'page'",
		({ asked, came }) =>
			`${
				asked === undefined
					? 'Its pages repeat rows, or contain more rows than the list says it has'
					: `The node expected page ${asked} and got page ${came}`
			}. If this step has the field 'Return All', switch it off, and lower 'Limit'. If that does not help, or you need more, ask your account team how this list can be read page by page. For documents, enter what they say in 'Query Parameters'.`,
	),
	'another document': always(
		'The service gave the results of another document',
		({ asked, came }) =>
			`The node asked for document ${asked} and got results of document ${came}. Something between n8n and the service, such as a cache or a proxy, may ignore the part of the address after the question mark. Show this to whoever runs it, or to your account team.`,
	),
	'list that changes': always(
		'The list changed each time it was read',
		'Run this again when no documents are arriving.',
	),
	'not the workflow': always(
		"'Workflow Endpoint' in the credential does not lead to the service's workflow",
		({ workflowId }) =>
			`The response does not say whether the workflow ${workflowId} is extracting ('is_extracting'). ${howToCorrect('workflowEndpoint')}`,
		'configuration-invalid',
	),
	'no upload URL': {
		'file refused': {
			when: ({ isRefusal }) => isRefusal,
			message: ({ fileName }) => `The service gave no upload URL for ${nameInMessage(fileName)}`,
			advice: sentences(
				'No file was sent.',
				...REPAIR_FILE,
				'If that does not help, show this to your account team.',
			),
		},
		always: {
			message: "The response has no upload URL under 'Upload URL Field' in the credential",
			advice: ({ field, has }) =>
				sentences(
					`The node looked for '${field}'. The response has: ${has}.`,
					howToCorrect('uploadUrlField'),
					"If no field of the response is a URL, correct the line 'Upload URL Endpoint' instead.",
				),
			cause: 'configuration-invalid',
		},
	},
	'unsafe upload URL': always(
		({ problem }) => `The node does not use the upload URL: ${problem}`,
		({ field, has }) =>
			`The URL is in the response under '${field}', as 'Upload URL Field' in the credential says. If that is the wrong field, correct this line; the response has: ${has}. If it is the right one, ask your account team for upload URLs that start with https:// and do not lead to localhost.`,
		'configuration-invalid',
	),
	'no document ID': {
		'others had one': {
			when: ({ isOnlyHere }) => isOnlyHere,
			message: withoutId,
			advice: ({ isUpload }) =>
				`Other responses in this run had an ID, so 'Document ID Field' is right for those. ${isUpload ? 'If Document › Get Many shows the document, continue with its ID in Extraction › Extract Documents. If you upload it again and the service again gives no ID, show this to your account team, with the file.' : 'No file was sent. Show this to your account team.'}`,
		},
		always: {
			message: withoutId,
			advice: ({ field, has }) =>
				`The node looked for '${field}'. The response has: ${has}. If one of these fields contains the document's ID, give 'API Details' in the credential the line 'Document ID Field: …' with that field, exactly as it is listed here. If none does, or you cannot tell, show this to your account team.`,
			cause: 'configuration-invalid',
		},
	},
	'no file to download': always(
		'The download URL in the response does not lead to a file',
		"It returns JSON. Check 'Download URL Field' in the options, or show this to your account team.",
	),
	'extraction failed': always(
		({ status }) => `The extraction failed (status: ${status})`,
		({ documentId }) =>
			sentences(
				`The service shows this status for the document ${documentId}, and 'Failed Statuses' in the credential contains it.`,
				'Open the file: if it is damaged, protected by a password or hardly readable, upload a better copy.',
				'If the file is fine, extract the document again with Extraction › Extract Documents.',
				'If that fails, too, show this to your account team.',
			),
	),
	'not finished': {
		'no sign': {
			when: ({ unclear }) => unclear === 'no sign',
			message: notFinished,
			advice: (facts) =>
				sentences(
					whatWasSeen(facts),
					FETCH_LATER,
					RAISE_MAX_WAIT,
					"Without 'Finished Statuses' in the credential, the node cannot tell an extraction that failed, or that found nothing, from one that is still running.",
					howToFillIn('finishedStatuses'),
				),
		},
		'no status': {
			when: ({ unclear }) => unclear === 'no status',
			message: notFinished,
			advice: (facts) =>
				sentences(
					whatWasSeen(facts),
					'The node found no status for it.',
					"If Document › Get Many does not show this ID, it is wrong: if you entered it, correct it; if it comes from an upload, check 'Document ID Field' in the credential.",
					FETCH_LATER,
					STILL_MISSING,
				),
		},
		'status not listed': {
			when: ({ finished }) => finished !== undefined,
			message: notFinished,
			advice: ({ finished = [], ...facts }) =>
				sentences(
					whatWasSeen(facts),
					`'Finished Statuses' (${finished.join(', ')}) in the credential does not list this status.`,
					`If it means that the extraction is over (ask your account team if you do not know), change the line to '${lineOf('finishedStatuses', [...finished, facts.status ?? ''].join(', '))}'.`,
					FETCH_LATER,
					STILL_MISSING,
					RAISE_MAX_WAIT,
				),
		},
		'idle workflow': {
			when: ({ unclear }) => unclear === 'idle workflow',
			message: notFinished,
			advice: (facts) =>
				sentences(
					whatWasSeen(facts),
					FETCH_LATER,
					STILL_MISSING,
					'After the start, the node never saw the workflow at the service extracting: there may have been nothing to extract, or too little to notice.',
					"If that is normal here, lower 'Max Wait' in the options, and set 'On Timeout' to Return Status.",
				),
		},
		always: {
			message: notFinished,
			advice: (facts) => sentences(whatWasSeen(facts), FETCH_LATER, STILL_MISSING, RAISE_MAX_WAIT),
		},
	},
};
