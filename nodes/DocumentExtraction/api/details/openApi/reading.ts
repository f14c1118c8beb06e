/** Reads the account's OpenAPI document: pasted, from an expression, or from its address at the service. */
import { UserError } from 'n8n-workflow';

import { settled } from '../../../http/concurrency';
import { redact } from '../../../http/redact';
import {
	hasSuccessStatus,
	header,
	headOf,
	readResponse,
	ResponseTooLargeError,
	type HttpResponse,
} from '../../../http/response';
import { withNote } from '../../callError';
import type { Client } from '../../client';
import { getWithoutKey, type ReadResponse } from '../../service';
import { isObject, ownValue, type JsonObject } from '../fields';
import { unquoted } from '../parse';
import type { OpenApiDocument } from './reference';

/** In characters of JSON, or in bytes of a response. */
const LARGEST_DOCUMENT = 5 * 1024 * 1024;
/** In characters; a longer text is a document. */
const LONGEST_ADDRESS = 2000;

const HOW_TO_GET_IT =
	"Enter the account's OpenAPI document as JSON, often found as openapi.json or swagger.json beside the API reference.";
const CHECK_BASE_URL =
	"The node read it from the host of 'Base URL' in the credential: check that this is your service's.";
const PASTE_IT = 'Open the address in a browser and paste the JSON that it shows instead.';

/**
 * The OpenAPI document that the user entered: JSON text, an object, or an address, which is fetched
 * without the key.
 * @returns undefined where the field is empty
 * @throws UserError if it is not an OpenAPI document, or its address is not on Base URL's origin
 */
export async function openApiFrom(
	client: Client,
	given: unknown,
): Promise<OpenApiDocument | undefined> {
	const input = typeof given === 'string' ? withoutFence(given) : given;
	if (input === '' || input === undefined || input === null) return undefined;
	if (!isAddress(input)) return readOpenApi(input);
	const document = await fetched(client, input);
	try {
		return readOpenApi(document);
	} catch (error) {
		const isOpenApi = /YAML|version/.test((error as Error).message);
		throw isOpenApi ? error : withNote(error as Error, CHECK_BASE_URL);
	}
}

/** A text without the quotation marks around an address, or the backticks around a block of code. */
function withoutFence(text: string): string {
	const [, block] = /^```\w*\n([^]*)\n```$/.exec(text.trim()) ?? [];
	return block === undefined ? unquoted(text) : block.trim();
}

/**
 * Reads an OpenAPI document.
 * @param input JSON text, or the object that it stands for
 * @throws UserError that says what the input is instead of an OpenAPI 3 or Swagger 2.0 document
 */
export function readOpenApi(input: unknown): OpenApiDocument {
	const root = parsed(textOf(input ?? ''));
	if (!isObject(root)) {
		throw refusal('This is not an OpenAPI document: it is JSON, but not an object');
	}
	return { root, version: versionOf(root) };
}

function refusal(message: string, description = HOW_TO_GET_IT): UserError {
	return new UserError(message, { description });
}

function tooLarge(): UserError {
	return refusal(
		'The OpenAPI document is too large',
		'The node reads at most 5 MB. Remove what is not about workflows and their documents, and try again.',
	);
}

function textOf(input: unknown): string {
	if (typeof input === 'string') return input;
	try {
		return JSON.stringify(input);
	} catch {
		// It contains itself, or is nested too deep.
		throw tooLarge();
	}
}

function parsed(json: string): unknown {
	if (json.length > LARGEST_DOCUMENT) throw tooLarge();
	const text = json.replace(/^\uFEFF/, '').trim();
	if (text === '') throw refusal('The OpenAPI document is empty');
	if (text.startsWith('<')) {
		throw refusal(
			'This is a web page or XML, not an OpenAPI document',
			`It may be the page that shows the API reference, or a sign-in page. ${HOW_TO_GET_IT}`,
		);
	}
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		if (/^(?:openapi|swagger)[ \t]*:/m.test(text)) {
			throw refusal(
				'This OpenAPI document is YAML, but the node reads only JSON',
				'Most API references offer both: look for openapi.json beside openapi.yaml. Or convert it: open editor.swagger.io, paste the YAML, choose File › Convert and save as JSON, and paste what is in that file.',
			);
		}
		if (!/^[[{]/.test(text)) {
			throw refusal(
				'This is not an OpenAPI document: it is not JSON',
				`${/\s/.test(text) ? '' : 'If it is an address, start it with https:// or /. '}${HOW_TO_GET_IT}`,
			);
		}
		const said = String((error as Error).message).slice(0, 200);
		throw refusal(
			'The OpenAPI document is not valid JSON',
			/after JSON/.test(said)
				? 'More text follows after its end. Paste the document once, and nothing else.'
				: `It may have been cut off when it was copied. ${said}`,
		);
	}
}

function versionOf(root: JsonObject): OpenApiDocument['version'] {
	const name = ['openapi', 'swagger'].find((key) => ownValue(root, key));
	if (!name) {
		throw refusal(
			"This is JSON, but not an OpenAPI document: it has neither 'openapi' nor 'swagger' at the top",
		);
	}
	const value = ownValue(root, name);
	const isText = typeof value === 'string' || typeof value === 'number';
	const version = isText ? String(value).slice(0, 40) : typeof value;
	if (name === 'swagger' && /^2(?:\.0)?$/.test(version)) return '2.0';
	if (name === 'openapi' && /^3\.\d/.test(version)) {
		return /^3\.0(?:\D|$)/.test(version) ? '3.0' : '3.1';
	}
	throw refusal(
		`OpenAPI version '${version}' is not supported`,
		'The node reads OpenAPI 3.0, OpenAPI 3.1 and Swagger 2.0.',
	);
}

/**
 * Whether the input is a URL, or a path at the service, with or without a slash before it. What begins
 * with a host is neither.
 */
function isAddress(input: unknown): input is string {
	if (typeof input !== 'string' || input.length > LONGEST_ADDRESS) return false;
	const isRelative = /^(?:[\w~-]+\/)*[\w.~-]+\.(?:json|ya?ml)$/i.test(input);
	return isRelative || /^(?:https?:\/\/|\/)\S*$/i.test(input);
}

async function fetched(client: Client, address: string): Promise<string> {
	const url = ownAddress(client, address);
	const read: ReadResponse<string | UserError> = async (incoming, transfer) => {
		const reading = await settled(readResponse(incoming, transfer, LARGEST_DOCUMENT));
		if (reading.error instanceof ResponseTooLargeError) {
			return { response: headOf(incoming), success: { value: tooLarge() } };
		}
		if (reading.error) throw reading.error;
		const response = reading.value;
		const isTransient = response.statusCode >= 500 || [408, 429].includes(response.statusCode);
		return isTransient ? { response } : { response, success: { value: bodyOf(response, url) } };
	};
	const document = await getWithoutKey(client, 'service', url, read);
	if (typeof document !== 'string') throw document;
	return document;
}

/** @throws UserError if the address is not the service's own: a document there could be anybody's */
function ownAddress(client: Client, address: string): string {
	const { origin } = new URL(client.address);
	const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
	if (url?.origin !== origin) {
		throw new UserError(`The address in 'OpenAPI Document' does not begin with ${origin}/`, {
			description: `Nothing was sent. The node reads documents only from the host of 'Base URL' in the credential. ${PASTE_IT}`,
		});
	}
	if (url.username || url.password) {
		throw new UserError("The address in 'OpenAPI Document' contains a user name or password", {
			description: `Nothing was sent. The node does not sign in there. ${PASTE_IT}`,
		});
	}
	return url.href;
}

/** The body of a response, or an error that fits a request without the key. */
function bodyOf(response: HttpResponse, address: string): string | UserError {
	if (hasSuccessStatus(response)) return response.text;
	const { statusCode: status } = response;
	if (status >= 300 && status < 400) {
		const target = redact(header(response, 'location') ?? '') || 'not given';
		return new UserError(`The address in 'OpenAPI Document' redirects to another one (${status})`, {
			description: `The node does not follow redirects. The new address is ${target}. ${PASTE_IT}`,
		});
	}
	if (status === 401 || status === 403) {
		return new UserError(`The OpenAPI document can be read only after signing in (${status})`, {
			description: `The node asks for it without the API key. ${PASTE_IT}`,
		});
	}
	return new UserError(`There is no OpenAPI document at this address (${status})`, {
		description: `The node asked for ${withoutQuery(address)}, on the host of 'Base URL' in the credential: check that this is your service's. Then look in the account's API reference for a link to openapi.json or swagger.json, and enter its address or paste its JSON.`,
	});
}

/** An address as messages show it: what follows the path may be secret. */
function withoutQuery(address: string): string {
	const { origin, pathname } = new URL(address);
	return origin + pathname;
}
