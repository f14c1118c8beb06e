import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { installAccess } from './access.ts';
import { createAccount } from './account.ts';
import { DetailError, sendAnswer } from './answers.ts';
import { makeCertificate } from './certificate.ts';
import { controlRoutes } from './control.ts';
import { Extractor } from './extractor.ts';
import { Faults } from './faults.ts';
import { FileStore, type FilePlace } from './fileStore.ts';
import { installFrontDoor } from './frontDoor.ts';
import { pdfTools, type PdfTools } from './pdf.ts';
import type { Profile } from './profiles/profile.ts';
import { RateGate } from './rateGate.ts';
import { RequestLog } from './requestLog.ts';
import { apiRoutes } from './routes/index.ts';
import { openApiRoute } from './routes/openApi.ts';
import { Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';
import { Signatures } from './signatures.ts';
import { installStorage } from './storage.ts';
import { StorageAddresses } from './storageAddresses.ts';
import { Store } from './store.ts';
import { installValidation, InvalidRequestError } from './validation.ts';

export interface ServiceOptions {
	profile: Profile;
	settings: Settings;
	port: number;
	storagePort: number;
	/** Absent: a temporary one that is removed at the end. */
	dataDirectory?: string;
	discardFiles: boolean;
	tls: boolean;
}

const host = '127.0.0.1';

interface ServiceParts {
	profile: Profile;
	settings: Settings;
	files: FilePlace;
	pdfs: PdfTools;
	certificate: { cert: string; key: string } | null;
	/** Breaks all connections to these servers. */
	cutConnections(servers: FastifyInstance[]): void;
}

/** The API and its object storage, which listen nowhere yet. */
export async function createService(options: ServiceParts) {
	const { profile } = options;
	let settings = { ...options.settings };
	const currentSettings = () => settings;

	const account = createAccount(profile);
	const signatures = new Signatures();
	const addresses = new StorageAddresses(signatures);
	const store = new Store(profile, account, (document) => addresses.file(document));
	const { pdfs } = options;
	const files = new FileStore(options.files);
	const extractor = new Extractor(currentSettings, (document) => store.publish(document), pdfs);
	const seeder = new Seeder(store, files, pdfs);
	const faults = new Faults();
	const log = new RequestLog();
	const gate = new RateGate(profile, currentSettings);

	const serverOptions = {
		https: options.certificate,
		forceCloseConnections: true as const,
		// An ID of any length is an unknown ID, not an unknown address.
		routerOptions: { maxParamLength: 10_000 },
	};
	const api = Fastify({ ...serverOptions, bodyLimit: 16 * 1024 * 1024 });
	const storage = Fastify(serverOptions);
	let url = '';

	const changeSettings = (change: Partial<Settings>) => {
		settings = { ...settings, ...change };
		gate.reset();
		return settings;
	};

	const reset = async () => {
		extractor.stop();
		store.reset();
		seeder.reset();
		faults.clear();
		log.clear();
		changeSettings(options.settings);
		await files.clear();
	};

	/** For who starts the service, and for its control routes. */
	const shared = { account, store, seeder, faults, log, changeSettings, reset };

	installValidation(api);
	installErrors(api, profile);
	await api.register(
		async (control) =>
			controlRoutes(control, {
				profile,
				...shared,
				cutConnections: () => options.cutConnections([api, storage]),
				addresses: () => ({ url, storageUrl: addresses.origin }),
			}),
		{ prefix: '/__control__' },
	);
	await api.register(async (service) => {
		await service.register(multipart, {
			limits: { fileSize: Infinity, files: Infinity, parts: Infinity },
		});
		installFrontDoor(service, {
			server: 'api',
			log,
			faults,
			settings: currentSettings,
			profile,
			gate,
		});
		installAccess(service, account, profile);
		service.setNotFoundHandler((_request, reply) =>
			sendAnswer(reply, { status: 404, body: { detail: 'Not Found' } }),
		);
		const routes: RouteOptions[] = [];
		openApiRoute(service, { profile, settings: currentSettings, origin: () => url, routes });
		await service.register(
			async (versioned) => {
				versioned.addHook('onRoute', (route) => {
					routes.push(route);
				});
				apiRoutes(versioned, {
					profile,
					store,
					files,
					extractor,
					storage: addresses,
					seeder,
					pdfs,
					settings: currentSettings,
					origin: () => url,
				});
			},
			{ prefix: '/api/v1' },
		);
	});

	installFrontDoor(storage, { server: 'storage', log, faults, settings: currentSettings, profile });
	await installStorage(storage, {
		signatures,
		store,
		files,
		settings: currentSettings,
		requiredHeaders: profile.uploadUrl.headers,
	});

	return {
		api,
		storage,
		...shared,
		/** To be called before the first request. */
		setAddresses: (own: { url: string; storageUrl: string }) => {
			url = own.url;
			addresses.origin = own.storageUrl;
		},
		stop: async () => {
			extractor.stop();
			await Promise.all([api.close(), storage.close()]);
			await files.clear();
		},
	};
}

/** The API and its object storage, each on a port of its own. */
export async function startService(options: ServiceOptions) {
	const directory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'extraction-service-')));
	const certificate = options.tls ? await makeCertificate(host) : null;
	const caFile = certificate && join(directory, 'ca.pem');
	await mkdir(directory, { recursive: true });
	if (caFile) await writeFile(caFile, certificate.cert);

	const service = await createService({
		profile: options.profile,
		settings: options.settings,
		files: options.discardFiles ? 'nowhere' : { folder: join(directory, 'files') },
		pdfs: pdfTools,
		certificate,
		cutConnections: (servers) => {
			for (const { server } of servers) server.closeAllConnections();
		},
	});
	const { api, storage, account } = service;
	const stop = async () => {
		await service.stop();
		if (!options.dataDirectory) await rm(directory, { recursive: true, force: true });
	};

	try {
		const url = await api.listen({ host, port: options.port });
		const storageUrl = await storage.listen({ host, port: options.storagePort });
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
