import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendAnswer } from './answers.ts';
import { actAfter, actBefore, type Fault, type Faults } from './faults.ts';
import type { Profile } from './profiles/profile.ts';
import type { LoggedRequest, RequestLog, ServerName } from './requestLog.ts';
import type { RateGate } from './rateGate.ts';
import type { Settings } from './settings.ts';

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

interface FrontDoor {
	server: ServerName;
	log: RequestLog;
	faults: Faults;
	settings: () => Settings;
	profile: Profile;
	/** Absent: the storage is not rate-limited. */
	gate?: RateGate;
}

/** What every request passes on its way in and out: log, rate limit, latency, faults. */
export function installFrontDoor(app: FastifyInstance, door: FrontDoor) {
	const travel = async () => {
		const { latencyMs } = door.settings();
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
			server: door.server,
		};
		door.log.add(request.logged);

		if (door.gate && !door.gate.enter(request, reply)) {
			await travel();
			return sendAnswer(reply, door.profile.rateLimited());
		}
	});

	// After the body was parsed, so that the log has it even when a fault answers.
	app.addHook('preValidation', async (request, reply) => {
		if (!request.isMultipart?.() && request.logged.operation !== 'putFile') {
			request.logged.body = request.body ?? null;
		}
		await travel();
		request.faults = door.faults.draw(
			request.logged.operation,
			request.method,
			request.raw.url ?? '',
		);
		request.logged.faults = request.faults.map(({ type }) => type);
		if (faultOf(request, 'stallUpload')) door.faults.endWithRules(reply.raw);
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
