import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pdfAnswer, sendAnswer } from './answers.ts';
import { faultOf } from './frontDoor.ts';
import type { Parts } from './parts.ts';
import { receive } from './storedFile.ts';

/** As S3 words them. */
const refusals = {
	chunked: [501, 'NotImplemented', 'A header you provided implies functionality that is not.'],
	authorization: [400, 'InvalidArgument', 'Only one auth mechanism allowed'],
	noLength: [411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
	missing: [403, 'AccessDenied', 'Access Denied'],
	expired: [403, 'AccessDenied', 'Request has expired'],
	mismatch: [403, 'SignatureDoesNotMatch', 'The request signature does not match.'],
	missingHeader: [400, 'MissingRequiredHeader', 'A mandatory HTTP header is not specified.'],
	usedUp: [403, 'AccessDenied', 'The upload address was used already'],
	noSuchKey: [404, 'NoSuchKey', 'The specified key does not exist.'],
} as const;

class StorageRefusal extends Error {
	constructor(readonly refusal: keyof typeof refusals) {
		super(refusal);
	}
}

type ObjectRoute = { Params: { key: string }; Body: Readable | undefined };

/** The object storage behind the service: another origin, no key, signed addresses only. */
export async function installStorage(app: FastifyInstance, parts: Parts) {
	const { profile, storage, store, settings } = parts;

	await app.register(cors, { methods: ['GET', 'PUT'], exposedHeaders: ['ETag'] });

	// Bodies are files of any type: they are streamed, never parsed.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

	const requireSignature = ({ headers, method, raw }: FastifyRequest) => {
		if (headers.authorization !== undefined) throw new StorageRefusal('authorization');
		const refusal = storage.check(method, raw.url ?? '', headers);
		if (refusal) throw new StorageRefusal(refusal);
	};

	app.put<ObjectRoute>(
		'/documents/:key',
		{ config: { operation: 'putFile' } },
		async (request, reply) => {
			const { headers } = request;
			if (headers['transfer-encoding']) throw new StorageRefusal('chunked');
			if (headers['content-length'] === undefined) throw new StorageRefusal('noLength');
			requireSignature(request);
			const required = Object.entries(profile.uploadUrl.headers);
			if (required.some(([name, value]) => headers[name] !== value)) {
				throw new StorageRefusal('missingHeader');
			}
			if (faultOf(request, 'expireUploadUrls')) throw new StorageRefusal('expired');

			const document = store.objects.get(request.params.key);
			if (!document) throw new StorageRefusal('noSuchKey');
			if (document.puts >= settings().uploadUrlUses) throw new StorageRefusal('usedUp');

			// Counted before the file has arrived: of two at the same time only one may win.
			document.puts += 1;
			const file = await receive(request.body ?? request.raw, request.faults).catch((error) => {
				document.puts -= 1;
				throw error;
			});
			request.logged.body = { size: file.size, sha256: file.sha256 };
			store.receiveFile(document, file);
			return reply.header('etag', `"${file.sha256.slice(0, 32)}"`).send();
		},
	);

	app.get<ObjectRoute>(
		'/documents/:key',
		{ config: { operation: 'downloadFile' } },
		async (request, reply) => {
			requireSignature(request);
			const { file, fileName, contentType } = store.objects.get(request.params.key) ?? {};
			if (!file) throw new StorageRefusal('noSuchKey');
			return sendAnswer(reply, { status: 200, body: file.bytes, contentType, fileName });
		},
	);

	app.get<ObjectRoute>(
		'/merged/:key',
		{ config: { operation: 'downloadMerged' } },
		async (request, reply) => {
			requireSignature(request);
			const merged = store.merged.get(request.params.key);
			if (!merged) throw new StorageRefusal('noSuchKey');
			return sendAnswer(reply, pdfAnswer(merged));
		},
	);

	app.setNotFoundHandler(() => {
		throw new StorageRefusal('noSuchKey');
	});
	app.setErrorHandler((error, _request, reply) => {
		if (!(error instanceof StorageRefusal)) throw error;
		const { refusal } = error;
		const [status, code, message] = refusals[refusal];
		return reply
			.code(refusal === 'expired' ? settings().expiredUrlStatus : status)
			.type('application/xml')
			.send(
				[
					'<?xml version="1.0" encoding="UTF-8"?>\n',
					`<Error><Code>${code}</Code><Message>${message}</Message>`,
					`<RequestId>${randomUUID()}</RequestId></Error>`,
				].join(''),
			);
	});
}
