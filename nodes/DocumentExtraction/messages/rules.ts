/** What a rule is, and the rules for all failures but responses, by the kind of the failure. */
import type { NodeApiError } from 'n8n-workflow';

import type { Facts, FailedCall, Kind } from '../service/callError';
import { howToCorrect, howToFillIn } from '../account/apiDetails';
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
	`The response to the upload of ${nameInMessage(fileName)} does not have exactly one document ID under 'Document ID Field'`;

export const FAILURES: { [K in Exclude<Kind, 'response'>]: Rules<Facts<K>> } = {
	'time limit': {
		'no response': {
			when: ({ phase }) => phase === 'responding',
			message: ({ peer }) => `The ${peer} did not respond in time`,
			advice: ({ limitMs, isOutcomeUnknown }) =>
				sentences(
					`It was given ${Math.round(limitMs / 1000)} seconds for its response.`,
					!isOutcomeUnknown && 'Try again later. If it stays so, ask your account team.',
				),
		},
		stalled: {
			message: ({ peer, phase }) =>
				phase === 'sending'
					? `The upload to the ${peer} stalled`
					: `The response of the ${peer} stalled`,
			advice: ({ peer, isOutcomeUnknown }) =>
				sentences(
					'For a minute no data moved, or it moved too slowly.',
					!isOutcomeUnknown && 'Try again.',
					`If it happens often, show this to whoever runs your n8n: the network between n8n and the ${peer} may be slow or cut off.`,
				),
		},
	},
	'not reached': always(
		({ peer }) => `The ${peer} cannot be reached`,
		(facts) =>
			sentences(
				`No server answers at ${where(facts)} (${facts.code}).`,
				/localhost|127\./.test(where(facts)) &&
					'If n8n runs in a container, that is the container itself.',
				facts.peer === 'service' &&
					"Compare 'Base URL' in the credential with what your account team says.",
				'If it has worked before, try again later. If it stays so, show this to whoever runs your n8n: its network must allow the connection.',
			),
	),
	'no TLS': always(
		({ peer }) => `The ${peer} does not speak https at this address`,
		(facts) =>
			`No encrypted connection to ${where(facts)} could be made (${facts.code}). ${
				facts.peer === 'service'
					? "Check 'Base URL' in the credential: its port and, for a service on this machine, whether it begins with http://."
					: 'Ask your account team about the address of the upload URLs.'
			}`,
	),
	'certificate not trusted': always(
		({ peer }) => `The ${peer} has a certificate that n8n does not trust`,
		(facts) =>
			sentences(
				`The connection to ${where(facts)} was not made (${facts.code}).`,
				facts.peer === 'service' && "Check 'Base URL' in the credential.",
				'If the address is right, show this to whoever runs your n8n. A certificate that has expired, or is for another name, is for the owner of the server to renew; NODE_EXTRA_CA_CERTS adds the authority of a company or proxy that n8n does not know.',
			),
	),
	broken: always(
		({ peer }) => `The connection broke before the ${peer} responded`,
		(facts) =>
			`The connection to ${where(facts)} ended too early (${facts.code}). If it happens often, show this to whoever runs your n8n: a proxy or the network may cut connections.`,
	),
	'file not kept': always(
		'n8n could not read or save a file',
		({ code }) =>
			`The disk or storage where n8n keeps binary data may be full or missing (${code}). Show this to whoever runs your n8n, and run the workflow again when that is mended.`,
	),
	'file unreadable': always(
		({ fileName, text }) =>
			`n8n ${/not found|not exist|no such|ENOENT/i.test(text) ? 'has lost' : 'cannot read'} the file ${nameInMessage(fileName)}`,
		({ text }) =>
			`n8n's storage says: ${asSentence(text)} Run the workflow again from its first node, so that it gets the file again. If this happens often, show this to whoever runs your n8n: the file was deleted, or a worker does not see what another process of n8n has stored. All of them must share one folder (N8N_STORAGE_PATH), or keep files in the database (N8N_DEFAULT_BINARY_DATA_MODE=database).`,
	),
	'response too large': always(
		({ peer }) => `The response of the ${peer} is too large`,
		({ text }) =>
			`It is ${text}, more than the node accepts. Ask for less at a time, e.g. with 'Limit'.`,
	),
	other: always(
		({ peer }) => `The request to the ${peer} did not succeed`,
		({ text, isOutcomeUnknown }) =>
			sentences(
				asSentence(text),
				!isOutcomeUnknown && 'Try again.',
				'If it stays so, show this to whoever runs your n8n.',
			),
	),
	'no page of results': always(
		'The response of the service is not a page of results',
		"It should contain 'total' and 'items'. 'Base URL' in the credential probably belongs to another service: enter what your account team says.",
	),
	'list without pages': always(
		"The list cannot be read page by page with the parameter 'page'",
		({ asked, came }) =>
			`${
				asked === undefined
					? 'Its pages repeat rows, or have more than the service says that there are'
					: `The node asked for page ${asked} and got page ${came}`
			}. Switch off 'Return All', and set 'Limit' to no more than the rows of one page. If you need more, ask your account team how this list can be read page by page; for documents, enter that in 'Query Parameters'.`,
	),
	'list that changes': always(
		'The list changed each time it was read',
		'Run it again when no documents are arriving.',
	),
	'not the workflow': always(
		"The response of 'Workflow Endpoint' in the credential does not contain 'is_extracting' of this workflow",
		({ workflowId }) =>
			`It leads to something else than the workflow ${workflowId}. It should look like GET /path/to/{workflow_id}. ${howToCorrect('workflowEndpoint')}`,
		'configuration-invalid',
	),
	'no upload URL': always(
		"The response has no upload URL under 'Upload URL Field' in the credential",
		({ field, has }) =>
			`The field is '${field}'. The response has: ${has}. If none of these is a URL, 'Upload URL Endpoint' is wrong. ${howToCorrect('uploadUrlField')}`,
		'configuration-invalid',
	),
	'unsafe upload URL': always(
		({ problem }) => `The node does not send the file to the upload URL: ${problem}`,
		({ field, has }) =>
			`The URL is in the response under '${field}', as 'Upload URL Field' in the credential says. If that is the wrong field, correct it; the response has: ${has}. If it is the right one, ask your account team for upload URLs that start with https://.`,
		'configuration-invalid',
	),
	'no document ID': {
		'others had one': {
			when: ({ isOnlyHere }) => isOnlyHere,
			message: withoutId,
			advice:
				"Other files of this run got an ID, so the reason is this file, and not 'Document ID Field'. Continue with the ID that Document › Get Many shows, in Extraction › Extract Documents. If the service gives no ID again, show this to your account team, with the file.",
		},
		always: {
			message: withoutId,
			advice: ({ field, has }) =>
				`Enter the field that contains the document's ID in 'Document ID Field' in the credential: now it is '${field}', and the response has: ${has}.`,
			cause: 'configuration-invalid',
		},
	},
	'no file to download': always(
		'The download URL in the response does not lead to a file',
		"It returns JSON. Check 'Download URL Field' in the options.",
	),
	'not finished': always(
		({ maxWaitS }) => `The extraction was not finished after ${counted(maxWaitS, 'second')}`,
		({ documentId, status, finished, isUndecided, lastFailure }) =>
			sentences(
				`${documentId === undefined ? 'The workflow' : `Document ${documentId}`}, last status: ${status ?? 'none'}.`,
				lastFailure && `The last look at it failed: ${lastFailure}.`,
				finished &&
					`'Finished Statuses' (${finished.join(', ')}) in the credential does not list this status: if it means that the extraction is over, add it there. Upper and lower case count.`,
				isUndecided &&
					`Either the extraction is slow, or nothing was found in the document: with 'Workflow Endpoint', the node can tell. ${howToFillIn('workflowEndpoint')}`,
				'If it is not over, the extraction continues: fetch its results later with Extraction › Get Many.',
				!isUndecided && "For the next run, raise 'Max Wait' in the options.",
			),
	),
};
