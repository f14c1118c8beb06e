import type {
	IBinaryData,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
	IWorkflowBase,
} from 'n8n-workflow';
import { until } from '../machine/until.ts';
import { binaryContent, finishedExecution } from './execution.ts';
import type { Rest } from './rest.ts';
import { manualTriggerType, nodeType, type WorkflowFile } from './workflow.ts';

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

export interface DropdownRequest {
	methodName: string;
	/** Where the field stands among the node's parameters, e.g. `collection`. */
	field: string;
	parameters: INodeParameters;
	credential: SavedCredential;
}

export interface ManualRun {
	/** Name of the trigger to start from; else the manual trigger. */
	trigger?: string;
}

type StoredWorkflow = IWorkflowBase & { id: string; versionId: string };

function withCredentials(workflow: WorkflowFile, credentials: SavedCredential[]): WorkflowFile {
	const byType = new Map(credentials.map(({ type, id, name }) => [type, { id, name }]));
	const nodes = workflow.nodes.map((node) => ({
		...node,
		credentials: Object.fromEntries(
			Object.entries(node.credentials ?? {}).map(([type, used]) => [
				type,
				byType.get(type) ?? used,
			]),
		),
	}));
	return { ...workflow, nodes };
}

function triggerOf({ name, nodes }: WorkflowFile): string {
	const trigger = nodes.find(({ type }) => type === manualTriggerType);
	if (!trigger) throw new Error(`The workflow "${name}" has no manual trigger.`);
	return trigger.name;
}

const dropdown = ({ field, methodName, parameters, credential }: DropdownRequest) => ({
	path: `parameters.${field}`,
	methodName,
	currentNodeParameters: parameters,
	nodeTypeAndVersion: { name: nodeType, version: 1 },
	credentials: { [credential.type]: { id: credential.id, name: credential.name } },
});

/** Newer n8ns answer before they activate the triggers; older ones do not tell, but answer after it. */
async function isPublished(rest: Rest, workflowId: string): Promise<boolean> {
	const publication = await rest.find<{
		status: string;
		triggers: Array<{ errorMessage?: string }>;
	}>(`/workflows/${workflowId}/publication-status`);
	if (publication && ['partial', 'failed'].includes(publication.status)) {
		const reasons = publication.triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
		throw new Error(`n8n could not publish the workflow ${workflowId}: ${reasons.join('; ')}`);
	}
	return publication?.status !== 'in_progress';
}

/** What a person does in the editor. */
export function editorOf(rest: Rest) {
	const stored = async (workflowId: string) =>
		await rest.get<StoredWorkflow>(`/workflows/${workflowId}`);

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
		createCredential: async (
			type: string,
			name: string,
			data: object,
		): Promise<SavedCredential> => {
			const { id } = await rest.post<{ id: string }>('/credentials', { name, type, data });
			return { id, name, type };
		},

		/** Tests a saved credential with values that need not be the saved ones. */
		testCredential: async (credential: SavedCredential, data: object) =>
			await rest.post<CredentialTest>('/credentials/test', {
				credentials: { ...credential, data },
			}),

		/** Each node gets, of the credentials given, the one of the type that it uses. */
		importWorkflow: async (workflow: WorkflowFile, credentials: SavedCredential[]) => {
			const { id } = await rest.post<{ id: string }>('/workflows', {
				...withCredentials(workflow, credentials),
				active: false,
			});
			return id;
		},

		/** Publishes a workflow and waits until its triggers work. */
		activate: async (workflowId: string) => {
			const { versionId } = await stored(workflowId);
			await rest.post(`/workflows/${workflowId}/activate`, { versionId });
			await until(async () => await isPublished(rest, workflowId));
		},

		startManually,

		/** Starts the workflow by hand and waits for its end. */
		runManually: async (workflowId: string, { trigger }: ManualRun = {}) =>
			await finishedExecution(rest, await startManually(workflowId, trigger)),

		/** Presses "Stop". */
		stopExecution: async (id: string) => {
			await rest.post(`/executions/${id}/stop`, {});
		},

		/** Waits for the end of an execution. */
		execution: async (id: string) => await finishedExecution(rest, id),

		binary: async (binary: IBinaryData) => await binaryContent(rest, binary),

		loadOptions: async (request: DropdownRequest) =>
			await rest.post<INodePropertyOptions[]>(
				'/dynamic-node-parameters/options',
				dropdown(request),
			),

		listSearch: async (request: DropdownRequest) =>
			await rest.post<INodeListSearchResult>(
				'/dynamic-node-parameters/resource-locator-results',
				dropdown(request),
			),
	};
}
