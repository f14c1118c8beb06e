import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { ServiceFlags } from './serviceContract';
import { ServiceControl } from './serviceControl';

// The demo and the end-to-end tests load this file through tsx, where `__dirname` is no folder.
const DEV_FOLDER = resolve(dirname(__filename), '../../dev');

interface Addresses {
	url: string;
	storageUrl: string;
	controlUrl: string;
	/** With TLS. */
	caFile?: string;
}

function commandLine(flags: ServiceFlags): string[] {
	return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (typeof value === 'boolean') return value ? [flag] : [];
		return value === undefined ? [] : [flag, String(value)];
	});
}

/** The simulated service, in a process of its own that ends with the tests at the latest. */
export async function startService(flags: ServiceFlags = {}) {
	const service = spawn(
		process.execPath,
		['--import', 'tsx', 'service/main.ts', '--json', '--exit-with-parent', ...commandLine(flags)],
		{ cwd: DEV_FOLDER, stdio: ['pipe', 'pipe', 'pipe'] },
	);
	const complaint = text(service.stderr);
	const ended = once(service, 'exit');
	const [line] = await Promise.race([
		once(createInterface(service.stdout), 'line'),
		ended.then(async () => {
			throw new Error(`The simulated service did not start:\n${await complaint}`);
		}),
	]);
	const { url, storageUrl, controlUrl, caFile } = JSON.parse(String(line)) as Addresses;
	const control = new ServiceControl(controlUrl, caFile);
	const account = await control.account();

	const owner = (environment: 'test' | 'live') => {
		const { keys, workflows } = account.environments[environment];
		return { environment, apiKey: keys.full, workflowId: workflows.main.id };
	};
	const credential = (
		overrides: ICredentialDataDecryptedObject = {},
	): ICredentialDataDecryptedObject => ({
		...owner('test'),
		baseUrl: url,
		useWaitingAndLists: true,
		useSignedUploads: true,
		useResponseFields: true,
		...account.apiDetails,
		...overrides,
	});

	return {
		url,
		storageUrl,
		caFile,
		account,
		control,
		/** All fields of a credential for the test environment. */
		credential,
		/** All fields of a credential that reads from each item whose it is: an item holds an `owner`. */
		credentialByItem: () =>
			credential({
				environment: '={{ $json.environment }}',
				apiKey: '={{ $json.apiKey }}',
				workflowId: '={{ $json.workflowId }}',
			}),
		owner,
		stop: async () => {
			await control.close();
			service.kill();
			await ended;
		},
	};
}

export type Service = Awaited<ReturnType<typeof startService>>;
