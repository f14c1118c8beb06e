/** Where properties stand in what a schema describes. */
import { unique, type JsonObject, type Located } from './document';
import type { Property, SchemaReader } from './schemas';

/** How many ways through one response are tried, and how deep; a user reads fewer than that. */
const MOST_WAYS = 5_000;
const MOST_FOUND = 100;
const DEEPEST = 12;

export interface Search {
	hits: Set<Property>;
	/** The schemas that lead to a hit. */
	leading: Set<JsonObject>;
}

export interface FoundProperty extends Property {
	/** The way to it in a value of the schema, e.g. `data.files[0].id`. */
	path: string;
}

/** Which properties are hits, wherever they stand below these schemas, and what leads to them. */
export function searchProperties(
	reader: SchemaReader,
	roots: Located[],
	isHit: (property: Property) => boolean,
): Search {
	const seen = new Map(roots.map((root) => [root.value, root]));
	const hits = new Set<Property>();
	const leading = new Set<JsonObject>();
	for (const schema of seen.values()) {
		const { properties, next } = reader.edges(schema);
		if (!reader.spend(next.length + 1)) break;
		for (const property of properties) {
			if (!isHit(property)) continue;
			hits.add(property);
			leading.add(schema.value);
		}
		for (const target of next) if (!seen.has(target.value)) seen.set(target.value, target);
	}
	if (hits.size > 0) addWhatLeadsThere(reader, leading, seen.values());
	return { hits, leading };
}

function addWhatLeadsThere(
	reader: SchemaReader,
	leading: Set<JsonObject>,
	schemas: Iterable<Located>,
) {
	const sources = new Map<JsonObject, JsonObject[]>();
	for (const schema of schemas) {
		const { next } = reader.edges(schema);
		if (!reader.spend(next.length + 1)) break;
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

interface Ways {
	found: FoundProperty[];
	/** False where there may be more. */
	isWhole: boolean;
}

/** The ways to the hits of a search, in a value of each schema, the nearest to the top first. */
export function waysTo(reader: SchemaReader, roots: Located[], search: Search): Ways {
	const ways = unique(roots).map((root) => waysFrom(reader, root, search));
	return {
		found: ways.flatMap(({ found }) => found),
		isWhole: ways.every(({ isWhole }) => isWhole),
	};
}

/** All such properties below these schemas, by the ways to them. */
export function findProperties(
	reader: SchemaReader,
	roots: Located[],
	isHit: (property: Property) => boolean,
): Ways {
	return waysTo(reader, roots, searchProperties(reader, roots, isHit));
}

interface Way {
	schema: Located;
	path: string;
	depth: number;
	/** The schemas passed so far, so that none is entered within itself. */
	passed: JsonObject[];
}

function waysFrom(reader: SchemaReader, root: Located, { hits, leading }: Search): Ways {
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
