import type { FastifyInstance } from 'fastify';
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
	const { path, document } = parts.profile.reference;
	app.get(path, { config: { operation: 'getOpenApi' } }, (_request, reply) => {
		const { host, protocol } = new URL(parts.url);
		const text = JSON.stringify(document)
			.replaceAll('{origin}', parts.url)
			.replaceAll('{host}', host)
			.replaceAll('{scheme}', protocol.replace(':', ''));
		return reply.type('application/json').send(text);
	});
	await app.register(
		async (versioned) => {
			for (const addRoutes of GROUPS) addRoutes(versioned, parts);
		},
		{ prefix: '/api/v1' },
	);
}
