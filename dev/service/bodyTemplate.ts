import type { JsonSchema } from './model.ts';
import type { Profile } from './profiles/profile.ts';

/** What a body template of the API Details holds, with a placeholder where a value goes. */
type Template = string | Template[] | { [name: string]: Template };

/** The name of the only placeholder that a template is. */
const placeholderOf = (template: Template) =>
	typeof template === 'string' ? /^\{(\w+)\}$/.exec(template)?.[1] : undefined;

/** What a body like the template is validated with: without a collection, if need be. */
export function schemaOfBody({ idSchemas }: Pick<Profile, 'idSchemas'>, json: string): JsonSchema {
	const values: Record<string, JsonSchema> = {
		file_name: { type: 'string', minLength: 1 },
		content_type: { type: 'string' },
		file_size: { type: 'integer', minimum: 0 },
		collection_id: { ...idSchemas.collection, type: ['string', 'null'] },
		collection_name: { type: ['string', 'null'] },
		workflow_id: { type: 'string' },
		document_id: idSchemas.document,
	};
	const schemaOf = (template: Template): JsonSchema => {
		if (typeof template === 'string') {
			return values[placeholderOf(template) ?? ''] ?? { enum: [template] };
		}
		if (Array.isArray(template)) {
			return { type: 'array', items: schemaOf(template[0]), minItems: 1 };
		}
		const names = Object.keys(template);
		const isOptional = (name: string) => placeholderOf(template[name])?.startsWith('collection_');
		return {
			type: 'object',
			required: names.filter((name) => !isOptional(name)),
			properties: Object.fromEntries(names.map((name) => [name, schemaOf(template[name])])),
		};
	};
	return schemaOf(JSON.parse(json) as Template);
}

/** The values that a body has where the template has placeholders, by their names: a list has several. */
export function valuesOfBody(json: string, body: unknown): Record<string, unknown[]> {
	const found: Record<string, unknown[]> = {};
	const collect = (template: Template, value: unknown) => {
		const name = placeholderOf(template);
		if (name) (found[name] ??= []).push(value ?? undefined);
		else if (Array.isArray(template)) {
			for (const entry of value as unknown[]) collect(template[0], entry);
		} else if (typeof template === 'object') {
			for (const [key, inner] of Object.entries(template)) {
				collect(inner, (value as Record<string, unknown>)[key]);
			}
		}
	};
	collect(JSON.parse(json) as Template, body);
	return found;
}
