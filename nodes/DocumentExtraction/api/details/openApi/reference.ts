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
	/** Relative to /api/v1, as the document writes it, without a slash at the end. */
	path: string;
	/** Method and path with `{}` for each parameter, e.g. `POST workflows/{}/documents`. */
	call: string;
	definition: JsonObject;
	/** Holds parameters and servers that apply to the operation too. */
	pathItem: JsonObject;
}

export interface Property {
	name: string;
	schema: JsonObject;
}

/** What a schema says of its values, together with the schemas that it is composed of. */
export interface Shape {
	/** Without `null`; empty where any type is allowed. */
	types: Set<unknown>;
	formats: string[];
	/** Its `enum` or `const` without `null`, each with its place in a schema. */
	values: Array<{ value: string | number | boolean; schema: JsonObject; pointer: string }>;
	properties: Property[];
	/** Names of properties. */
	required: Set<unknown>;
	/** Schemas of a list's entries, with the step to them, e.g. `[0]`. */
	entries: Array<{ step: string; schema: JsonObject }>;
	isFile: boolean;
	isReadOnly: boolean;
}

export interface Finding {
	/** In the form in which the API Detail is entered. */
	value: string;
	/** JSON pointer into the document. */
	at: string;
}

/** A property, whose value is the path to it, e.g. `data.files[0].id`. */
export interface Field extends Finding {
	schema: JsonObject;
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
	private pointers?: Map<unknown, string>;

	/** @param account its Workflow ID may stand in a path in place of a parameter */
	constructor(
		private readonly document: OpenApiDocument,
		account: { baseUrl: string; workflowId: string },
	) {
		const base = parseUrl(account.baseUrl.trim());
		this.operations = this.members(document.root, 'paths').flatMap(([path, entry]) => {
			const pathItem = this.resolved(entry);
			if (!pathItem || !path.startsWith('/')) return [];
			return METHODS.flatMap((method) => {
				const definition = ownValue(pathItem, method);
				if (!isObject(definition)) return [];
				const serverPath = this.serverPath([definition, pathItem], base);
				const relative = relativePath(path, serverPath, base?.pathname ?? '')
					.split('/')
					.map((part) => (part && part === account.workflowId.trim() ? '{workflow_id}' : part))
					.join('/');
				const call = `${method.toUpperCase()} ${relative.slice(1).replace(PARAMETER, '{}')}`;
				return [{ method: method.toUpperCase(), path: relative, call, definition, pathItem }];
			});
		});
	}

	/** Whether the document is too large, or too entangled, to be read to its end. */
	get isCutShort(): boolean {
		return this.stepsLeft <= 0;
	}

	/** The objects in an object or a list, with their keys. */
	private members(parent: unknown, key: string): Array<[key: string, value: JsonObject]> {
		const value = ownValue(parent, key);
		if (value === null || typeof value !== 'object' || this.isCutShort) return [];
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

	/** The JSON pointer to an object in the document. */
	pointerTo(part: JsonObject): string {
		this.pointers ??= pointersIn(this.document.root);
		return this.pointers.get(part) ?? '';
	}

	/** What precedes a path: `basePath`, or the path of the nearest server. */
	private serverPath(nearestFirst: JsonObject[], base: URL | undefined): string {
		const { root, version } = this.document;
		if (version === '2.0') {
			const basePath = ownValue(root, 'basePath');
			return typeof basePath === 'string' ? basePath.slice(0, LONGEST_ADDRESS) : '';
		}
		const holder = [...nearestFirst, root].find(({ servers }) => {
			return Array.isArray(servers) && servers.length > 0;
		});
		const urls = this.members(holder, 'servers').flatMap(([, server]) => serverUrl(server) ?? []);
		return (urls.find(({ origin }) => origin === base?.origin) ?? urls[0])?.pathname ?? '';
	}

	/** An endpoint as API Details write it, with `{workflow_id}` for the workflow's parameter. */
	endpoint(operation: Operation): string {
		const { method, path } = operation;
		const place = WORKFLOW_PLACES.find((pattern) => pattern.test(path));
		if (place) return `${method} ${path.replace(place, '{workflow_id}')}`;
		const isInQuery = this.parameters(operation, 'query').some(
			({ name, required }) => name === 'workflow_id' && required === true,
		);
		return `${method} ${path || '/'}${isInQuery ? '?workflow_id={workflow_id}' : ''}`;
	}

	private parameters({ definition, pathItem }: Operation, place: string): JsonObject[] {
		return [definition, pathItem]
			.flatMap((holder) => this.members(holder, 'parameters'))
			.map(([, parameter]) => this.resolved(parameter))
			.filter((parameter) => isObject(parameter))
			.filter((parameter) => parameter.in === place);
	}

	/** Schemas by media type, as OpenAPI 3 has them. */
	private contents(value: unknown, isMeant: (mediaType: string) => boolean): JsonObject[] {
		return this.members(this.resolved(value), 'content')
			.filter(([mediaType]) => isMeant(mediaType.toLowerCase()))
			.map(([, { schema }]) => schema)
			.filter(isObject);
	}

	/** The schemas of an operation's JSON request body, in Swagger 2.0 a parameter. */
	jsonBodies(operation: Operation): JsonObject[] {
		const isJson = (mediaType: string) => mediaType.includes('json') || mediaType === '*/*';
		return [
			...this.contents(operation.definition.requestBody, isJson),
			...this.parameters(operation, 'body').map(({ schema }) => schema),
		].filter(isObject);
	}

	/** The fields of an operation's multipart form, in Swagger 2.0 parameters. */
	formFields(operation: Operation): Array<Property & { isRequired: boolean }> {
		const isForm = (mediaType: string) => mediaType.startsWith('multipart/form-data');
		const bodies = this.contents(operation.definition.requestBody, isForm);
		return [
			...bodies.flatMap((body) => {
				const { properties, required } = this.shapeOf(body);
				return properties.map((field) => ({ ...field, isRequired: required.has(field.name) }));
			}),
			...this.parameters(operation, 'formData').flatMap((schema) =>
				typeof schema.name === 'string'
					? [{ name: schema.name, schema, isRequired: schema.required === true }]
					: [],
			),
		];
	}

	/** The schemas of all successful (2xx) responses of some operations. */
	responses(operations: Operation[]): JsonObject[] {
		return operations
			.flatMap(({ definition }) => this.members(definition, 'responses'))
			.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
			.flatMap(([, response]) => [
				// Swagger 2.0 has one schema for all media types.
				ownValue(this.resolved(response), 'schema'),
				...this.contents(response, () => true),
			])
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
		if (this.isCutShort) return { all: [], choices: [] };
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
		const required = schemas.flatMap((schema) => listAt(schema, 'required'));
		this.stepsLeft -= required.length;
		return {
			types: new Set(schemas.flatMap(typesOf)),
			formats: schemas.flatMap(({ format }) => (typeof format === 'string' ? [format] : [])),
			values: schemas.flatMap(valuesOf),
			properties: schemas
				.flatMap((schema) => this.members(schema, 'properties'))
				.map(([name, schema]) => ({ name, schema })),
			required: new Set(required),
			entries: schemas.flatMap((schema) => this.entries(schema)),
			isFile: schemas.some(isFile),
			isReadOnly: schemas.some(({ readOnly }) => readOnly === true),
		};
	}

	private entries(schema: JsonObject): Shape['entries'] {
		const { items } = schema;
		if (isObject(items)) return [{ step: '[0]', schema: items }];
		// Before OpenAPI 3.1, `items` could be a list itself.
		return ['prefixItems', 'items']
			.flatMap((key) => this.members(schema, key))
			.map(([index, entry]) => ({ step: `[${index}]`, schema: entry }));
	}

	/** The operations in whose successful responses such a property stands, at any depth. */
	operationsReturning(operations: Operation[], isMeant: Test): Operation[] {
		const schemas = operations.map((operation) => this.responses([operation]));
		const leading = this.schemasLeadingTo(schemas.flat(), isMeant);
		return operations.filter((_, index) => schemas[index].some((schema) => leading.has(schema)));
	}

	/** Such properties below some schemas: schema by schema, the nearest to the top first. */
	fieldsBelow(schemas: JsonObject[], isMeant: Test): { fields: Field[]; isWhole: boolean } {
		const leading = this.schemasLeadingTo(schemas, isMeant);
		const found = [...new Set(schemas)]
			.filter((schema) => leading.has(schema))
			.map((schema) => this.fieldsOf(schema, leading, isMeant));
		return {
			fields: found.flatMap(({ fields }) => fields),
			isWhole: found.every(({ isWhole }) => isWhole),
		};
	}

	/** The schemas that lead to such a property. Each is read once: no cycle or branching matters. */
	private schemasLeadingTo(roots: JsonObject[], isMeant: Test): Set<JsonObject> {
		const leading = new Set<JsonObject>();
		const parentsOf = new Map<JsonObject, JsonObject[]>(roots.map((root) => [root, []]));
		for (const schema of parentsOf.keys()) {
			const { properties, entries } = this.shapeOf(schema);
			if (properties.some(isMeant)) leading.add(schema);
			for (const inner of [...properties, ...entries]) {
				const parents = parentsOf.get(inner.schema);
				if (parents) parents.push(schema);
				else parentsOf.set(inner.schema, [schema]);
			}
		}
		for (const schema of leading) {
			for (const parent of parentsOf.get(schema) ?? []) leading.add(parent);
		}
		return leading;
	}

	private fieldsOf(root: JsonObject, leading: Set<JsonObject>, isMeant: Test) {
		const found = new Map<string, JsonObject>();
		const ways = [{ schema: root, path: '', passed: [root] }];
		let isWhole = true;
		for (const { schema, path, passed } of ways) {
			const { properties, entries } = this.shapeOf(schema);
			this.stepsLeft -= properties.length + entries.length;
			if (this.isCutShort || found.size > MOST_FOUND) {
				isWhole = false;
				break;
			}
			const inside = [
				...properties.filter(isNameable).map((property) => ({
					schema: property.schema,
					path: path ? `${path}.${property.name}` : property.name,
					isFound: isMeant(property),
				})),
				...entries.map(({ step, ...entry }) => ({ ...entry, path: path + step, isFound: false })),
			];
			for (const { isFound, ...way } of inside) {
				if (isFound && !found.has(way.path)) found.set(way.path, way.schema);
				// No schema is entered within itself.
				if (!leading.has(way.schema) || passed.includes(way.schema)) continue;
				if (passed.length > DEEPEST || ways.length >= MOST_WAYS) isWhole = false;
				else ways.push({ ...way, passed: [...passed, way.schema] });
			}
		}
		const fields = [...found].map(([value, schema]) => {
			return { value, at: this.pointerTo(schema), schema };
		});
		return { fields, isWhole };
	}
}

/** The methods that an API Detail can name. */
const METHODS = ['get', 'post', 'put', 'patch'];
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
	const [path, server, base] = [written, serverPath, basePath].map(normalized);
	for (const prefix of [API_PREFIX, base.replace(/\/api\/v1$/, '') + API_PREFIX]) {
		if (`${path}/`.startsWith(`${prefix}/`)) return path.slice(prefix.length);
	}
	const whole = server + path;
	const start = `${whole}/`.indexOf(`${API_PREFIX}/`);
	if (start >= 0 && start < server.length) return whole.slice(start + API_PREFIX.length);
	return /\/v\d[^/]*$/i.test(server) ? whole : path;
}

/** One slash before each segment, none at the end. */
function normalized(path: string): string {
	return `/${path}`.replace(/\/+/g, '/').replace(/\/$/, '');
}

function serverUrl({ url, variables }: JsonObject): URL | undefined {
	if (typeof url !== 'string' || url.length > LONGEST_ADDRESS) return undefined;
	const filled = url.replace(/\{([^{}]*)\}/g, (variable, name: string) => {
		const value = ownValue(ownValue(variables, name), 'default');
		return typeof value === 'string' ? value : variable;
	});
	return parseUrl(filled, 'https://relative.invalid/');
}

function parseUrl(url: string, base?: string): URL | undefined {
	return URL.canParse(url, base) ? new URL(url, base) : undefined;
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
			.reduce<unknown>((value, key) => ownValue(value, key), root);
		return isObject(target) ? target : undefined;
	} catch {
		// Not a URI fragment.
		return undefined;
	}
}

function pointersIn(root: JsonObject): Map<unknown, string> {
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
		.map((value, index) => ({ value, pointer: `/enum/${index}` }));
	if (constants.length === 0) constants.push({ value: schema.const, pointer: '/const' });
	return constants.flatMap(({ value, pointer }) =>
		typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
			? [{ value, schema, pointer }]
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
