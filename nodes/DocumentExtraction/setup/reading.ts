/** Gets the account's OpenAPI document: given by the user, or from the service, without the key. */
import { UserError } from 'n8n-workflow';

import type { Client } from '../service/client';
import { isObject, ownValue, type JsonObject } from '../account/fields';
import { unquoted } from '../account/parse';
import { getWithoutKey } from '../service/call';
import { settled } from '../http/concurrency';
import { hasSuccessStatus, headOf, readResponse, ResponseTooLargeError } from '../http/response';

/** In characters of JSON, or in bytes of a response. */
const LARGEST_DOCUMENT = 5 * 1024 * 1024;
/** In characters; a longer text is a document. */
const LONGEST_ADDRESS = 2000;

const HOW_TO_GET_IT =
	"Enter the address of the OpenAPI document, if it is on the host of 'Base URL', or paste it as JSON. The document is often called openapi.json. Or ask your account team for it.";
const PASTE_IT =
	"If your browser can show the document, copy the JSON from there and paste it into 'OpenAPI Document'. Or ask your account team for the document.";

/**
 * The OpenAPI document that the user gave: JSON text, an object, or its address on Base URL's origin.
 * Without any of these, the service's own `openapi.json`.
 * @returns undefined where nothing was given and the service has none
 * @throws UserError if what was given leads to no OpenAPI document
 */
export async function openApiFrom(client: Client, given: unknown): Promise<JsonObject | undefined> {
	const input = typeof given === 'string' ? unquoted(given) : (given ?? '');
	if (input === '') {
		const read = await settled(documentAt({ ...client, isLook: true }, '/openapi.json'));
		client.stop?.throwIfAborted();
		return read.error ? undefined : read.value;
	}
	return isAddress(input) ? await documentAt(client, input) : readOpenApi(input);
}

/** Whether the input is a URL, or a path at the service: one word that does not begin as JSON does. */
function isAddress(input: unknown): input is string {
	if (typeof input !== 'string' || input.length > LONGEST_ADDRESS) return false;
	return /^[^\s{[<]\S*$/.test(input);
}

async function documentAt(client: Client, address: string): Promise<JsonObject> {
	return readOpenApi(await textAt(client, ownAddress(client, address)));
}

/** @throws UserError if the address is not the service's own: a document there could be anybody's */
function ownAddress(client: Client, address: string): string {
	const { origin } = new URL(client.account.address);
	const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
	if (url?.origin === origin && !url.username && !url.password) return url.href;
	throw new UserError(`The address in 'OpenAPI Document' does not begin with ${origin}/`, {
		description: `Nothing was sent. The node reads the document only from the host and port of 'Base URL' in the credential, and the address must contain no user name and no password. ${PASTE_IT}`,
	});
}

async function textAt(client: Client, url: string): Promise<string> {
	const text = await getWithoutKey<string | UserError>(
		client,
		'service',
		url,
		async (incoming, transfer) => {
			const reading = await settled(readResponse(incoming, transfer, LARGEST_DOCUMENT));
			if (reading.error instanceof ResponseTooLargeError) {
				return { response: headOf(incoming), success: { value: tooLarge() } };
			}
			if (reading.error) throw reading.error;
			const response = reading.value;
			const { statusCode: status } = response;
			if (status >= 500 || status === 408 || status === 429) return { response };
			const value = hasSuccessStatus(response) ? response.text : notThere(status, url);
			return { response, success: { value } };
		},
	);
	if (typeof text !== 'string') throw text;
	return text;
}

/** The error about a request that was made without the key. */
function notThere(status: number, address: string): UserError {
	// What follows the path may be secret.
	const { origin, pathname } = new URL(address);
	return new UserError(`No OpenAPI document could be read at this address (${status})`, {
		description: `The node asked for ${origin}${pathname} without the API key. It follows no redirects. Check that 'Base URL' in the credential is your service's address. ${PASTE_IT} You can also clear 'OpenAPI Document': Check Setup then looks for openapi.json at the service, and continues without it if there is none.`,
	});
}

/**
 * Reads an OpenAPI document.
 * @param input JSON text, or the object that it stands for
 * @throws UserError that says what the input is instead of an OpenAPI 3 document
 */
export function readOpenApi(input: unknown): JsonObject {
	const root = typeof input === 'string' ? parsed(input) : input;
	const version = ownValue(root, 'openapi');
	if (isObject(root) && typeof version === 'string' && /^3\.\d/.test(version)) return root;
	throw refusal(
		isObject(root) && Object.hasOwn(root, 'swagger')
			? 'This OpenAPI document is of version 2.0 (Swagger), but the node reads only version 3'
			: "This is JSON, but not an OpenAPI document: at the top level, it has no 'openapi' with version 3",
	);
}

function refusal(message: string, description = HOW_TO_GET_IT): UserError {
	return new UserError(message, { description });
}

function tooLarge(): UserError {
	return refusal(
		'The OpenAPI document is too large',
		'The node reads at most 5 MB. Save the document, remove what is not about workflows and their documents, and paste the rest. Or ask your account team for a shorter one.',
	);
}

function parsed(json: string): unknown {
	if (json.length > LARGEST_DOCUMENT) throw tooLarge();
	const text = json.replace(/^\uFEFF/, '').trim();
	if (text.startsWith('<')) {
		throw refusal(
			'This is a web page or XML, not an OpenAPI document',
			`It may be a sign-in page, or a page of the API reference: look there for the address of the OpenAPI document itself. Check that 'Base URL' is your service's address. ${HOW_TO_GET_IT}`,
		);
	}
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		if (/^openapi[ \t]*:/m.test(text)) {
			throw refusal(
				'This OpenAPI document is YAML, but the node reads only JSON',
				"Most API references offer both formats: look for openapi.json beside openapi.yaml. Or convert it: open editor.swagger.io, paste the YAML, choose File › Convert and save as JSON, and paste the content of that file into 'OpenAPI Document'.",
			);
		}
		throw refusal(
			'This is not an OpenAPI document: it is not valid JSON',
			`If you pasted it, it may have been cut off: copy it again. If you entered an address, it leads to something else. The exact problem: ${String((error as Error).message).slice(0, 200)}`,
		);
	}
}
