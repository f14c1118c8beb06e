import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { installDebianPackages } from '../machine/debian.ts';
import { startPostgres } from '../machine/postgres.ts';
import { startRedis } from '../machine/redis.ts';
import { type InstalledN8n, installN8n } from '../n8n/install.ts';
import { startN8nProcess } from '../n8n/n8nProcess.ts';
import { startN8n } from '../n8n/server.ts';
import type { Keep } from '../n8n/stage.ts';
import { homeInImage, readDeployment, testPasswords } from './deployment.ts';

const workerCount = 2;

/** What n8n would notice only after minutes and hours by default, too long to wait for here. */
const soonNoticed = {
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
};

/** A worker with the node in it, beside whatever its environment names. */
async function startWorker(installed: InstalledN8n, args: string[], env: Record<string, string>) {
	const userFolder = await homeInImage();
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
			return Array.from(log.matchAll(/Worker started execution (\d+)/g), ([, id]) => id);
		},
	};
}

type Worker = Awaited<ReturnType<typeof startWorker>>;

/**
 * Starts what `deploy/compose.yaml` describes, with two workers.
 * @param filesFolder in which main and workers share files; else they are in the database, as deployed
 */
export async function startCluster(keep: Keep, filesFolder?: string) {
	await installDebianPackages(['redis-server', 'postgresql']);
	const installed = await installN8n();
	const deployed = await readDeployment(testPasswords);
	const { main, 'worker-1': worker, redis: queue, postgres: database } = deployed;

	const redis = await keep(startRedis(queue.command ?? []));
	const { POSTGRES_DB = '', POSTGRES_USER = '' } = database.environment ?? {};
	const postgres = await keep(startPostgres(POSTGRES_DB, POSTGRES_USER));
	const here = {
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		// The launcher of runners is in their image only; no flow here has a Code node.
		N8N_RUNNERS_MODE: 'internal',
		...(filesFolder && {
			N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
			N8N_BINARY_DATA_STORAGE_PATH: filesFolder,
		}),
		...soonNoticed,
	};

	const mainFolder = await homeInImage();
	const startMain = async (port?: number) =>
		await startN8n({
			userFolder: mainFolder,
			port,
			env: { ...main.environment, ...here },
		});
	let n8n = await startMain();
	await keep({ stop: async () => await n8n.stop() });
	const restartMain = async (signal: 'SIGTERM' | 'SIGKILL') => {
		await (signal === 'SIGKILL' ? n8n.end(signal) : n8n.stop());
		n8n = await startMain(Number(new URL(n8n.url).port));
	};

	const workers: Worker[] = [];
	const allWorkers: Worker[] = [];
	const addWorker = async () => {
		const env = { ...worker.environment, ...here };
		const started = await keep(startWorker(installed, worker.command ?? [], env));
		workers.push(started);
		allWorkers.push(started);
		void started.ended.then(() => workers.splice(workers.indexOf(started), 1));
	};
	await Promise.all(Array.from({ length: workerCount }, addWorker));
	/** Those that were told to end, and have no successor yet. */
	const leaving = new Set<Worker>();
	const staying = () => workers.filter((worker) => !leaving.has(worker));

	/** Processes that ended although nobody ended them. */
	const endedThemselves: string[] = [];
	return {
		...{ redis, postgres, endedThemselves },
		/** All that there have been. */
		allWorkers,
		/** Those that are running, and were not told to end. */
		get workers() {
			return staying();
		},
		/** The one that is running. */
		get main() {
			return n8n;
		},
		/** Ends a worker by this signal. Once it has ended, another takes its place, as a new container does. */
		replaceWorker: async (worker: Worker, signal: 'SIGTERM' | 'SIGKILL') => {
			leaving.add(worker);
			await worker.end(signal);
			// Where the database is down, it does not start: `repair` starts it later.
			await addWorker().catch(() => undefined);
			leaving.delete(worker);
		},
		/** Ends the main by this signal, and starts it again as it was. */
		restartMain,
		/** Starts anew what has ended by itself, as `restart: unless-stopped` does in a deployment. */
		repair: async () => {
			if (await Promise.race([n8n.ended.then(() => true), sleep(10, false)])) {
				endedThemselves.push('main');
				await restartMain('SIGTERM');
			}
			while (staying().length + leaving.size < workerCount) {
				endedThemselves.push('worker');
				await addWorker();
			}
		},
		/** Keeps the logs of all processes, those that have ended included. */
		copyLogs: async (folder: string) => {
			await mkdir(folder, { recursive: true });
			const logs = [
				['main', n8n.logFile],
				['redis', redis.logFile],
				['postgres', postgres.logFile],
				...allWorkers.map(({ pid, logFile }) => [`worker-${pid}`, logFile]),
			];
			for (const [name, file] of logs) await copyFile(file, join(folder, `${name}.log`));
		},
	};
}

/** n8n in queue mode. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
