/** Fields of responses whose shape the interface does not show. */
/** Nobody would choose from longer paths. */
const LONGEST_PATH = 200;
/** How many fields a message lists. */
const MOST_LISTED = 20;
/** How deep a message looks for the fields to list. */
const DEEPEST_LISTED = 8;

/** Whether a text is a bare field name or a dot path such as `a.b[0].c`. */
export function isFieldPath(path: string): boolean {
	return /^(\[\d+\]\.)?[^.[\]\s]+(\[\d+\])*(\.[^.[\]\s]+(\[\d+\])*)*$/.test(path);
}

const stepsIn = (path: string) => path.match(/[^.[\]]+/g) ?? [];

/**
 * A value in a response whose shape is not shown. A bare name is found wherever it stands, nearest
 * to the top first; a dot path is taken literally. Only own properties count.
 */
export function valueIn(response: unknown, path: string, deepest = Infinity): unknown {
	const steps = stepsIn(path);
	if (steps.length > 1) {
		return steps.reduce<unknown>((value, step) => ownValue(value, step), response);
	}
	for (const level of levelsOf(response, deepest)) {
		for (const value of level) {
			const found = ownValue(value, path);
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

/** Like `valueIn`, but all that stand there, whatever their places in lists are. */
export function valuesIn(response: unknown, path: string): unknown[] {
	const [name, ...others] = stepsIn(path).filter((step) => !/^\d+$/.test(step));
	const partsAt = (outer: unknown, step: string) => [ownValue(outer, step) ?? []].flat(Infinity);
	const levels = others.length > 0 ? [[response].flat(Infinity)] : [...levelsOf(response)];
	const found = levels.map((level) => level.flatMap((outer) => partsAt(outer, name)));
	const first = found.find(({ length }) => length > 0) ?? [];
	return others.reduce((all, step) => all.flatMap((one) => partsAt(one, step)), first);
}

/** Like `valueIn`, where the value has to be a text that is not empty, or a number. */
export function textIn(response: unknown, path: string, deepest = Infinity): string | undefined {
	return textOf(valueIn(response, path, deepest));
}

function textOf(value: unknown): string | undefined {
	const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
	return isText ? String(value) : undefined;
}

/** The values of a JSON document, level by level: however deep it is, the stack stays flat. */
export function* levelsOf<T = unknown>(
	value: T,
	deepest = Infinity,
	partsOf: (outer: T & object) => T[] = Object.values,
): Generator<T[]> {
	let level = [value];
	for (let depth = 0; level.length > 0 && depth <= deepest; depth++) {
		yield level;
		level = level.flatMap((outer) => (isOuter(outer) ? partsOf(outer) : []));
	}
}

/** A text that is different for different JSON values, however deeply they are nested. */
export function fingerprintOf(value: unknown): string {
	try {
		return JSON.stringify([value]);
	} catch {
		// Nested more deeply than the stack: level by level it is slower, but flat.
		const levels = [...levelsOf(value)].map((level) =>
			level.map((entry) => (isOuter(entry) ? Object.keys(entry) : entry)),
		);
		return JSON.stringify(levels);
	}
}

/** The fields of a response, in the form that `valueIn` takes: what a user may choose from. */
export function fieldsOf(response: unknown): string {
	const paths = firstFields(response).map(([path]) => path);
	return paths.join(', ') || 'no fields';
}

/** The first fields of a response that a user can name, and what they hold; of a list, its first entry's. */
export function firstFields(response: unknown): Array<[path: string, value: unknown]> {
	const listed: Array<[string, unknown]> = [];
	for (const field of pathsIn(response)) {
		const [path] = field;
		// A signed URL may be a field's name: it works for anyone who reads it.
		const isNamed =
			path.length <= LONGEST_PATH && isFieldPath(path) && !/=|:\/\/|%3a%2f/i.test(path);
		if (isNamed) listed.push(field);
		if (listed.length === MOST_LISTED) break;
	}
	return listed;
}

/**
 * A name in the form in which names are compared: accents as one character (NFC), and each kind of space,
 * of no width included, as a space; those around it do not count.
 */
export function comparableName(text: string): string {
	return text
		.normalize('NFC')
		.replace(/[\s\u200b\u2060]+/g, ' ')
		.trim();
}

/** The words of a name, in lower case. */
export function wordsIn(name: string): string[] {
	return name
		.slice(0, 200)
		.replace(/([a-z\d])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z]/);
}

/** Whether a field is named as an ID is: `id`, `doc_id`, `documentId`, `uuid`, but not `width`. */
export function namesAnId(name: string): boolean {
	return wordsIn(name).some((word) => /^(?:u|gu|uu)?ids?$/.test(word));
}

/** What stands in an object, but not the entries of a list. */
export function outsideLists(outer: object): unknown[] {
	return Array.isArray(outer) ? [] : Object.values(outer);
}

/** The name of the field that a path ends with. */
export function lastStep(path: string): string {
	return path.split('.').at(-1) ?? path;
}

/** As the interface itself names a document (§2). */
export const DOCUMENT_ID = 'document_id';

export interface JsonObject {
	[key: string]: unknown;
}

/** An object or a list. */
export const isOuter = (value: unknown): value is object =>
	value !== null && typeof value === 'object';

/** An object with fields: no list. */
export function isObject(value: unknown): value is JsonObject {
	return isOuter(value) && !Array.isArray(value);
}

function* pathsIn(value: unknown, path = '', depth = 0): Generator<[string, unknown]> {
	const outer = isOuter(value) && depth <= DEEPEST_LISTED ? value : {};
	// The entries of a list are alike.
	const inner: Array<[string, unknown]> = Array.isArray(outer)
		? outer.slice(0, 1).map((entry) => [`${path}[0]`, entry])
		: Object.entries(outer).map(([name, entry]) => [path ? `${path}.${name}` : name, entry]);
	if (inner.length === 0) yield [path, value];
	for (const [innerPath, entry] of inner) yield* pathsIn(entry, innerPath, depth + 1);
}

/** What an object or a list holds itself under a key, which may be `__proto__` or `constructor`. */
export function ownValue(value: unknown, key: string): unknown {
	if (!isOuter(value) || !Object.hasOwn(value, key)) return undefined;
	return (value as { [key: string]: unknown })[key];
}

/** An ID, or undefined where the nearest level has several, with the field that it was found in. */
interface FoundId {
	field: string;
	id: string | undefined;
}

/**
 * The ID on the level nearest to the top that has one of these fields.
 * @param fields names, or paths, which are followed exactly
 * @param holders what is not looked into
 */
function nearestId(
	entry: unknown,
	fields: string[],
	holders: ReadonlySet<unknown> = new Set(),
): FoundId | undefined {
	const partsOf = (outer: object) => Object.values(outer).filter((part) => !holders.has(part));
	let depth = 0;
	for (const level of levelsOf<unknown>(entry, Infinity, partsOf)) {
		depth++;
		for (const field of fields) {
			const steps = stepsIn(field);
			const atPath = steps.length === depth ? [valueIn(entry, field)] : [];
			const found = steps.length > 1 ? atPath : level.map((outer) => ownValue(outer, field));
			const ids = new Set(found.flatMap((value) => textOf(value) ?? []));
			if (ids.size > 0) return { field, id: ids.size === 1 ? [...ids][0] : undefined };
		}
	}
	return undefined;
}

/**
 * The ID under a field; undefined where there is none, or several. A path leads to one at most. A bare
 * name leads to the IDs on the level nearest to the top.
 */
export function idIn(response: unknown, field: string): string | undefined {
	return nearestId(response, [field])?.id;
}

/** Whether a name says whose ID it is: one of a single word, such as `id`, may be that of a result itself. */
const isSpecific = (name: string) => wordsIn(name).filter(Boolean).length > 1;

function foundIdIn(entry: unknown, field: string, holders?: ReadonlySet<unknown>) {
	const last = lastStep(field);
	// The path in responses to uploads may not fit here.
	const fields = isSpecific(last) ? [DOCUMENT_ID, field, last] : [DOCUMENT_ID, field];
	return nearestId(entry, fields, holders);
}

/**
 * The ID of the one document that an entry of a list is about, or undefined where there is none: under
 * the name that the interface gives it (interface.md §2), or where the user found it in responses to
 * uploads, whichever is nearest to the top.
 * @param field the API Detail 'Document ID Field'
 */
export function documentIdIn(entry: unknown, field: string): string | undefined {
	return foundIdIn(entry, field)?.id;
}

/**
 * The IDs of the documents that results are about, as `documentIdIn`. But a field such as `id` is the
 * result's own where all results have a `document_id` further in, or others have it in its place.
 * @param holdersIn what holds the values of a result: what is in it is not about the result
 */
export function documentIdsIn(
	results: unknown[],
	field: string,
	holdersIn: (result: unknown) => ReadonlySet<unknown>,
): Array<string | undefined> {
	const found = results.map((result) => foundIdIn(result, field, holdersIn(result)));
	if (isSpecific(lastStep(field))) return found.map((one) => one?.id);
	const named = results.map((result) => nearestId(result, [DOCUMENT_ID], holdersIn(result))?.id);
	if (!named.includes(undefined)) return named;
	const isInstead = found.some((one) => one?.field === DOCUMENT_ID);
	return found.map((one) => (isInstead && one?.field !== DOCUMENT_ID ? undefined : one?.id));
}
