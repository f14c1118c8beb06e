import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../test/support/service.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import type { Execution } from '../n8n/execution.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import type { N8nVersion } from '../n8n/versions.ts';
import { credentialType, type WorkflowFile } from '../n8n/workflow.ts';
import { type Entries, readExample } from '../n8n/example.ts';

export const samples = fileURLToPath(new URL('../../examples/files', import.meta.url));
export const sampleNames = (await readdir(samples)).sort();

/** What all cases share: one n8n, one simulated service, one folder that n8n may use. */
export interface Stage {
	n8n: RunningN8n;
	service: Service;
	profile: Profile;
	/** Imports an example with the service's credential and, where it needs them, others. */
	importExample(name: string, entries?: Entries, others?: SavedCredential[]): Promise<string>;
	/** Imports a workflow that prepares something for an example. */
	importWorkflow(workflow: WorkflowFile): Promise<string>;
	/** An execution of a workflow that something else than the test starts: the first, or the given one. */
	executionOf(workflowId: string, ordinal?: number): Promise<Execution>;
	/** An empty folder that n8n may read and write. */
	newFolder(): Promise<string>;
	/** The same with a folder `inbox` in it that holds the sample documents, and `failed` beside it. */
	newFolderWithInbox(): Promise<string>;
	/** The service is emptied. */
	reset(): Promise<void>;
	close(): Promise<void>;
}

/** Registers tests with node:test. */
export type Case = (stage: Stage) => void;

const startsWithinMs = 30_000;
const pollMs = 200;

export const sampleFile = async (name: string) => await readFile(join(samples, name));

async function executionId(n8n: RunningN8n, workflowId: string, ordinal: number) {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const giveUpAt = Date.now() + startsWithinMs;
	for (;;) {
		const { results } = await n8n.rest.get<{ results: Array<{ id: string }> }>(
			`/executions?filter=${filter}`,
		);
		// The newest stands first.
		const wanted = results.at(-ordinal);
		if (wanted) return wanted.id;
		if (Date.now() > giveUpAt) throw new Error('Nothing has started the workflow.');
		await sleep(pollMs);
	}
}

export async function openStage(version: N8nVersion, profile: Profile): Promise<Stage> {
	const folder = await temporaryFolder('examples');
	const n8n = await startN8n({
		version,
		env: { N8N_RESTRICT_FILE_ACCESS_TO: folder },
	});
	const service = await startService({ profile });
	const credential = await n8n.createCredential(
		credentialType,
		'Document Extraction account',
		service.credential(),
	);
	let folders = 0;
	const newFolder = async () => {
		const path = join(folder, String(folders++));
		await mkdir(path);
		return path;
	};
	return {
		n8n,
		service,
		profile,
		importExample: async (name, entries, others = []) =>
			await n8n.importWorkflow(await readExample(name, entries), [credential, ...others]),
		importWorkflow: async (workflow) => await n8n.importWorkflow(workflow, [credential]),
		executionOf: async (workflowId, ordinal = 1) =>
			await n8n.execution(await executionId(n8n, workflowId, ordinal)),
		newFolder,
		newFolderWithInbox: async () => {
			const path = await newFolder();
			for (const name of ['inbox', 'failed']) await mkdir(join(path, name));
			for (const name of sampleNames) {
				await copyFile(join(samples, name), join(path, 'inbox', name));
			}
			return path;
		},
		reset: async () => await service.control.reset(),
		close: async () => {
			await n8n.stop();
			await service.stop();
		},
	};
}
