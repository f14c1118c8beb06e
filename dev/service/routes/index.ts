import type { FastifyInstance } from 'fastify';
import { directUploadRoutes } from './directUpload.ts';
import { documentsRoutes } from './documents.ts';
import { extractionRoutes } from './extraction.ts';
import { mergeRoutes } from './merge.ts';
import { resultsRoutes } from './results.ts';
import type { RouteParts } from './route.ts';
import { signedUploadRoutes } from './signedUpload.ts';
import { workflowRoutes } from './workflow.ts';

export function apiRoutes(app: FastifyInstance, parts: RouteParts) {
	workflowRoutes(app, parts);
	directUploadRoutes(app, parts);
	signedUploadRoutes(app, parts);
	extractionRoutes(app, parts);
	resultsRoutes(app, parts);
	documentsRoutes(app, parts);
	mergeRoutes(app, parts);
}
