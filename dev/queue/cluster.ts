import { installDebianPackages } from '../machine/debian.ts';
import { type Postgres, startPostgres } from '../machine/postgres.ts';
import { type Redis, startRedis } from '../machine/redis.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { installN8n } from '../n8n/install.ts';
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
	env?: Record<string, string>;
}

/** n8n in queue mode. */
export interface Cluster {
	main: RunningN8n;
	/** Those that are running. */
	workers: Worker[];
	/** As another container of the same service. */
	addWorker(): Promise<Worker>;
	redis: Redis;
	postgres: Postgres;
	stop(): Promise<void>;
}

async function binarySettings(mode: ClusterOptions['binaryMode']): Promise<Record<string, string>> {
	if (mode === undefined) return {};
	if (mode === 'database') return { N8N_DEFAULT_BINARY_DATA_MODE: mode };
	return {
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_BINARY_DATA_STORAGE_PATH: await temporaryFolder('queue-files'),
	};
}

async function install() {
	await installDebianPackages(['redis-server', 'postgresql', composePackage]);
	return { installed: await installN8n(), tarball: await packNode() };
}

let installation: ReturnType<typeof install> | undefined;

/** Installs what the deployment needs outside containers, and packs the node, once for all clusters. */
export const installCluster = async () => await (installation ??= install());

/** Starts what `deploy/compose.yaml` describes; only addresses differ, and what is asked for. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
	const { installed, tarball } = await installCluster();
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
		...(await binarySettings(options.binaryMode)),
		...options.env,
	};
	const running: Array<{ stop(): Promise<void> }> = [postgres, redis];
	const stop = async () => {
		for (const each of running.reverse()) await each.stop();
	};

	const workers: Worker[] = [];
	const concurrency = options.concurrency && {
		N8N_CONCURRENCY_PRODUCTION_LIMIT: String(options.concurrency),
	};
	const addWorker = async () => {
		const started = await startWorker(installed, {
			args: worker.command ?? [],
			userFolder: await homeInImage(tarball),
			env: { ...worker.environment, ...here, ...concurrency },
		});
		workers.push(started);
		running.push(started);
		void started.ended.then(() => workers.splice(workers.indexOf(started), 1));
		return started;
	};

	try {
		const n8n = await startN8n({
			nodePackage: tarball,
			userFolder: await homeInImage(tarball),
			env: { ...main.environment, ...here },
		});
		running.push(n8n);
		await Promise.all(Array.from({ length: options.workers }, addWorker));
		return { main: n8n, workers, addWorker, redis, postgres, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
