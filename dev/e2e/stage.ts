import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PROFILES } from '../../test/support/profiles.ts';
import { startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { type Execution, succeeded } from '../n8n/execution.ts';
import { startN8n } from '../n8n/server.ts';
import { type Account, credentialFor, openAccount, openStage } from '../n8n/stage.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import type { WorkflowFile } from '../n8n/workflow.ts';

export const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();

/** What all cases share: one n8n, and one simulated service of each profile. */
export const openE2eStage = async (version: N8nVersion) =>
	await openStage(async (keep) => {
		const service = await keep(startService({ tls: true }));
		const n8n = await keep(
			startN8n({
				version,
				env: {
					N8N_RESTRICT_FILE_ACCESS_TO: samples,
					NODE_EXTRA_CA_CERTS: String(service.caFile),
				},
			}),
		);
		const opened = PROFILES.map(
			async (profile) => [profile, await openAccount(keep, n8n, { profile })] as const,
		);
		const accounts = Object.fromEntries(await Promise.all(opened)) as Record<Profile, Account>;
		const secure = { service, credential: await credentialFor(n8n, service) };
		const emptied = async (account: Account) => {
			await account.service.control.reset();
			return account;
		};
		const attempt = async (workflow: WorkflowFile, { credential }: Account): Promise<Execution> =>
			await n8n.runManually(await n8n.importWorkflow(workflow, [credential]));
		return {
			n8n,
			/** The service is emptied. */
			account: async (profile: Profile = 'atlas') => await emptied(accounts[profile]),
			/** The same behind TLS, with a certificate that n8n trusts: the live environment takes nothing else. */
			secureAccount: async () => await emptied(secure),
			/** Fails unless the workflow succeeds. */
			run: async (workflow: WorkflowFile, account: Account) =>
				succeeded(await attempt(workflow, account)),
			/** The same, however it ends. */
			attempt,
		};
	});

export type Stage = Awaited<ReturnType<typeof openE2eStage>>;

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;
