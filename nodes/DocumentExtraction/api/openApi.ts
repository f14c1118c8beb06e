/** The account's OpenAPI document, as the user gives it: itself, or its address at the service. */
import { UserError } from 'n8n-workflow';

import { settled } from '../http/concurrency';
import { redact } from '../http/redact';
import {
	hasSuccessStatus,
	header,
	headOf,
	readResponse,
	ResponseTooLargeError,
	type HttpResponse,
} from '../http/response';
import type { Client } from './client';
import type { OpenApiDocument } from './details/openApi/document';
import { LARGEST_DOCUMENT, readOpenApi, tooLarge } from './details/openApi/reading';
import { getWithoutKey, type ReadResponse } from './service';

const PASTE_IT = 'Open the address in a browser and paste the JSON that it shows instead.';

/**
 * An OpenAPI document from what the user gave: JSON text, an object, or an address, which is fetched
 * without the key.
 * @returns undefined where nothing was given
 * @throws UserError where it is none, or its address is not on Base URL's origin
 */
export async function openApiFrom(
	client: Client,
	given: unknown,
): Promise<OpenApiDocument | undefined> {
	const input = typeof given === 'string' ? given.trim() : given;
	if (input === '' || input === undefined || input === null) return undefined;
	return readOpenApi(isAddress(input) ? await fetched(client, input) : input);
}

/** A whole address, or a path at the service. */
function isAddress(input: unknown): input is string {
	return typeof input === 'string' && /^(?:https?:\/\/|\/)\S{0,2000}$/i.test(input);
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
		return isTransient ? { response } : { response, success: { value: textOf(response) } };
	};
	const document = await getWithoutKey(client, 'service', url, read);
	if (typeof document !== 'string') throw document;
	return document;
}

/** @throws UserError where the node may not go: the document could be anybody's there */
function ownAddress(client: Client, address: string): string {
	const { origin } = new URL(client.address);
	const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
	if (url?.origin !== origin) {
		throw new UserError("The address in 'OpenAPI Document' is not on the origin of 'Base URL'", {
			description: `Nothing was sent. The node reads documents from ${origin} only. ${PASTE_IT}`,
		});
	}
	if (url.username || url.password) {
		throw new UserError("The address in 'OpenAPI Document' contains a user name or password", {
			description: `Nothing was sent. The node does not sign in there. ${PASTE_IT}`,
		});
	}
	return url.href;
}

/** The text of a document, or why there is none; none of the usual reasons: no key was sent. */
function textOf(response: HttpResponse): string | UserError {
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
		description:
			"Look in the account's API reference for a link to openapi.json or swagger.json, and enter its address or paste its JSON.",
	});
}
