import type { FastifyInstance } from 'fastify';
import type { Account, ApiKey } from './account.ts';
import { sendAnswer } from './answers.ts';
import type { DenialReason, Profile } from './profiles/profile.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/** The key that the request came with; set on every route that has a scope. */
		apiKey: ApiKey;
	}
}

/** Lets a request through only with a key that has the scope of the route. */
export function installAccess(app: FastifyInstance, account: Account, profile: Profile) {
	const keys = new Map(
		Object.values(account)
			.flatMap((environment) => Object.values(environment.keys))
			.map((key) => [key.secret, key]),
	);
	app.decorateRequest('apiKey');

	app.addHook('preValidation', async (request, reply) => {
		const { scope } = request.routeOptions.config;
		if (!scope) return;

		const deny = (reason: DenialReason) =>
			sendAnswer(reply, profile.denied(reason, profile.scopes[scope]));
		const [, secret] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
		if (!secret) return deny('missingKey');
		const key = keys.get(secret);
		if (!key) return deny('unknownKey');
		if (key.revoked) return deny('revokedKey');
		if (!key.scopes.includes(scope)) return deny('missingScope');
		request.apiKey = key;
	});
}
