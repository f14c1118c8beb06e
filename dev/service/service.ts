import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance } from 'fastify';
import { DetailError, sendAnswer } from './answers.ts';
import { makeCertificate } from './certificate.ts';
import { controlRoutes } from './control.ts';
import { installAccess, installFrontDoor } from './frontDoor.ts';
import { createParts, type PartsOptions } from './parts.ts';
import { pdfTools } from './pdf.ts';
import type { Profile } from './profiles/profile.ts';
import { apiRoutes } from './routes/index.ts';
import { installStorage } from './storage.ts';
import { installValidation, InvalidRequestError } from './validation.ts';

const host = '127.0.0.1';

interface CreateOptions extends PartsOptions {
	certificate: { cert: string; key: string } | null;
}

/** The API and its object storage, which listen nowhere yet. */
export async function createService(options: CreateOptions) {
	const parts = createParts(options);
	const { profile, account } = parts;
	const serverOptions = {
		https: options.certificate,
		forceCloseConnections: true as const,
		// An ID of any length is an unknown ID, not an unknown address.
		routerOptions: { maxParamLength: 10_000 },
	};
	const api = Fastify({ ...serverOptions, bodyLimit: 16 * 1024 * 1024 });
	const storage = Fastify(serverOptions);

	installValidation(api);
	installErrors(api, profile);
	const cut = () => {
		for (const { server } of [api, storage]) server.closeAllConnections();
	};
	await api.register(async (own) => controlRoutes(own, parts, cut), { prefix: '/__control__' });
	await api.register(async (own) => {
		await own.register(multipart, {
			limits: { fileSize: Infinity, files: Infinity, parts: Infinity },
		});
		installFrontDoor(own, 'api', parts);
		installAccess(own, account, profile);
		own.setNotFoundHandler((_request, reply) =>
			sendAnswer(reply, { status: 404, body: { detail: 'Not Found' } }),
		);
		await apiRoutes(own, parts);
	});

	installFrontDoor(storage, 'storage', parts);
	await installStorage(storage, parts);

	return {
		...parts,
		api,
		storage,
		/** To be called before the first request. */
		setAddresses: ({ url, storageUrl }: { url: string; storageUrl: string }) => {
			parts.url = url;
			parts.storage.origin = storageUrl;
		},
		stop: async () => {
			parts.extractor.stop();
			await Promise.all([api.close(), storage.close()]);
		},
	};
}

/** The API and its object storage, each on a port of its own; their certificate is in a temporary folder. */
export async function startService({
	profile,
	settings,
	port,
	tls,
}: Omit<PartsOptions, 'pdfs'> & { port: number; tls: boolean }) {
	const directory = await mkdtemp(join(tmpdir(), 'extraction-service-'));
	const certificate = tls ? await makeCertificate(host) : null;
	const caFile = certificate && join(directory, 'ca.pem');
	if (caFile) await writeFile(caFile, certificate.cert);

	const service = await createService({
		profile,
		settings,
		pdfs: pdfTools,
		certificate,
	});
	const { api, storage, account } = service;
	const stop = async () => {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	};

	try {
		const url = await api.listen({ host, port });
		const storageUrl = await storage.listen({ host, port: 0 });
		service.setAddresses({ url, storageUrl });
		return { url, storageUrl, controlUrl: `${url}/__control__`, caFile, account, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

function installErrors(app: FastifyInstance, profile: Profile) {
	app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
		if (error instanceof InvalidRequestError) {
			return sendAnswer(reply, { status: 422, body: profile.invalid(error.entries) });
		}
		// A client that has left is no failure of the service, and takes no answer.
		if (request.raw.readableAborted || reply.raw.destroyed) return void reply.hijack();
		const status = error.statusCode ?? 500;
		if (status >= 500) console.error(error);
		const detail =
			error instanceof DetailError || status < 500 ? error.message : 'Internal Server Error';
		return sendAnswer(reply, { status, body: { detail } });
	});
}
