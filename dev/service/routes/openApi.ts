import type { FastifyInstance, RouteOptions } from 'fastify';
import { DetailError } from '../answers.ts';
import { bare } from '../openApi/document.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Settings } from '../settings.ts';

interface Reference {
	profile: Profile;
	settings: () => Settings;
	origin: () => string;
	/** The routes to describe. */
	routes: RouteOptions[];
}

/** The API reference for programs. Nobody needs a key to read it. */
export function openApiRoute(app: FastifyInstance, reference: Reference) {
	const { profile, settings, origin, routes } = reference;

	app.get(profile.reference.path, { config: { operation: 'getOpenApi' } }, async () => {
		const { openApi } = settings();
		if (openApi === 'none') throw new DetailError(404, 'Not Found');
		const document = await profile.reference.document(routes, origin());
		return openApi === 'full' ? document : bare(document);
	});
}
