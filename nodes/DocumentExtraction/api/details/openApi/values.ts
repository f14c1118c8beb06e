/** What schemas say about their values. */
import { below, isObject, own, type JsonObject, type Located } from './document';
import type { SchemaReader } from './schemas';

/** How many values of one enum are read. */
const MOST_VALUES = 100;

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

/** Whether a schema allows one of these types; one that names no type allows all. */
export function allows(reader: SchemaReader, schema: Located, types: string[]): boolean {
	const allowed = typesOf(reader, schema);
	return allowed.size === 0 || types.some((type) => allowed.has(type));
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
