import contentDisposition from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { MergedDocument } from './model.ts';

export function sendMerged(reply: FastifyReply, { fileName, bytes }: MergedDocument) {
	return reply
		.type('application/pdf')
		.header('content-disposition', contentDisposition(fileName))
		.send(bytes);
}
