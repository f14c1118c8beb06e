import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { RunningN8n } from '../n8n/server.ts';
import { summaryOf, type CpuProfile } from './profileSummary.ts';

/** Makes n8n open a debugger's port, which costs nothing until somebody connects. */
export const profilable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Records what n8n's time is spent on, and says it in short; Chrome's developer tools open the file. */
export async function profiled<T>(
	n8n: RunningN8n,
	file: string,
	log: (line: string) => void,
	work: () => Promise<T>,
): Promise<T> {
	const address = /ws:\/\/\S+/.exec(await readFile(n8n.logFile, 'utf8'))?.[0];
	if (!address) throw new Error('n8n was started without a debugger.');
	const socket = new WebSocket(address);
	await once(socket, 'open');
	let lastId = 0;
	const send = async (method: string, params: object = {}) => {
		const id = ++lastId;
		const answered = new Promise<{ profile: CpuProfile }>((resolve) => {
			socket.addEventListener('message', ({ data }) => {
				const message = JSON.parse(String(data)) as {
					id?: number;
					result: { profile: CpuProfile };
				};
				if (message.id === id) resolve(message.result);
			});
		});
		socket.send(JSON.stringify({ id, method, params }));
		return await answered;
	};
	await send('Profiler.enable');
	await send('Profiler.setSamplingInterval', { interval: 500 });
	await send('Profiler.start');
	try {
		return await work();
	} finally {
		const { profile } = await send('Profiler.stop');
		await writeFile(file, JSON.stringify(profile));
		const summary = summaryOf(profile);
		if (summary) log(`    ${summary}`);
		socket.close();
	}
}
