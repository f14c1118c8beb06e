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
export function child(parent: Located<unknown>, key: string | number): Located | undefined {
	const value = Array.isArray(parent.value)
		? (parent.value as unknown[])[Number(key)]
		: own(parent.value, String(key));
	return isObject(value) ? { value, at: `${parent.at}/${escaped(String(key))}` } : undefined;
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

/** What stands below a key of a place, be it an object, a list or nothing. */
export function below(parent: Located, key: string): Located<unknown> {
	return { value: own(parent.value, key), at: `${parent.at}/${escaped(key)}` };
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
	for (const part of ref
		.slice(2)
		.split('/')
		.slice(0, ref === '#' ? 0 : undefined)) {
		const key = keyOf(part);
		if (key === undefined) return undefined;
		const { value } = place;
		place = {
			value: Array.isArray(value)
				? (value as unknown[])[/^\d+$/.test(key) ? Number(key) : -1]
				: own(value, key),
			at: `${place.at}/${escaped(key)}`,
		};
	}
	return isObject(place.value) ? { value: place.value, at: place.at } : undefined;
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
