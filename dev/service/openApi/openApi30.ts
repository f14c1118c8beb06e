import { STATUS_CODES } from 'node:http';
import type { ApiDescription, DescribedOperation, JsonSchema } from '../apiReference.ts';
import { mapSchemas, pathsOf } from './writing.ts';

/** OpenAPI 3.0: a server with a base path, and references for everything that recurs. */
export function openApi30({ title, origin, prefix, operations, schemas }: ApiDescription) {
	const answers = new Map(operations.flatMap((operation) => refusalsOf(operation)));
	const bodies = operations.flatMap(({ body, form, operation }) => [
		...(body ? [[body.name, write(body.schema)] as const] : []),
		...(form ? [[`${operation}Form`, formSchema(form)] as const] : []),
	]);

	return {
		openapi: '3.0.3',
		info: { title, version: 'v1' },
		servers: [{ url: `${origin}${prefix}` }],
		security: [{ key: [] }],
		paths: pathsOf(operations, writeOperation),
		components: {
			schemas: Object.fromEntries([
				...Object.entries(schemas).map(([name, schema]) => [name, write(schema)] as const),
				...bodies,
			]),
			parameters: Object.fromEntries(
				operations
					.flatMap(({ pathParameters }) => pathParameters)
					.map((name) => [name, { name, in: 'path', required: true, schema: { type: 'string' } }]),
			),
			responses: Object.fromEntries(answers),
			securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
		},
	};
}

function refusalsOf({ answers }: DescribedOperation) {
	return answers
		.filter(({ status }) => status >= 400)
		.map((answer) => [nameOf(answer.status), writeAnswer(answer)] as const);
}

const nameOf = (status: number) => (STATUS_CODES[status] ?? String(status)).replaceAll(/\W/g, '');

function writeAnswer({ status, schema, contentType }: DescribedOperation['answers'][number]) {
	return {
		description: STATUS_CODES[status],
		...(schema && {
			content: { [contentType ?? 'application/json']: { schema: write(schema) } },
		}),
	};
}

function writeOperation({ operation, summary, body, form, ...rest }: DescribedOperation) {
	const { pathParameters, query, answers } = rest;

	return {
		operationId: operation,
		summary,
		parameters: [
			...pathParameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
			...Object.entries(query).map(([name, schema]) => ({
				name,
				in: 'query',
				schema: write(schema),
			})),
		],
		...(body && {
			requestBody: {
				required: body.required,
				content: { 'application/json': { schema: { $ref: `#/components/schemas/${body.name}` } } },
			},
		}),
		...(form && {
			requestBody: {
				required: true,
				content: {
					'multipart/form-data': { schema: { $ref: `#/components/schemas/${operation}Form` } },
				},
			},
		}),
		responses: Object.fromEntries(
			answers.map((answer) => [
				answer.status,
				answer.status >= 400
					? { $ref: `#/components/responses/${nameOf(answer.status)}` }
					: writeAnswer(answer),
			]),
		),
	};
}

function formSchema({ file, fileSchema, fields }: NonNullable<DescribedOperation['form']>) {
	return write({
		type: 'object',
		required: [file],
		properties: { [file]: { type: 'array', items: fileSchema }, ...fields },
	});
}

function write(schema: JsonSchema): JsonSchema {
	return mapSchemas(schema, ({ type, $ref, ...rest }) => {
		if ($ref) return { $ref: `#/components/schemas/${$ref}` };
		const [first, ...others] = [type].flat().filter((one) => one !== 'null');
		return {
			...(first !== undefined && others.length === 0 && { type: first }),
			...rest,
			...([type].flat().includes('null') && { nullable: true }),
		};
	});
}
