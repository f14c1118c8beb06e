import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { MergedDocument } from './model.ts';
import type { Answer } from './profiles/profile.ts';

export function sendAnswer(reply: FastifyReply, { status, body, contentType, fileName }: Answer) {
	reply.code(status);
	if (fileName) reply.header('content-disposition', contentDisposition(fileName));
	if (body === undefined) return reply.send();
	if (contentType) return reply.type(contentType).send(body);
	return reply.type('application/json').send(JSON.stringify(body).replace(LONG_ID, '$1'));
}

export const pdfAnswer = ({ fileName, bytes }: MergedDocument): Answer => ({
	status: 200,
	contentType: 'application/pdf',
	fileName,
	body: bytes,
});

/** IDs of so many digits are numbers in JSON, of which JavaScript rounds every other one. */
const LONG_ID = /"([1-9]\d{15,17})"/g;

/** What an answer says, its long numbers as texts. */
export const valueOf = (json: string): unknown =>
	JSON.parse(json.replace(/(?<=[:[,])([1-9]\d{15,17})(?=[,\]}])/g, '"$1"'));

/** An error that the interface shows whole: an object with `detail`. */
export class DetailError extends Error {
	constructor(
		readonly statusCode: 400 | 404,
		detail: string,
	) {
		super(detail);
	}
}
