import type { IBinaryData, IWorkflowBase } from 'n8n-workflow';
import { until } from '../machine/until.ts';
import { finishedExecution } from './execution.ts';
import type { Rest } from './rest.ts';
import { manualTriggerType, type WorkflowFile } from './workflow.ts';

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

interface Publication {
	status: string;
	triggers: Array<{ errorMessage?: string }>;
}

type StoredWorkflow = IWorkflowBase & { id: string; versionId: string };

function triggerOf({ name, nodes }: WorkflowFile): string {
	const trigger = nodes.find(({ type }) => type === manualTriggerType);
	if (!trigger) throw new Error(`The workflow "${name}" has no manual trigger.`);
	return trigger.name;
}

/** Newer n8ns answer before they activate the triggers; older ones do not tell, but answer after it. */
async function isPublished(rest: Rest, workflowId: string): Promise<boolean> {
	const { status, triggers } = await rest
		.get<Publication>(`/workflows/${workflowId}/publication-status`)
		.catch((error: Error): Publication => {
			if (error.cause === 404) return { status: 'published', triggers: [] };
			throw error;
		});
	if (['partial', 'failed'].includes(status)) {
		const reasons = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
		throw new Error(`n8n could not publish the workflow ${workflowId}: ${reasons.join('; ')}`);
	}
	return status !== 'in_progress';
}

/** What a person does in the editor. */
export function editorOf(rest: Rest) {
	const stored = async (workflowId: string) =>
		await rest.get<StoredWorkflow>(`/workflows/${workflowId}`);

	async function createCredential(
		type: string,
		name: string,
		data: object,
	): Promise<SavedCredential> {
		const { id } = await rest.post<{ id: string }>('/credentials', { name, type, data });
		return { id, name, type };
	}

	/** Starts a workflow by hand without waiting for its end; the ID of the execution. */
	async function startManually(workflowId: string, trigger?: string) {
		const workflow = await stored(workflowId);
		const { executionId } = await rest.post<{ executionId: string }>(
			`/workflows/${workflowId}/run`,
			{
				workflowData: workflow,
				triggerToStartFrom: { name: trigger ?? triggerOf(workflow) },
			},
		);
		return executionId;
	}

	return {
		createCredential,

		/** For n8n's own API, with these scopes. */
		createApiCredential: async (scopes: string[]): Promise<SavedCredential> => {
			const key = { label: scopes.join(), scopes, expiresAt: null };
			const { rawApiKey: apiKey } = await rest.post<{ rawApiKey: string }>('/api-keys', key);
			const data = { apiKey, baseUrl: `${rest.url}/api/v1` };
			return await createCredential('n8nApi', 'n8n API', data);
		},

		/** Tests a saved credential with values that need not be the saved ones. */
		testCredential: async (credential: SavedCredential, data: object) =>
			await rest.post<CredentialTest>('/credentials/test', {
				credentials: { ...credential, data },
			}),

		/** Each node gets all credentials given, and uses those that it knows: of two of a type, the last. */
		importWorkflow: async (workflow: WorkflowFile, credentials: SavedCredential[]) => {
			const given = Object.fromEntries(
				credentials.map(({ type, id, name }) => [type, { id, name }]),
			);
			const nodes = workflow.nodes.map((node) => ({
				...node,
				credentials: { ...node.credentials, ...given },
			}));
			const saved = { ...workflow, nodes, active: false };
			return (await rest.post<{ id: string }>('/workflows', saved)).id;
		},

		/** Publishes a workflow and waits until its triggers work. */
		activate: async (workflowId: string) => {
			const { versionId } = await stored(workflowId);
			await rest.post(`/workflows/${workflowId}/activate`, { versionId });
			await until(async () => await isPublished(rest, workflowId));
		},

		deactivate: async (workflowId: string) => {
			await rest.post(`/workflows/${workflowId}/deactivate`, {});
		},

		/** The newest first. */
		executionsOf: async (workflowId: string) => {
			const filter = encodeURIComponent(JSON.stringify({ workflowId }));
			const { results } = await rest.get<{
				results: Array<{ id: string; status: string; mode: string }>;
			}>(`/executions?filter=${filter}`);
			return results;
		},

		startManually,

		/** Starts the workflow by hand, from this trigger or the manual one, and waits for its end. */
		runManually: async (workflowId: string, { trigger }: { trigger?: string } = {}) =>
			await finishedExecution(rest, await startManually(workflowId, trigger)),

		/** Presses "Stop". */
		stopExecution: async (id: string) => {
			await rest.post(`/executions/${id}/stop`, {});
		},

		/** Waits for the end of an execution. */
		execution: async (id: string) => await finishedExecution(rest, id),

		/** The bytes of a binary field, wherever n8n keeps them. */
		binary: async ({ id, data }: IBinaryData): Promise<Buffer> =>
			id
				? await rest.download(`/binary-data?id=${encodeURIComponent(id)}&action=download`)
				: Buffer.from(data, 'base64'),
	};
}
