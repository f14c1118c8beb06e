import type { FastifyInstance, RouteOptions } from 'fastify';
import { DetailError } from '../answers.ts';
import { describeApi } from '../apiDescription.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Settings } from '../settings.ts';

interface Reference {
	profile: Profile;
	settings: () => Settings;
	origin: () => string;
	/** The routes to describe. */
	routes: RouteOptions[];
	/** Of their paths. */
	prefix: string;
}

/** The API reference for programs. Nobody needs a key to read it. */
export function openApiRoute(app: FastifyInstance, reference: Reference) {
	const { profile, settings, origin, routes, prefix } = reference;

	app.get(profile.reference.path, { config: { operation: 'getOpenApi' } }, () => {
		const { openApi } = settings();
		if (openApi === 'none') throw new DetailError(404, 'Not Found');
		return profile.reference.write(
			describeApi(profile, routes, { origin: origin(), prefix }, openApi),
		);
	});
}
