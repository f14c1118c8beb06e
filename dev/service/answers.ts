import type { FastifyReply } from 'fastify';
import type { Answer } from './profiles/profile.ts';

export function sendAnswer(reply: FastifyReply, { status, body, contentType }: Answer) {
	reply.code(status);
	if (body === undefined) return reply.send();
	if (contentType) return reply.type(contentType).send(body);
	return reply.type('application/json').send(JSON.stringify(body));
}

/** An error that the interface shows whole: an object with `detail`. */
export class DetailError extends Error {
	constructor(
		readonly statusCode: 400 | 404,
		detail: string,
	) {
		super(detail);
	}
}
