/** The operations of an OpenAPI document, and the parts of what they take and return. */
import { API_PREFIX } from '../account/credential';
import { isObject, ownValue, type JsonObject } from '../account/fields';
import { SHOWN_CALLS } from '../account/parse';

/** A value in a form or a response. */
export interface Part {
	/** Of a property; `[0]` for the entry of a list, empty for the whole. */
	name: string;
	/** From the top, e.g. `data.files[0].id`; undefined where a name on the way fits in no path. */
	path: string | undefined;
	/** All that may hold for it: `$ref`, `allOf`, `anyOf` and `oneOf` are resolved. */
	schemas: JsonObject[];
	parts: Map<string, Part>;
}

export interface ApiOperation {
	method: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	/** As API Details write it, e.g. `GET /workflows/{workflow_id}/status`. */
	endpoint: string;
	/** The fields of its multipart form. */
	form: Part[];
	/** All parts of its successful (2xx) responses, the nearest to the top first. */
	response: Part[];
}

export interface Reference {
	operations: ApiOperation[];
	/** Whether the document is larger than what is read of it, so that it may say more. */
	isCutShort: boolean;
}

/** Schemas, properties and other entries that are read. Real documents have up to 45 per kB. */
const MOST_STEPS = 200_000;
/** References, compositions and properties on the way to a part. */
const DEEPEST = 20;
/** In characters. Nobody enters a longer one. */
const LONGEST_NAME = 200;
const LONGEST_ADDRESS = 2000;
const MOST_VALUES = 100;

/** The methods that an API Detail can name. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH'];

export function referenceFrom(document: JsonObject): Reference {
	const walker = new Walker(document);
	const server = serverPath(document);
	const described = walker.members(document, 'paths').flatMap(([written, entry]) => {
		if (!written.startsWith('/') || written.length > LONGEST_ADDRESS) return [];
		const path = relativePath(written, server);
		const shape = path.replace(/^\/|\/$/g, '').replace(/\{[^{}/]*\}/g, '{}');
		const pathItem = walker.resolved(entry);
		return METHODS.flatMap((method) => {
			const own = ownValue(pathItem, method.toLowerCase());
			return isObject(own) ? [{ own, method, path, call: `${method} ${shape}` }] : [];
		});
	});
	// What the interface shows is read first, lest others use up the steps.
	const isShown = ({ call }: { call: string }) => Number(SHOWN_CALLS.has(call));
	const operations = described
		.sort((one, other) => isShown(other) - isShown(one))
		.map(({ own, method, path, call }) => {
			const responses = walker
				.members(own, 'responses')
				.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
				.flatMap(([, response]) => walker.schemasIn(response, /json|^\*\/\*$/i));
			const form = walker.schemasIn(own.requestBody, /^multipart\/form-data/i);
			return {
				method,
				call,
				endpoint: `${method} ${path}`,
				form: [...walker.whole(form).parts.values()],
				response: partsBelow(walker.whole(responses)),
			};
		});
	return { operations, isCutShort: walker.stepsLeft <= 0 };
}

/** Walks a document down to a certain depth and within a number of steps, however it refers to itself. */
class Walker {
	stepsLeft = MOST_STEPS;

	constructor(private readonly root: JsonObject) {}

	/** The objects in an object or a list, with their keys. */
	members(parent: unknown, key: string): Array<[key: string, value: JsonObject]> {
		const value = ownValue(parent, key);
		if (value === null || typeof value !== 'object' || this.stepsLeft <= 0) return [];
		const entries = Object.entries(value);
		this.stepsLeft -= entries.length;
		return entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
	}

	/** An object, or what it refers to; undefined where its reference leads nowhere. */
	resolved(value: unknown): JsonObject | undefined {
		let current = value;
		for (let depth = 0; depth < DEEPEST && isObject(current); depth++) {
			if (!Object.hasOwn(current, '$ref')) return current;
			current = objectAt(this.root, current.$ref);
		}
		return undefined;
	}

	/** The schemas of a body or response by media type. */
	schemasIn(value: unknown, mediaTypes: RegExp): JsonObject[] {
		return this.members(this.resolved(value), 'content')
			.filter(([mediaType]) => mediaTypes.test(mediaType))
			.map(([, described]) => ownValue(described, 'schema'))
			.filter(isObject);
	}

	/** What may stand where one of these schemas holds. */
	whole(schemas: JsonObject[]): Part {
		const whole: Part = { name: '', path: '', schemas: [], parts: new Map() };
		for (const schema of schemas) this.enter(schema, whole, []);
		return whole;
	}

	/** Adds to a part what one of its schemas says. None is entered within itself. */
	private enter(schema: JsonObject, part: Part, around: JsonObject[]) {
		if (this.stepsLeft-- <= 0 || around.length > DEEPEST || around.includes(schema)) return;
		part.schemas.push(schema);
		const inner = [...around, schema];
		const target = objectAt(this.root, schema.$ref);
		if (target) this.enter(target, part, inner);
		for (const key of ['allOf', 'anyOf', 'oneOf']) {
			for (const [, other] of this.members(schema, key)) this.enter(other, part, inner);
		}
		for (const [name, property] of this.members(schema, 'properties')) {
			if (name.length <= LONGEST_NAME) this.enter(property, partOf(part, name), inner);
		}
		if (isObject(schema.items)) this.enter(schema.items, partOf(part, '[0]'), inner);
	}
}

/** A part's own part of this name, which is made where it is not there yet. */
function partOf(outer: Part, name: string): Part {
	const known = outer.parts.get(name);
	if (known) return known;
	const isNameable = outer.path !== undefined && (name === '[0]' || !/[.[\]\s]/.test(name));
	const path = isNameable ? `${outer.path}.${name}`.replace('.[0]', '[0]') : undefined;
	const part: Part = { name, path: path?.replace(/^\./, ''), schemas: [], parts: new Map() };
	outer.parts.set(name, part);
	return part;
}

/** All parts below one, the nearest to the top first. */
function partsBelow(whole: Part): Part[] {
	const below = [...whole.parts.values()];
	for (const { parts } of below) {
		for (const inner of parts.values()) below.push(inner);
	}
	return below;
}

/** Whether a part may be of one of these types; one without types may be anything. */
export function allows({ schemas }: Part, ...wanted: string[]): boolean {
	const types = schemas
		.flatMap(({ type, properties, items }): unknown[] => [
			...(Array.isArray(type) ? (type.slice(0, MOST_VALUES) as unknown[]) : [type]),
			...(isObject(properties) ? ['object'] : []),
			...(items === undefined ? [] : ['array']),
		])
		.filter((type) => typeof type === 'string' && type !== 'null');
	return types.length === 0 || types.some((type) => wanted.some((one) => one === type));
}

/** The values that a part may have, where they are listed. */
export function valuesOf({ schemas }: Part): string[] {
	const listed = schemas.flatMap(({ enum: values, const: only }) =>
		Array.isArray(values) ? (values.slice(0, MOST_VALUES) as unknown[]) : [only],
	);
	return listed.flatMap((value) =>
		['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : [],
	);
}

/** Whether a field is a file, or a list of them. */
export function isFile({ schemas, parts }: Part): boolean {
	return [...schemas, ...(parts.get('[0]')?.schemas ?? [])].some((schema) => {
		const { format, contentMediaType, contentEncoding } = schema;
		if (format === 'binary' || contentEncoding === 'binary') return true;
		// A text that holds JSON, or a file in base64, is still a text.
		const isText = typeof contentMediaType !== 'string' || /json/i.test(contentMediaType);
		return contentEncoding === undefined && !isText;
	});
}

/**
 * A path relative to /api/v1, which may stand in the path, in the server's path, across both, or nowhere;
 * that of another version is not the interface's. The workflow's parameter, after `workflows` or named so,
 * is {workflow_id}.
 */
function relativePath(written: string, server: string): string {
	// One slash before each segment; the last one is the operation's own.
	const [path, whole] = [written, `${server}/${written}`].map((one) => one.replace(/\/+/g, '/'));
	const start = whole.lastIndexOf(`${API_PREFIX}/`);
	const isOther = start < 0 && /\/v\d[^/]*\/?$/i.test(server);
	return (start < 0 ? (isOther ? whole : path) : whole.slice(start + API_PREFIX.length))
		.replace(/(?<=\/workflows?\/)\{[^{}/]*\}/i, '{workflow_id}')
		.replace(/\{(?:workflow|wf)[_-]?(?:uu?)?id\}/i, '{workflow_id}');
}

/** The path of the first server, which precedes all paths. */
function serverPath({ servers }: JsonObject): string {
	const url = ownValue(ownValue(servers, '0'), 'url');
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return '';
	// It may be relative, to a host that does not matter.
	const host = 'https://relative.invalid';
	return URL.canParse(url, host) ? new URL(url, host).pathname : '';
}

/** @param ref a JSON pointer as a URI fragment, e.g. `#/components/schemas/File` */
function objectAt(root: JsonObject, ref: unknown): JsonObject | undefined {
	if (typeof ref !== 'string' || ref.length > LONGEST_ADDRESS || !/^#(?:\/|$)/.test(ref))
		return undefined;
	try {
		const target = ref
			.split('/')
			.slice(1)
			.map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
			.reduce<unknown>(ownValue, root);
		return isObject(target) ? target : undefined;
	} catch {
		// Not a URI fragment.
		return undefined;
	}
}
