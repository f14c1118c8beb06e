import { STATUS_CODES } from 'node:http';
import type { ApiDescription, DescribedOperation, JsonSchema } from '../apiReference.ts';
import { mapSchemas, pathsOf } from './writing.ts';

/** Swagger 2.0: a host with a base path; forms and bodies are parameters. */
export function swagger20({ title, origin, prefix, operations, schemas }: ApiDescription) {
	const { host, protocol } = new URL(origin);
	const bodies = operations.flatMap(({ body }) => (body ? [[body.name, body.schema]] : []));

	return {
		swagger: '2.0',
		info: { title, version: '1' },
		host,
		schemes: [protocol.replace(':', '')],
		basePath: prefix,
		consumes: ['application/json'],
		produces: ['application/json'],
		securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } },
		security: [{ key: [] }],
		paths: pathsOf(operations, writeOperation),
		definitions: Object.fromEntries(
			[...Object.entries(schemas), ...(bodies as Array<[string, JsonSchema]>)].map(
				([name, schema]) => [name, write(schema)],
			),
		),
	};
}

function writeOperation({ operation, summary, body, form, ...rest }: DescribedOperation) {
	const { pathParameters, query, answers } = rest;
	const [{ contentType }] = answers;

	return {
		operationId: operation,
		summary,
		...(form && { consumes: ['multipart/form-data'] }),
		...(contentType && { produces: [contentType] }),
		parameters: [
			...pathParameters.map((name) => ({ name, in: 'path', required: true, type: 'string' })),
			...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', ...write(schema) })),
			...(body
				? [
						{
							name: 'body',
							in: 'body',
							required: body.required,
							schema: { $ref: `#/definitions/${body.name}` },
						},
					]
				: []),
			...(form ? formParameters(form) : []),
		],
		responses: Object.fromEntries(
			answers.map(({ status, schema }) => [
				status,
				{ description: STATUS_CODES[status], ...(schema && { schema: write(schema) }) },
			]),
		),
	};
}

function formParameters({ file, fileSchema, fields }: NonNullable<DescribedOperation['form']>) {
	const type = fileSchema.format === 'binary' ? 'file' : 'string';
	return [
		{ name: file, in: 'formData', required: true, type },
		...Object.entries(fields).map(([name, schema]) => ({
			name,
			in: 'formData',
			...write(schema),
		})),
	];
}

function write(schema: JsonSchema): JsonSchema {
	return mapSchemas(schema, ({ type, $ref, ...rest }) => {
		if ($ref) return { $ref: `#/definitions/${$ref}` };
		if (rest.format === 'binary') return { type: 'file' };
		const [first, ...others] = [type].flat().filter((one) => one !== 'null');
		return {
			...(first !== undefined && others.length === 0 && { type: first }),
			...rest,
			...([type].flat().includes('null') && { 'x-nullable': true }),
		};
	});
}
