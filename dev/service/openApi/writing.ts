import type { DescribedOperation, JsonSchema } from '../apiReference.ts';

/** Operations by path and method. */
export function pathsOf(
	operations: DescribedOperation[],
	write: (operation: DescribedOperation) => unknown,
	prefix = '',
) {
	const paths: Record<string, Record<string, unknown>> = {};
	for (const operation of operations) {
		const path = prefix + operation.path;
		paths[path] = { ...paths[path], [operation.method]: write(operation) };
	}
	return paths;
}

/** The schema with every schema in it changed, the innermost first. */
export function mapSchemas(
	schema: JsonSchema,
	change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
	const inside = (value: unknown) => mapSchemas(value as JsonSchema, change);
	const mapped = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
		if (keyword === 'properties') {
			const properties = Object.entries(value as Record<string, JsonSchema>);
			return [keyword, Object.fromEntries(properties.map(([name, s]) => [name, inside(s)]))];
		}
		if (keyword === 'anyOf') return [keyword, (value as JsonSchema[]).map(inside)];
		const isSchema = keyword === 'items' || keyword === 'additionalProperties';
		return [keyword, isSchema && typeof value === 'object' ? inside(value) : value];
	});
	return change(Object.fromEntries(mapped));
}
