/** The account's API reference: an OpenAPI document, and the operations in it. */
import { UserError } from 'n8n-workflow';

import { LOOK_PATIENCE_MS, type Client } from '../service/client';
import { API_PREFIX } from '../account/credential';
import { isObject, ownValue, type JsonObject } from '../account/fields';
import { METHODS, unquoted } from '../account/parse';
import { getWithoutKey } from '../service/call';
import { redact, sentences } from '../http/redact';
import { settled } from '../http/concurrency';
import {
	hasSuccessStatus,
	headOf,
	parsedJson,
	readResponse,
	ResponseTooLargeError,
	type HttpResponse,
} from '../http/response';

/** In characters of JSON, or in bytes of a response. */
const LARGEST_DOCUMENT = 5 * 1024 * 1024;

const HOW_TO_GET_IT = sentences(
	"Enter the address of the OpenAPI document, often openapi.json, if it is on the host of 'Base URL'.",
	"Or paste the document into 'OpenAPI Document' as JSON. Or ask your account team for it.",
);

const refusal = (message: string, ...description: string[]) =>
	new UserError(message, { description: sentences(...description) });

const tooLarge = () =>
	refusal(
		'The OpenAPI document is too large',
		'The node reads at most 5 MB.',
		'Save the document, remove what is not about workflows and their documents, and paste the rest.',
	);

/**
 * The operations in an OpenAPI document: in JSON text, an object, or what has this address on Base URL's
 * origin. Without any of these, in the service's own `openapi.json`, which is read without the key.
 * @returns no operations where nothing was given and the service has none
 * @throws UserError if what was given leads to no OpenAPI document
 */
export async function referenceOf(client: Client, given: unknown): Promise<ApiOperation[]> {
	const input = typeof given === 'string' ? unquoted(given) : given;
	// One word that does not begin as JSON does.
	const isAddress = typeof input === 'string' && /^[^\s{[<]\S{0,2000}$/.test(input);
	if (input) return operationsIn(isAddress ? await textAt(client, input) : input);
	const hasty = { ...client, patienceMs: LOOK_PATIENCE_MS };
	const read = await settled(textAt(hasty, '/openapi.json').then(operationsIn));
	client.stop?.throwIfAborted();
	return read.value ?? [];
}

/** @throws UserError if the address is not the service's own: a document there could be anybody's */
async function textAt(client: Client, address: string): Promise<string> {
	const { origin } = new URL(client.account.address);
	const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
	if (url?.origin !== origin || url.username || url.password) {
		throw refusal(
			`The address in 'OpenAPI Document' does not begin with ${origin}/`,
			"Nothing was sent. The node reads the document only from the host and port of 'Base URL'.",
			HOW_TO_GET_IT,
		);
	}
	const response = await getWithoutKey<HttpResponse | undefined>(
		client,
		'service',
		url.href,
		async (incoming, transfer) => {
			const { error, value } = await settled(readResponse(incoming, transfer, LARGEST_DOCUMENT));
			if (error && !(error instanceof ResponseTooLargeError)) throw error;
			return { response: value ?? headOf(incoming), success: { value } };
		},
	);
	if (!response) throw tooLarge();
	if (hasSuccessStatus(response)) return response.text;
	throw refusal(
		`No OpenAPI document could be read at this address (${response.statusCode})`,
		// What follows the path may be secret.
		`The node asked for ${origin}${url.pathname} without the API key. It follows no redirects.`,
		HOW_TO_GET_IT,
	);
}

/** A value in a form or a response. */
export interface Part {
	/** The names on the way to it; `[0]` for the entry of a list. */
	steps: string[];
	/** The same from the top, e.g. `data.files[0].id`. */
	path: string;
	/** All that may hold for it: `$ref`, `allOf`, `anyOf` and `oneOf` are resolved. */
	schemas: JsonObject[];
}

export interface ApiOperation {
	method: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	/** As API Details write it, e.g. `GET /workflows/{workflow_id}/status`. */
	endpoint: string;
	/** All parts of its multipart form. */
	form: Part[];
	/** All parts of its successful (2xx) responses, the nearest to the top first. */
	response: Part[];
}

/** Schemas, properties and other entries that are read. Real documents have up to 45 per kB. */
const MOST_STEPS = 300_000;
/** References, compositions and properties on the way to a part. */
const DEEPEST = 20;

/**
 * @param input JSON text, or the object that it stands for
 * @throws UserError if it is no OpenAPI 3 document
 */
export function operationsIn(input: unknown): ApiOperation[] {
	const isText = typeof input === 'string';
	if (isText && input.length > LARGEST_DOCUMENT) throw tooLarge();
	const root = isText ? parsedJson(input.replace(/^\uFEFF/, '')) : input;
	const version = ownValue(root, 'openapi');
	if (!isObject(root) || typeof version !== 'string' || !version.startsWith('3.')) {
		const beginning = isObject(input) ? Object.keys(input).join(', ') : String(input);
		throw refusal(
			`This is not an OpenAPI 3 document as JSON. It begins with: ${redact(beginning.slice(0, 60))}`,
			'YAML, or Swagger 2.0, can be converted:',
			'paste it into editor.swagger.io, and save it as OpenAPI 3 in JSON.',
			HOW_TO_GET_IT,
		);
	}
	const walker = new Walker(root);
	// The path of the first server precedes all paths.
	const url = ownValue(ownValue(root.servers, '0'), 'url');
	const server = typeof url === 'string' ? url.replace(/^[a-z]+:\/\/[^/]*/i, '') : '';
	return walker.members(root, 'paths').flatMap(([written, entry]) => {
		const path = relativePath(written, server);
		const shape = path.replace(/^\/|\/$/g, '').replace(/\{[^{}/]*\}/g, '{}');
		return METHODS.flatMap((method) => {
			const own = ownValue(walker.resolved(entry), method.toLowerCase());
			if (!isObject(own)) return [];
			const successful = walker
				.members(own, 'responses')
				.flatMap(([status, response]) => (/^2(?:\d\d|XX)$/i.test(status) ? [response] : []));
			return {
				method,
				call: `${method} ${shape}`,
				endpoint: `${method} ${path}`,
				form: walker.partsOf([own.requestBody], /^multipart\/form-data/i),
				response: walker.partsOf(successful, /json|^\*\/\*$/i),
			};
		});
	});
}

/**
 * A path relative to /api/v1, which may stand in the path, in the server's path, across both, or nowhere.
 * The workflow's parameter, after `workflows` or named so, is {workflow_id}.
 */
function relativePath(written: string, server: string): string {
	const whole = `${server}/${written}`.replace(/\/+/g, '/');
	const start = whole.lastIndexOf(`${API_PREFIX}/`);
	return (start < 0 ? written : whole.slice(start + API_PREFIX.length)).replace(
		/(?<=\/workflows?\/)\{[^{}/]*\}|\{workflow[_-]?id\}/i,
		'{workflow_id}',
	);
}

/** Walks a document down to a certain depth and within a number of steps, however it refers to itself. */
class Walker {
	private stepsLeft = MOST_STEPS;

	constructor(private readonly root: JsonObject) {}

	/**
	 * The objects in an object or a list, with their keys.
	 * @throws UserError where the document has more than anybody would read
	 */
	members(parent: unknown, key: string): Array<[key: string, value: JsonObject]> {
		const entries = Object.entries(ownValue(parent, key) ?? {});
		this.stepsLeft -= 1 + entries.length;
		if (this.stepsLeft < 0) throw tooLarge();
		return entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
	}

	/** An object, or what its `$ref` leads to within the document; undefined where that is nothing. */
	resolved(value: unknown): JsonObject | undefined {
		let current = value;
		for (let depth = 0; depth < DEEPEST && isObject(current); depth++) {
			if (!Object.hasOwn(current, '$ref')) return current;
			const [start, ...steps] = String(current.$ref).split('/');
			const keys = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
			current = start === '#' ? keys.reduce<unknown>(ownValue, this.root) : undefined;
		}
		return undefined;
	}

	/** What may stand in some bodies or responses of these media types. */
	partsOf(values: unknown[], mediaTypes: RegExp): Part[] {
		const parts = new Map<string, Part>();
		for (const value of values) {
			for (const [mediaType, { schema }] of this.members(this.resolved(value), 'content')) {
				if (mediaTypes.test(mediaType)) this.enter(schema, [], parts, []);
			}
		}
		parts.delete('');
		return [...parts.values()].sort((one, other) => one.steps.length - other.steps.length);
	}

	/** Adds what a schema says of the part where these steps lead. None is entered within itself. */
	private enter(value: unknown, steps: string[], parts: Map<string, Part>, around: JsonObject[]) {
		const schema = this.resolved(value);
		if (!schema || around.length > DEEPEST || around.includes(schema)) return;
		const path = steps.join('.').replaceAll('.[0]', '[0]');
		const part = parts.get(path) ?? { steps, path, schemas: [] };
		part.schemas.push(schema);
		parts.set(path, part);
		const within = [...around, schema];
		for (const key of ['allOf', 'anyOf', 'oneOf']) {
			for (const [, other] of this.members(schema, key)) this.enter(other, steps, parts, within);
		}
		for (const [name, property] of this.members(schema, 'properties')) {
			this.enter(property, [...steps, name], parts, within);
		}
		this.enter(schema.items, [...steps, '[0]'], parts, within);
	}
}

/** Whether a part may be one of these types; one without types may be anything. */
export function allows({ schemas }: Part, ...wanted: string[]): boolean {
	const types = schemas.flatMap(({ type, properties, items }) => [
		...[type].flat(),
		...(properties ? ['object'] : []),
		...(items ? ['array'] : []),
	]);
	const named = types.filter((type) => typeof type === 'string' && type !== 'null');
	return named.length === 0 || named.some((type) => wanted.some((one) => one === type));
}

/** The values that a part may have, where they are listed. */
export function valuesOf({ schemas }: Part): string[] {
	return schemas
		.flatMap(({ enum: values, const: only }): unknown[] => [values ?? only].flat())
		.filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
		.map(String);
}

/** Whether a part is a file. A text that holds JSON, or a file in base64, is still a text. */
export function isFile({ schemas }: Part): boolean {
	return schemas.some(
		({ format, contentMediaType = 'json', contentEncoding }) =>
			format === 'binary' ||
			(contentEncoding === undefined && !/json/i.test(String(contentMediaType))),
	);
}
