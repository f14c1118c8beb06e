import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account, ApiKey } from './account.ts';
import { sendAnswer } from './answers.ts';
import { actAfter, actBefore, type Fault } from './faults.ts';
import type { Parts } from './parts.ts';
import type { DenialReason, Profile } from './profiles/profile.ts';
import type { LoggedRequest, ServerName } from './requestLog.ts';

declare module 'fastify' {
	interface FastifyRequest {
		logged: LoggedRequest;
		faults: Fault[];
		/** The key that the request came with; set on every route that has a scope. */
		apiKey: ApiKey;
	}
}

/** Which fault of this type befalls the request, if any. */
export function faultOf<T extends Fault['type']>(request: FastifyRequest, type: T) {
	return request.faults.find((fault): fault is Extract<Fault, { type: T }> => fault.type === type);
}

/** What every request passes on its way in and out: log, rate limit, latency, faults. */
export function installFrontDoor(app: FastifyInstance, server: ServerName, parts: Parts) {
	const { log, faults, gate, profile, settings } = parts;
	const travel = async () => {
		const { latencyMs } = settings();
		if (latencyMs > 0) await sleep(latencyMs);
	};

	app.decorateRequest('logged');
	app.decorateRequest('faults');

	app.addHook('onRequest', async (request, reply) => {
		request.faults = [];
		request.logged = {
			operation: request.routeOptions.config.operation ?? 'unknown',
			method: request.method,
			path: request.raw.url?.split('?', 1)[0] ?? '',
			// Validation fills in defaults and converts types.
			query: { ...(request.query as Record<string, string>) },
			headers: request.headers,
			body: null,
			answer: null,
			status: null,
			faults: [],
			at: new Date().toISOString(),
			server,
		};
		log.push(request.logged);

		if (server === 'api' && !gate.enter(request, reply)) {
			await travel();
			return sendAnswer(reply, profile.rateLimited());
		}
	});

	// After the body was parsed, so that the log has it even when a fault answers.
	app.addHook('preValidation', async (request, reply) => {
		if (!request.isMultipart?.() && request.logged.operation !== 'putFile') {
			request.logged.body = request.body ?? null;
		}
		await travel();
		const { method, raw } = request;
		request.faults = faults.draw(request.logged.operation, method, raw.url ?? '');
		request.logged.faults = request.faults.map(({ type }) => type);
		if (faultOf(request, 'stallUpload')) faults.endWithRules(reply.raw);
		// A reply that is merely returned is forgotten when its client leaves: Fastify would go on to the
		// route, which works and answers a second time.
		if (await actBefore(request.faults, request, reply)) reply.hijack();
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const answer = await actAfter(request.faults, request, reply, payload);
		if (typeof answer === 'string' && answer !== '') request.logged.answer = answer;
		return answer;
	});

	app.addHook('onResponse', async (request, reply: FastifyReply) => {
		if (!reply.raw.writableFinished) return;
		request.logged.status = reply.statusCode;
	});
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
