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
	| 'getOpenApi'
	| 'unknown';

/** What a key may be allowed to do. */
export type Scope = 'read' | 'upload' | 'extract';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Its name in the request log and in fault rules. */
		operation?: Operation;
		/** What the key must be allowed to do. */
		scope?: Scope;
	}
}
