import type { FastifyInstance } from 'fastify';
import { directUploadRoutes } from './directUpload.ts';
import { extractionRoutes } from './extraction.ts';
import { mergeRoutes } from './merge.ts';
import { readingRoutes } from './reading.ts';
import type { RouteParts } from './route.ts';
import { signedUploadRoutes } from './signedUpload.ts';

export function apiRoutes(app: FastifyInstance, parts: RouteParts) {
	directUploadRoutes(app, parts);
	signedUploadRoutes(app, parts);
	extractionRoutes(app, parts);
	readingRoutes(app, parts);
	mergeRoutes(app, parts);
}
