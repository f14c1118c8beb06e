import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FileStore } from './fileStore.ts';
import { faultOf } from './frontDoor.ts';
import { sendMerged } from './mergedDocument.ts';
import type { Settings } from './settings.ts';
import type { Signatures } from './signatures.ts';
import type { Store } from './store.ts';
import { atPaceOf } from './uploadPace.ts';

const refusals = {
	chunked: [
		501,
		'NotImplemented',
		'A header you provided implies functionality that is not implemented.',
	],
	authorization: [
		400,
		'InvalidArgument',
		'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
	],
	noLength: [411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
	missing: [403, 'AccessDenied', 'Access Denied'],
	expired: [403, 'AccessDenied', 'Request has expired'],
	mismatch: [
		403,
		'SignatureDoesNotMatch',
		'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
	],
	missingHeader: [
		400,
		'MissingRequiredHeader',
		"An HTTP header that's mandatory for this request is not specified.",
	],
	usedUp: [403, 'AccessDenied', 'The upload address was used already'],
	noSuchKey: [404, 'NoSuchKey', 'The specified key does not exist.'],
} as const;

type Refusal = keyof typeof refusals;

class StorageRefusal extends Error {
	constructor(readonly refusal: Refusal) {
		super(refusal);
	}
}

function refuse(reply: FastifyReply, refusal: Refusal, ownStatus?: number) {
	const [status, code, message] = refusals[refusal];
	return reply
		.code(ownStatus ?? status)
		.type('application/xml')
		.send(
			`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><RequestId>${randomUUID()}</RequestId></Error>`,
		);
}

interface StorageParts {
	signatures: Signatures;
	store: Store;
	files: FileStore;
	settings: () => Settings;
	/** By profile: what a PUT must carry. */
	requiredHeaders: Record<string, string>;
}

type ObjectRoute = { Params: { key: string }; Body: Readable | undefined };

/** The object storage behind the service: another origin, no key, signed addresses only. */
export async function installStorage(app: FastifyInstance, parts: StorageParts) {
	const { signatures, store, files, settings, requiredHeaders } = parts;

	await app.register(cors, { methods: ['GET', 'PUT'], exposedHeaders: ['ETag'] });

	// Bodies are files of any type: they are streamed, never parsed.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

	app.put<ObjectRoute>(
		'/documents/:key',
		{ config: { operation: 'putFile' } },
		async (request, reply) => {
			if (request.headers['transfer-encoding']) throw new StorageRefusal('chunked');
			if (request.headers['content-length'] === undefined) throw new StorageRefusal('noLength');
			requireSignature(signatures, request);
			const lacks = Object.entries(requiredHeaders).some(
				([name, value]) => request.headers[name] !== value,
			);
			if (lacks) throw new StorageRefusal('missingHeader');
			if (faultOf(request, 'expireUploadUrls')) throw new StorageRefusal('expired');

			const document = store.objects.get(request.params.key);
			if (!document) throw new StorageRefusal('noSuchKey');
			if (document.puts >= settings().uploadUrlUses) throw new StorageRefusal('usedUp');

			// Counted before the file has arrived: of two at the same time only one may win.
			document.puts += 1;
			const source = atPaceOf(request.faults, request.body ?? request.raw);
			const file = await files.save(source).catch((error: unknown) => {
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
		{ config: { operation: 'getFile' } },
		async (request, reply) => {
			requireSignature(signatures, request);
			const document = store.objects.get(request.params.key);
			const { path, bytes, size } = document?.file ?? {};
			if (!document || !(path || bytes)) throw new StorageRefusal('noSuchKey');
			return reply
				.type(document.contentType)
				.header('content-length', size)
				.send(path ? createReadStream(path) : bytes);
		},
	);

	app.get<ObjectRoute>(
		'/merged/:key',
		{ config: { operation: 'downloadMerged' } },
		async (request, reply) => {
			requireSignature(signatures, request);
			const merged = store.merged.get(request.params.key);
			if (!merged) throw new StorageRefusal('noSuchKey');
			return sendMerged(reply, merged);
		},
	);

	app.setNotFoundHandler((_request, reply) => refuse(reply, 'noSuchKey'));
	app.setErrorHandler((error, _request, reply) => {
		if (error instanceof StorageRefusal) {
			const { refusal } = error;
			const status = refusal === 'expired' ? settings().expiredUrlStatus : undefined;
			return refuse(reply, refusal, status);
		}
		throw error;
	});
}

function requireSignature(signatures: Signatures, { headers, method, raw }: FastifyRequest) {
	if (headers.authorization !== undefined) throw new StorageRefusal('authorization');

	const [path, query = ''] = (raw.url ?? '').split('?', 2);
	const verdict = signatures.check(method, path, new URLSearchParams(query), headers);
	if (verdict !== 'valid') throw new StorageRefusal(verdict);
}
