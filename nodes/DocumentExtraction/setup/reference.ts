/**
 * The account's API reference as a finite tree: its operations, and the parts of what they take and
 * return. It is expanded once, breadth first and within a budget, so that no document, however it
 * refers to itself, costs more than a moment, and what stands near the top is always there.
 */
import { API_PREFIX } from '../account/credential';
import { isObject, ownValue, type JsonObject } from '../account/fields';

/** A value in a body or a response. */
export interface Part {
	/** Of a property; `[0]` for the entry of a list, empty for the whole. */
	name: string;
	/** From the top, e.g. `data.files[0].id`; undefined where a name on the way fits in no path. */
	path: string | undefined;
	/** All that may hold for it: `$ref`, `allOf`, `anyOf` and `oneOf` are resolved. */
	schemas: JsonObject[];
	parts: Part[];
}

export interface ApiOperation {
	method: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	/** As API Details write it, e.g. `GET /workflows/{workflow_id}/status`. */
	endpoint: string;
	/** Its multipart form, its JSON body, and its successful (2xx) responses as one. */
	form: Part;
	body: Part;
	response: Part;
}

export interface Reference {
	operations: ApiOperation[];
	/** Whether the budget was too small for the document, so that it may say more. */
	isCutShort: boolean;
}

/** Schemas, properties and other entries that are read. Real documents have up to 45 per kB, repetitions included. */
const MOST_STEPS = 200_000;
/** How many references lead from a path, parameter, body or response to what it stands for. */
const MOST_REFERENCES = 100;
/** Nobody enters a longer path, in steps and in characters. */
const DEEPEST = 10;
const LONGEST_NAME = 200;
const LONGEST_ADDRESS = 2000;
/** Stands for the host of an address that is relative. */
const ANY_HOST = 'https://relative.invalid';
const MOST_VALUES = 100;

/** The methods that an API Detail can name. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH'];
const PARAMETER = /\{[^{}/]*\}/g;

/** @param address the account's Base URL: endpoints are given relative to it and /api/v1 */
export function referenceFrom(document: JsonObject, address: string): Reference {
	return new Expansion(document).reference(new URL(address).pathname);
}

class Expansion {
	private stepsLeft = MOST_STEPS;
	/** Parts whose own are not expanded yet, with the schemas around each. */
	private readonly queue: Array<{ part: Part; around: JsonObject[] }> = [];

	constructor(private readonly root: JsonObject) {}

	/** @param basePath of the account's Base URL */
	reference(basePath: string): Reference {
		const server = serverPath(this.root);
		const operations = this.members(this.root, 'paths').flatMap(([written, entry]) => {
			const pathItem = this.resolved(entry);
			if (!pathItem || !written.startsWith('/') || written.length > LONGEST_ADDRESS) return [];
			const path = relativePath(written, server, basePath);
			return METHODS.flatMap((method) => this.operation(method, path, pathItem));
		});
		// It grows meanwhile, level by level.
		for (const { part, around } of this.queue) this.expand(part, around);
		return { operations, isCutShort: this.stepsLeft <= 0 };
	}

	private operation(method: string, path: string, pathItem: JsonObject): ApiOperation[] {
		const own = ownValue(pathItem, method.toLowerCase());
		if (!isObject(own)) return [];
		const parameters = this.members(own, 'parameters')
			.map(([, parameter]) => this.resolved(parameter))
			.filter((parameter) => parameter !== undefined);
		const bodies = [own.requestBody, ...parameters.filter((one) => one.in === 'body')];
		const responses = this.members(own, 'responses').filter(([status]) =>
			/^2(?:\d\d|XX)$/i.test(status),
		);
		const jsonIn = (holders: unknown[]) =>
			holders.flatMap((holder) => this.schemasIn(holder, /json|^\*\/\*$/i));
		return [
			{
				method,
				call: `${method} ${path.replace(/^\/|\/$/g, '').replace(PARAMETER, '{}')}`,
				endpoint: `${method} ${withWorkflow(path)}`,
				form: this.part([
					...this.schemasIn(own.requestBody, /^multipart\/form-data/i),
					formOf(parameters.filter((one) => one.in === 'formData')),
				]),
				body: this.part(jsonIn(bodies)),
				response: this.part(jsonIn(responses.map(([, response]) => response))),
			},
		];
	}

	/** The objects in an object or a list, with their keys. */
	private members(parent: unknown, key: string): Array<[key: string, value: JsonObject]> {
		const value = ownValue(parent, key);
		if (value === null || typeof value !== 'object' || this.stepsLeft <= 0) return [];
		const entries = Object.entries(value);
		this.stepsLeft -= entries.length;
		return entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
	}

	/** An object, or what it refers to; undefined where its reference leads nowhere. */
	private resolved(value: unknown): JsonObject | undefined {
		let current = value;
		for (let hop = 0; hop < MOST_REFERENCES && isObject(current); hop++) {
			if (!Object.hasOwn(current, '$ref')) return current;
			current = objectAt(this.root, current.$ref);
		}
		return undefined;
	}

	/** The schemas of a body or response by media type; Swagger 2.0 has one for all. */
	private schemasIn(value: unknown, mediaTypes: RegExp): JsonObject[] {
		const holder = this.resolved(value);
		return [['*/*', holder] as const, ...this.members(holder, 'content')]
			.filter(([mediaType]) => mediaTypes.test(mediaType))
			.map(([, described]) => ownValue(described, 'schema'))
			.filter(isObject);
	}

	/** A part of which nothing more is known yet than its schemas. */
	private part(schemas: JsonObject[], name = '', outer?: Part, around: JsonObject[] = []): Part {
		const isEntry = name === '[0]';
		const isNameable = isEntry || /^[^.[\]\s]*$/.test(name);
		const before = outer ? outer.path : '';
		const path = isEntry || !before ? `${before}${name}` : `${before}.${name}`;
		const part: Part = {
			name,
			path: isNameable && before !== undefined ? path : undefined,
			schemas,
			parts: [],
		};
		this.queue.push({ part, around });
		return part;
	}

	/** Adds what a part is composed of, and its own parts. */
	private expand(part: Part, around: JsonObject[]) {
		const schemas = new Set(part.schemas);
		for (const schema of schemas) {
			if (this.stepsLeft-- <= 0) break;
			const target = objectAt(this.root, ownValue(schema, '$ref'));
			if (target) schemas.add(target);
			for (const key of ['allOf', 'anyOf', 'oneOf']) {
				for (const [, other] of this.members(schema, key)) schemas.add(other);
			}
		}
		part.schemas = [...schemas];
		// No schema is entered within itself.
		if (around.length > DEEPEST || part.schemas.some((schema) => around.includes(schema))) return;
		const inner = new Map<string, JsonObject[]>();
		const add = (name: string, schema: JsonObject) => {
			if (name.length > LONGEST_NAME) return;
			const known = inner.get(name);
			if (known) known.push(schema);
			else inner.set(name, [schema]);
		};
		for (const schema of part.schemas) {
			for (const [name, property] of this.members(schema, 'properties')) add(name, property);
			if (isObject(schema.items)) add('[0]', schema.items);
		}
		const named = part.schemas.find((schema) => !Object.hasOwn(schema, '$ref'));
		const within = named ? [...around, named] : around;
		part.parts = [...inner].map(([name, own]) => this.part(own, name, part, within));
	}
}

/** The form that Swagger 2.0 describes by parameters, as a schema. */
function formOf(parameters: JsonObject[]): JsonObject {
	const fields = parameters.flatMap(
		(parameter): Array<[string, JsonObject]> =>
			typeof parameter.name === 'string' ? [[parameter.name, parameter]] : [],
	);
	return { properties: Object.fromEntries(fields) };
}

/** All parts below one, the nearest to the top first. */
export function partsBelow(part: Part): Part[] {
	const below = [...part.parts];
	for (const { parts } of below) {
		for (const inner of parts) below.push(inner);
	}
	return below;
}

/** Whether a part may be of one of these types; one without types may be anything. */
export function allows(part: Part, ...wanted: string[]): boolean {
	const types = typesOf(part);
	return types.length === 0 || wanted.some((type) => types.includes(type));
}

/** The types that a part's schemas name, and those that their other keywords imply; without `null`. */
export function typesOf({ schemas }: Part): string[] {
	const types = schemas.flatMap(({ type, properties, items }): unknown[] => [
		...(Array.isArray(type) ? (type.slice(0, MOST_VALUES) as unknown[]) : [type]),
		...(isObject(properties) ? ['object'] : []),
		...(items === undefined ? [] : ['array']),
	]);
	return [...new Set(types)].filter(
		(type): type is string => typeof type === 'string' && type !== 'null',
	);
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

/** Whether a part is a file, or a list of them. */
export function takesFile(part: Part): boolean {
	const entries = part.parts.filter(({ name }) => name === '[0]');
	return [part, ...entries].some(({ schemas }) => schemas.some(isFile));
}

function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
	if (format === 'binary' || type === 'file' || contentEncoding === 'binary') return true;
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

/** What precedes all paths: `basePath`, or the path of the first server. */
function serverPath({ basePath, servers }: JsonObject): string {
	if (typeof basePath === 'string') return basePath.slice(0, LONGEST_ADDRESS);
	const url = ownValue(ownValue(servers, '0'), 'url');
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return '';
	return URL.canParse(url, ANY_HOST) ? new URL(url, ANY_HOST).pathname : '';
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
