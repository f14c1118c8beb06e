import type { JsonSchema } from '../model.ts';

export const text = { type: 'string' };
export const uuidText = { type: 'string', format: 'uuid' };
export const uri = { type: 'string', format: 'uri' };
export const dateTime = { type: 'string', format: 'date-time' };
const integer = { type: 'integer' };

export const list = (items: JsonSchema) => ({ type: 'array', items });

/** One of the profile's named schemas. */
export const ref = (name: string) => ({ $ref: `${name}#` });

/** An object that has all of these properties. */
export const object = (properties: Record<string, JsonSchema>) => ({
	type: 'object',
	required: Object.keys(properties),
	properties,
});

export const page = (items: JsonSchema) =>
	object({ total: integer, page: integer, limit: integer, pages: integer, items: list(items) });

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
