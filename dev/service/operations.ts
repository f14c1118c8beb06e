import type { JsonSchema } from './model.ts';

export type Operation =
	| 'getWorkflow'
	| 'upload'
	| 'createUploadUrl'
	| 'putFile'
	| 'confirm'
	| 'getExtractions'
	| 'extractBulk'
	| 'extractOne'
	| 'getDocuments'
	| 'merge'
	| 'downloadMerged'
	| 'downloadFile'
	| 'getOpenApi'
	| 'unknown';

/** What a key may be allowed to do. */
export type Scope = 'read' | 'upload' | 'extract';

export interface Form {
	required: string[];
	properties: Record<string, JsonSchema>;
}

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Its name in the request log and in fault rules. */
		operation?: Operation;
		/** What the key must be allowed to do. */
		scope?: Scope;
		/** The fields of its form; the first that is required carries the file. */
		form?: Form;
	}
}
