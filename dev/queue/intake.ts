import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import { chain, credentialType, extractionNode } from '../n8n/workflow.ts';
import type { Cluster } from './cluster.ts';
import { openFlow, type Response, type SentFile } from './flow.ts';

export interface Answer extends Response {
	document: SentFile;
	/** What the flow's last node gave; nothing if the execution did not succeed. */
	items: Array<{ documentId: string; file: { name: string }; extraction: unknown }>;
}

/** An execution as n8n has it on record. */
export interface RecordedExecution {
	id: string;
	status: string;
}

const alarmWorkflow = chain('Alarm', [
	{ name: 'On failure', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} },
	{ name: 'Tell someone', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
]);

/** A published workflow that takes a PDF by webhook, extracts from it and answers with the values. */
export async function openIntake(cluster: Cluster, credentialData: ICredentialDataDecryptedObject) {
	const { main, postgres } = cluster;
	const credential = await main.createCredential(credentialType, 'Service', credentialData);
	const alarmId = await main.importWorkflow(alarmWorkflow, []);
	await main.activate(alarmId);
	const flow = await openFlow(cluster, credential, {
		name: 'Document intake',
		node: extractionNode({ simple: false, binaryPropertyName: '*' }),
		responds: 'at the end',
		withinMs: 600_000,
		settings: { errorWorkflow: alarmId },
	});

	const executionsOf = async (id: string): Promise<RecordedExecution[]> => {
		const rows = await postgres.query(
			`SELECT id, status FROM execution_entity WHERE "workflowId" = '${id}' ORDER BY id`,
		);
		return rows.map(([executionId, status]) => ({ id: executionId, status }));
	};
	const send = async (document: SentFile): Promise<Answer> => {
		const { status, text } = await flow.send([document]);
		const given: unknown = status === 200 ? JSON.parse(text) : undefined;
		return { document, status, text, items: Array.isArray(given) ? given : [] };
	};

	return {
		credential,
		send,
		/** @param atOnce requests that are open at the same time */
		sendAll: async (documents: SentFile[], atOnce: number) =>
			await pLimit(atOnce).map(documents, send),
		/** Of this workflow, in the order in which they began. */
		executions: async () => await executionsOf(flow.workflowId),
		/** Of the workflow that n8n starts when an execution of this one fails. */
		alarms: async () => await executionsOf(alarmId),
	};
}
