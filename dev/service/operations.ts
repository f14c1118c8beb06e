import type { JsonSchema } from './model.ts';

export const operations = [
	'getWorkflow',
	'upload',
	'createUploadUrl',
	'putFile',
	'confirm',
	'getExtractions',
	'extractBulk',
	'extractOne',
	'getDocuments',
	'merge',
	'downloadMerged',
	'getOpenApi',
	'unknown',
] as const;

export type Operation = (typeof operations)[number];

/** What a key may be allowed to do. */
export type Scope = 'read' | 'upload' | 'extract';

/** A multipart form: its file field, and its other fields. */
export interface UploadForm {
	file: string;
	fields: Record<string, JsonSchema>;
}

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Its name in the request log and in fault rules. */
		operation?: Operation;
		/** What the key must be allowed to do. */
		scope?: Scope;
		form?: UploadForm;
	}
}
