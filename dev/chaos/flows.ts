import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { credentialType, extractionNode } from '../n8n/workflow.ts';
import type { Cluster } from '../queue/cluster.ts';
import { type Flow, openFlow, type Response } from '../queue/flow.ts';
import { largeBytes } from './files.ts';

const onErrors = ['stopWorkflow', 'continueErrorOutput'] as const;

/** In seconds, and longer than a run lasts: what waits so long hangs. */
const maxWait = 1_800;

/** While its main starts, n8n responds with 200 as well: "n8n is starting up. Please wait". */
export const isAccepted = ({ status, text }: Response) =>
	status === 200 && text.includes('Workflow was started');

/** Take files by webhook, respond at once and extract from them; one for each way to meet a failure. */
export async function openFlows(
	cluster: Cluster,
	credentialData: ICredentialDataDecryptedObject,
): Promise<Flow[]> {
	const credential = await cluster.main.createCredential(credentialType, 'Service', credentialData);
	const options = { signedFromMb: largeBytes / 1_000_000, maxWait };
	const flows: Flow[] = [];
	for (const onError of onErrors) {
		flows.push(
			await openFlow(cluster, credential, {
				name: `Files, ${onError}`,
				node: extractionNode({ binaryPropertyName: '*', options }, { onError }),
				responds: 'at once',
				withinMs: 30_000,
			}),
		);
	}
	return flows;
}
