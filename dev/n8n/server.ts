import { join } from 'node:path';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';
import { editorOf } from './editor.ts';
import { type InstalledN8n, installN8n } from './install.ts';
import { startN8nProcess } from './n8nProcess.ts';
import { addNodeTo } from './pack.ts';
import { callN8n, type Login, openRest, ownConnection } from './rest.ts';
import type { N8nVersion } from './versions.ts';

export interface N8nOptions {
	version?: N8nVersion;
	/** Kept if given; else a temporary one, which lasts as long as this process. */
	userFolder?: string;
	/** Of the editor; the next free one is taken if it is busy. */
	port?: number;
	env?: Record<string, string>;
	/** A folder whose programs it finds before all others. */
	programs?: string;
	/** It has to get the package by itself. */
	withoutPackage?: true;
}

const owner: Login = { email: 'owner@example.com', password: 'Extraction-1' };
const startAttempts = 3;
const readyTimeoutMs = 300_000;
const portsTried = 100;

/** While n8n starts it answers everything with 200 and a text, or with 404 and HTML. */
async function isReady(url: string) {
	const answer = await fetch(`${url}/rest/settings`, { headers: ownConnection }).catch(
		() => undefined,
	);
	const isJson = answer?.headers.get('content-type')?.startsWith('application/json');
	return Boolean(answer?.ok && isJson);
}

async function startServer(installed: InstalledN8n, userFolder: string, options: N8nOptions) {
	const wished = options.port && portNumbers(options.port, options.port + portsTried);
	// An n8n that is started again gets the port that it had.
	if (wished) clearLockedPorts();
	const port = await getPort({ port: wished });
	const url = `http://127.0.0.1:${port}`;
	const n8n = await startN8nProcess(installed, {
		args: ['start'],
		userFolder,
		programs: options.programs,
		logFile: join(userFolder, 'n8n.log'),
		env: {
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await getPort()),
			N8N_SECURE_COOKIE: 'false',
			...options.env,
		},
		isReady: async () => await isReady(url),
	});
	return { url, n8n };
}

/** Between looking for a free port and listening on it, another process may take it. */
async function startOnFreePort(installed: InstalledN8n, userFolder: string, options: N8nOptions) {
	for (let attempt = 1; ; attempt++) {
		try {
			return await startServer(installed, userFolder, options);
		} catch (error) {
			const isPortTaken = String(error).includes('already in use');
			if (!isPortTaken || attempt === startAttempts) throw error;
		}
	}
}

/** What a person, or another program, does with an n8n that runs. */
async function drive(url: string, login: Login) {
	const rest = await openRest(url, login);
	return {
		url,
		owner: login,
		rest,
		...editorOf(rest),
		/** Calls the webhook of an active workflow, and gives its answer. */
		callWebhook: async (path: string, body: unknown): Promise<unknown> =>
			await (await callN8n('POST', `${url}/webhook/${path}`, body)).json(),
	};
}

/**
 * An n8n that runs anywhere, with the package in it; nothing stops it.
 * @param version the one that it should behave as
 */
export async function joinN8n(url: string, version: N8nVersion, login: Login = owner) {
	await until(async () => await isReady(url), { timeoutMs: readyTimeoutMs });
	return { ...(await drive(url, login)), version, stop: async () => {} };
}

/** A real n8n with the package in it, its owner set up and logged in. */
export async function startN8n(options: N8nOptions = {}) {
	const installed = await installN8n(options.version);
	const userFolder = options.userFolder ?? (await temporaryFolder('n8n-user-folder'));
	if (!options.withoutPackage) await addNodeTo(userFolder);
	const { url, n8n } = await startOnFreePort(installed, userFolder, options);
	return {
		...n8n,
		...(await drive(url, owner)),
		userFolder,
		version: installed.version,
	};
}

export type StartedN8n = Awaited<ReturnType<typeof startN8n>>;
export type RunningN8n = Awaited<ReturnType<typeof joinN8n>>;
