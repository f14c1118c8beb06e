import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installDebianPackages } from '../machine/debian.ts';
import { startPostgres } from '../machine/postgres.ts';
import { startRedis } from '../machine/redis.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { installN8n } from '../n8n/install.ts';
import { signalGroup } from '../n8n/n8nProcess.ts';
import { packNode } from '../n8n/pack.ts';
import { type RunningN8n, startN8n } from '../n8n/server.ts';
import { composePackage, readDeployment, testPasswords } from './compose.ts';
import { homeInImage } from './image.ts';
import { startWorker, type Worker } from './worker.ts';

export interface ClusterOptions {
	workers: number;
	/** Executions that one worker runs at the same time; else as deployed. */
	concurrency?: number;
	/** Where main and workers keep files; else as deployed. */
	binaryMode?: 'database' | 'shared filesystem';
	/** The shared filesystem; else a temporary folder. */
	binaryFolder?: string;
	/** Tarball of the package; else it is built and packed. */
	nodePackage?: string;
	env?: Record<string, string>;
	/** What is particular to each worker. */
	workerEnv?: (userFolder: string) => Promise<Record<string, string>>;
}

async function binarySettings(options: ClusterOptions): Promise<Record<string, string>> {
	if (options.binaryMode === undefined) return {};
	if (options.binaryMode === 'database') return { N8N_DEFAULT_BINARY_DATA_MODE: 'database' };
	return {
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_BINARY_DATA_STORAGE_PATH: options.binaryFolder ?? (await temporaryFolder('queue-files')),
	};
}

async function install() {
	await installDebianPackages(['redis-server', 'postgresql', composePackage]);
	return await installN8n();
}

let installation: ReturnType<typeof install> | undefined;
let packing: ReturnType<typeof packNode> | undefined;

/** Installs what the deployment needs outside containers, once for all clusters. */
export const installCluster = async () => await (installation ??= install());

const packedOnce = async () => await (packing ??= packNode());

/** Starts what `deploy/compose.yaml` describes; only addresses differ, and what is asked for. */
export async function startCluster(options: ClusterOptions) {
	const installed = await installCluster();
	const tarball = options.nodePackage ?? (await packedOnce());
	const { services } = await readDeployment(testPasswords);
	const { main, worker, redis: queue, postgres: database } = services;

	const redis = await startRedis(queue.command ?? []);
	const postgres = await startPostgres({
		name: database.environment?.POSTGRES_DB ?? '',
		user: database.environment?.POSTGRES_USER ?? '',
	});
	const here = {
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		...(await binarySettings(options)),
		...options.env,
	};
	const running: Array<{ stop(): Promise<void> }> = [postgres, redis];
	const stop = async () => {
		for (const each of running.reverse()) await each.stop();
	};

	const workers: Worker[] = [];
	const allWorkers: Worker[] = [];
	const concurrency = options.concurrency && {
		N8N_CONCURRENCY_PRODUCTION_LIMIT: String(options.concurrency),
	};
	const addWorker = async () => {
		const userFolder = await homeInImage(tarball);
		const own = await options.workerEnv?.(userFolder);
		const started = await startWorker(installed, {
			args: worker.command ?? [],
			userFolder,
			env: { ...worker.environment, ...here, ...concurrency, ...own },
		});
		workers.push(started);
		allWorkers.push(started);
		running.push(started);
		void started.ended.then(() => workers.splice(workers.indexOf(started), 1));
		return started;
	};

	const mainFolder = await homeInImage(tarball);
	const startMain = async (port?: number) =>
		await startN8n({
			nodePackage: tarball,
			userFolder: mainFolder,
			port,
			env: { ...main.environment, ...here },
		});
	const restart = async (n8n: RunningN8n, signal: 'SIGTERM' | 'SIGKILL') => {
		if (signal === 'SIGKILL') signalGroup(n8n.pid, signal);
		await n8n.stop();
		return await startMain(Number(new URL(n8n.url).port));
	};

	try {
		let n8n = await startMain();
		running.push({ stop: async () => await n8n.stop() });
		await Promise.all(Array.from({ length: options.workers }, addWorker));
		return {
			/** The one that is running. */
			get main() {
				return n8n;
			},
			/** Ends the main by this signal, and starts it again as it was. */
			restartMain: async (signal: 'SIGTERM' | 'SIGKILL') => {
				n8n = await restart(n8n, signal);
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
			/** Those that are running, and all that there have been. */
			...{ workers, allWorkers },
			/** As another container of the same service. */
			addWorker,
			...{ redis, postgres, stop },
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** n8n in queue mode. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
