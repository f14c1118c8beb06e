import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { type Execution, succeeded } from '../n8n/execution.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { credentialType, type WorkflowFile } from '../n8n/workflow.ts';

export const profiles: Profile[] = ['atlas', 'borealis', 'cobalt'];

export const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();

/** A simulated service, and a credential for it in n8n. */
export interface Account {
	service: Service;
	credential: SavedCredential;
}

/** What all cases share: one n8n, and one simulated service of each profile. */
export interface Stage {
	n8n: RunningN8n;
	/** The service is emptied. */
	account(profile?: Profile): Promise<Account>;
	/** The same behind TLS, with a certificate that n8n trusts: the live environment takes nothing else. */
	secureAccount(): Promise<Account>;
	/** Fails unless the workflow succeeds. */
	run(workflow: WorkflowFile, account: Account): Promise<Execution>;
	/** The same, however it ends. */
	attempt(workflow: WorkflowFile, account: Account): Promise<Execution>;
	close(): Promise<void>;
}

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;

async function openAccount(n8n: RunningN8n, name: string, service: Service): Promise<Account> {
	const credential = await n8n.createCredential(credentialType, name, service.credential());
	return { service, credential };
}

export async function openStage(version: N8nVersion): Promise<Stage> {
	const secureService = await startService({ tls: true });
	const n8n = await startN8n({
		version,
		env: {
			N8N_RESTRICT_FILE_ACCESS_TO: samples,
			NODE_EXTRA_CA_CERTS: String(secureService.caFile),
		},
	});
	const accounts = Object.fromEntries(
		await Promise.all(
			profiles.map(async (profile) => [
				profile,
				await openAccount(n8n, profile, await startService({ profile })),
			]),
		),
	) as Record<Profile, Account>;
	const secure = await openAccount(n8n, 'Behind TLS', secureService);
	const emptied = async (account: Account) => {
		await account.service.control.reset();
		return account;
	};
	const attempt: Stage['attempt'] = async (workflow, { credential }) =>
		await n8n.runManually(await n8n.importWorkflow(workflow, [credential]));
	return {
		n8n,
		account: async (profile = 'atlas') => await emptied(accounts[profile]),
		secureAccount: async () => await emptied(secure),
		run: async (workflow, used) => succeeded(await attempt(workflow, used)),
		attempt,
		close: async () => {
			await n8n.stop();
			for (const { service } of [...Object.values(accounts), secure]) await service.stop();
		},
	};
}
