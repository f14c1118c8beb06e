import { setTimeout as sleep } from 'node:timers/promises';
import type { Randomness } from '../simulate/randomness.ts';
import type { Flow } from '../queue/flow.ts';
import { newFiles, type TextFile } from './files.ts';
import { isAccepted } from './flows.ts';

/** Files that were sent to a webhook together. */
export interface Message {
	files: TextFile[];
	/** Whether n8n said that it took them; undefined where its word did not arrive. */
	isTaken: boolean | undefined;
}

const interval = { leastMs: 300, mostMs: 1_200 };

/** Brings files to the flows by turns; whoever is refused does not try again. */
export function startSending(flows: Flow[], random: Randomness) {
	const messages: Message[] = [];
	const underWay = new Set<Promise<void>>();
	let isOver = false;

	const send = async (flow: Flow, files: TextFile[]) => {
		const message: Message = { files, isTaken: undefined };
		messages.push(message);
		const response = await flow.send(files).catch(() => undefined);
		// Behind a 500 the execution may have begun all the same.
		if (response && response.status < 500) message.isTaken = isAccepted(response);
	};
	const sendAndSend = async () => {
		for (let number = 0; !isOver; number++) {
			const sending = send(flows[number % flows.length], newFiles(random));
			underWay.add(sending);
			void sending.finally(() => underWay.delete(sending));
			await sleep(random.between(interval.leastMs, interval.mostMs));
		}
	};
	const sending = sendAndSend();
	return {
		messages,
		stop: async () => {
			isOver = true;
			await sending;
			await Promise.all(underWay);
		},
	};
}
