import { join } from 'node:path';
import { execa } from 'execa';
import getPort from 'get-port';
import { temporaryFolder } from './temporaryFolder.ts';
import { startDaemon } from './daemon.ts';

/** A Redis of its own, on a free port of this machine. */
export async function startRedis(command: string[]) {
	const folder = await temporaryFolder('cluster-redis');
	const port = await getPort();
	const ask = async (...question: string[]) =>
		(await execa('redis-cli', ['-p', String(port), ...question], { reject: false })).stdout ?? '';
	const daemon = await startDaemon({
		command: [...command, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
		cwd: folder,
		logFile: join(folder, 'redis.log'),
		stopSignal: 'SIGKILL',
		isReady: async () => (await ask('ping')) === 'PONG',
	});
	return Object.assign(daemon, {
		port,
		/** Executions that workers have in hand. */
		activeJobs: async () => Number(await ask('llen', 'bull:jobs:active')),
	});
}
