/** How files come in: by webhook, one to four of them in a message. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../test/support/files.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { ownConnection } from '../n8n/rest.ts';
import { chain, extractionNode, webhook } from '../n8n/workflow.ts';
import type { Randomness } from '../simulate/randomness.ts';
import { fileWithValue, newValue } from '../simulate/textFiles.ts';
import type { Cluster } from './cluster.ts';

export interface TextFile {
	name: string;
	content: string;
	sha256: string;
	/** What is extracted from this file and no other. */
	value: string;
	isSigned: boolean;
}

/** Files that were sent to a webhook together. */
export interface Message {
	files: TextFile[];
	/** Whether n8n said that it took them; undefined where its word did not arrive. */
	isTaken: boolean | undefined;
}

/** A published workflow of a webhook and one node. */
interface Flow {
	workflowId: string;
	send(files: TextFile[]): Promise<Message['isTaken']>;
}

export interface Sending {
	random: Randomness;
	/** How many; else until it is stopped. */
	messages?: number;
	/** Between two messages, in ms. */
	pause: { leastMs: number; mostMs: number };
}

const mostFiles = 4;
/** From this size on, in bytes, the flows upload by signed URL. */
const largeBytes = 40_000;
/** In seconds. A worker that ends in order waits as long for the executions that it has in hand. */
const maxWait = 60;
const respondsWithinMs = 30_000;
const onErrors = ['stopWorkflow', 'continueErrorOutput'] as const;

/**
 * Take files, respond at once and extract from them; one for each way to meet a failure.
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
			// Behind a 500 the execution may have begun all the same.
			if (response.status >= 500) return undefined;
			// While its main starts, n8n responds with 200 as well: "n8n is starting up. Please wait".
			return response.status === 200 && (await response.text()).includes('Workflow was started');
		};
		flows.push({ workflowId, send });
	}
	return flows;
}

const newFiles = (random: Randomness): TextFile[] =>
	Array.from({ length: random.between(1, mostFiles) }, () => {
		const file = fileWithValue(newValue(random), random.between(0, 2 * largeBytes));
		return { ...file, sha256: sha256(file.content), isSigned: file.content.length >= largeBytes };
	});

/** Brings files to the flows by turns; whoever is refused does not try again. */
export function startSending(flows: Flow[], { random, messages: most = Infinity, pause }: Sending) {
	const messages: Message[] = [];
	const underWay: Array<Promise<void>> = [];
	let isOver = false;

	const send = async ({ send: bring }: Flow) => {
		const message: Message = { files: newFiles(random), isTaken: undefined };
		messages.push(message);
		message.isTaken = await bring(message.files).catch(() => undefined);
	};
	const sendAndSend = async () => {
		for (let number = 0; number < most && !isOver; number++) {
			underWay.push(send(flows[number % flows.length]));
			await sleep(random.between(pause.leastMs, pause.mostMs));
		}
	};
	const sending = sendAndSend();
	return {
		/** Waits until all are sent, where their number is given; else sends no more. */
		end: async () => {
			if (most === Infinity) isOver = true;
			await sending;
			await Promise.all(underWay);
			return messages;
		},
	};
}
