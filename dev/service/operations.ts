import type { Scope } from './profiles/profile.ts';

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
	'getFile',
	'getOpenApi',
	'unknown',
] as const;

export type Operation = (typeof operations)[number];

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Its name in the request log and in fault rules. */
		operation?: Operation;
		/** What the key must be allowed to do. */
		scope?: Scope;
	}
}
