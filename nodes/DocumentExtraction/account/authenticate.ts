/** The only place that attaches the API key, and the checks before it does. */
import { UserError } from 'n8n-workflow';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { accountOf, type Use } from './account';
import {
	API_PREFIX,
	bearerKey,
	checkedWorkflowId,
	serviceAddress,
	withoutTrailingSlashes,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from './credential';

/** A request of either of n8n's HTTP clients; the older one has additional options. */
export type OutgoingRequest = IHttpRequestOptions & {
	uri?: string;
	rejectUnauthorized?: boolean;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
};

/** No redirects, in the options of both clients: a redirect to a subdomain would take the key along. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

/** Options that change which server is contacted, or who can read the request. */
const OWN_CONNECTION = new Set(['agent', 'agentOptions', 'ca', 'httpAgent', 'httpsAgent']);

/**
 * A request with the key attached.
 * @throws UserError, before anything is sent, where the key could reach anyone but the service
 */
export function authenticated(
	credential: DocumentExtractionCredential,
	request: OutgoingRequest,
): OutgoingRequest {
	const key = bearerKey(credential);
	const address = serviceAddress(credential);
	const headers = Object.entries(request.headers ?? {});
	assertPlain(request, headers);
	// Only the credential's test uses Base URL exactly as it is in the credential.
	const isTest = request.baseURL !== undefined && request.baseURL === credential.baseUrl;
	if (isTest) assertUsable(credential);
	const outgoing = isTest ? { ...request, baseURL: `${address}${API_PREFIX}` } : request;
	assertOrigin(new URL(address).origin, outgoing);
	return {
		...outgoing,
		...NO_REDIRECTS,
		headers: {
			...Object.fromEntries(headers.filter(([name]) => nameOf(name) !== 'authorization')),
			Authorization: `Bearer ${key}`,
		},
	};
}

const nameOf = (header: string) => header.trim().toLowerCase();

const refused = (what: string, why: string) =>
	new UserError(`${what}, and this credential refuses that: ${why}. The request was not sent`);

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

function assertPlain(request: OutgoingRequest, headers: Array<[string, unknown]>) {
	if (!METHODS.includes(String(request.method ?? 'GET').toUpperCase())) {
		throw refused(
			`The request has the method ${request.method}`,
			'a server may send the API key back in its response to this method',
		);
	}
	const isNested = ([, value]: [string, unknown]) => value !== null && typeof value === 'object';
	if (headers.some((header) => isNested(header) && !Array.isArray(header[1]))) {
		throw refused(
			'A header of the request is an object',
			"n8n's HTTP client turns it into other headers. Enter its value as text",
		);
	}
	if (headers.some(([name]) => nameOf(name) === 'host')) {
		throw refused(
			"The request has a 'Host' header",
			'it could send the API key to another service at the same address. Remove the header',
		);
	}
	if (request.skipSslCertificateValidation || request.rejectUnauthorized === false) {
		throw refused(
			'The request does not check certificates (Ignore SSL Issues)',
			'anyone between n8n and the service could read the API key. If the certificate is your own, add its certificate authority to n8n with NODE_EXTRA_CA_CERTS instead',
		);
	}
	if (request.proxy) {
		throw refused(
			'The request uses its own proxy',
			'the API key could reach somebody else. Use the proxy that n8n itself is configured with (HTTPS_PROXY)',
		);
	}
	if (Object.entries(request).some(([name, value]) => OWN_CONNECTION.has(name) && value)) {
		throw refused(
			'The request has its own certificates or connection settings',
			'they could expose the API key. If the certificate is your own, add its certificate authority to n8n with NODE_EXTRA_CA_CERTS instead',
		);
	}
}

/** Checks all of the credential: n8n shows the message of an error that is thrown here. */
function assertUsable(credential: DocumentExtractionCredential) {
	checkedWorkflowId(credential.workflowId, `The credential's '${WORKFLOW_ID_LABEL}'`);
	const { details, rows } = accountOf(credential);
	for (const use of [...Object.values<Use<unknown>>(details), rows]) {
		if ('wrong' in use) throw new UserError(`${use.error.message}. ${use.error.description}`);
	}
}

/** The key must not reach storage, a redirect's target or a host named in an HTTP Request node. */
function assertOrigin(origin: string, { url, uri, baseURL }: OutgoingRequest) {
	const targets = [url, uri].filter((target) => target !== undefined);
	const addresses = (targets.length > 0 ? targets : ['']).flatMap((target) =>
		addressesOf(String(target), baseURL),
	);
	if (addresses.some((address) => !isOf(origin, address))) {
		throw new UserError(
			`This credential only works for ${origin}, the address in its 'Base URL'. The request was not sent`,
		);
	}
}

/** The target's addresses, as axios resolves them for the request and n8n for its agents and checks. */
function addressesOf(target: string, baseURL: string | undefined): string[] {
	if (!baseURL) return [target];
	const isAbsolute = /^([a-z][a-z\d+.-]*:)?\/\//i.test(target);
	const path = target.replace(/^\/+/, '');
	const forRequest = target ? `${withoutTrailingSlashes(baseURL)}/${path}` : baseURL;
	const forAgents = URL.canParse(target, baseURL) ? new URL(target, baseURL).href : '';
	return [isAbsolute ? target : forRequest, forAgents];
}

function isOf(origin: string, address: string): boolean {
	if (!URL.canParse(address)) return false;
	const url = new URL(address);
	return url.origin === origin && !url.username && !url.password;
}
