import { randomUUID } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { Agent, FormData, request } from 'undici';
import { chain, credentialType, extractionNode, type WorkflowFile } from '../n8n/workflow.ts';
import type { Cluster } from '../queue/cluster.ts';
import { largeBytes, type SentFile } from './files.ts';

export const onErrors = ['stopWorkflow', 'continueErrorOutput'] as const;

/** A published workflow that takes files by webhook, responds at once and extracts from them. */
export interface Flow {
	workflowId: string;
	onError: (typeof onErrors)[number];
	/** @throws where no response came */
	send(files: SentFile[]): Promise<Response>;
}

const sendTimeoutMs = 30_000;
const connections = new Agent({ headersTimeout: sendTimeoutMs, bodyTimeout: sendTimeoutMs });
/** In seconds, and longer than a run lasts: what waits so long hangs. */
const maxWait = 1_800;

const workflow = (path: string, onError: Flow['onError']): WorkflowFile =>
	chain(`Files, ${onError}`, [
		{
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
		},
		extractionNode(
			{
				binaryPropertyName: '*',
				options: { signedFromMb: largeBytes / 1_000_000, maxWait },
			},
			{ onError },
		),
	]);

/** How n8n responded. */
export interface Response {
	status: number;
	text: string;
}

/** While its main starts, n8n responds with 200 as well: "n8n is starting up. Please wait". */
export const isAccepted = ({ status, text }: Response) =>
	status === 200 && text.includes('Workflow was started');

async function post(url: string, files: SentFile[]): Promise<Response> {
	const body = new FormData();
	for (const [index, { name, content }] of files.entries()) {
		body.append(`file_${index}`, new Blob([content], { type: 'text/plain' }), name);
	}
	const response = await request(url, {
		method: 'POST',
		body,
		dispatcher: connections,
	});
	return { status: response.statusCode, text: await response.body.text() };
}

export async function openFlows(
	cluster: Cluster,
	credentialData: ICredentialDataDecryptedObject,
): Promise<Flow[]> {
	const credential = await cluster.main.createCredential(credentialType, 'Service', credentialData);
	const open = async (onError: Flow['onError']): Promise<Flow> => {
		const path = randomUUID();
		const url = () => `${cluster.main.url}/webhook/${path}`;
		const workflowId = await cluster.main.importWorkflow(workflow(path, onError), [credential]);
		await cluster.main.activate(workflowId);
		return {
			workflowId,
			onError,
			send: async (files) => await post(url(), files),
		};
	};
	return [await open('stopWorkflow'), await open('continueErrorOutput')];
}
