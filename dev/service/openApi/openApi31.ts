import { STATUS_CODES } from 'node:http';
import type { ApiDescription, DescribedOperation, JsonSchema } from '../apiReference.ts';
import { mapSchemas, pathsOf } from './writing.ts';

/** OpenAPI 3.1 in the way of FastAPI: whole paths, no server, models of their own for forms. */
export function openApi31({ title, prefix, operations, schemas }: ApiDescription) {
	const models = Object.entries(schemas).map(([name, schema]) => [name, write(schema)]);
	for (const { body, form, operation } of operations) {
		if (body) models.push([body.name, write({ ...body.schema, type: 'object' })]);
		if (form) models.push([`Body_${operation}`, formModel(form)]);
	}

	return {
		openapi: '3.1.0',
		info: { title, version: '1.0.0' },
		paths: pathsOf(operations, writeOperation, prefix),
		components: {
			schemas: Object.fromEntries(models),
			securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } },
		},
	};
}

function writeOperation({ operation, summary, body, form, ...rest }: DescribedOperation) {
	const { pathParameters, query, answers } = rest;
	const model = body && { $ref: `#/components/schemas/${body.name}` };

	return {
		summary,
		operationId: operation,
		security: [{ HTTPBearer: [] }],
		parameters: [
			...pathParameters.map((name) => ({
				name,
				in: 'path',
				required: true,
				schema: { type: 'string' },
			})),
			...Object.entries(query).map(([name, schema]) => ({
				name,
				in: 'query',
				required: false,
				schema: write(schema),
			})),
		],
		...(body && {
			requestBody: {
				...(body.required && { required: true }),
				content: {
					'application/json': {
						schema: body.required ? model : { anyOf: [model, { type: 'null' }] },
					},
				},
			},
		}),
		...(form && {
			requestBody: {
				required: true,
				content: {
					'multipart/form-data': { schema: { $ref: `#/components/schemas/Body_${operation}` } },
				},
			},
		}),
		responses: Object.fromEntries(
			answers.map(({ status, schema, contentType = 'application/json' }) => [
				status,
				{
					description: STATUS_CODES[status],
					...(schema && { content: { [contentType]: { schema: write(schema) } } }),
				},
			]),
		),
	};
}

function formModel({ file, fileSchema, fields }: NonNullable<DescribedOperation['form']>) {
	return write({
		type: 'object',
		required: [file],
		properties: {
			[file]: fileSchema,
			...Object.fromEntries(
				Object.entries(fields).map(([name, schema]) => [
					name,
					{ ...schema, type: [schema.type, 'null'] },
				]),
			),
		},
	});
}

function write(schema: JsonSchema): JsonSchema {
	return mapSchemas(schema, ({ type, $ref, ...rest }) => {
		if ($ref) return { $ref: `#/components/schemas/${$ref}` };
		if (rest.format === 'binary') {
			return { type, contentMediaType: 'application/octet-stream' };
		}
		if (!Array.isArray(type)) return { ...(type !== undefined && { type }), ...rest };
		return { anyOf: type.map((one) => (one === 'null' ? { type: one } : { ...rest, type: one })) };
	});
}
