import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService, type Service } from '../../test/support/service.ts';
import type { Profile, ServiceFlags } from '../../test/support/serviceContract.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { startN8n, type N8nOptions, type RunningN8n } from '../n8n/server.ts';
import { credentialType } from '../n8n/workflow.ts';

/** A simulated service in a process of its own, and a credential for it in n8n. */
export interface Account {
	service: Service;
	credential: SavedCredential;
}

export interface Stage {
	n8n: RunningN8n;
	/** The files that flows may read lie below. */
	folder: string;
	account(flags?: ServiceFlags): Promise<Account>;
	/** Another n8n, which nothing has run in yet. */
	freshN8n(binaryMode?: N8nOptions['binaryMode']): Promise<RunningN8n>;
	credentialFor(n8n: RunningN8n, service: Service): Promise<SavedCredential>;
	close(): Promise<void>;
}

/** Every answer takes this long, as one over the Internet does. */
export const latencyMs = 50;

export const profiles: Profile[] = ['atlas', 'borealis', 'cobalt'];

export async function openStage(nodePackage: string, log: (line: string) => void): Promise<Stage> {
	const folder = await temporaryFolder('benchmark-files');
	const freshN8n = async (binaryMode: N8nOptions['binaryMode'] = 'filesystem') =>
		await startN8n({
			nodePackage,
			binaryMode,
			env: { N8N_RESTRICT_FILE_ACCESS_TO: folder },
			log,
		});
	const credentialFor = async (n8n: RunningN8n, service: Service) =>
		await n8n.createCredential(credentialType, service.url, service.credential());
	const n8n = await freshN8n();
	const services: Service[] = [];

	return {
		n8n,
		folder,
		freshN8n,
		credentialFor,
		account: async (flags = {}) => {
			const service = await startService({ latency: latencyMs, ...flags });
			services.push(service);
			return { service, credential: await credentialFor(n8n, service) };
		},
		close: async () => {
			await n8n.stop();
			for (const service of services) await service.stop();
		},
	};
}

/** Files of the same size, numbered, none like the other. */
export async function makeFiles(folder: string, count: number, size: number): Promise<string> {
	await mkdir(folder);
	for (let number = 0; number < count; number++) {
		const name = `file-${String(number).padStart(5, '0')}.pdf`;
		await writeFile(join(folder, name), Buffer.alloc(size, name));
	}
	return folder;
}
