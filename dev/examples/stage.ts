import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { INodeParameters } from 'n8n-workflow';
import type { Profile } from '../../test/support/serviceContract.ts';
import { inFolder } from '../demo/ownFiles.ts';
import { startMailbox } from '../machine/mailbox.ts';
import { startMailServer } from '../machine/mailServer.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { type Entries, readExample } from '../n8n/example.ts';
import { succeeded } from '../n8n/execution.ts';
import { startN8n } from '../n8n/server.ts';
import { openAccount, openStage } from '../n8n/stage.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { chain, extractionNode, manualTrigger, readFiles } from '../n8n/workflow.ts';
import type { Operation } from '../service/operations.ts';

export const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();

export const sampleFile = async (name: string) => await readFile(join(samples, name));

/** What all cases share: one n8n, one simulated service, one folder that n8n may use. */
export const openExamplesStage = async (version: N8nVersion, profile: Profile) =>
	await openStage(async (keep) => {
		const root = await temporaryFolder('examples');
		const n8n = await keep(startN8n({ version, env: { N8N_RESTRICT_FILE_ACCESS_TO: root } }));
		const { service, credential } = await openAccount(keep, n8n, { profile });
		let folders = 0;
		const folder = () => join(root, String(folders));
		const run = async (workflowId: string, trigger?: string) =>
			succeeded(await n8n.runManually(workflowId, { trigger }));
		const withAccount = async <T extends { credential: object }>(type: string, server: T) => ({
			...server,
			account: await n8n.createCredential(type, type, server.credential),
		});
		const executionId = async (workflowId: string, ordinal: number) => {
			const filter = encodeURIComponent(JSON.stringify({ workflowId }));
			const { results } = await n8n.rest.get<{ results: Array<{ id: string }> }>(
				`/executions?filter=${filter}`,
			);
			// The newest stands first.
			return results.at(-ordinal)?.id;
		};
		return {
			n8n,
			service,
			profile,
			/** Of this test. The sample documents are in its `inbox`; examples read and write it as the folder that they name. */
			folder,
			/** Imports an example with the service's credential and, where it needs them, others. */
			importExample: async (name: string, entries?: Entries, others: SavedCredential[] = []) => {
				const example = inFolder(await readExample(name, entries), folder());
				return await n8n.importWorkflow(example, [credential, ...others]);
			},
			/** Runs a workflow by hand; fails unless it succeeds. */
			run,
			/** Runs the node alone, for what an example begins with; on documents of the inbox, if it is told which. */
			prepare: async (parameters: INodeParameters, files?: string) => {
				const read = files ? [readFiles(`${folder()}/inbox/${files}`)] : [];
				const nodes = [manualTrigger, ...read, extractionNode(parameters)];
				return await run(await n8n.importWorkflow(chain('Prepared', nodes), [credential]));
			},
			/** An execution of a workflow that something else than the test starts: the first, or the given one. */
			executionOf: async (workflowId: string, ordinal = 1) =>
				await n8n.execution(await until(async () => await executionId(workflowId, ordinal))),
			/** The service answers 400 to requests of this operation, once unless said otherwise. */
			refuse: async (
				operation: Operation,
				detail: string,
				{ skip, times = 1 }: { skip?: number; times?: number } = {},
			) =>
				await service.control.faults([
					{
						match: { operation, skip, times },
						fault: { type: 'status', status: 400, body: { detail } },
					},
				]),
			openMailbox: async () => await withAccount('imap', await keep(startMailbox())),
			openMailServer: async () => await withAccount('smtp', await keep(startMailServer())),
			/** The service is emptied, and there is another folder. */
			reset: async () => {
				await service.control.reset();
				folders++;
				await cp(samples, join(folder(), 'inbox'), { recursive: true });
				for (const name of ['failed', 'kept']) await mkdir(join(folder(), name));
			},
		};
	});

export type Stage = Awaited<ReturnType<typeof openExamplesStage>>;

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;
