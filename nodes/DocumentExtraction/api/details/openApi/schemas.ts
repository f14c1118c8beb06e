/** Schemas as a graph: what a value holds, through references and whatever schemas are composed of. */
import {
	below,
	child,
	children,
	isObject,
	own,
	referenced,
	type JsonObject,
	type Located,
	type OpenApiDocument,
} from './document';

/**
 * How many steps all reading of one document may take. Real documents take six per kB at the most,
 * 30,000 if they had 5 MB; 100,000 take less than a second.
 */
const MOST_STEPS = 100_000;
/** How many ways through one response are tried, and how deep; a user reads fewer than that. */
const MOST_WAYS = 5_000;
const MOST_FOUND = 100;
const DEEPEST = 12;
/** How many values of one enum are read. */
const MOST_VALUES = 100;

export interface Property {
	name: string;
	schema: Located;
}

export interface FoundProperty extends Property {
	/** The way to it in a value of the schema, e.g. `data.files[0].id`. */
	path: string;
}

interface Edges {
	/** Schemas that hold for the same value: `$ref`, `allOf`. */
	all: Located[];
	/** Lists of schemas of which one holds for the same value: `anyOf`, `oneOf`. */
	choices: Located[][];
	properties: Property[];
	/** Schemas of a list's entries, with the step to them. */
	entries: Array<{ step: string; schema: Located }>;
	/** All schemas that hold for the same value, choices included. */
	sameValue: Located[];
	/** All schemas that this one leads to. */
	next: Located[];
}

export interface SchemaReader {
	document: OpenApiDocument;
	edges(schema: Located): Edges;
	/** The schema and all that it is composed of, choices included. */
	parts(schema: Located): Located[];
	/** Which properties are hits, wherever they stand below these schemas, and what leads to them. */
	search(roots: Located[], isHit: (property: Property) => boolean): Search;
	/** Counts work; false once there was too much of it. */
	spend(steps: number): boolean;
	/** Whether the document was too entangled to be read to the end. */
	isExhausted(): boolean;
}

export interface Search {
	hits: Set<Property>;
	/** The schemas that lead to a hit. */
	leading: Set<JsonObject>;
}

/** A reader that remembers what it has read, and bounds its work over the whole document. */
export function createSchemaReader(document: OpenApiDocument): SchemaReader {
	const knownEdges = new Map<JsonObject, Edges>();
	const knownParts = new Map<JsonObject, Located[]>();
	let stepsLeft = MOST_STEPS;

	function spend(steps: number): boolean {
		stepsLeft -= steps;
		return stepsLeft > 0;
	}

	function edges(schema: Located): Edges {
		let known = knownEdges.get(schema.value);
		if (!known) {
			known = readEdges(document, schema);
			knownEdges.set(schema.value, known);
		}
		return known;
	}

	function parts(schema: Located): Located[] {
		const known = knownParts.get(schema.value);
		if (known) {
			spend(known.length);
			return known;
		}
		const found = new Map([[schema.value, schema]]);
		for (const part of found.values()) {
			const next = edges(part).sameValue;
			if (!spend(next.length + 1)) break;
			for (const other of next) if (!found.has(other.value)) found.set(other.value, other);
		}
		const list = [...found.values()];
		knownParts.set(schema.value, list);
		return list;
	}

	function search(roots: Located[], isHit: (property: Property) => boolean): Search {
		const seen = new Map(roots.map((root) => [root.value, root]));
		const hits = new Set<Property>();
		const leading = new Set<JsonObject>();
		for (const schema of seen.values()) {
			const { properties, next } = edges(schema);
			if (!spend(next.length + 1)) break;
			for (const property of properties) {
				if (!isHit(property)) continue;
				hits.add(property);
				leading.add(schema.value);
			}
			for (const target of next) if (!seen.has(target.value)) seen.set(target.value, target);
		}
		if (hits.size > 0) addWhatLeadsThere(leading, seen.values());
		return { hits, leading };
	}

	function addWhatLeadsThere(leading: Set<JsonObject>, schemas: Iterable<Located>) {
		const sources = new Map<JsonObject, JsonObject[]>();
		for (const schema of schemas) {
			const { next } = edges(schema);
			if (!spend(next.length + 1)) break;
			for (const { value } of next) {
				const known = sources.get(value);
				if (known) known.push(schema.value);
				else sources.set(value, [schema.value]);
			}
		}
		for (const value of leading) {
			for (const source of sources.get(value) ?? []) leading.add(source);
		}
	}

	return { document, edges, parts, search, spend, isExhausted: () => stepsLeft <= 0 };
}

const NO_EDGES = { choices: [], properties: [], entries: [] };

function readEdges(document: OpenApiDocument, schema: Located): Edges {
	const all: Located[] = [];
	if (Object.hasOwn(schema.value, '$ref')) {
		const reference = referenced(document, schema.value.$ref);
		if (reference) all.push(reference);
		// Before 3.1, nothing beside a reference counts.
		if (document.version !== '3.1' || Object.keys(schema.value).length === 1) {
			return { ...NO_EDGES, all, sameValue: all, next: all };
		}
	}
	for (const part of children(below(schema, 'allOf'))) all.push(part);
	const choices = ['anyOf', 'oneOf']
		.map((key) => children(below(schema, key)))
		.filter((choice) => choice.length > 0);
	const properties = children(below(schema, 'properties')).map((property) => ({
		name: property.key,
		schema: property,
	}));
	const entries = readEntries(schema);
	const sameValue = choices.length > 0 ? [...all, ...choices.flat()] : all;
	const inside = [...properties, ...entries].map((edge) => edge.schema);
	const next = inside.length > 0 ? [...sameValue, ...inside] : sameValue;
	return { all, choices, properties, entries, sameValue, next };
}

function readEntries(schema: Located): Edges['entries'] {
	const items = child(schema, 'items');
	// Before 3.1, `items` could be a list itself.
	const lists = items ? ['prefixItems'] : ['prefixItems', 'items'];
	return [
		...(items ? [{ step: '[0]', schema: items }] : []),
		...lists.flatMap((key) =>
			children(below(schema, key)).map((entry) => ({ step: `[${entry.key}]`, schema: entry })),
		),
	];
}

interface Way {
	schema: Located;
	path: string;
	depth: number;
	/** The schemas passed so far, so that none is entered within itself. */
	passed: JsonObject[];
}

/**
 * The ways to the hits of a search in a value of this schema, the nearest to the top first.
 * `isWhole` is false where there may be more.
 */
export function waysTo(
	reader: SchemaReader,
	root: Located,
	{ hits, leading }: Search,
): { found: FoundProperty[]; isWhole: boolean } {
	const found = new Map<string, FoundProperty>();
	const ways: Way[] = [{ schema: root, path: '', depth: 0, passed: [root.value] }];
	let isWhole = true;
	for (const way of ways) {
		if (reader.isExhausted() || found.size > MOST_FOUND) {
			isWhole = false;
			break;
		}
		for (const part of reader.parts(way.schema)) {
			if (!leading.has(part.value)) continue;
			const { properties, entries } = reader.edges(part);
			if (!reader.spend(properties.length + entries.length)) break;
			for (const property of properties) {
				const isHit = hits.has(property);
				// No path can name some properties.
				if ((!isHit && !leading.has(property.schema.value)) || !isStep(property.name)) continue;
				const path = way.path ? `${way.path}.${property.name}` : property.name;
				if (isHit && !found.has(path)) found.set(path, { ...property, path });
				follow(property.schema, path, way);
			}
			for (const { step, schema } of entries) follow(schema, `${way.path}${step}`, way);
		}
	}

	function follow(schema: Located, path: string, { depth, passed }: Way) {
		if (!leading.has(schema.value) || passed.includes(schema.value)) return;
		if (depth >= DEEPEST || ways.length >= MOST_WAYS) isWhole = false;
		else ways.push({ schema, path, depth: depth + 1, passed: [...passed, schema.value] });
	}

	return { found: [...found.values()], isWhole: isWhole && !reader.isExhausted() };
}

function isStep(name: string): boolean {
	return /^[^.[\]\s]+$/.test(name);
}

/** The types that a schema itself names, `null` left out. */
export function writtenTypes(schema: JsonObject): string[] {
	const type = own(schema, 'type');
	// JSON Schema has seven types.
	return (Array.isArray(type) ? (type as unknown[]).slice(0, 7) : [type]).filter(
		(name): name is string => typeof name === 'string' && name !== 'null',
	);
}

/** The values that a schema itself fixes, `null` left out, with JSON pointers. */
export function writtenValues(schema: Located): Array<Located<string | number | boolean>> {
	const list = below(schema, 'enum');
	const values = Array.isArray(list.value)
		? (list.value as unknown[])
				.slice(0, MOST_VALUES)
				.map((value, index) => ({ value, at: `${list.at}/${index}` }))
		: [below(schema, 'const')];
	return values.flatMap(({ value, at }) =>
		typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
			? [{ value, at }]
			: [],
	);
}

/** The types that a schema allows, `null` left out; a shape without a type names its type too. */
export function typesOf(reader: SchemaReader, schema: Located): Set<string> {
	const types = new Set<string>();
	for (const { value } of reader.parts(schema)) {
		for (const type of writtenTypes(value)) types.add(type);
		if (isObject(own(value, 'properties'))) types.add('object');
		if (own(value, 'items') !== undefined || own(value, 'prefixItems') !== undefined) {
			types.add('array');
		}
	}
	return types;
}

/** The schemas of the entries, where a schema is a list. */
export function entrySchemas(reader: SchemaReader, schema: Located): Located[] {
	return ofParts(reader, schema, ({ entries }) => entries).map((entry) => entry.schema);
}

/** The properties of a schema and of all that it is composed of. */
export function propertiesOf(reader: SchemaReader, schema: Located): Property[] {
	return ofParts(reader, schema, ({ properties }) => properties);
}

function ofParts<Edge>(
	reader: SchemaReader,
	schema: Located,
	select: (edges: Edges) => Edge[],
): Edge[] {
	return reader.parts(schema).flatMap((part) => {
		const selected = select(reader.edges(part));
		return reader.spend(selected.length) ? selected : [];
	});
}

/** Whether a schema says that its values are files. */
export function isBinary(reader: SchemaReader, schema: Located): boolean {
	return reader.parts(schema).some(({ value }) => {
		const mediaType = own(value, 'contentMediaType');
		const encoding = own(value, 'contentEncoding');
		return (
			own(value, 'format') === 'binary' ||
			own(value, 'type') === 'file' ||
			encoding === 'binary' ||
			// A text that holds JSON, or a file in base64, is a text all the same.
			(typeof mediaType === 'string' && encoding === undefined && !/json/i.test(mediaType))
		);
	});
}

/** Whether a schema says that its values are addresses. */
export function isUri(reader: SchemaReader, schema: Located): boolean {
	return reader
		.parts(schema)
		.some(({ value }) => /^(?:uri|url|iri)$/i.test(String(own(value, 'format')).slice(0, 10)));
}

/** The values that a schema limits itself to, `null` left out, with JSON pointers. */
export function fixedValues(
	reader: SchemaReader,
	schema: Located,
): Array<Located<string | number | boolean>> {
	return reader.parts(schema).flatMap(writtenValues);
}
