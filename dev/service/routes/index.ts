import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Parts } from '../parts.ts';
import { directUploadRoutes } from './directUpload.ts';
import { extractionRoutes } from './extraction.ts';
import { mergeRoutes } from './merge.ts';
import { readingRoutes } from './reading.ts';
import { signedUploadRoutes } from './signedUpload.ts';

/** The interface, and the API reference for programs, which nobody needs a key to read. */
export async function apiRoutes(app: FastifyInstance, parts: Parts) {
	const { reference } = parts.profile;
	const routes: RouteOptions[] = [];

	app.get(
		reference.path,
		{ config: { operation: 'getOpenApi' } },
		async () => await reference.document(routes, parts.url),
	);
	await app.register(
		async (versioned) => {
			versioned.addHook('onRoute', (route) => {
				routes.push(route);
			});
			directUploadRoutes(versioned, parts);
			signedUploadRoutes(versioned, parts);
			extractionRoutes(versioned, parts);
			readingRoutes(versioned, parts);
			mergeRoutes(versioned, parts);
		},
		{ prefix: '/api/v1' },
	);
}
