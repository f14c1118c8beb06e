import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

export const CREDENTIAL_TYPE = 'documentExtractionApi';

/** Every path of the interface is relative to this prefix (interface.md §9). */
export const API_PREFIX = '/api/v1';

/** The fields of the credential, as the user filled them in; an empty field is an empty string. */
export interface DocumentExtractionCredential extends ICredentialDataDecryptedObject {
	environment: 'test' | 'live';
	baseUrl: string;
	apiKey: string;
	workflowId: string;
	workflowEndpoint: string;
	uploadFileField: string;
	uploadUrlEndpoint: string;
	uploadUrlBody: string;
	uploadUrlField: string;
	confirmMethod: string;
	confirmBody: string;
	documentIdField: string;
	finishedStatuses: string;
}

const KEY_KIND = /_(test|live)_/;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The service's address without a trailing `/` or `/api/v1`, both of which users paste.
 * @throws UserError for an address that the key must not be sent to
 */
export function serviceAddress(baseUrl: unknown): string {
	const address = String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, '')
		.replace(/\/api\/v1$/, '')
		.replace(/\/+$/, '');
	if (!address) throw new UserError("The credential's 'Base URL' is empty");
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
		throw new UserError(
			"The credential's 'Base URL' is not a plain address, e.g. https://api.example.com",
		);
	}
	if (url.protocol !== 'https:' && !LOOPBACK_HOST.test(url.hostname)) {
		throw new UserError(
			"The credential's 'Base URL' must start with https://, so that the API key never travels unencrypted",
		);
	}
	return address;
}

/** Whether a URL that an answer names may be used: encrypted, or on this very machine (§5.5). */
export function isSafeUrl(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, hostname } = new URL(text);
	return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname));
}

/**
 * The API key, ready for the Authorization header.
 * @throws UserError when it is empty, holds white space or belongs to the other environment
 * (interface.md §5: keys are recognized by `_test_` or `_live_` after their prefix)
 */
export function bearerKey(credential: ICredentialDataDecryptedObject): string {
	const key = String(credential.apiKey ?? '').trim();
	if (!key) throw new UserError("The credential's 'API Key' is empty");
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new UserError(
			"The credential's 'API Key' contains a space, a line break or a letter that no key has. Copy the key again",
		);
	}
	const kind = KEY_KIND.exec(key)?.[1];
	if (!kind) {
		throw new UserError(
			"The credential's 'API Key' is neither a test key (…_test_…) nor a live key (…_live_…). Copy the whole key from the API settings of your account",
		);
	}
	if (kind !== credential.environment) {
		throw new UserError(
			`The credential's 'API Key' is a ${kind} key, but its 'Environment' is ${credential.environment}. Choose the environment of the key, or use a key of that environment`,
		);
	}
	return key;
}

/**
 * Refuses a request to any other origin than the Base URL's, so that the key cannot reach storage,
 * a redirect's target or a host named in an HTTP Request node.
 */
export function assertServiceOrigin(baseUrl: unknown, target: string): void {
	const { origin } = new URL(serviceAddress(baseUrl));
	if (!URL.canParse(target) || new URL(target).origin !== origin) {
		throw new UserError(
			`This credential only works for ${origin}, the address in its 'Base URL'. The request was not sent`,
		);
	}
}
