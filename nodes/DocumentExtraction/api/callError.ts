/** The error about a failed call: what happened, the service's own reason, and what to do. */
import type { NodeApiError } from 'n8n-workflow';

import type { Failure } from '../http/failure';
import { LONGEST_RETRY_AFTER_MS } from '../http/limiter';
import { nameInMessage, redact } from '../http/redact';
import { hasSuccessStatus, header, isWebPage, type HttpResponse } from '../http/response';
import { SLOWEST_BYTES_PER_MS, type TimeLimitError } from '../http/transfer';
import type { Client } from './client';
import { OTHER_PROGRAM, WORKFLOW_ID_LABEL } from './credential';
import { API_DETAILS, detailText, hasDetail, labelsOf, type ApiDetail } from './details/apiDetails';
import {
	COLLECTION_LABEL,
	COLUMNS_LABEL,
	DOCUMENT_LABEL,
	fieldsRefused,
	missingFormFields,
	reasonOf,
} from './reason';
import { asSentence, sentences } from './run';

export interface Words {
	message: string;
	description: string;
	/** The kind of failure, by n8n's classification. */
	failure?: NodeApiError['failure'];
}

interface Outcome {
	statusCode?: number;
	/** Whether the service may have processed the request all the same. */
	isOutcomeUnknown?: boolean;
	/** Whether the same call may succeed later. */
	mayPass?: boolean;
	/** When to try again at the earliest, as the service asks. */
	retryAfterMs?: number;
	/** Whether the failure lies on the way to the service: other files would fail in the same way. */
	isOnTheWay?: boolean;
}

/** A call of the service that failed; the node turns it into one of n8n's errors. */
export class CallError extends Error implements Words, Outcome {
	readonly description: string;
	readonly failure: Words['failure'];
	readonly statusCode?: number;
	readonly isOutcomeUnknown?: boolean;
	readonly mayPass?: boolean;
	readonly retryAfterMs?: number;
	readonly isOnTheWay?: boolean;

	constructor({ message, description, ...known }: Words & Outcome) {
		super(message);
		this.description = description;
		Object.assign(this, known);
	}
}

/** Whether the service, or the storage, has answered with one of these statuses. */
export function hasStatus(error: Error, ...statuses: number[]): boolean {
	return error instanceof CallError && statuses.includes(error.statusCode ?? 0);
}

/** An error with a sentence added, about what was done before it and need not be done again. */
export function withNote(error: Error, note: string): Error {
	const { description } = error as { description?: string | null };
	return reworded(error, { description: sentences(description && asSentence(description), note) });
}

/** An error whose description begins with what to do first. */
export function withPreface(error: Error, preface: string): Error {
	const { description } = error as { description?: string | null };
	return reworded(error, { description: sentences(preface, description) });
}

/** Copies a CallError: one that is remembered for Retry On Fail would get another note with each try. */
function reworded(error: Error, words: Partial<Words>): Error {
	return error instanceof CallError
		? new CallError({ ...error, message: error.message, ...words })
		: Object.assign(error, words);
}

/** What was called, as far as the words for its failure depend on it. */
export interface CallContext {
	client: Client;
	/** Which server was called. */
	peer: 'service' | 'storage';
	/** Whether it carries a file. */
	isUpload?: boolean;
	/** The file that it is about. */
	fileName?: string;
	/** The operation that shows whether a write was done, e.g. `Document › Get Many`; undefined for reads. */
	shownBy?: string;
	/** The API Details that the call is made from. */
	madeFrom?: ApiDetail[];
}

export function callError(call: CallContext, failure: Failure): CallError {
	const isOutcomeUnknown = call.shownBy !== undefined && failure.mayHaveBeenDone;
	const words = wordsFor(call, failure);
	return new CallError({
		...words,
		description: sentences(words.description, isOutcomeUnknown && outcomeUnknown(call)),
		statusCode: statusOf(failure),
		isOutcomeUnknown,
		mayPass: failure.retry !== 'none' || failure.kind === 'rate limit too long',
		retryAfterMs: 'retryAfterMs' in failure ? failure.retryAfterMs : undefined,
		isOnTheWay: isOnTheWay(failure),
	});
}

function statusOf(failure: Failure): number | undefined {
	if (failure.kind === 'rate limit too long') return 429;
	return failure.kind === 'response' ? failure.response.statusCode : undefined;
}

export function outcomeUnknown({
	isUpload,
	shownBy,
}: Omit<CallContext, 'client' | 'peer'>): string {
	return isUpload
		? `The outcome is unknown: the file may be there already. Look with ${shownBy}, and upload the file again only if it is missing.`
		: `The outcome is unknown: the service may have processed the request all the same. Look with ${shownBy} before you try again.`;
}

function isOnTheWay(failure: Failure): boolean {
	if (failure.kind === 'response') return failure.response.statusCode === PROXY_REFUSES;
	return failure.kind === 'no TLS' || failure.kind === 'certificate not trusted';
}

/** No service answers so, but n8n's own proxy, which lets nothing through (RFC 9110 §15.5.8). */
const PROXY_REFUSES = 407;
function wordsFor(call: CallContext, failure: Failure): Words {
	switch (failure.kind) {
		case 'response':
			return wordsForResponse(call, failure.response, failure.retryAfterMs);
		case 'rate limit too long':
			return tooManyRequests(saidBy(call, failure.lastRefusal), failure.retryAfterMs);
		case 'time limit':
			return wordsForTimeLimit(call, failure.error);
		default:
			return wordsForConnection(call, failure);
	}
}

function wordsForTimeLimit(call: CallContext, { phase, limitMs }: TimeLimitError): Words {
	const { peer } = call;
	const limit = `${Math.round(limitMs / 1000)} seconds`;
	const checkNetwork = `Check the network between n8n and the ${peer}, and try again.`;
	switch (phase) {
		case 'sending':
			return {
				message: `The upload to the ${peer} stalled`,
				description: `No part of the file was sent for ${limit}, so the node gave up. ${checkNetwork}`,
			};
		case 'responding':
			return {
				message: `The ${peer} did not respond in time`,
				description: sentences(`It was given ${limit} for its response.`, laterIfRead(call)),
			};
		case 'receiving':
			return {
				message: `The response of the ${peer} stalled`,
				description: `It started, but then arrived more slowly than ${(SLOWEST_BYTES_PER_MS * 8) / 1000} Mbit/s, or not at all for a minute. ${checkNetwork}`,
			};
	}
}

const CODES: { [code: string]: string } = {
	ENOTFOUND: 'No server has this name.',
	ECONNREFUSED: 'If n8n runs in a container, localhost is that container itself.',
};

/**
 * About a file that n8n keeps, but does not give.
 * @param reason n8n's own, or the system's code
 */
export function unreadableFile(name: string, reason: string): Words {
	const isLost = /not found|not exist|no such|ENOENT/i.test(reason);
	return {
		message: `n8n ${isLost ? 'has lost' : 'cannot read'} the file ${nameInMessage(name)}`,
		description: `n8n's storage says: ${asSentence(redact(reason))} The file may have been deleted, or a worker does not see what another process of n8n has stored: let all of them share one folder (N8N_STORAGE_PATH), or keep files in the database (N8N_DEFAULT_BINARY_DATA_MODE=database). Then get the file again from where it came from.`,
	};
}

function wordsForConnection(
	{ client, peer, fileName }: CallContext,
	{ kind, cause }: Extract<Failure, { cause: object }>,
): Words {
	const { code = '' } = cause;
	const where = peer === 'storage' ? "the storage's address" : client.address;
	const reason = asSentence(redact(cause.message, client.credential.apiKey));
	switch (kind) {
		case 'not sent':
			return { message: 'The request was not sent', description: reason };
		case 'not reached':
			return {
				message: `The ${peer} cannot be reached`,
				description: sentences(
					`No server answers at ${where} (${code}).`,
					CODES[code],
					`${peer === 'service' ? "Check 'Base URL' in the credential, and whether" : 'Check whether'} n8n's network allows the connection.`,
				),
			};
		case 'no TLS':
			return {
				message: `The ${peer} does not speak https at this address`,
				description: `No encrypted connection to ${where} could be made (${code}). Check 'Base URL' in the credential: its port and, for a service on this machine, whether it begins with http://.`,
			};
		case 'certificate not trusted':
			return {
				message: `The ${peer} has a certificate that n8n does not trust`,
				description: `The connection to ${where} was not made (${code}). If the certificate is your own, add its authority to n8n with NODE_EXTRA_CA_CERTS.`,
			};
		case 'broken':
			return {
				message: `The connection broke before the ${peer} responded`,
				description: `The connection to ${where} ended too early (${code}).`,
			};
		case 'file not kept':
			if (code === 'ENOENT' && fileName !== undefined) return unreadableFile(fileName, code);
			return {
				message: 'n8n could not read or save a file',
				description: `The disk or storage where n8n keeps binary data may be full or missing (${code}).`,
			};
		case 'response too large':
			return {
				message: `The response of the ${peer} is too large`,
				description: `It is ${cause.message}, more than the node accepts. Ask for less at a time, e.g. with 'Limit'.`,
			};
		case 'unknown':
			return { message: `The request to the ${peer} did not succeed`, description: reason };
	}
}

function wordsForResponse(
	call: CallContext,
	response: HttpResponse,
	retryAfterMs: number | undefined,
): Words {
	const { client, peer } = call;
	const { statusCode: status } = response;
	if (status >= 300 && status < 400) return redirected(call, response);
	if (status === PROXY_REFUSES) return refusedByProxy(peer, response);
	if (isWebPage(response)) return webPage(call, response, retryAfterMs);
	const said = saidBy(call, response);
	if (peer === 'service' && status === 429) return tooManyRequests(said, retryAfterMs);
	const reason = reasonOf(response, client.credential.apiKey);
	const words =
		peer === 'service'
			? refusedByService(call, response)
			: refusedByStorage(call, status, reason, retryAfterMs);
	return {
		...words,
		message: `${words.message} (${status})`,
		description: sentences(said, words.description),
	};
}

function saidBy({ client, peer }: CallContext, response: HttpResponse | undefined): string {
	const reason = response && reasonOf(response, client.credential.apiKey);
	return reason ? `The ${peer} says: ${asSentence(reason)}` : '';
}

function redirected({ peer }: CallContext, response: HttpResponse): Words {
	const target = redact(header(response, 'location') ?? '') || 'not given';
	return {
		message: `The ${peer} redirects the request to another address (${response.statusCode})`,
		description:
			peer === 'service'
				? `The node does not follow redirects, so that the API key is sent to the credential's 'Base URL' only. The new address is ${target}. Check 'Base URL' and the endpoints in the credential.`
				: 'The node does not follow redirects. Ask your account team for URLs that do not redirect.',
	};
}

function webPage(
	{ client, peer, isUpload }: CallContext,
	response: HttpResponse,
	retryAfterMs: number | undefined,
): Words {
	const { statusCode: status, text } = response;
	const title = /<title(?:\s[^<>]*)?>([^<]*)</i.exec(text.slice(0, 20_000))?.[1];
	const isTooLarge = status === 413 && isUpload && peer === 'service';
	return {
		message: `A web page came back instead of a response from the ${peer} (${status})`,
		description: sentences(
			title && `Its title is “${redact(title, client.credential.apiKey)}”.`,
			peer === 'service' && hasSuccessStatus(response)
				? "'Base URL' in the credential probably leads to a website, not to the API."
				: `It usually comes from a proxy or firewall between n8n and the ${peer}.`,
			isTooLarge &&
				"The file is probably larger than it allows. Set 'Upload Method' to Signed URL: the file then goes straight to storage.",
		),
		failure: status === 429 ? { cause: 'rate-limited', retryAfterMs } : undefined,
	};
}

function refusedByProxy(peer: CallContext['peer'], response: HttpResponse): Words {
	const realm = /realm="([^"]{1,200})"/i.exec(header(response, 'proxy-authenticate') ?? '')?.[1];
	return {
		message: `The proxy between n8n and the ${peer} asks for a user and a password (407)`,
		description: `Nothing was sent to the ${peer}${realm ? `: the proxy, which calls itself “${redact(realm)}”, let nothing through` : ''}. n8n takes its proxy from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY in its environment. Enter user and password there, as in http://user:password@proxy.example.com:3128, with special characters percent-encoded, and restart n8n. If the ${peer} should be reached without the proxy, name its host in NO_PROXY.`,
		failure: { cause: 'configuration-invalid' },
	};
}

/** For a rate limit that is still exceeded after all retries, or a pause that is too long to wait for. */
function tooManyRequests(said: string, retryAfterMs = 0): Words {
	return {
		message: 'The service received too many requests (429)',
		description: sentences(
			said,
			retryAfterMs > LONGEST_RETRY_AFTER_MS
				? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits. Run this again after that.`
				: 'For five minutes the node paused and tried again, and the service went on refusing. Run this again later.',
			'If it happens often, run fewer workflows with this API key at the same time, or ask your account team for a higher limit.',
		),
		failure: { cause: 'rate-limited', retryAfterMs: retryAfterMs || undefined },
	};
}

const USUALLY_TEMPORARY = 'This is usually temporary. Try again later.';

/** For reads: what a write may have done comes first, and is told by `callError`. */
const laterIfRead = (call: CallContext, advice = 'Try again later.') =>
	call.shownBy === undefined && advice;

function refusedByService(call: CallContext, response: HttpResponse): Words {
	const { statusCode: status, text } = response;
	if (hasSuccessStatus(response)) {
		return {
			message: 'The response of the service is incomplete or not in the expected form',
			description: `It should be JSON, but ${text ? 'cannot be read as JSON' : 'it is empty'}.`,
		};
	}
	if (status >= 500) {
		return {
			message: 'The service could not handle the request',
			description: sentences(laterIfRead(call, USUALLY_TEMPORARY)),
			failure: status === 503 ? { cause: 'temporarily-unavailable' } : undefined,
		};
	}
	const words = (STATUSES[status] ?? notAccepted)(call, response);
	return { ...words, description: sentences(words.description, detailAdvice(call, response)) };
}

/** The words for statuses of the service itself. */
const STATUSES: { [status: number]: (call: CallContext, response: HttpResponse) => Words } = {
	// Of an upload, detailAdvice says what to check.
	400: (call) => ({ ...notAccepted(call), ...(call.isUpload ? { description: '' } : {}) }),
	401: (call, response) => {
		const checkKey = `The credential uses ${keyAndWorkflow(call)} of the extraction service. Check that the key is complete, not revoked, belongs to the environment of this workflow, and has the scope that this operation needs.`;
		return {
			message: 'The service refused the API key',
			description: asksForOtherHeader(call, response)
				? `Check 'Base URL' first: it probably belongs to another service. ${checkKey}`
				: `${checkKey} ${OTHER_PROGRAM}`,
			failure: { cause: 'credential-invalid' },
		};
	},
	403: (call) => ({
		message: 'The service refused access',
		description: `The API key may lack the scope that this operation needs: check its scopes in the API settings of your account. If it has the scope, check that the key is complete and not revoked, and that it belongs to the environment of the workflow: the credential uses ${keyAndWorkflow(call)} of the extraction service.`,
	}),
	404: (call, response) => ({
		message: 'The service cannot find what was requested',
		description: isPathToBlame(call)
			? `An upload has succeeded before, so the method or the path in the credential's field '${API_DETAILS.workflowEndpoint.label}' is probably wrong: correct it there. Workflow › Check Setup says what to enter.`
			: whatToFind(call, response),
	}),
	405: () => ({
		message: 'The service did not accept the request',
		description: "This address does not accept such requests. Check 'Base URL' in the credential.",
	}),
	408: (call) => ({
		message: 'The service stopped waiting for the request',
		description: sentences('The connection may be slow.', laterIfRead(call)),
	}),
	413: (call) => ({
		message: `${fileOf(call) ?? 'The request'} is too large for the service`,
		description: call.isUpload
			? "Set 'Upload Method' to Signed URL, which is made for large files."
			: 'Send less at a time.',
	}),
	415: (call) => {
		const file = fileOf(call);
		return {
			message: `The service does not accept ${file ? `the type of ${file}` : 'content of this type'}`,
			description: call.isUpload
				? "To leave out such files, list the types to upload in 'MIME Types'."
				: '',
		};
	},
	422: (call, response) => ({
		message: expectsOtherField(call, response)
			? 'The service expects the file in another form field'
			: 'The service found values that it does not accept',
		description: sentences(
			whereIdsAre(call, response),
			!call.isUpload && suspectsOf(call).length === 0 && 'Check these fields of the node.',
		),
	}),
};

/** Whether a form field is missing in an upload, while no other upload has shown that the file's is right. */
const expectsOtherField = (call: CallContext, response: HttpResponse) =>
	call.isUpload === true &&
	suspectsOf(call).includes('uploadFileField') &&
	missingFormFields(response).length > 0;

/** What to check after a 404, and first of all what the service itself names. */
function whatToFind(call: CallContext, response: HttpResponse): string {
	const { workflowId, credential, address } = call.client;
	const { origin, pathname } = new URL(address);
	const named = namedIn(call, response);
	const first = firstCheck(call, response, named);
	if (first && hasUploaded(call)) return first;
	return sentences(
		first,
		`Is '${WORKFLOW_ID_LABEL}' (${redact(workflowId)}) the ID from the workflow's page at the service, in its ${credential.environment} environment? Test and live have different IDs.`,
		!named && 'Also check the IDs of documents and collections that you entered.',
		pathname === '/'
			? "Otherwise, check 'Base URL' in the credential."
			: `Otherwise, 'Base URL' in the credential has a path (${redact(pathname)}): unless your account team gave it so, enter ${origin} alone.`,
	);
}

type Named = 'collection' | 'column' | 'document';

function firstCheck(call: CallContext, response: HttpResponse, named: Named | undefined): string {
	if (named === 'collection') return `Check '${COLLECTION_LABEL}' of this node first.`;
	if (named === 'column') return `Check '${COLUMNS_LABEL}' of this node first.`;
	const suspects = suspectsOf(call);
	if (suspects.includes('documentIdField')) return CHECK_DOCUMENT_ID_FIELD;
	if (named === 'document') return sentences(fixedWorkflow(call), CHECK_DOCUMENT_ID);
	// Only the form field of an upload comes from an API Detail, its path does not.
	if (call.isUpload || suspects.length === 0 || names(call, response, 'workflow')) return '';
	return `Check ${namedDetails(suspects)} in the credential first.`;
}

/** A signed upload may have gone to another workflow than that whose confirmation fails. */
function fixedWorkflow({ client, madeFrom = [] }: CallContext): string {
	const details = ['uploadUrlEndpoint', 'uploadUrlBody'] as const;
	const holdsWorkflow = details.some((detail) =>
		detailText(client.credential, detail).includes('{workflow_id}'),
	);
	return madeFrom.includes('confirmBody') && !holdsWorkflow
		? `If ${labelsOf([...details], ' or ')} in the credential contains a workflow's ID, enter {workflow_id} in its place.`
		: '';
}

const CHECK_DOCUMENT_ID = `Check the document's ID first: Document › Get Many shows it; for uploads, check '${API_DETAILS.documentIdField.label}' in the credential.`;
const CHECK_DOCUMENT_ID_FIELD = `Check '${API_DETAILS.documentIdField.label}' in the credential first: what it finds may not be the ID of a document.`;

const namedDetails = (details: ApiDetail[]) => labelsOf(details, ' and ');

/** What the service says that it cannot find, other than the workflow. */
function namedIn(call: CallContext, response: HttpResponse): Named | undefined {
	return (['collection', 'column', 'document'] as const).find((thing) =>
		names(call, response, thing),
	);
}

function names({ client }: CallContext, response: HttpResponse, thing: string): boolean {
	const reason = reasonOf(response, client.credential.apiKey).toLowerCase();
	return new RegExp(`(?:^|\\b(?:the|this|no) )${thing}\\b(?! (?:list|type))`).test(reason);
}

/** Whether a key is wanted in another header than the service's own, Authorization (interface.md §5). */
function asksForOtherHeader({ client }: CallContext, response: HttpResponse): boolean {
	return /\bx-[a-z]/i.test(reasonOf(response, client.credential.apiKey));
}

/** Where to get the IDs that the service wants in place of names. */
function whereIdsAre(call: CallContext, response: HttpResponse): string {
	const { client } = call;
	const isTyped = suspectsOf(call).length === 0;
	const toFill = hasDetail(client.credential, 'workflowEndpoint')
		? ''
		: `, which needs '${API_DETAILS.workflowEndpoint.label}' in the credential`;
	const ways: { [field: string]: string } = {
		[COLUMNS_LABEL]: `choose from the list${toFill}, or enter IDs by an expression`,
		[COLLECTION_LABEL]: `choose it 'From List'${toFill}, or enter its ID 'By ID'`,
		// Nobody typed an ID that an API Detail found in a response.
		...(isTyped ? { [DOCUMENT_LABEL]: 'enter the ID that Document › Get Many shows' } : {}),
	};
	const fields = [...new Set(fieldsRefused(response))].filter((field) => field in ways);
	return sentences(
		...fields.map(
			(field) => `'${field}' takes only IDs that the service knows, not names: ${ways[field]}.`,
		),
	);
}

/** Whether uploads have shown that the workflow and Base URL are right. */
function hasUploaded({ client: { run } }: CallContext): boolean {
	return run.workingDetails.has('uploadFileField') || run.workingDetails.has('confirmMethod');
}

/** Whether, after an upload has succeeded, only the method or the path of the endpoint can be wrong. */
function isPathToBlame(call: CallContext): boolean {
	return hasUploaded(call) && suspectsOf(call).includes('workflowEndpoint');
}

function notAccepted(call: CallContext): Words {
	const isFileToBlame = call.isUpload && suspectsOf(call).length === 0;
	return {
		message: `The service did not accept ${fileOf(call) ?? 'the request'}`,
		description: isFileToBlame
			? ''
			: `Check ${call.isUpload ? 'the file and ' : ''}the fields of this node.`,
	};
}

function fileOf({ fileName }: CallContext): string | undefined {
	return fileName === undefined ? undefined : nameInMessage(fileName);
}

function keyAndWorkflow({ client: { credential, workflowId } }: CallContext): string {
	return `a ${credential.environment} key with workflow '${redact(workflowId)}'`;
}

/** Statuses that may also mean that an API Detail is wrong. */
const MAY_BE_DETAILS = new Set([400, 404, 405, 415, 422]);

/** Names the API Details that may be wrong. */
function detailAdvice(call: CallContext, response: HttpResponse): string {
	const { statusCode: status } = response;
	if (!MAY_BE_DETAILS.has(status)) return '';
	// The path of an upload comes neither from an API Detail nor from the file.
	if (call.isUpload && (status === 404 || status === 405)) return '';
	const suspects = suspectsOf(call);
	if (suspects.length === 0) {
		return call.isUpload
			? 'Other files were uploaded in this run, so the reason is probably this file, or a limit of your account such as a quota.'
			: '';
	}
	const [missing] = call.isUpload ? missingFormFields(response) : [];
	if (missing !== undefined) {
		return `The service expects the form field '${redact(missing)}'. If that is the field for the file, enter this name in '${API_DETAILS.uploadFileField.label}' in the credential.`;
	}
	const isFoundByDetail = suspects.includes('documentIdField');
	// Unless the service names something else, the words for 404 name them already.
	const isNamed = isFoundByDetail || namedIn(call, response) === undefined;
	if (status === 404 && (isNamed || isPathToBlame(call))) return '';
	const details = namedDetails(suspects);
	if (status === 422) {
		if (!isFoundByDetail) {
			if (whereIdsAre(call, response) !== '') return '';
			if (suspects.includes('confirmBody') && missingFormFields(response).length === 0)
				return `${CHECK_DOCUMENT_ID} Otherwise, correct ${details} in the credential.`;
			return `Correct ${details} in the credential, or the fields of this node.`;
		}
		const refused = fieldsRefused(response);
		const isOfDocument = refused.some((field) => field.startsWith(DOCUMENT_LABEL));
		if (isOfDocument) return CHECK_DOCUMENT_ID_FIELD;
		return whereIdsAre(call, response) === ''
			? `${CHECK_DOCUMENT_ID_FIELD} Otherwise, correct the fields of this node.`
			: '';
	}
	return call.isUpload
		? sentences(
				status === 400 && 'The reason is probably in this file.',
				`If no upload has worked with this credential yet, also check ${details} in it.`,
			)
		: `Also check ${details} in the credential.`;
}

/** The API Details that the call was made from, unless all have worked before in this run. */
function suspectsOf({ client, madeFrom = [] }: CallContext): ApiDetail[] {
	return madeFrom.every((detail) => client.run.workingDetails.has(detail)) ? [] : madeFrom;
}

/** In the body that requests a signed URL. */
const FIXED_TYPE = /(?:type|mime)"\s?:\s?"[a-z]+\//i;
const FIXED_SIZE = /(?:size|length|bytes)"\s?:\s?"?\d/i;

function refusedByStorage(
	{ client, isUpload }: CallContext,
	status: number,
	reason: string,
	retryAfterMs: number | undefined,
): Words {
	if (status < 300) {
		return {
			message: 'The response of the storage is not a file',
			description: 'Check which field of the response holds the URL of the file.',
		};
	}
	if (status === 408 || status === 429 || (status >= 500 && status !== 501)) {
		return {
			message: 'The storage could not handle the request',
			description: USUALLY_TEMPORARY,
			failure: status === 429 ? { cause: 'rate-limited', retryAfterMs } : undefined,
		};
	}
	// For a missing header, Azure responds 400, and S3 responds 403, as the signature covers headers.
	const mayMissHeader = isUpload && (status === 400 || status === 403);
	const hasHeaders = hasDetail(client.credential, 'uploadHeadersField');
	const mayLackHeaders = mayMissHeader && !hasHeaders;
	const { label } = API_DETAILS.uploadHeadersField;
	const needsHeaders = `the upload needs headers that come with the URL: ${hasHeaders ? 'correct' : 'fill in'} '${label}' in the credential.`;
	const isUseless =
		'may have expired or been used already, or it was made for a file of another type or size.';
	const asksForHeader =
		mayMissHeader && /header/i.test(reason) && /missing|mandatory|required/i.test(reason);
	const causes = asksForHeader
		? [`Probably ${needsHeaders}`, `Or the URL ${isUseless}`]
		: [`It ${isUseless}`, mayLackHeaders && `Or ${needsHeaders}`];
	const body = detailText(client.credential, 'uploadUrlBody');
	const fixed = [
		...(FIXED_TYPE.test(body) ? ['type: enter {content_type}'] : []),
		...(FIXED_SIZE.test(body) ? ['size: enter {file_size}'] : []),
	].join(' in its place, and a fixed ');
	return {
		message: 'The storage refused the signed URL',
		description: sentences(
			mayMissHeader &&
				fixed !== '' &&
				`'${API_DETAILS.uploadUrlBody.label}' in the credential has a fixed ${fixed} in its place.`,
			...causes,
		),
	};
}
