import { randomUUID } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import pLimit from 'p-limit';
import { Agent, FormData, request } from 'undici';
import { chain, credentialType, extractionNode, type WorkflowFile } from '../n8n/workflow.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import type { Cluster } from './cluster.ts';
import type { SentDocument } from './documents.ts';

export interface Answer {
	document: SentDocument;
	status: number;
	/** As it came. */
	text: string;
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
	send(document: SentDocument): Promise<Answer>;
	/** @param atOnce requests that are open at the same time */
	sendAll(documents: SentDocument[], atOnce: number): Promise<Answer[]>;
	/** Of this workflow, in the order in which they began. */
	executions(): Promise<RecordedExecution[]>;
	/** Of the workflow that n8n starts when an execution of this one fails. */
	alarms(): Promise<RecordedExecution[]>;
}

const connections = new Agent({ connections: null, headersTimeout: 600_000, bodyTimeout: 600_000 });

async function post(url: string, { bytes, fileName }: SentDocument) {
	const body = new FormData();
	body.append('data', new Blob([bytes], { type: 'application/pdf' }), fileName);
	const answer = await request(url, { method: 'POST', body, dispatcher: connections });
	return { status: answer.statusCode, text: await answer.body.text() };
}

const intakeWorkflow = (path: string, alarmId: string): WorkflowFile => ({
	...chain('Document intake', [
		{
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: {
				httpMethod: 'POST',
				path,
				responseMode: 'lastNode',
				responseData: 'allEntries',
				options: {},
			},
		},
		extractionNode({ simple: false }),
	]),
	settings: { errorWorkflow: alarmId },
});

const alarmWorkflow = chain('Alarm', [
	{ name: 'On failure', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} },
	{ name: 'Tell someone', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
]);

export async function openIntake(
	{ main, postgres }: Cluster,
	credentialData: ICredentialDataDecryptedObject,
): Promise<Intake> {
	const path = randomUUID();
	const credential = await main.createCredential(credentialType, 'Service', credentialData);
	const alarmId = await main.importWorkflow(alarmWorkflow, []);
	await main.activate(alarmId);
	const workflowId = await main.importWorkflow(intakeWorkflow(path, alarmId), [credential]);
	await main.activate(workflowId);
	const url = `${main.url}/webhook/${path}`;

	const executionsOf = async (id: string) => {
		const rows = await postgres.query(
			`SELECT id, status FROM execution_entity WHERE "workflowId" = '${id}' ORDER BY id`,
		);
		return rows.map(([executionId, status]) => ({ id: executionId, status }));
	};
	const send = async (document: SentDocument): Promise<Answer> => {
		const { status, text } = await post(url, document);
		const given: unknown = status === 200 ? JSON.parse(text) : undefined;
		return { document, status, text, items: Array.isArray(given) ? given : [] };
	};

	return {
		credential,
		send,
		sendAll: async (documents, atOnce) => await pLimit(atOnce).map(documents, send),
		executions: async () => await executionsOf(workflowId),
		alarms: async () => await executionsOf(alarmId),
	};
}
