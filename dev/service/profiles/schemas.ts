import type { JsonSchema } from '../model.ts';

export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const boolean = { type: 'boolean' };
export const uuidText = { type: 'string', format: 'uuid' };
export const uri = { type: 'string', format: 'uri' };
export const dateTime = { type: 'string', format: 'date-time' };
export const pdf = { type: 'string', format: 'binary' };

/** Whatever a column can hold: text, a number, a date, the rows of a table, or null. */
export const cell = { description: 'Text, number, date, list of rows, or null' };

export const orNull = (schema: JsonSchema) => ({ ...schema, type: [schema.type, 'null'] });

export const list = (items: JsonSchema) => ({ type: 'array', items });

/** One of the profile's named schemas. */
export const ref = (name: string) => ({ $ref: `${name}#` });

/** An object that has all of these properties. */
export const object = (properties: Record<string, JsonSchema>) => ({
	type: 'object',
	required: Object.keys(properties),
	properties,
});

export const oneOfThem = (values: Array<string | number>) => ({
	type: typeof values[0] === 'number' ? 'integer' : 'string',
	enum: values,
});

export const page = (items: JsonSchema) =>
	object({ total: integer, page: integer, limit: integer, pages: integer, items: list(items) });

/** An entry of an answer with status 422. */
export const validationEntry = {
	type: 'object',
	required: ['loc', 'msg', 'type'],
	properties: {
		loc: list({ description: 'Where: text or a number' }),
		msg: text,
		type: text,
		input: {},
	},
};

/** The one error that the interface shows whole. */
export const detailError = object({ detail: text });

/** A version 4 UUID out of 32 hexadecimal digits. */
export function uuid(digits: string): string {
	return [
		digits.slice(0, 8),
		digits.slice(8, 12),
		`4${digits.slice(13, 16)}`,
		`a${digits.slice(17, 20)}`,
		digits.slice(20, 32),
	].join('-');
}
