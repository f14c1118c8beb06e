import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { Agent, request } from 'undici';
import type {
	Account,
	FaultRule,
	Ledger,
	LoggedRequest,
	Operation,
	Seed,
	ServiceFlags,
	Settings,
} from './serviceContract';

const DEV_FOLDER = resolve(__dirname, '../../dev');

interface StartMessage {
	url: string;
	storageUrl: string;
	controlUrl: string;
}

function commandLine(flags: ServiceFlags): string[] {
	return Object.entries(flags).flatMap(([name, value]) => {
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (typeof value === 'boolean') return value ? [flag] : [];
		return value === undefined ? [] : [flag, String(value)];
	});
}

async function startMessage(service: ChildProcess): Promise<StartMessage> {
	const { stdout, stderr } = service;
	if (!stdout || !stderr) throw new Error('The service was started without its output');
	const complaint = text(stderr);
	const [line] = await Promise.race([
		once(createInterface(stdout), 'line'),
		once(service, 'exit').then(async ([code]) => {
			throw new Error(`The simulated service ended with code ${code}:\n${await complaint}`);
		}),
	]);
	return JSON.parse(String(line)) as StartMessage;
}

class ControlClient {
	private readonly connections = new Agent();

	constructor(private readonly url: string) {}

	async account() {
		return await this.call<Account>('GET', '/account');
	}

	/** Empties everything, and brings back the settings of the start. */
	async reset() {
		await this.call('POST', '/reset', {});
	}

	async settings(settings: Partial<Settings>) {
		return await this.call<Settings>('POST', '/settings', settings);
	}

	/** Makes finished documents with results at once. */
	async seed(seed: Seed) {
		return await this.call<{ documentIds: string[] }>('POST', '/seed', seed);
	}

	/** Keeps a workflow extracting, as another user would. */
	async busy(workflow: string, forMs: number) {
		await this.call('POST', '/busy', { workflow, forMs });
	}

	async faults(rules: FaultRule[]) {
		await this.call('POST', '/faults', rules);
	}

	/** Makes the probabilities of faults repeatable. */
	async seedFaults(seed: number) {
		await this.call('POST', '/faults/seed', { seed });
	}

	async clearFaults() {
		await this.call('DELETE', '/faults');
	}

	async ledger() {
		return await this.call<Ledger>('GET', '/ledger');
	}

	async requests(operation?: Operation) {
		const query = operation ? `?operation=${operation}` : '';
		return await this.call<LoggedRequest[]>('GET', `/requests${query}`);
	}

	async close() {
		await this.connections.close();
	}

	private async call<T = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
		const { statusCode, body: answer } = await request(`${this.url}${path}`, {
			method,
			dispatcher: this.connections,
			...(body !== undefined && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		const content = await answer.text();
		if (statusCode >= 300) throw new Error(`${method} ${path} → ${statusCode}: ${content}`);
		return (content === '' ? undefined : JSON.parse(content)) as T;
	}
}

/** The simulated service, in a process of its own. */
export async function startService(flags: ServiceFlags = {}) {
	const child = spawn(
		process.execPath,
		['--import', 'tsx', 'service/main.ts', '--json', '--exit-with-parent', ...commandLine(flags)],
		{ cwd: DEV_FOLDER, stdio: ['pipe', 'pipe', 'pipe'] },
	);
	const { url, storageUrl, controlUrl } = await startMessage(child);
	const control = new ControlClient(controlUrl);
	const account = await control.account();

	return {
		url,
		storageUrl,
		account,
		control,
		/** All fields of a credential for the test environment. */
		credential: (
			overrides: ICredentialDataDecryptedObject = {},
		): ICredentialDataDecryptedObject => ({
			environment: 'test',
			baseUrl: url,
			apiKey: account.environments.test.keys.full,
			workflowId: account.environments.test.workflows.main.id,
			showApiDetails: true,
			...account.apiDetails,
			...overrides,
		}),
		stop: async () => {
			await control.close();
			if (child.exitCode !== null) return;
			child.kill();
			await once(child, 'exit');
		},
	};
}

export type Service = Awaited<ReturnType<typeof startService>>;
