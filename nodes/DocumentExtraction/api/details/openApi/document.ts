/** The parts of the account's OpenAPI document, and how to get from one to another. */

export interface JsonObject {
	[key: string]: unknown;
}

/** A part of the document, and the JSON pointer to where it stands. */
export interface Located<Value = JsonObject> {
	value: Value;
	at: string;
}

export interface OpenApiDocument {
	root: JsonObject;
	/** `3.1` stands for later versions too: what is read here is the same in them. */
	version: '2.0' | '3.0' | '3.1';
	/** Where references have been found to lead, so that long chains are followed once. */
	targets: Map<JsonObject, Located | undefined>;
}

/** Only plain JSON objects: no lists. */
export function isObject(value: unknown): value is JsonObject {
	return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The document may use any key, `__proto__` and `constructor` among them. */
export function own(value: unknown, key: string): unknown {
	return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A place inside another, where an object stands there. */
export function child(parent: Located<unknown>, key: string): Located | undefined {
	const { value, at } = below(parent, key);
	return isObject(value) ? { value, at } : undefined;
}

/** Every object that stands directly inside a place, with its key; at most so many entries are read. */
export function children(
	parent: Located<unknown>,
	most = Infinity,
): Array<Located & { key: string }> {
	if (parent.value === null || typeof parent.value !== 'object') return [];
	return Object.entries(parent.value)
		.slice(0, most)
		.flatMap(([key, value]) =>
			isObject(value) ? [{ key, value, at: `${parent.at}/${escaped(key)}` }] : [],
		);
}

/** What stands at a key of an object or of a list: an object, a list, anything else or nothing. */
export function below({ value, at }: Located<unknown>, key: string): Located<unknown> {
	const isEntry = Array.isArray(value) && /^\d+$/.test(key);
	return {
		value: isEntry ? (value as unknown[])[Number(key)] : own(value, key),
		at: `${at}/${escaped(key)}`,
	};
}

/** Each part once. */
export function unique(places: Located[]): Located[] {
	return [...new Map(places.map((place) => [place.value, place])).values()];
}

function escaped(key: string): string {
	return /[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

/** What a `$ref` points to; undefined where that is not an object inside this document. */
export function referenced(document: OpenApiDocument, ref: unknown): Located | undefined {
	if (typeof ref !== 'string' || (ref !== '#' && !ref.startsWith('#/'))) return undefined;
	let place: Located<unknown> = { value: document.root, at: '' };
	for (const part of ref === '#' ? [] : ref.slice(2).split('/')) {
		const key = keyOf(part);
		if (key === undefined) return undefined;
		place = below(place, key);
	}
	const { value, at } = place;
	return isObject(value) ? { value, at } : undefined;
}

function keyOf(part: string): string | undefined {
	if (!/[%~]/.test(part)) return part;
	try {
		return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
	} catch {
		return undefined;
	}
}

/** A place, or what it refers to, through as many references as there are. */
export function dereferenced(
	document: OpenApiDocument,
	place: Located | undefined,
): Located | undefined {
	const passed = new Set<JsonObject>();
	let current = place;
	while (current && Object.hasOwn(current.value, '$ref')) {
		if (document.targets.has(current.value)) {
			current = document.targets.get(current.value);
			break;
		}
		const isCircular = passed.has(current.value);
		passed.add(current.value);
		current = isCircular ? undefined : referenced(document, current.value.$ref);
	}
	for (const value of passed) document.targets.set(value, current);
	return current;
}
