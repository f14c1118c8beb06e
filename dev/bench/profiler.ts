import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { RunningN8n } from '../n8n/server.ts';

/** Makes n8n open a debugger's port, which costs nothing until somebody connects. */
export const profilable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Records what n8n's processor time is spent on; Chrome's developer tools open the file. */
export async function profiled<T>(
	n8n: RunningN8n,
	file: string,
	work: () => Promise<T>,
): Promise<T> {
	const address = /ws:\/\/\S+/.exec(await readFile(n8n.logFile, 'utf8'))?.[0];
	if (!address) throw new Error('n8n was started without a debugger.');
	const socket = new WebSocket(address);
	await once(socket, 'open');
	let lastId = 0;
	const send = async (method: string, params: object = {}) => {
		const id = ++lastId;
		const answered = new Promise<{ profile: unknown }>((resolve) => {
			socket.addEventListener('message', ({ data }) => {
				const message = JSON.parse(String(data)) as { id?: number; result: { profile: unknown } };
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
		socket.close();
	}
}
