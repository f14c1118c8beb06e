import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import type { SavedCredential } from '../n8n/editor.ts';
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

/** A published workflow that takes a PDF by webhook, extracts from it and answers with the values. */
export interface Intake {
	credential: SavedCredential;
	send(document: SentFile): Promise<Answer>;
	/** @param atOnce requests that are open at the same time */
	sendAll(documents: SentFile[], atOnce: number): Promise<Answer[]>;
	/** Of this workflow, in the order in which they began. */
	executions(): Promise<RecordedExecution[]>;
	/** Of the workflow that n8n starts when an execution of this one fails. */
	alarms(): Promise<RecordedExecution[]>;
}

const alarmWorkflow = chain('Alarm', [
	{ name: 'On failure', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} },
	{ name: 'Tell someone', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
]);

export async function openIntake(
	cluster: Cluster,
	credentialData: ICredentialDataDecryptedObject,
): Promise<Intake> {
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

	const executionsOf = async (id: string) => {
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
		sendAll: async (documents, atOnce) => await pLimit(atOnce).map(documents, send),
		executions: async () => await executionsOf(flow.workflowId),
		alarms: async () => await executionsOf(alarmId),
	};
}
