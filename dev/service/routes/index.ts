import type { FastifyInstance, RouteOptions } from 'fastify';
import { openApiOf } from '../openApi.ts';
import type { Parts } from '../parts.ts';
import { directUploadRoutes } from './directUpload.ts';
import { extractionRoutes } from './extraction.ts';
import { mergeRoutes } from './merge.ts';
import { readingRoutes } from './reading.ts';
import { signedUploadRoutes } from './signedUpload.ts';

const GROUPS = [
	directUploadRoutes,
	signedUploadRoutes,
	extractionRoutes,
	readingRoutes,
	mergeRoutes,
];

/** The interface, and the API reference for programs, which nobody needs a key to read. */
export async function apiRoutes(app: FastifyInstance, parts: Parts) {
	const { profile } = parts;
	const routes: RouteOptions[] = [];
	app.get(profile.reference.path, { config: { operation: 'getOpenApi' } }, () =>
		openApiOf(profile, routes, parts.url),
	);
	await app.register(
		async (versioned) => {
			versioned.addHook('onRoute', (route) => void routes.push(route));
			for (const addRoutes of GROUPS) addRoutes(versioned, parts);
		},
		{ prefix: '/api/v1' },
	);
}
