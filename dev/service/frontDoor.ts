import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendAnswer } from './answers.ts';
import { actAfter, actBefore, type Fault } from './faults.ts';
import type { Parts } from './parts.ts';
import type { LoggedRequest, ServerName } from './requestLog.ts';

declare module 'fastify' {
	interface FastifyRequest {
		logged: LoggedRequest;
		faults: Fault[];
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
		log.add(request.logged);

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
		request.logged.answeredAt = new Date().toISOString();
	});
}
