/**
 * The account's API reference: its operations, and the parts of what they take and return. Each body is
 * walked level by level, down to a certain depth and within one budget, so that no document, however it
 * refers to itself, costs more than a moment.
 */
import { API_PREFIX } from '../account/credential';
import { isObject, ownValue, type JsonObject } from '../account/fields';
import { SHOWN_CALLS } from '../account/parse';

/** A value in a form or a response. */
export interface Part {
	/** Of a property; `[0]` for the entry of a list. */
	name: string;
	/** From the top, e.g. `data.files[0].id`; undefined where a name on the way fits in no path. */
	path: string | undefined;
	/** All that may hold for it: `$ref`, `allOf`, `anyOf` and `oneOf` are resolved. */
	schemas: JsonObject[];
}

export interface ApiOperation {
	method: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	/** As API Details write it, e.g. `GET /workflows/{workflow_id}/status`. */
	endpoint: string;
	/** The fields of its multipart form. */
	form: Array<Part & { isFile: boolean }>;
	/** All parts of its successful (2xx) responses, the nearest to the top first. */
	response: Part[];
}

export interface Reference {
	operations: ApiOperation[];
	/** Whether the budget was too small for the document, so that it may say more. */
	isCutShort: boolean;
}

/** Schemas, properties and other entries that are read. Real documents have up to 45 per kB. */
const MOST_STEPS = 200_000;
/** Nobody enters a longer path, in steps and in characters. */
const DEEPEST = 10;
const LONGEST_NAME = 200;
const LONGEST_ADDRESS = 2000;
/** How many references lead from a path, body or response to what it stands for. */
const MOST_REFERENCES = 100;
const MOST_VALUES = 100;

/** The methods that an API Detail can name. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH'];
const PARAMETER = /\{[^{}/]*\}/g;

/** @param address the account's Base URL: endpoints are given relative to it and /api/v1 */
export function referenceFrom(document: JsonObject, address: string): Reference {
	const walker = new Walker(document);
	const server = serverPath(document);
	const described = walker.members(document, 'paths').flatMap(([written, entry]) => {
		const pathItem = walker.resolved(entry);
		if (!pathItem || !written.startsWith('/') || written.length > LONGEST_ADDRESS) return [];
		const path = relativePath(written, server, new URL(address).pathname);
		const shape = path.replace(/^\/|\/$/g, '').replace(PARAMETER, '{}');
		return METHODS.flatMap((method) => {
			const own = ownValue(pathItem, method.toLowerCase());
			if (!isObject(own)) return [];
			return [{ own, method, call: `${method} ${shape}`, path: withWorkflow(path) }];
		});
	});
	// What the interface shows is read first, lest others use up the budget.
	const [shown, others] = [true, false].map((wanted) =>
		described.filter(({ call }) => SHOWN_CALLS.has(call) === wanted),
	);
	const operations = [...shown, ...others].map(({ own, method, call, path }) => ({
		method,
		call,
		endpoint: `${method} ${path}`,
		form: walker.fieldsOf(own),
		response: walker.responseOf(own),
	}));
	return { operations, isCutShort: walker.stepsLeft <= 0 };
}

/** A part that is still to be entered. */
interface OpenPart extends Part {
	/** The schemas around it: none is entered within itself. */
	around: JsonObject[];
}

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
		for (let hop = 0; hop < MOST_REFERENCES && isObject(current); hop++) {
			if (!Object.hasOwn(current, '$ref')) return current;
			current = objectAt(this.root, current.$ref);
		}
		return undefined;
	}

	fieldsOf({ requestBody }: JsonObject): ApiOperation['form'] {
		const form = this.whole(this.schemasIn(requestBody, /^multipart\/form-data/i));
		return this.inside(form).map((field) => {
			const entries = this.inside(field).filter(({ name }) => name === '[0]');
			const isFile = [field, ...entries].some(({ schemas }) => schemas.some(describesFile));
			return { ...field, isFile };
		});
	}

	responseOf(operation: JsonObject): Part[] {
		const schemas = this.members(operation, 'responses')
			.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
			.flatMap(([, response]) => this.schemasIn(response, /json|^\*\/\*$/i));
		const parts: Part[] = [];
		let level = [this.whole(schemas)];
		for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
			level = level.flatMap((part) => this.inside(part));
			for (const part of level) parts.push(part);
		}
		return parts;
	}

	/** The schemas of a body or response by media type. */
	private schemasIn(value: unknown, mediaTypes: RegExp): JsonObject[] {
		return this.members(this.resolved(value), 'content')
			.filter(([mediaType]) => mediaTypes.test(mediaType))
			.map(([, described]) => ownValue(described, 'schema'))
			.filter(isObject);
	}

	private whole(schemas: JsonObject[]): OpenPart {
		return { name: '', path: '', schemas: this.composed(schemas), around: [] };
	}

	/** The parts of a part. */
	private inside({ path, schemas, around }: OpenPart): OpenPart[] {
		if (schemas.some((schema) => around.includes(schema))) return [];
		const inner = new Map<string, JsonObject[]>();
		const add = (name: string, schema: JsonObject) => {
			if (name.length <= LONGEST_NAME) inner.set(name, [...(inner.get(name) ?? []), schema]);
		};
		for (const schema of schemas) {
			for (const [name, property] of this.members(schema, 'properties')) add(name, property);
			if (isObject(schema.items)) add('[0]', schema.items);
		}
		const own = schemas.find((schema) => !Object.hasOwn(schema, '$ref'));
		return [...inner].map(([name, described]) => ({
			name,
			path: pathTo(path, name),
			schemas: this.composed(described),
			around: own ? [...around, own] : around,
		}));
	}

	/** Some schemas, with those that they refer to or are composed of. */
	private composed(schemas: JsonObject[]): JsonObject[] {
		const all = new Set(schemas);
		for (const schema of all) {
			if (this.stepsLeft-- <= 0) break;
			const target = objectAt(this.root, ownValue(schema, '$ref'));
			if (target) all.add(target);
			for (const key of ['allOf', 'anyOf', 'oneOf']) {
				for (const [, other] of this.members(schema, key)) all.add(other);
			}
		}
		return [...all];
	}
}

function pathTo(outer: string | undefined, name: string): string | undefined {
	if (outer === undefined) return undefined;
	if (name === '[0]') return `${outer}[0]`;
	if (/[.[\]\s]/.test(name)) return undefined;
	return outer ? `${outer}.${name}` : name;
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
	const listed = schemas.flatMap((schema) => {
		const { enum: values, const: only } = schema;
		return Array.isArray(values) ? (values.slice(0, MOST_VALUES) as unknown[]) : [only];
	});
	return listed.flatMap((value) =>
		['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : [],
	);
}

function describesFile({ format, contentMediaType, contentEncoding }: JsonObject): boolean {
	if (format === 'binary' || contentEncoding === 'binary') return true;
	// A text that holds JSON, or a file in base64, is still a text.
	const isText = typeof contentMediaType !== 'string' || /json/i.test(contentMediaType);
	return contentEncoding === undefined && !isText;
}

/**
 * A path relative to /api/v1, which may stand in the path, in the server's path, across both, or
 * nowhere. A path of another version, or below a prefix that the Base URL does not have, keeps
 * that prefix: it is not the interface's.
 */
function relativePath(written: string, serverPath: string, basePath: string): string {
	// One slash before each segment; the last one is the operation's own.
	const [server, base] = [serverPath, basePath].map((part) =>
		`/${part}`.replace(/\/+/g, '/').replace(/\/$/, ''),
	);
	const path = written.replace(/\/+/g, '/');
	for (const prefix of [API_PREFIX, base.replace(/\/api\/v1$/, '') + API_PREFIX]) {
		if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
	}
	const whole = server + path;
	const start = whole.indexOf(`${API_PREFIX}/`);
	if (start >= 0 && start < server.length) return whole.slice(start + API_PREFIX.length);
	return /\/v\d[^/]*$/i.test(server) ? whole : path;
}

/** The path of the first server, which precedes all paths. */
function serverPath({ servers }: JsonObject): string {
	const url = ownValue(ownValue(servers, '0'), 'url');
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return '';
	// It may be relative, to a host that does not matter.
	const host = 'https://relative.invalid';
	return URL.canParse(url, host) ? new URL(url, host).pathname : '';
}

/** A path with `{workflow_id}` for the workflow's parameter: the one after `workflows`, or one that is named so. */
function withWorkflow(path: string): string {
	const segments = path.split('/');
	const after = segments.findIndex(
		(segment, index) => /^\{[^{}]*\}$/.test(segment) && /^workflows?$/i.test(segments[index - 1]),
	);
	const isNamed = (segment: string) => /^\{(?:workflow|wf)(?:[_-]?u?u?id)?\}$/i.test(segment);
	const place = after >= 0 ? after : segments.findIndex(isNamed);
	return place >= 0 ? segments.with(place, '{workflow_id}').join('/') : path;
}

/** @param ref a JSON pointer as a URI fragment, e.g. `#/components/schemas/File` */
function objectAt(root: JsonObject, ref: unknown): JsonObject | undefined {
	if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined;
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
