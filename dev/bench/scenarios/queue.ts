import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { startService } from '../../../test/support/service.ts';
import { startCluster } from '../../cluster/cluster.ts';
import { newFile } from '../../cluster/files.ts';
import { openFlow } from '../../cluster/flows.ts';
import { usageOf } from '../../machine/processTree.ts';
import { credentialFor, openStage } from '../../n8n/stage.ts';
import { extractionNode } from '../../n8n/workflow.ts';
import { Randomness } from '../../simulate/randomness.ts';
import type { Sample, Scenario } from '../measure.ts';

/** Executions that one worker runs at the same time. */
const concurrency = 5;
const executionsPerWorker = 30;
/** What a second worker must bring. */
const leastGain = 1.8;
const fileBytes = 3_000;
/** It extracts any number of documents at once: it is not what is measured. */
const serviceSettings = { extractionWorkers: 1_000, latencyMs: 50, extractionMs: 2_000 };
const megabyte = 2 ** 20;

/** A cluster as deployed, and a flow that responds with the values of a file. */
const openQueueStage = async (workers: number) =>
	await openStage(async (keep) => {
		const service = await keep(startService());
		const workerEnv = { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(concurrency) };
		const cluster = await startCluster(keep, { workers, workerEnv });
		const flow = await openFlow(cluster, await credentialFor(cluster.main, service), {
			name: 'Documents',
			node: extractionNode({ binaryPropertyName: '*' }),
			responds: 'at the end',
		});
		return { service, cluster, flow };
	});

type Stage = Awaited<ReturnType<typeof openQueueStage>>;

async function counters({ cluster: { main, workers, redis, postgres }, service }: Stage) {
	const [main_, redis_, postgres_, ...workers_] = await Promise.all(
		[main.pid, redis.pid, postgres.pid, ...workers.map(({ pid }) => pid)].map(usageOf),
	);
	const [[transactions, bytes]] = await postgres.query(
		`SELECT xact_commit, pg_database_size(datname) FROM pg_stat_database WHERE datname = 'n8n'`,
	);
	return {
		main: main_.cpuSeconds,
		workers: workers_.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
		postgres: postgres_.cpuSeconds,
		redis: redis_.cpuSeconds,
		commands: await redis.statistic('total_commands_processed'),
		transactions: Number(transactions),
		databaseBytes: Number(bytes),
		requests: (await service.control.requests()).length,
		workerPeak: Math.max(...workers_.map(({ peakBytes }) => peakBytes)),
		mainPeak: main_.peakBytes,
	};
}

async function run(stage: Stage): Promise<Sample> {
	const { service, flow, cluster } = stage;
	await service.control.reset();
	await service.control.settings(serviceSettings);
	const random = new Randomness(Date.now());
	const count = executionsPerWorker * cluster.workers.length;
	const sent = Array.from({ length: count }, () => newFile(random, fileBytes));
	const before = await counters(stage);

	const startedAt = performance.now();
	await pLimit(2 * concurrency * cluster.workers.length).map(sent, async (file) => {
		const { text } = await flow.send([file]);
		if (!text.includes(file.value)) throw new Error(`An execution gave no values: ${text}`);
	});
	const seconds = (performance.now() - startedAt) / 1000;

	const after = await counters(stage);
	const each = (name: keyof typeof after) => (after[name] - before[name]) / count;
	const cpu = (['main', 'workers', 'postgres', 'redis'] as const).map(each);
	return {
		'executions/s': count / seconds,
		'processors used by n8n, Redis, Postgres': (cpu.reduce((a, b) => a + b) * count) / seconds,
		'main CPU ms': each('main') * 1000,
		'worker CPU ms': each('workers') * 1000,
		'Postgres CPU ms': each('postgres') * 1000,
		'Redis CPU ms': each('redis') * 1000,
		'Redis commands': each('commands'),
		'Postgres transactions': each('transactions'),
		'database kB': each('databaseBytes') / 1024,
		'service requests': each('requests'),
		'MB per worker': after.workerPeak / megabyte,
		'MB of the main': after.mainPeak / megabyte,
	};
}

/** One worker against two, each with a main, Redis and PostgreSQL of its own. */
export async function queue(): Promise<Scenario> {
	const [one, two] = [await openQueueStage(1), await openQueueStage(2)];
	return {
		id: 'queue',
		title: `Executions that mostly wait: 50 ms for a response, 2 to 4 s for an extraction, 5 at once (${availableParallelism()} processors for everything)`,
		quantity: 'executions/s',
		contenders: [
			{ name: '1 worker', run: async () => await run(one) },
			{ name: '2 workers', run: async () => await run(two) },
		],
		goals: [{ of: '2 workers', by: '1 worker', atLeast: leastGain }],
		close: async () => {
			await one.close();
			await two.close();
		},
	};
}
