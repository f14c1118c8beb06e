import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { JsonSchema } from '../model.ts';
import type { LoggedPart, LoggedRequest } from '../requestLog.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema: JsonSchema }>;

/** As much of a document as is compared, in all of its dialects. */
interface Described {
	servers?: Array<{ url: string }>;
	basePath?: string;
	paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
	parameters?: Array<{ name: string; in: string; required?: boolean; schema?: JsonSchema }>;
	requestBody?: { content: Content; required?: boolean };
	responses: Record<string, { schema?: JsonSchema; content?: Content }>;
}

const FILE = { type: 'object', isFile: true };

/**
 * What an OpenAPI document (3.1, 3.0 or Swagger 2.0) says otherwise than the service does, given
 * the requests that the service answered; empty where they agree.
 */
export function disagreements(document: Json, requests: LoggedRequest[]): string[] {
	const ajv = formats.default(new Ajv({ strict: false, allErrors: true, logger: false }));
	const invalid = (about: string, schema: JsonSchema, value: unknown) => {
		const validate: ValidateFunction = ajv.compile(schema);
		validate(value);
		return (validate.errors ?? []).map(
			({ instancePath, message, params }) =>
				`${about} ${instancePath} ${message} ${JSON.stringify(params)}`,
		);
	};
	const operations = operationsOf(plain(document, document) as Described);
	const complaints = new Set<string>();
	const answered = new Set<string>();

	for (const request of requests) {
		const { method, path, status, answer, body, server } = request;
		if (server !== 'api' || ['getOpenApi', 'unknown'].includes(request.operation)) continue;
		const own = operations.find((one) => one.method === method && one.path.test(path));
		if (!own) {
			complaints.add(`${method} ${path} is not documented`);
			continue;
		}
		const complain = (what: string[]) =>
			what.forEach((one) => complaints.add(`${own.name} ${status}: ${one}`));
		if (!(String(status) in own.answers)) complain(['the status is not documented']);
		const schema = own.answers[String(status)];
		if (schema && !schema.isFile) complain(invalid('answer', schema, answer));
		if (!schema && typeof answer === 'object' && answer) complain(['the answer is not documented']);
		if (status === null || status >= 300) continue;

		answered.add(own.name);
		const unknown = Object.keys(request.query).filter((name) => !own.query.includes(name));
		complain(unknown.map((name) => `the query parameter ${name} is not documented`));
		if (body === null) {
			if (own.isBodyRequired) complain(['the request body is not required']);
		} else if (own.body) {
			const { parts } = body as { parts?: LoggedPart[] };
			complain(invalid('request body', own.body, parts ? fieldsOf(parts) : body));
		} else {
			complain(['the request body is not documented']);
		}
	}
	for (const { name } of operations) {
		if (!answered.has(name)) complaints.add(`${name} was never done`);
	}
	return [...complaints];
}

/** A file is an object, which no other field is. */
const fieldsOf = (parts: LoggedPart[]) =>
	Object.fromEntries(
		parts.map(({ name, fileName, value }) => [name, fileName === undefined ? value : {}]),
	);

/**
 * As a JSON schema has it: without references and what only OpenAPI knows, with files as the log has them,
 * and objects that have no other properties than those that are documented.
 */
function plain(value: unknown, document: Json): unknown {
	if (Array.isArray(value)) return value.map((entry) => plain(entry, document));
	if (typeof value !== 'object' || value === null) return value;
	const { $ref, nullable, 'x-nullable': extended, ...rest } = value as Json;
	if (typeof $ref === 'string') {
		const steps = $ref.split('/').slice(1);
		const found = steps.reduce<unknown>((inner, step) => (inner as Json)[step], document);
		return plain(found, document);
	}
	const { type, format, contentMediaType } = (rest.items ?? rest) as Json;
	if (type === 'file' || format === 'binary' || contentMediaType !== undefined) {
		return 'in' in rest ? { ...rest, schema: FILE } : FILE;
	}
	const entries = Object.entries(rest).map(([name, entry]) => [name, plain(entry, document)]);
	const isClosed = rest.type === 'object' && rest.properties && !('additionalProperties' in rest);
	return {
		...(isClosed ? { additionalProperties: false } : {}),
		...(Object.fromEntries(entries) as Json),
		...((nullable ?? extended) === true ? { type: [rest.type, 'null'] } : {}),
	};
}

function operationsOf({ servers, basePath = '', paths }: Described) {
	const prefix = servers ? new URL(servers[0].url).pathname : basePath;
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => {
			const { content = {} } = requestBody ?? {};
			const json = parameters.find((one) => one.in === 'body');
			const fields = parameters.filter((one) => one.in === 'formData');
			const form = fields.length > 0 && {
				type: 'object',
				required: fields.filter(({ required }) => required).map(({ name }) => name),
				properties: Object.fromEntries(
					fields.map(({ name, schema = {}, ...field }) => [
						name,
						{ ...field, ...schema, required: undefined },
					]),
				),
				additionalProperties: false,
			};
			return {
				name: `${method.toUpperCase()} ${path}`,
				method: method.toUpperCase(),
				path: new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
				query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
				body:
					(content['application/json'] ?? content['multipart/form-data'] ?? json)?.schema ?? form,
				isBodyRequired: requestBody?.required ?? json?.required ?? fields.length > 0,
				answers: Object.fromEntries(
					Object.entries(responses).map(([status, own]) => [
						status,
						own.schema ?? own.content?.['application/json']?.schema,
					]),
				),
			};
		}),
	);
}
