import { setTimeout as sleep } from 'node:timers/promises';
import type { Randomness } from '../simulate/randomness.ts';
import { newFiles, type TextFile } from './files.ts';
import { type Flow, isAccepted } from './flows.ts';

/** Files that were sent to a webhook together. */
export interface Message {
	files: TextFile[];
	/** Whether n8n said that it took them; undefined where its word did not arrive. */
	isTaken: boolean | undefined;
}

export interface Sending {
	random: Randomness;
	/** How many; else until it is stopped. */
	messages?: number;
	/** Between two messages, in ms. */
	pause: { leastMs: number; mostMs: number };
}

/** Brings files to the flows by turns; whoever is refused does not try again. */
export function startSending(flows: Flow[], { random, messages: most = Infinity, pause }: Sending) {
	const messages: Message[] = [];
	const underWay: Array<Promise<void>> = [];
	let isOver = false;

	const send = async (flow: Flow, files: TextFile[]) => {
		const message: Message = { files, isTaken: undefined };
		messages.push(message);
		const response = await flow.send(files).catch(() => undefined);
		// Behind a 500 the execution may have begun all the same.
		if (response && response.status < 500) message.isTaken = isAccepted(response);
	};
	const sendAndSend = async () => {
		for (let number = 0; number < most && !isOver; number++) {
			underWay.push(send(flows[number % flows.length], newFiles(random)));
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
