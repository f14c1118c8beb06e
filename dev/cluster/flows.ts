import { randomUUID } from 'node:crypto';
import type { IWorkflowSettings } from 'n8n-workflow';
import { Agent, FormData, request } from 'undici';
import type { SavedCredential } from '../n8n/editor.ts';
import { chain, extractionNode, webhook, type WorkflowNode } from '../n8n/workflow.ts';
import type { Cluster } from './cluster.ts';
import { largeBytes, type TextFile } from './files.ts';

/** How n8n responded. */
interface Response {
	status: number;
	text: string;
}

/** A published workflow of a webhook and one node. */
export interface Flow {
	workflowId: string;
	/** @throws where no response came */
	send(files: TextFile[]): Promise<Response>;
}

interface FlowOptions {
	name: string;
	/** Takes all files of the webhook. */
	node: WorkflowNode;
	/** With the items of the node, or as soon as n8n has taken the files. */
	responds: 'at the end' | 'at once';
	settings?: IWorkflowSettings;
}

const longestResponseMs = { 'at the end': 600_000, 'at once': 30_000 };

export async function openFlow(
	cluster: Cluster,
	credential: SavedCredential,
	{ name, node, responds, settings = {} }: FlowOptions,
): Promise<Flow> {
	const path = randomUUID();
	const mode =
		responds === 'at once'
			? { responseMode: 'onReceived' }
			: { responseMode: 'lastNode', responseData: 'allEntries' };
	const workflow = { ...chain(name, [webhook(path, mode), node]), settings };
	const workflowId = await cluster.main.importWorkflow(workflow, [credential]);
	await cluster.main.activate(workflowId);
	const withinMs = longestResponseMs[responds];
	const dispatcher = new Agent({
		connections: null,
		headersTimeout: withinMs,
		bodyTimeout: withinMs,
	});
	return {
		workflowId,
		send: async (files) => {
			const body = new FormData();
			for (const [index, file] of files.entries()) {
				body.append(`file_${index}`, new Blob([file.content], { type: 'text/plain' }), file.name);
			}
			// A main that is started again may have another address.
			const url = `${cluster.main.url}/webhook/${path}`;
			const response = await request(url, { method: 'POST', body, dispatcher });
			return { status: response.statusCode, text: await response.body.text() };
		},
	};
}

const onErrors = ['stopWorkflow', 'continueErrorOutput'] as const;

/** In seconds, and longer than a run lasts: what waits so long hangs. */
const maxWait = 1_800;

/** While its main starts, n8n responds with 200 as well: "n8n is starting up. Please wait". */
export const isAccepted = ({ status, text }: Response) =>
	status === 200 && text.includes('Workflow was started');

/**
 * Take files by webhook, respond at once and extract from them; one for each way to meet a failure.
 * @param errorWorkflow what n8n starts when an execution of theirs fails
 */
export async function openFlows(
	cluster: Cluster,
	credential: SavedCredential,
	errorWorkflow: string,
): Promise<Flow[]> {
	const options = { signedFromMb: largeBytes / 1_000_000, maxWait };
	const flows: Flow[] = [];
	for (const onError of onErrors) {
		flows.push(
			await openFlow(cluster, credential, {
				name: `Files, ${onError}`,
				node: extractionNode({ binaryPropertyName: '*', options }, { onError }),
				responds: 'at once',
				settings: { errorWorkflow },
			}),
		);
	}
	return flows;
}
