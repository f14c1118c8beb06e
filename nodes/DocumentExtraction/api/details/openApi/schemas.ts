/** Schemas as a graph: what a value holds, through references and whatever schemas are composed of. */
import {
	below,
	child,
	children,
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

export interface Property {
	name: string;
	schema: Located;
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
	edges(schema: Located): Edges;
	/** The schema and all that it is composed of, choices included. */
	parts(schema: Located): Located[];
	/** Counts work; false once there was too much of it. */
	spend(steps: number): boolean;
	/** Whether the document was too entangled to be read to the end. */
	isExhausted(): boolean;
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

	return { edges, parts, spend, isExhausted: () => stepsLeft <= 0 };
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
