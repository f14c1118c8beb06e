import { mapSchemas } from './openApi/writing.ts';
import type { RouteOptions } from 'fastify';
import type { Operation } from './operations.ts';
import type { ApiDescription, DescribedOperation, JsonSchema, UploadForm } from './apiReference.ts';
import type { Profile } from './profiles/profile.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		form?: UploadForm;
	}
}

const summaries: Partial<Record<Operation, string>> = {
	getWorkflow: 'Get workflow metadata',
	upload: 'Upload documents',
	createUploadUrl: 'Create signed upload URLs',
	confirm: 'Confirm signed uploads',
	getExtractions: 'List extractions',
	extractBulk: 'Extract from bulk documents',
	extractOne: 'Extract a single document',
	getDocuments: 'List documents',
	merge: 'Merge collection documents',
	downloadMerged: 'Download a merged document',
};

/**
 * @param routes those of the API, with the schemas that they validate requests with
 * @param detail `bare`: without what answers look like, which values a status has, and which
 * part of a form is a file
 */
export function describeApi(
	profile: Profile,
	routes: RouteOptions[],
	addresses: { origin: string; prefix: string },
	detail: 'full' | 'bare',
): ApiDescription {
	const full = {
		title: `Document Extraction (${profile.name})`,
		...addresses,
		operations: routes.flatMap((route) => describeRoute(profile, route, addresses.prefix)),
		schemas: profile.reference.schemas,
	};
	return detail === 'full' ? full : strip(full);
}

function describeRoute(
	{ reference }: Profile,
	{ method, url, schema, config }: RouteOptions,
	prefix: string,
): DescribedOperation[] {
	const operation = config?.operation;
	const success = operation && reference.success[operation];
	if (method === 'HEAD' || !success) return [];

	const { body, querystring } = (schema ?? {}) as Record<string, JsonSchema | undefined>;
	return [
		{
			operation,
			summary: summaries[operation] ?? operation,
			method: String(method).toLowerCase(),
			path: url.slice(prefix.length).replaceAll(/:(\w+)/g, '{$1}'),
			pathParameters: Array.from(url.matchAll(/:(\w+)/g), ([, name]) => name),
			query: (querystring?.properties ?? {}) as Record<string, JsonSchema>,
			...(body && {
				body: {
					name: `${operation[0].toUpperCase()}${operation.slice(1)}Body`,
					schema: body,
					required: ![body.type].flat().includes('null'),
				},
			}),
			...(config.form && {
				form: { ...config.form, fileSchema: { type: 'string', format: 'binary' } },
			}),
			answers: [success, ...reference.refusals],
		},
	];
}

function strip(api: ApiDescription): ApiDescription {
	return {
		...api,
		schemas: {},
		operations: api.operations.map(({ query, body, form, answers, ...operation }) => ({
			...operation,
			query: Object.fromEntries(
				Object.entries(query).map(([name, schema]) => [name, withoutEnum(schema)]),
			),
			...(body && { body: { ...body, schema: withoutEnum(body.schema) } }),
			...(form && { form: { ...form, fileSchema: { type: 'string' } } }),
			answers: answers.map(({ status }) => ({ status })),
		})),
	};
}

function withoutEnum(schema: JsonSchema): JsonSchema {
	return mapSchemas(schema, (one) =>
		Object.fromEntries(Object.entries(one).filter(([keyword]) => keyword !== 'enum')),
	);
}
