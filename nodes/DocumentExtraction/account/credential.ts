/**
 * The fields of the credential that are not API Details: read, cleaned and checked; and the only place that
 * attaches the API key, with the checks before it does.
 */
import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

export const CREDENTIAL_TYPE = 'documentExtractionApi';

/** Every path of the interface is relative to this prefix (interface.md §9). */
export const API_PREFIX = '/api/v1';

/** The service's `workflow_id`, by a name that tells it from the ID of a workflow in n8n. */
export const WORKFLOW_ID_LABEL = 'Service Workflow ID';

/** The credential as the user filled it in. */
export interface DocumentExtractionCredential extends ICredentialDataDecryptedObject {
	environment: 'test' | 'live';
	baseUrl: string;
	apiKey: string;
	workflowId: string;
	/** A line `Label: value` for each API Detail. */
	apiDetails: string;
}

const KEY_KIND = /_(test|live)_/;
const IN_QUOTATION_MARKS = /^["'].*["']$/;
/** Hosts that certainly are this machine: a request to them never leaves it. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Hosts that may be this machine, as URL normalizes them. */
const PERHAPS_THIS_MACHINE =
	/(^|\.)localhost\.?$|^127(\.\d{1,3}){3}$|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:(7f|0:)/;

const withoutTrailingSlashes = (text: string) => text.replace(/(?<!\/)\/+$/, '');

/** Base URL without a trailing `/` or `/api/v1`, which users may paste too. */
function cleanBaseUrl(baseUrl: unknown): string {
	const address = withoutTrailingSlashes(String(baseUrl ?? '').trim());
	const isWhole = address.endsWith(API_PREFIX);
	return isWhole ? withoutTrailingSlashes(address.slice(0, -API_PREFIX.length)) : address;
}

/**
 * The service's address: Base URL, checked and cleaned.
 * @throws UserError for an address that the key must not be sent to
 */
export function serviceAddress(credential: ICredentialDataDecryptedObject): string {
	const address = cleanBaseUrl(credential.baseUrl);
	if (!address)
		throw new UserError(
			"The credential's 'Base URL' is empty. Your account team knows the address for your environment",
		);
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (!url || !/^https?:\/\/[^\s@?#\\]+$/i.test(address)) {
		throw new UserError(
			[
				"The credential's 'Base URL' must be an address such as https://api.example.com:",
				'it begins with https:// and contains no space, ?, # or @',
			].join(' '),
		);
	}
	if (url.protocol === 'https:') return address;
	if (LOOPBACK_HOST.test(url.hostname) && credential.environment !== 'live') return address;
	throw new UserError(
		[
			"The credential's 'Base URL' must begin with https://, so that the API key never travels unencrypted.",
			"An http:// address works only for localhost, with 'Environment' set to Test",
		].join(' '),
	);
}

/**
 * Why the node refuses a URL from a response, for an upload or a download; undefined if it accepts the URL:
 * one with https, or with http to this machine. One to this machine must be of Base URL's kind, too.
 * @param address the result of `serviceAddress`
 */
export function problemOfUrl(text: string, address: string): string | undefined {
	if (text === '') return 'no URL is there';
	if (!URL.canParse(text)) return 'it is not a whole address';
	const { protocol, hostname } = new URL(text);
	const isServiceHere = LOOPBACK_HOST.test(new URL(address).hostname);
	if (PERHAPS_THIS_MACHINE.test(hostname) && !isServiceHere) {
		return 'it leads to the machine that n8n itself runs on';
	}
	const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname));
	return isSafe ? undefined : 'it does not start with https://';
}

/**
 * The API key, ready for the Authorization header.
 * @throws UserError when it is empty, holds white space or belongs to the other environment
 * (interface.md §5: keys are recognized by `_test_` or `_live_` after their prefix)
 */
export function bearerKey(credential: ICredentialDataDecryptedObject): string {
	const key = String(credential.apiKey ?? '').trim();
	const { environment } = credential;
	const refusal = (...what: string[]) =>
		new UserError(`The credential's 'API Key' ${what.join(' ')}`);
	if (!key) {
		throw refusal(
			'is empty. Create a key in the API settings of your account at the extraction service',
		);
	}
	if (!/^[\x21-\x7e]+$/.test(key) || IN_QUOTATION_MARKS.test(key)) {
		throw refusal(
			'contains a space, a line break, a quotation mark or another character that no key has.',
			'Enter the key alone, without the word Bearer',
		);
	}
	const kind = KEY_KIND.exec(key)?.[1];
	if (!kind) {
		throw refusal(
			'is neither a test key (…_test_…) nor a live key (…_live_…).',
			'Copy the whole key from the API settings of your account at the extraction service',
		);
	}
	if (kind !== environment) {
		throw refusal(
			`is a ${kind} key, but its 'Environment' is ${environment}.`,
			`Set 'Environment' to ${kind}, or enter a ${environment} key`,
		);
	}
	return key;
}

/**
 * The workflow's ID at the service, from the credential or an operation's options.
 * @param field the field's name in the error about an ID that is not one
 * @throws UserError where it is empty or would change the path
 */
export function checkedWorkflowId(value: unknown, field: string): string {
	const workflowId = String(value || '').trim();
	if (!workflowId) {
		throw new UserError(
			[
				`The credential's '${WORKFLOW_ID_LABEL}' is empty.`,
				"Copy it from the workflow's page in your account at the extraction service",
			].join(' '),
		);
	}
	if (!isPathSegment(workflowId) || IN_QUOTATION_MARKS.test(workflowId)) {
		throw new UserError(
			[
				`${field} is not the ID of a workflow at the extraction service:`,
				'enter the ID alone, without quotation marks',
			].join(' '),
		);
	}
	return workflowId;
}

/** Whether an ID can be a segment of a path: dots would change it, half a character cannot be encoded. */
export function isPathSegment(id: string): boolean {
	return !/^\.{1,2}$|\p{Surrogate}/u.test(id);
}

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
	const outgoing = isTestOf(credential, request)
		? { ...request, baseURL: undefined, url: `${address}${API_PREFIX}${request.url}` }
		: request;
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

/** Whether a request is that of the credential's test: only there, Base URL is as it is in the credential. */
export function isTestOf({ baseUrl }: DocumentExtractionCredential, { baseURL }: OutgoingRequest) {
	return baseURL !== undefined && baseURL === baseUrl;
}

const nameOf = (header: string) => header.trim().toLowerCase();

/** Refuses what an HTTP Request node may set that would show the key to somebody else. */
function assertPlain(request: OutgoingRequest, headers: Array<[string, unknown]>) {
	const { method, skipSslCertificateValidation, rejectUnauthorized, agentOptions } = request;
	const isUnchecked =
		skipSslCertificateValidation === true ||
		[rejectUnauthorized, agentOptions?.rejectUnauthorized].includes(false);
	const what =
		(headers.some(([name]) => nameOf(name) === 'host') && "has a 'Host' header") ||
		(isUnchecked && 'does not check certificates (Ignore SSL Issues)') ||
		(/^trace$/i.test(method ?? '') && 'has the method TRACE') ||
		(request.proxy && 'uses its own proxy');
	if (!what) return;
	throw new UserError(
		[
			`The request ${what}, and this credential refuses that:`,
			'the API key could reach somebody else. The request was not sent',
		].join(' '),
	);
}

/** The key must not reach storage, a redirect's target or a host named in an HTTP Request node. */
function assertOrigin(origin: string, { url, uri, baseURL }: OutgoingRequest) {
	const targets = [url, uri].filter((target) => target !== undefined);
	const isService = targets.length > 0 && targets.every((target) => isOf(origin, String(target)));
	if (isService && baseURL === undefined) return;
	throw new UserError(
		`This credential only works for ${origin}, the address in its 'Base URL'. The request was not sent`,
	);
}

function isOf(origin: string, address: string): boolean {
	if (!URL.canParse(address)) return false;
	const url = new URL(address);
	return url.origin === origin && !url.username && !url.password;
}

/** What several messages say to do. */
export const TO_TEAM = 'If that does not help, show this to your account team.';
export const COMPARE_BASE_URL =
	"Compare 'Base URL' in the credential with the address that your account team gave you.";
export const LESS_AT_A_TIME =
	"If this step has the field 'Return All', switch it off, and lower 'Limit'.";
