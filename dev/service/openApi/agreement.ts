import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { JsonSchema } from '../model.ts';
import type { Operation } from '../operations.ts';
import type { LoggedPart, LoggedRequest } from '../requestLog.ts';

type Json = Record<string, unknown>;

interface Documented {
	name: string;
	method: string;
	path: RegExp;
	parameters: Json[];
	/** JSON, or a form as an object of its fields. */
	body?: { schema: JsonSchema; required: boolean };
	/** By status; undefined: nothing is said about the body. */
	answers: Record<string, JsonSchema | undefined>;
}

/** No part of the interface. */
const outside: Operation[] = ['getOpenApi', 'unknown'];

/**
 * What an OpenAPI document (3.1, 3.0 or Swagger 2.0) says otherwise than the service does, given
 * the requests that the service answered; empty where they agree.
 */
export function disagreements(document: Json, requests: LoggedRequest[]): string[] {
	const operations = operationsOf(document);
	const schemas = { components: document.components, definitions: document.definitions };
	const invalid = { exactly: validation(schemas, true), loosely: validation(schemas, false) };
	const complaints = new Set<string>();
	const answered = new Set<Documented>();

	for (const request of requests) {
		if (request.server !== 'api' || outside.includes(request.operation)) continue;
		const operation = operations.find(
			({ method, path }) => method === request.method && path.test(request.path),
		);
		if (!operation) {
			complaints.add(`${request.method} ${request.path} is not documented`);
			continue;
		}
		const complain = (what: string[]) =>
			what.forEach((one) => complaints.add(`${operation.name} ${request.status}: ${one}`));
		complain(answerComplaints(operation, request, invalid.exactly));
		if (request.status === null || request.status >= 300) continue;
		answered.add(operation);
		complain(requestComplaints(operation, request, invalid));
	}

	for (const operation of operations) {
		if (!answered.has(operation)) complaints.add(`${operation.name} was never done`);
	}
	return [...complaints];
}

function answerComplaints({ answers }: Documented, request: LoggedRequest, invalid: Validation) {
	const { status, answer } = request;
	if (!(String(status) in answers)) return ['the status is not documented'];
	const schema = answers[String(status)];
	if (schema) return invalid(schema, answer).map((complaint) => `answer ${complaint}`);
	return typeof answer === 'object' && answer !== null ? ['the answer is not documented'] : [];
}

function requestComplaints(
	{ body, parameters }: Documented,
	request: LoggedRequest,
	invalid: Record<'exactly' | 'loosely', Validation>,
) {
	const query = parameters.filter((parameter) => parameter.in === 'query');
	const complaints = Object.keys(request.query)
		.filter((name) => !query.some((parameter) => parameter.name === name))
		.map((name) => `the query parameter ${name} is not documented`);

	if (request.body === null) {
		return body?.required ? [...complaints, 'the request body is not required'] : complaints;
	}
	if (!body) return [...complaints, 'the request body is not documented'];
	const { parts } = request.body as { parts?: LoggedPart[] };
	const found = parts
		? invalid.exactly(body.schema, fieldsOf(parts))
		: invalid.loosely(body.schema, request.body);
	return [...complaints, ...found.map((complaint) => `request body ${complaint}`)];
}

/** A file is an object, which no other field is. */
const fieldsOf = (parts: LoggedPart[]) =>
	Object.fromEntries(
		parts.map(({ name, fileName, value }) => [name, fileName === undefined ? value : {}]),
	);

type Validation = (schema: JsonSchema, value: unknown) => string[];

/**
 * @param schemas which others refer to
 * @param exact an object has no other properties than those that are documented
 */
function validation(schemas: Json, exact: boolean): Validation {
	const ajv = formats.default(new Ajv({ strict: false, allErrors: true, logger: false }));
	const validators = new Map<JsonSchema, ValidateFunction>();
	const validator = (schema: JsonSchema): ValidateFunction => {
		const made =
			validators.get(schema) ??
			ajv.compile(plain({ ...schemas, allOf: [schema] }, exact) as JsonSchema);
		validators.set(schema, made);
		return made;
	};
	return (schema, value) => {
		const validate = validator(schema);
		if (validate(value)) return [];
		return (validate.errors ?? []).map(
			({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
		);
	};
}

/** Without the keywords that only OpenAPI knows, and with files as the log has them. */
function plain(value: unknown, exact: boolean): unknown {
	if (Array.isArray(value)) return value.map((entry) => plain(entry, exact));
	if (typeof value !== 'object' || value === null) return value;
	const { items } = value as { items?: Json };
	if (isFile(items ?? (value as Json))) return { type: 'object' };

	const { nullable, 'x-nullable': extended, ...rest } = value as Json;
	const { type, properties, additionalProperties } = rest;
	return {
		...Object.fromEntries(Object.entries(rest).map(([key, entry]) => [key, plain(entry, exact)])),
		...((nullable === true || extended === true) && type !== undefined && { type: [type, 'null'] }),
		...(exact &&
			type === 'object' &&
			properties !== undefined &&
			additionalProperties === undefined && { additionalProperties: false }),
	};
}

function operationsOf(document: Json): Documented[] {
	const servers = document.servers as Array<{ url: string }> | undefined;
	const prefix = servers ? new URL(servers[0].url).pathname : String(document.basePath ?? '');
	const follow = (value: unknown): Json => {
		const { $ref } = (value ?? {}) as { $ref?: string };
		if ($ref === undefined) return (value ?? {}) as Json;
		const steps = $ref.split('/').slice(1);
		return follow(steps.reduce<unknown>((inner, step) => (inner as Json)[step], document));
	};

	return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(
		([path, methods]) =>
			Object.entries(methods).map(([method, operation]) => {
				const parameters = ((operation.parameters ?? []) as unknown[]).map(follow);
				return {
					name: `${method.toUpperCase()} ${path}`,
					method: method.toUpperCase(),
					path: new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
					parameters,
					body: bodyOf(operation, parameters, follow),
					answers: Object.fromEntries(
						Object.entries(operation.responses as Json).map(([status, answer]) => [
							status,
							answerSchema(follow(answer)),
						]),
					),
				};
			}),
	);
}

function bodyOf(
	{ requestBody }: Json,
	parameters: Json[],
	follow: (value: unknown) => Json,
): Documented['body'] {
	const { content = {}, required = false } = (requestBody ?? {}) as {
		content?: Record<string, { schema: JsonSchema }>;
		required?: boolean;
	};
	const described = content['application/json'] ?? content['multipart/form-data'];
	if (described) return { schema: follow(described.schema), required };

	const inBody = parameters.find((parameter) => parameter.in === 'body');
	if (inBody) {
		return { schema: inBody.schema as JsonSchema, required: inBody.required === true };
	}
	const fields = parameters.filter((parameter) => parameter.in === 'formData');
	if (fields.length === 0) return undefined;
	const names = (some: Json[]) => some.map(({ name }) => String(name));
	const schema = {
		type: 'object',
		required: names(fields.filter((field) => field.required)),
		properties: Object.fromEntries(
			fields.map((field) => [String(field.name), { ...field, required: undefined }]),
		),
	};
	return { schema, required: true };
}

function isFile({ type, format, contentMediaType }: Json) {
	return type === 'file' || format === 'binary' || contentMediaType !== undefined;
}

/** Of a JSON answer. */
function answerSchema({ schema, content }: Json): JsonSchema | undefined {
	if (schema) return isFile(schema as Json) ? undefined : (schema as JsonSchema);
	return (content as Record<string, { schema: JsonSchema }> | undefined)?.['application/json']
		?.schema;
}
