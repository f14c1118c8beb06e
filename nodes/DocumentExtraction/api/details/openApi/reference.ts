/** The account's API reference: its operations, and the schemas of what they take and return. */
import { API_PREFIX } from '../../credential';
import { isObject, ownValue, type JsonObject } from '../fields';

export interface OpenApiDocument {
	root: JsonObject;
	/** `3.1` covers later versions too: they do not differ in what is read here. */
	version: '2.0' | '3.0' | '3.1';
}

export interface Operation {
	method: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	/** As API Details write it, e.g. `GET /workflows/{workflow_id}/status`. */
	endpoint: string;
	/** Its place in the document. */
	part: JsonObject;
	/** The schemas of its JSON body, its multipart form and its successful (2xx) responses. */
	jsonBodies: JsonObject[];
	forms: JsonObject[];
	responses: JsonObject[];
}

/** A property of an object, or the entry of a list, whose name is the step to it: `[0]`. */
export interface Property {
	name: string;
	isRequired: boolean;
	/** Its schema. */
	part: JsonObject;
	shape: () => Shape;
}

/** A value that an API Detail may have, and the part of the document that names it. */
export interface Candidate {
	value: string;
	part: JsonObject;
	/** The JSON pointer from there, where the value is no part of its own. */
	below?: string;
}

/** A property by its path. */
export type Field = Property & Candidate;

/** What a schema says of its values, together with the schemas that it is composed of. */
export interface Shape {
	/** Without `null`; empty where any type is allowed. */
	types: Set<unknown>;
	formats: string[];
	/** Its `enum` or `const` without `null`. */
	values: Array<{ value: string | number | boolean; part: JsonObject; below: string }>;
	properties: Property[];
	entries: Property[];
	isFile: boolean;
	isReadOnly: boolean;
}

type Test = (property: Property) => boolean;

/** How many entries of objects and lists are read. Real documents have up to 45 per kB, repetitions included. */
const MOST_STEPS = 300_000;
/** How many references lead from a path, parameter, body or response to what it stands for. */
const MOST_REFERENCES = 100;
/** How many paths through one schema are followed, and how deep; nobody reads more. */
const MOST_WAYS = 5_000;
const MOST_FOUND = 100;
const DEEPEST = 12;

export class Reference {
	readonly operations: Operation[];
	private stepsLeft = MOST_STEPS;
	private readonly shapes = new Map<JsonObject, Shape>();
	private readonly targets = new Map<string, JsonObject | undefined>();
	/** Whether a schema went deeper than it was followed. */
	private isLeftUnread = false;

	/** @param account its Workflow ID may stand in a path in place of a parameter */
	constructor(
		private readonly document: OpenApiDocument,
		account: { baseUrl: string; workflowId: string },
	) {
		const base = new URL(account.baseUrl);
		this.operations = this.members(document.root, 'paths').flatMap(([written, entry]) => {
			const pathItem = this.resolved(entry);
			if (!pathItem || !written.startsWith('/')) return [];
			return METHODS.flatMap((method) => {
				const part = ownValue(pathItem, method.toLowerCase());
				if (!isObject(part)) return [];
				const serverPath = this.serverPath([part, pathItem], base.origin);
				const path = relativePath(written, serverPath, base.pathname)
					.split('/')
					.map((step) => (step && step === account.workflowId.trim() ? '{workflow_id}' : step))
					.join('/');
				return [this.operation(method, path, part, pathItem)];
			});
		});
	}

	private operation(
		method: string,
		path: string,
		part: JsonObject,
		pathItem: JsonObject,
	): Operation {
		// The operation's replace the path's.
		const parameters = [pathItem, part]
			.flatMap((holder) => this.members(holder, 'parameters'))
			.map(([, parameter]) => this.resolved(parameter))
			.filter((parameter) => parameter !== undefined);
		const parametersIn = (place: string) => parameters.filter((one) => one.in === place);
		const bodies = [part.requestBody, ...parametersIn('body')];
		const responses = this.members(part, 'responses').filter(([status]) =>
			/^2(?:\d\d|XX)$/i.test(status),
		);
		return {
			method,
			call: `${method} ${path.slice(1).replace(PARAMETER, '{}')}`,
			endpoint: `${method} ${withWorkflow(path, parametersIn('query'))}`,
			part,
			jsonBodies: bodies.flatMap((body) => this.schemasIn(body, /json|^\*\/\*$/i)),
			forms: [
				...this.schemasIn(part.requestBody, /^multipart\/form-data/i),
				formOf(parametersIn('formData')),
			],
			responses: responses.flatMap(([, response]) => this.schemasIn(response, /.*/)),
		};
	}

	/** Whether the document is too large, or too deep, to be read to its end. */
	get isCutShort(): boolean {
		return this.isExhausted || this.isLeftUnread;
	}

	private get isExhausted(): boolean {
		return this.stepsLeft <= 0;
	}

	/** The objects in an object or a list, with their keys. */
	private members(parent: unknown, key: string): Array<[key: string, value: JsonObject]> {
		const value = ownValue(parent, key);
		if (value === null || typeof value !== 'object' || this.isExhausted) return [];
		const entries = Object.entries(value);
		this.stepsLeft -= entries.length;
		return entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
	}

	/** An object, or what it refers to; undefined where its reference leads nowhere. */
	private resolved(value: unknown): JsonObject | undefined {
		let current = value;
		for (let hop = 0; hop < MOST_REFERENCES && isObject(current); hop++) {
			if (!Object.hasOwn(current, '$ref')) return current;
			current = this.target(current.$ref);
		}
		return undefined;
	}

	private target(ref: unknown): JsonObject | undefined {
		if (typeof ref !== 'string') return undefined;
		if (!this.targets.has(ref)) this.targets.set(ref, objectAt(this.document.root, ref));
		return this.targets.get(ref);
	}

	/** What precedes a path: `basePath`, or the path of the nearest server, preferably the account's. */
	private serverPath(nearestFirst: JsonObject[], origin: string): string {
		const { root, version } = this.document;
		if (version === '2.0') {
			const basePath = ownValue(root, 'basePath');
			return typeof basePath === 'string' ? basePath.slice(0, LONGEST_ADDRESS) : '';
		}
		const holder = [...nearestFirst, root].find(
			({ servers }) => Array.isArray(servers) && servers.length > 0,
		);
		const urls = this.members(holder, 'servers').flatMap(([, server]) => serverUrl(server) ?? []);
		return (urls.find((url) => url.origin === origin) ?? urls[0])?.pathname ?? '';
	}

	/** The schemas of a body or response by media type; Swagger 2.0 has one for all. */
	private schemasIn(value: unknown, mediaTypes: RegExp): JsonObject[] {
		const holder = this.resolved(value);
		return [['*/*', holder] as const, ...this.members(holder, 'content')]
			.filter(([mediaType]) => mediaTypes.test(mediaType))
			.map(([, described]) => ownValue(described, 'schema'))
			.filter(isObject);
	}

	/** What a schema and all its alternatives say of its values. */
	shapeOf(schema: JsonObject): Shape {
		const known = this.shapes.get(schema);
		if (known) return known;
		const parts = new Set([schema]);
		for (const part of parts) {
			const { all, choices } = this.composition(part);
			for (const other of [...all, ...choices.flat()]) parts.add(other);
		}
		const shape = this.mergedShape(parts);
		this.shapes.set(schema, shape);
		return shape;
	}

	/** The schemas that a value has to match as well (`$ref`, `allOf`), and lists of alternatives (`anyOf`, `oneOf`). */
	composition(schema: JsonObject): { all: JsonObject[]; choices: JsonObject[][] } {
		if (this.isExhausted) return { all: [], choices: [] };
		this.stepsLeft--;
		const target = this.target(ownValue(schema, '$ref'));
		const all = target ? [target] : [];
		if (this.isReferenceAlone(schema)) return { all, choices: [] };
		const [allOf, ...choices] = ['allOf', 'anyOf', 'oneOf'].map((key) =>
			this.members(schema, key).map(([, value]) => value),
		);
		return { all: [...all, ...allOf], choices: choices.filter((choice) => choice.length > 0) };
	}

	/** Before OpenAPI 3.1, nothing beside a reference counts. */
	private isReferenceAlone(schema: JsonObject): boolean {
		return this.document.version !== '3.1' && Object.hasOwn(schema, '$ref');
	}

	/** What several schemas say of the same values. */
	mergedShape(parts: Set<JsonObject>): Shape {
		const schemas = [...parts].filter((part) => !this.isReferenceAlone(part));
		const names = schemas.flatMap((schema) => listAt(schema, 'required'));
		this.stepsLeft -= names.length;
		const required = new Set(names);
		const entries = schemas.flatMap((schema): Array<[string, JsonObject]> => {
			if (isObject(schema.items)) return [['0', schema.items]];
			// Before OpenAPI 3.1, `items` could be a list itself.
			return [...this.members(schema, 'prefixItems'), ...this.members(schema, 'items')];
		});
		const property = (name: string, part: JsonObject) => {
			return { name, isRequired: required.has(name), part, shape: () => this.shapeOf(part) };
		};
		return {
			types: new Set(schemas.flatMap(typesOf)),
			formats: schemas.flatMap(({ format }) => (typeof format === 'string' ? [format] : [])),
			values: schemas.flatMap(valuesOf),
			properties: schemas
				.flatMap((schema) => this.members(schema, 'properties'))
				.map(([name, part]) => property(name, part)),
			entries: entries.map(([index, part]) => property(`[${index}]`, part)),
			isFile: schemas.some(isFile),
			isReadOnly: schemas.some(({ readOnly }) => readOnly === true),
		};
	}

	/** The operations in whose responses such a property stands, at any depth. */
	operationsReturning(operations: Operation[], isMeant: Test): Operation[] {
		const leading = this.schemasLeadingTo(responsesOf(operations), isMeant);
		return operations.filter(({ responses }) => responses.some((schema) => leading.has(schema)));
	}

	/**
	 * Such properties below some schemas, each by its path, e.g. `data.files[0].id`: schema by schema,
	 * the nearest to the top first.
	 */
	fieldsBelow(schemas: JsonObject[], isMeant: Test): Field[] {
		const leading = this.schemasLeadingTo(schemas, isMeant);
		return [...new Set(schemas)]
			.filter((schema) => leading.has(schema))
			.flatMap((schema) => this.fieldsOf(schema, leading, isMeant));
	}

	/** The schemas that lead to such a property. Each is read once: no cycle or branching matters. */
	private schemasLeadingTo(roots: JsonObject[], isMeant: Test): Set<JsonObject> {
		const leading = new Set<JsonObject>();
		const parentsOf = new Map<JsonObject, JsonObject[]>(roots.map((root) => [root, []]));
		for (const schema of parentsOf.keys()) {
			const { properties, entries } = this.shapeOf(schema);
			// A schema that was not read would seem to allow anything.
			if (this.isExhausted) break;
			if (properties.some(isMeant)) leading.add(schema);
			for (const { part } of [...properties, ...entries]) {
				const parents = parentsOf.get(part);
				if (parents) parents.push(schema);
				else parentsOf.set(part, [schema]);
			}
		}
		for (const schema of leading) {
			for (const parent of parentsOf.get(schema) ?? []) leading.add(parent);
		}
		return leading;
	}

	private fieldsOf(root: JsonObject, leading: Set<JsonObject>, isMeant: Test): Field[] {
		const found = new Map<string, Field>();
		const ways = [{ schema: root, path: '', passed: [root] }];
		for (const { schema, path, passed } of ways) {
			const { properties, entries } = this.shapeOf(schema);
			this.stepsLeft -= properties.length + entries.length;
			if (this.isExhausted || found.size > MOST_FOUND) break;
			for (const inner of [...properties.filter(isNameable), ...entries]) {
				// What is nameable has no brackets.
				const isEntry = inner.name.startsWith('[');
				const value = isEntry || path === '' ? path + inner.name : `${path}.${inner.name}`;
				if (!isEntry && isMeant(inner) && !found.has(value)) found.set(value, { ...inner, value });
				// No schema is entered within itself.
				if (!leading.has(inner.part) || passed.includes(inner.part)) continue;
				if (passed.length > DEEPEST || ways.length >= MOST_WAYS) this.isLeftUnread = true;
				else ways.push({ schema: inner.part, path: value, passed: [...passed, inner.part] });
			}
		}
		return [...found.values()];
	}
}

/** The schemas of what some operations return. */
export function responsesOf(operations: Operation[]): JsonObject[] {
	return operations.flatMap(({ responses }) => responses);
}

/** The form that Swagger 2.0 describes by parameters, as a schema. */
function formOf(parameters: JsonObject[]): JsonObject {
	const fields = parameters.flatMap(
		(parameter): Array<[string, JsonObject]> =>
			typeof parameter.name === 'string' ? [[parameter.name, parameter]] : [],
	);
	const required = fields.filter(([, field]) => field.required === true).map(([name]) => name);
	return { properties: Object.fromEntries(fields), required };
}

/** The methods that an API Detail can name. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH'];
const PARAMETER = /(?<=\/|^)\{[^{}/]*\}(?=\/|$)/g;
/** Where a path has the workflow's ID, the surest first. */
const WORKFLOW_PLACES = [
	/(?<=\/workflows?\/)\{[^{}/]*\}(?=\/|$)/i,
	/(?<=\/)\{(?:workflow|wf)(?:[_-]?u?u?id)?\}(?=\/|$)/i,
];
const LONGEST_ADDRESS = 2000;

/**
 * A path relative to /api/v1, which may stand in the path, in the server's path, across both, or
 * nowhere. A path of another version, or below a prefix that the Base URL does not have, keeps
 * that prefix: it is not the interface's.
 */
function relativePath(written: string, serverPath: string, basePath: string): string {
	// One slash before each segment, none at the end.
	const [path, server, base] = [written, serverPath, basePath].map((part) =>
		`/${part}`.replace(/\/+/g, '/').replace(/\/$/, ''),
	);
	for (const prefix of [API_PREFIX, base.replace(/\/api\/v1$/, '') + API_PREFIX]) {
		if (`${path}/`.startsWith(`${prefix}/`)) return path.slice(prefix.length);
	}
	const whole = server + path;
	const start = `${whole}/`.indexOf(`${API_PREFIX}/`);
	if (start >= 0 && start < server.length) return whole.slice(start + API_PREFIX.length);
	return /\/v\d[^/]*$/i.test(server) ? whole : path;
}

/** The origin that a document is for, where it names none that is the account's. */
export function otherServer({ root }: OpenApiDocument, baseUrl: string): string | undefined {
	const servers = Array.isArray(root.servers) ? root.servers.filter(isObject) : [];
	// A variable may stand for the account's own region.
	const fixed = servers.filter(({ url }) => typeof url === 'string' && !url.includes('{'));
	const origins = fixed.flatMap((server) => serverUrl(server)?.origin ?? []);
	const named = origins.filter((origin) => origin !== ANY_HOST);
	return named.includes(new URL(baseUrl).origin) ? undefined : named[0];
}

/** Stands for the host of an address that is relative. */
const ANY_HOST = 'https://relative.invalid';

function serverUrl({ url, variables }: JsonObject): URL | undefined {
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return undefined;
	const filled = url.replace(/\{([^{}]*)\}/g, (variable, name: string) => {
		const value = ownValue(ownValue(variables, name), 'default');
		return typeof value === 'string' ? value : variable;
	});
	return URL.canParse(filled, ANY_HOST) ? new URL(filled, ANY_HOST) : undefined;
}

/** A path with `{workflow_id}` for the workflow's parameter, which may stand in the query. */
function withWorkflow(path: string, query: JsonObject[]): string {
	const place = WORKFLOW_PLACES.find((pattern) => pattern.test(path));
	if (place) return path.replace(place, '{workflow_id}');
	const isInQuery = query.some(({ name, required }) => name === 'workflow_id' && required === true);
	return `${path || '/'}${isInQuery ? '?workflow_id={workflow_id}' : ''}`;
}

/** The parameters in endpoints besides the workflow's. */
export function otherParameters(endpoints: string[]): string[] {
	const parameters = endpoints.flatMap((endpoint) => endpoint.match(PARAMETER) ?? []);
	return [...new Set(parameters)].filter((parameter) => parameter !== '{workflow_id}');
}

/** @param ref a JSON pointer as a URI fragment, e.g. `#/components/schemas/File` */
function objectAt(root: JsonObject, ref: string): JsonObject | undefined {
	if (!/^#(?:\/|$)/.test(ref)) return undefined;
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

/** The JSON pointers to all objects and lists in a document. */
export function pointersIn(root: JsonObject): Map<unknown, string> {
	const pointers = new Map<unknown, string>([[root, '']]);
	for (const [parent, pointer] of pointers) {
		for (const [key, value] of Object.entries(parent as object)) {
			if (value === null || typeof value !== 'object') continue;
			pointers.set(value, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
		}
	}
	return pointers;
}

const MOST_VALUES = 100;

function listAt(schema: JsonObject, key: string): unknown[] {
	const value = ownValue(schema, key);
	return Array.isArray(value) ? value : [];
}

/** The types that a schema names, and those that its other keywords imply. */
function typesOf(schema: JsonObject): unknown[] {
	const { type, properties, items, prefixItems } = schema;
	return [
		...[type, ...listAt(schema, 'type').slice(0, MOST_VALUES)].filter(
			(name) => typeof name === 'string' && name !== 'null',
		),
		...(isObject(properties) ? ['object'] : []),
		...(items === undefined && prefixItems === undefined ? [] : ['array']),
	];
}

function valuesOf(schema: JsonObject): Shape['values'] {
	const constants = listAt(schema, 'enum')
		.slice(0, MOST_VALUES)
		.map((value, index) => ({ value, below: `/enum/${index}` }));
	if (constants.length === 0) constants.push({ value: schema.const, below: '/const' });
	return constants.flatMap(({ value, below }) =>
		typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
			? [{ value, part: schema, below }]
			: [],
	);
}

function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
	if (format === 'binary' || type === 'file' || contentEncoding === 'binary') return true;
	// A text that holds JSON, or a file in base64, is still a text.
	const isText = typeof contentMediaType !== 'string' || /json/i.test(contentMediaType);
	return contentEncoding === undefined && !isText;
}

/** Whether a path can name the property. */
function isNameable({ name }: Property): boolean {
	return /^[^.[\]\s]+$/.test(name);
}

/** Whether a schema allows one of these types; one without types allows all. */
export function allows({ types }: Shape, ...wanted: string[]): boolean {
	return types.size === 0 || wanted.some((type) => types.has(type));
}
