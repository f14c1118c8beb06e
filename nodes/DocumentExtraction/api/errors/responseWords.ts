import type { NodeApiError } from 'n8n-workflow';

import { LONGEST_RETRY_AFTER_MS } from '../../http/limiter';
import { nameInMessage, redact } from '../../http/redact';
import { hasSuccessStatus, header, isWebPage, type HttpResponse } from '../../http/response';
import type { Client } from '../client';
import { hasDetail } from '../details/detail';
import { API_DETAILS } from '../details/apiDetails';
import type { CallContext } from './callContext';
import type { Words } from './callError';
import { missingFormFields, reasonOf } from './reasons';
import { asSentence, sentences } from '../sentences';

/** What a status means when the service itself responded. Without `advice`, the user gets the default advice. */
const STATUSES: {
	[status: number]: {
		message: string | ((file: string | undefined) => string);
		advice?: (client: Client, call: CallContext) => string;
		failure?: NodeApiError['failure'];
	};
} = {
	401: {
		message: 'The service refused the API key',
		advice: keyAdvice,
		failure: { cause: 'credential-invalid' },
	},
	403: {
		message: 'The service refused access',
		advice: ({ credential, workflowId }) =>
			`The API key may lack the scope that this operation needs: check its scopes in the API settings of your account. If it has the scope, check that the key is complete and not revoked, and that it belongs to the environment of the workflow: the credential uses a ${credential.environment} key with workflow '${redact(workflowId)}' of the extraction service.`,
	},
	404: {
		message: 'The service cannot find what was requested',
		advice: ({ workflowId, credential }) =>
			`Check that '${redact(workflowId)}' is the ID of a workflow at the service, not of one in n8n, and that it is of the ${credential.environment} environment (test and live workflows have different IDs). Check 'Base URL' in the credential, and the IDs of documents and collections that you entered.`,
	},
	408: {
		message: 'The service stopped waiting for the request',
		advice: () => 'The connection may be slow. Try again later.',
	},
	413: {
		message: (file) => `${file ?? 'The request'} is too large for the service`,
		advice: (_client, { isUpload }) =>
			isUpload
				? "Set 'Upload Method' to Signed URL, which is made for large files."
				: 'Send less at a time.',
	},
	415: {
		message: (file) =>
			`The service does not accept ${file ? `the type of ${file}` : 'content of this type'}`,
		advice: (_client, { isUpload }) =>
			isUpload ? "To leave out such files, list the types to upload in 'MIME Types'." : '',
	},
	422: {
		message: 'The service found values that it does not accept',
		advice: (client, call) =>
			call.isUpload || mayBeMadeWrongly(client, call) ? '' : 'Check these fields of the node.',
	},
};

function keyAdvice({ credential, workflowId }: Client): string {
	return `The credential uses a ${credential.environment} key with workflow '${redact(workflowId)}' of the extraction service. Check that the key is complete, not revoked, belongs to the environment of this workflow, and has the scope that this operation needs.`;
}

interface Problem {
	message: string;
	advice: string;
	failure?: NodeApiError['failure'];
}

/** The words for a response that is not the expected one. */
export function wordsForResponse(
	client: Client,
	call: CallContext,
	response: HttpResponse,
	retryAfterMs: number | undefined,
): Words {
	const { statusCode: status } = response;
	if (status >= 300 && status < 400) return redirected(call, response);
	if (isWebPage(response)) return webPage(client, call, response, retryAfterMs);
	const reason = reasonOf(response, client.credential.apiKey);
	const said = reason ? `The ${call.peer} says: ${asSentence(reason)}` : '';
	const words = ({ message, advice, failure }: Problem): Words => ({
		message: `${message} (${status})`,
		description: sentences(said, advice),
		failure,
	});
	if (status === 429) {
		return call.peer === 'service'
			? tooManyRequests(said, retryAfterMs)
			: words({ ...STORAGE_BUSY, failure: { cause: 'rate-limited', retryAfterMs } });
	}
	if (call.peer === 'storage') return words(storageProblem(client, call, status));
	if (hasSuccessStatus(response)) {
		return words({
			message: 'The response of the service is incomplete or not in the expected form',
			advice: response.text
				? 'It should be JSON, but cannot be read as JSON.'
				: 'It should be JSON, but it is empty.',
		});
	}
	if (status >= 500) {
		return words({
			message: 'The service could not handle the request',
			advice: 'This is usually temporary. Try again later.',
			failure: status === 503 ? { cause: 'temporarily-unavailable' } : undefined,
		});
	}
	const { message, advice, failure } = STATUSES[status] ?? NOT_ACCEPTED;
	const file = call.fileName === undefined ? undefined : nameInMessage(call.fileName);
	const general = (advice ?? defaultAdvice)(client, call);
	const specific = detailAdvice(client, call, response);
	return words({
		message: typeof message === 'string' ? message : message(file),
		advice: sentences(general, specific),
		failure,
	});
}

const NOT_ACCEPTED: (typeof STATUSES)[number] = {
	message: (file) => `The service did not accept ${file ?? 'the request'}`,
};

function defaultAdvice(client: Client, call: CallContext): string {
	if (!call.isUpload) return 'Check the fields of this node.';
	return areDetailsWorking(client, call) ? '' : 'Check the file and the fields of this node.';
}

/** Statuses that a call which was made wrongly meets, too. */
const PERHAPS_MADE_WRONGLY = new Set([400, 404, 405, 415, 422]);

/** Names the API Details that the call was made from, unless a call made from them has succeeded. */
function detailAdvice(client: Client, call: CallContext, response: HttpResponse): string {
	if (!PERHAPS_MADE_WRONGLY.has(response.statusCode) || call.madeFrom.length === 0) return '';
	if (areDetailsWorking(client, call)) {
		return call.isUpload
			? 'Other files were uploaded in this run, so the reason is probably this file, or a limit of your account such as a quota.'
			: '';
	}
	const [missing] = call.isUpload ? missingFormFields(response) : [];
	if (missing !== undefined) {
		return `The service expects the form field '${redact(missing)}'. If that is the field for the file, enter this name in the API Detail '${API_DETAILS.uploadFileField.label}' of the credential.`;
	}
	// An endpoint that takes files as the interface shows it is there, whatever the form.
	if (call.isUpload && response.statusCode === 404) return '';
	const labels = call.madeFrom.map((detail) => `'${API_DETAILS[detail].label}'`).join(' and ');
	const details = `API Detail${call.madeFrom.length > 1 ? 's' : ''} ${labels}`;
	return response.statusCode === 422
		? `Correct the fields of this node or, in the credential, the ${details}.`
		: `Also check in the credential the ${details}.`;
}

function mayBeMadeWrongly(client: Client, call: CallContext): boolean {
	return call.madeFrom.length > 0 && !areDetailsWorking(client, call);
}

function areDetailsWorking({ run }: Client, { madeFrom }: CallContext): boolean {
	return madeFrom.length > 0 && madeFrom.every((detail) => run.workingDetails.has(detail));
}

function redirected({ peer }: CallContext, response: HttpResponse): Words {
	const target = redact(header(response, 'location') ?? '') || 'not given';
	return {
		message: `The ${peer} redirects the request to another address (${response.statusCode})`,
		description:
			peer === 'service'
				? `The node does not follow redirects, so that the API key is sent to the credential's 'Base URL' only. The new address is ${target}. Check 'Base URL' and the endpoints in the API Details.`
				: 'The node does not follow redirects. Ask your account team for URLs that do not redirect.',
	};
}

function webPage(
	{ credential }: Client,
	{ peer, isUpload }: CallContext,
	response: HttpResponse,
	retryAfterMs: number | undefined,
): Words {
	const { statusCode: status, text } = response;
	const title = /<title(?:\s[^<>]*)?>([^<]*)/i.exec(text.slice(0, 20_000))?.[1];
	const wayOut =
		status === 413 && isUpload && peer === 'service'
			? "The file is probably larger than it lets through. Set 'Upload Method' to Signed URL: the file then goes straight to storage."
			: '';
	const orElse = peer === 'service' ? ", or from a wrong 'Base URL' in the credential" : '';
	return {
		message: `A web page came back instead of a response from the ${peer} (${status})`,
		description: sentences(
			title && `Its title is “${redact(title, credential.apiKey)}”.`,
			`It usually comes from a proxy or firewall between n8n and the ${peer}${orElse}.`,
			wayOut,
		),
		failure: status === 429 ? { cause: 'rate-limited', retryAfterMs } : undefined,
	};
}

/** The words for a rate limit that is still exceeded after all retries, or asks for too long a pause. */
export function tooManyRequests(said: string, retryAfterMs = 0): Words {
	const waited =
		retryAfterMs > LONGEST_RETRY_AFTER_MS
			? `It asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes, longer than the node waits. Run this again after that.`
			: 'The node waited and tried again, but the limit was still exceeded. Run this again later.';
	return {
		message: 'The service received too many requests (429)',
		description: sentences(
			said,
			waited,
			'If it happens often, run fewer workflows with this API key at the same time, or ask your account team for a higher limit.',
		),
		failure: { cause: 'rate-limited', retryAfterMs: retryAfterMs || undefined },
	};
}

const STORAGE_BUSY: Problem = {
	message: 'The storage could not handle the request',
	advice: 'This is usually temporary. Try again later.',
};

function storageProblem({ credential }: Client, call: CallContext, status: number): Problem {
	if (status < 300) {
		return {
			message: 'The response of the storage is not a file',
			advice: 'Check which field of the response holds the URL of the file.',
		};
	}
	if (status === 408 || (status >= 500 && status !== 501)) return STORAGE_BUSY;
	// Azure says 400 where a header is missing; S3 says 403, as the signature covers the header.
	const mayLackHeaders =
		call.isUpload &&
		(status === 400 || status === 403) &&
		!hasDetail(credential, 'uploadHeadersField');
	return {
		message: 'The storage refused the signed URL',
		advice: sentences(
			'It may have expired or been used already, or it was made for a file of another type or size.',
			mayLackHeaders
				? `Or the upload needs headers that the service names with the URL: see the API Detail '${API_DETAILS.uploadHeadersField.label}' of the credential.`
				: '',
		),
	};
}
