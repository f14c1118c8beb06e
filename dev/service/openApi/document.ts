import swagger from '@fastify/swagger';
import Fastify, { type RouteOptions } from 'fastify';
import type { JsonSchema } from '../model.ts';
import type { Operation, UploadForm } from '../operations.ts';

/** What the routes do not say of themselves. */
export interface Answers {
	title: string;
	/** Named schemas; `{ $ref: 'name#' }` refers to one of them. */
	schemas: Record<string, JsonSchema>;
	/** By status. */
	success: Partial<Record<Operation, Record<number, JsonSchema>>>;
	/** What an answer with status 422 looks like; any request can meet it. */
	invalid: JsonSchema;
}

const formSchema = ({ file, fields }: UploadForm) => ({
	type: 'object',
	required: [file],
	properties: {
		// As FastAPI describes a file.
		[file]: { type: 'string', contentMediaType: 'application/octet-stream' },
		...fields,
	},
});

/** OpenAPI 3.1, from the routes and the schemas that they validate requests with. */
export async function describeRoutes(routes: RouteOptions[], answers: Answers): Promise<object> {
	const { title, schemas, success, invalid } = answers;
	// Listens nowhere, and serves nobody: it is only described.
	const app = Fastify({ exposeHeadRoutes: false });
	app.setValidatorCompiler(() => () => true);
	app.setSerializerCompiler(() => () => '');
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: { title, version: '1.0.0' },
			components: { securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } } },
		},
		refResolver: { buildLocalReference: (schema) => String(schema.$id) },
	});
	for (const [$id, schema] of Object.entries(schemas)) app.addSchema({ $id, ...schema });
	for (const { method, url, schema, config = {} } of routes) {
		const { operation, form } = config;
		const own = operation && success[operation];
		if (method === 'HEAD' || !own) continue;
		app.route({
			method,
			url,
			schema: {
				...schema,
				operationId: operation,
				security: [{ HTTPBearer: [] }],
				...(form && { consumes: ['multipart/form-data'], body: formSchema(form) }),
				response: { ...own, 422: invalid },
			},
			handler: () => undefined,
		});
	}
	await app.ready();
	return JSON.parse(JSON.stringify(app.swagger(), withOptionalBodies)) as object;
}

/** With Fastify's own parser a body would always be required; here an absent one is `null`. */
function withOptionalBodies(name: string, value: unknown): unknown {
	if (name !== 'requestBody') return value;
	const { content } = value as { content: Record<string, { schema: JsonSchema }> };
	const types = [content['application/json']?.schema.type].flat();
	return types.includes('null') ? { content } : value;
}

/** A document as a file has it, with the service's own address in it. */
export function readDocument(file: object, origin: string): object {
	const { host, protocol } = new URL(origin);
	const text = JSON.stringify(file)
		.replaceAll('{origin}', origin)
		.replaceAll('{host}', host)
		.replaceAll('{scheme}', protocol.replace(':', ''));
	return JSON.parse(text) as object;
}
