import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { inFolder } from '../demo/ownFiles.ts';
import { type Mailbox, startMailbox } from '../machine/mailbox.ts';
import { type MailServer, startMailServer } from '../machine/mailServer.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { type Entries, readExample } from '../n8n/example.ts';
import { type Execution, succeeded } from '../n8n/execution.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { credentialType, type WorkflowFile } from '../n8n/workflow.ts';
import type { Operation } from '../service/operations.ts';

export const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();

/** What all cases share: one n8n, one simulated service, one folder that n8n may use. */
export interface Stage {
	n8n: RunningN8n;
	service: Service;
	profile: Profile;
	/** Of this test. The sample documents are in its `inbox`; examples read and write it as the folder that they name. */
	folder(): string;
	/** Imports an example with the service's credential and, where it needs them, others. */
	importExample(name: string, entries?: Entries, others?: SavedCredential[]): Promise<string>;
	/** Runs a workflow by hand; fails unless it succeeds. */
	run(workflowId: string, trigger?: string): Promise<Execution>;
	/** The same with a workflow that prepares something for an example. */
	prepare(workflow: WorkflowFile): Promise<Execution>;
	/** An execution of a workflow that something else than the test starts: the first, or the given one. */
	executionOf(workflowId: string, ordinal?: number): Promise<Execution>;
	/** The service answers 400 to requests of this operation, once unless said otherwise. */
	refuse(
		operation: Operation,
		reason: string,
		match?: { skip?: number; times?: number },
	): Promise<void>;
	openMailbox(): Promise<Mailbox & { account: SavedCredential }>;
	openMailServer(): Promise<MailServer & { account: SavedCredential }>;
	/** The service is emptied, and there is another folder. */
	reset(): Promise<void>;
	close(): Promise<void>;
}

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;

export const sampleFile = async (name: string) => await readFile(join(samples, name));

export async function openStage(version: N8nVersion, profile: Profile): Promise<Stage> {
	const root = await temporaryFolder('examples');
	const n8n = await startN8n({ version, env: { N8N_RESTRICT_FILE_ACCESS_TO: root } });
	const service = await startService({ profile });
	const opened: Array<{ stop(): Promise<void> }> = [service, n8n];
	const credential = await n8n.createCredential(
		credentialType,
		'Document Extraction account',
		service.credential(),
	);
	let folders = 0;
	const folder = () => join(root, String(folders));
	const run = async (workflowId: string, trigger?: string) =>
		succeeded(await n8n.runManually(workflowId, { trigger }));
	const open = async <T extends { stop(): Promise<void>; credential: object }>(
		type: string,
		server: T,
	) => {
		opened.push(server);
		return { ...server, account: await n8n.createCredential(type, type, server.credential) };
	};
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
		folder,
		importExample: async (name, entries, others = []) => {
			const example = inFolder(await readExample(name, entries), folder());
			return await n8n.importWorkflow(example, [credential, ...others]);
		},
		run,
		prepare: async (workflow) => await run(await n8n.importWorkflow(workflow, [credential])),
		executionOf: async (workflowId, ordinal = 1) =>
			await n8n.execution(await until(async () => await executionId(workflowId, ordinal))),
		refuse: async (operation, detail, { skip, times = 1 } = {}) =>
			await service.control.faults([
				{
					match: { operation, skip, times },
					fault: { type: 'status', status: 400, body: { detail } },
				},
			]),
		openMailbox: async () => await open('imap', await startMailbox()),
		openMailServer: async () => await open('smtp', await startMailServer()),
		reset: async () => {
			await service.control.reset();
			folders++;
			await cp(samples, join(folder(), 'inbox'), { recursive: true });
			for (const name of ['failed', 'kept']) await mkdir(join(folder(), name));
		},
		close: async () => {
			for (const each of opened.reverse()) await each.stop();
		},
	};
}
