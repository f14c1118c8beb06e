import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import type { InstalledN8n } from '../n8n/install.ts';
import { startN8nProcess } from '../n8n/n8nProcess.ts';

const startedExecution = /Worker started execution (\d+)/g;

export async function startWorker(
	installed: InstalledN8n,
	args: string[],
	userFolder: string,
	env: Record<string, string>,
) {
	const port = await getPort();
	const readiness = `http://127.0.0.1:${port}/healthz/readiness`;
	const n8n = await startN8nProcess(installed, {
		args,
		userFolder,
		logFile: join(userFolder, 'worker.log'),
		env: {
			...env,
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await getPort()),
		},
		isReady: async () => (await fetch(readiness).catch(() => undefined))?.ok ?? false,
	});
	return {
		...n8n,
		/** IDs of the executions that it took from the queue, as its own log has them. */
		executionIds: async () => {
			const log = await readFile(n8n.logFile, 'utf8');
			return Array.from(log.matchAll(startedExecution), ([, id]) => id);
		},
	};
}

export type Worker = Awaited<ReturnType<typeof startWorker>>;
