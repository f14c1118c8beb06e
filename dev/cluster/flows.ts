import { randomUUID } from 'node:crypto';
import type { SavedCredential } from '../n8n/editor.ts';
import { ownConnection } from '../n8n/rest.ts';
import { chain, extractionNode, webhook } from '../n8n/workflow.ts';
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

const respondsWithinMs = 30_000;
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
		const path = randomUUID();
		const nodes = [
			webhook(path, { responseMode: 'onReceived' }),
			extractionNode({ binaryPropertyName: '*', options }, { onError }),
		];
		const workflow = { ...chain(`Files, ${onError}`, nodes), settings: { errorWorkflow } };
		const workflowId = await cluster.main.importWorkflow(workflow, [credential]);
		await cluster.main.activate(workflowId);
		const send = async (files: TextFile[]) => {
			const body = new FormData();
			for (const [index, file] of files.entries()) {
				body.append(`file_${index}`, new Blob([file.content], { type: 'text/plain' }), file.name);
			}
			// A main that is started again may have another address.
			const response = await fetch(`${cluster.main.url}/webhook/${path}`, {
				method: 'POST',
				headers: ownConnection,
				body,
				signal: AbortSignal.timeout(respondsWithinMs),
			});
			return { status: response.status, text: await response.text() };
		};
		flows.push({ workflowId, send });
	}
	return flows;
}
