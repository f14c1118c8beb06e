import { randomUUID } from 'node:crypto';
import type { IWorkflowSettings } from 'n8n-workflow';
import { Agent, FormData, request } from 'undici';
import type { SavedCredential } from '../n8n/editor.ts';
import { chain, webhook, type WorkflowNode } from '../n8n/workflow.ts';
import type { Cluster } from './cluster.ts';

export interface SentFile {
	name: string;
	/** Its MIME type. */
	type: string;
	content: string | Buffer;
	sha256: string;
}

/** How n8n responded. */
export interface Response {
	status: number;
	text: string;
}

/** A published workflow of a webhook and one node. */
export interface Flow {
	workflowId: string;
	/** @throws where no response came */
	send(files: SentFile[]): Promise<Response>;
}

interface FlowOptions {
	name: string;
	/** Takes all files of the webhook. */
	node: WorkflowNode;
	/** With the items of the node, or as soon as n8n has taken the files. */
	responds: 'at the end' | 'at once';
	withinMs: number;
	settings?: IWorkflowSettings;
}

export async function openFlow(
	cluster: Cluster,
	credential: SavedCredential,
	{ name, node, responds, withinMs, settings = {} }: FlowOptions,
): Promise<Flow> {
	const path = randomUUID();
	const mode =
		responds === 'at once'
			? { responseMode: 'onReceived' }
			: { responseMode: 'lastNode', responseData: 'allEntries' };
	const workflow = { ...chain(name, [webhook(path, mode), node]), settings };
	const workflowId = await cluster.main.importWorkflow(workflow, [credential]);
	await cluster.main.activate(workflowId);
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
				body.append(`file_${index}`, new Blob([file.content], { type: file.type }), file.name);
			}
			// A main that is started again may have another address.
			const url = `${cluster.main.url}/webhook/${path}`;
			const response = await request(url, { method: 'POST', body, dispatcher });
			return { status: response.statusCode, text: await response.body.text() };
		},
	};
}
