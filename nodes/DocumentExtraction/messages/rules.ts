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
	SIGNED_DETAILS,
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

/** Which words a failure gets: of its kind, by the first rule that fits. */
export const RULES: { [K in Kind]: Rules<Facts<K>> } = {
	response: {
		'proxy asks for a password': {
			when: isStatus(407),
			message: ({ peer }) => `The proxy between n8n and the ${peer} needs a user name and password`,
			advice: ({ peer }) =>
				`Show this to whoever runs your n8n. This request did not reach the ${peer}. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter the user name and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
		},
		redirect: {
			when: ({ statusCode }) => statusCode >= 300 && statusCode < 400,
			message: ({ peer }) => `The ${peer} redirects the request to another address`,
			advice: ({ location }) =>
				sentences(
					location !== '' && `The new address is ${location}.`,
					'The node follows no redirects. Show this to your account team.',
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
					changes === 'extraction' &&
						'Start the extraction later with Extraction › Extract Documents, and then read the values with Extraction › Get Many.',
					changes === 'confirmation' &&
						'Confirm the upload later with Document › Confirm Upload. Then extract the document with Extraction › Extract Documents, if you want its values.',
					changes !== 'extraction' && changes !== 'confirmation' && 'Run this again later.',
					'If it happens often, run fewer executions with this API key at the same time, or ask your account team for a higher limit.',
				),
		},
		'too large': {
			when: ({ peer, statusCode }) => peer === 'service' && statusCode === 413,
			message: (facts) => `${fileOr(facts, 'The request')} is too large for the service`,
			advice: ({ isUpload, fileName }) =>
				isUpload
					? `If the credential has no lines for signed uploads yet, add another Document Extraction node, execute it with the operation Workflow › Check Setup, and add to '${DETAILS_LABEL}' in the credential what its items from ${labelsOf([SIGNED_DETAILS[0], ...SIGNED_DETAILS.slice(-1)], ' to ')} say. Then set 'Upload Method' to Signed URL. If you cannot find these lines, show this to your account team.`
					: `${fileName === undefined ? "If this step offers the option 'Documents per Call', add it, and enter e.g. 100." : 'Use a smaller file.'} If that does not help, show this to your account team.`,
		},
		'web page': {
			when: ({ reason }) => reason?.isTitle === true,
			message: ({ peer }) => `A web page came back instead of a response from the ${peer}`,
			advice: ({ peer, statusCode, isOutcomeUnknown, suspects }) =>
				peer === 'service' && (statusCode < 300 || [404, 405].includes(statusCode))
					? `'Base URL' in the credential${suspects.some((name) => name.endsWith('Endpoint')) ? ', or one of the endpoints in its API Details,' : ''} probably leads to a website, not to the API: enter what your account team or your API reference says. If that is entered already, show this to your account team. If the service works for other people, show this to whoever runs your n8n: a proxy may have responded.`
					: sentences(
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
			advice: (facts) =>
				`In the API settings of your account at the extraction service, check that the key is still there, is not revoked, and has the scope (the permission) to ${facts.isUpload ? 'upload documents' : TASKS[facts.changes ?? 'nothing']}. If so, copy the whole key into 'API Key' in the credential again. If not, or if your account no longer shows the key, create a new ${facts.environment} key, and enter that. Also check that workflow '${facts.workflowId}' is in the ${facts.environment} environment. If all of this is right, or you cannot check it, show this to your account team, and ask which scope the key needs and whether 'Base URL' is right.`,
			cause: 'credential-invalid',
		},
		'not found': {
			when: isStatus(404, 405),
			message: 'The service cannot find what was requested',
			advice: ({ isUpload, suspects, workflowId, environment, address }) =>
				sentences(
					'If this step uses the ID of a document or a collection, check it first: it must be an ID, and not a name. Document › Get Many shows the IDs of documents, and Workflow › Get shows those of collections.',
					!isUpload &&
						suspects.length > 0 &&
						`Compare ${labelsOf(suspects, ' and ')} in the credential with your API reference, or with what Workflow › Check Setup says.`,
					suspects.includes('documentIdField') && WRONG_IDS,
					`Check '${WORKFLOW_ID_LABEL}' (${workflowId}), in the credential or in this node's options: it must be the ID from the workflow's page in the service's ${environment} environment.`,
					`If it is right, compare 'Base URL' in the credential (${address}) with the address that your account team gave you. If both are right, or this step worked before, show this to your account team, with the IDs that this step uses: the document, the collection or the workflow may have been deleted.`,
				),
		},
		'already there': {
			when: ({ statusCode, changes }) => statusCode === 409 && changes !== undefined,
			message: refused,
			advice:
				'What you asked for may have been done already, or an extraction may still be running: look with Document › Get Many or Extraction › Get Many before you repeat it. If it was done, continue from there: Extraction › Extract Documents extracts a document by its ID, and Extraction › Get Many reads its values. If an extraction is running, wait until it is over. If neither is the case, show this to your account team.',
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
			advice: ({ isUpload, suspects }) =>
				sentences(
					suspects.length > 0 &&
						`If the service says that a field is missing or wrong, the reason may be the line ${labelsOf(suspects, ' or ')} in the credential: compare it with the item about it in the output of Workflow › Check Setup.`,
					suspects.includes('documentIdField') && WRONG_IDS,
					isUpload
						? "Open the file. If it is damaged or protected by a password, use a better copy. If the service does not read files of this type, have them skipped: in the option 'MIME Types', enter the types that it does read. If the service's reason mentions the workflow, check 'Service Workflow ID'; if it mentions the collection, check 'Collection'. If the file is fine, show this to your account team."
						: "Check the fields of this node (enter IDs, not names, where an ID is asked for), 'Service Workflow ID', and the type and size of the file, if there is one. If everything is right, show this to your account team.",
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
	'no upload URL': always(
		"The response has no upload URL under 'Upload URL Field' in the credential",
		({ field, has }) =>
			`The node looked for '${field}'. The response has: ${has}. ${howToCorrect('uploadUrlField')} If no field of the response is a URL, correct the line 'Upload URL Endpoint' instead.`,
		'configuration-invalid',
	),
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
	'not finished': always(
		({ maxWaitS }) => `The extraction was not finished after ${counted(maxWaitS, 'second')}`,
		({ documentId, status, isOfWorkflow, finished, lastFailure, unclear }) =>
			sentences(
				documentId !== undefined &&
					`The node waited for document ${documentId}${unclear === 'no status' ? ", and found no status for it. If Document › Get Many does not show this ID, it is wrong: if you entered it, correct it; if it comes from an upload, check 'Document ID Field' in the credential" : ''}.`,
				status !== undefined &&
					`The last status that the node saw was${documentId === undefined || isOfWorkflow ? ' that of the workflow at the service' : ''}: ${status}.`,
				lastFailure && `When the node last checked, this happened: ${lastFailure}.`,
				finished &&
					`'Finished Statuses' (${finished.join(', ')}) in the credential does not list this status. If it means that the extraction is over (ask your account team if you do not know), change the line to '${lineOf('finishedStatuses', [...finished, status ?? ''].join(', '))}'.`,
				unclear === 'no sign' &&
					`The extraction is slow, or it failed, or nothing was found in the document: with 'Finished Statuses' (or, if the workflow has thousands of documents, 'Workflow Endpoint'), the node can tell whether it is over. ${howToFillIn('finishedStatuses')}`,
				'The extraction may still be running: fetch its results later with Extraction › Get Many. If they are still missing then, show this to your account team.',
				!unclear && "If extractions often take this long, raise 'Max Wait' in the options.",
				unclear === 'idle workflow' &&
					"After the start, the node never saw the workflow at the service extracting: there may have been nothing to extract, or too little to notice. If that is normal here, lower 'Max Wait' in the options, and set 'On Timeout' to Return Status.",
			),
	),
};
