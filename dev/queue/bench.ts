import { availableParallelism } from 'node:os';
import { usageOf } from '../machine/processTree.ts';
import type { Goal, Sample, Scenario } from '../measure/measure.ts';
import type { Settings } from '../service/settings.ts';
import { documents } from './documents.ts';
import { openQueueStage, type Stage } from './stage.ts';
import { hasValues } from './tally.ts';

interface Load {
	id: string;
	title: string;
	service: Partial<Settings>;
	/** Executions that one worker runs at the same time. */
	concurrency: number;
	executionsPerWorker: number;
	/** What a second worker must bring; absent where the processors decide, which all share. */
	leastGain?: number;
}

const atOncePerWorker = 2;
const mostWorkers = 2;

/** The simulated service extracts any number of documents at once: it is not what is measured. */
const unlimited = { extractionWorkers: 1_000 };

const waiting: Load = {
	id: 'queue-waiting',
	title: 'Executions that mostly wait: 50 ms for an answer, 2 to 4 s for an extraction, 5 at once',
	service: { ...unlimited, latencyMs: 50, extractionMs: 2_000 },
	concurrency: 5,
	executionsPerWorker: 30,
	leastGain: 1.8,
};

const computing: Load = {
	id: 'queue-computing',
	title: 'Executions that hardly wait: a service that answers and extracts at once, 20 at once',
	service: { ...unlimited, latencyMs: 0, extractionMs: 0, startMs: 0 },
	concurrency: 20,
	executionsPerWorker: 100,
};

const megabyte = 2 ** 20;

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

async function run(stage: Stage, load: Load): Promise<Sample> {
	const { service, intake, cluster } = stage;
	await service.control.reset();
	await service.control.settings(load.service);
	const sent = documents(load.executionsPerWorker * cluster.workers.length);
	const before = await counters(stage);

	const startedAt = performance.now();
	const atOnce = atOncePerWorker * load.concurrency * cluster.workers.length;
	const answers = await intake.sendAll(sent, atOnce);
	const seconds = (performance.now() - startedAt) / 1000;

	if (!answers.every(hasValues)) throw new Error('An execution gave no values.');
	const after = await counters(stage);
	const each = (name: keyof typeof after) => (after[name] - before[name]) / sent.length;
	const cpu = (['main', 'workers', 'postgres', 'redis'] as const).map(each);
	return {
		'executions/s': sent.length / seconds,
		'processors used by n8n, Redis, Postgres':
			(cpu.reduce((a, b) => a + b) * sent.length) / seconds,
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

const nameOf = (workers: number) => (workers === 1 ? '1 worker' : `${workers} workers`);

const gain = (leastGain: number): Goal => ({
	text: `a second worker does ${leastGain} times as much or more`,
	quantity: 'executions/s',
	of: nameOf(2),
	by: nameOf(1),
	atLeast: leastGain,
});

/** One worker against two, each with a main, Redis and PostgreSQL of its own. */
async function scenarioOf(load: Load): Promise<Scenario> {
	const stages: Stage[] = [];
	for (let workers = 1; workers <= mostWorkers; workers++) {
		stages.push(await openQueueStage({ workers, concurrency: load.concurrency }));
	}
	const contenders = stages.map((stage, index) => ({
		name: nameOf(index + 1),
		run: async () => await run(stage, load),
	}));
	return {
		id: load.id,
		title: `${load.title} (${availableParallelism()} processors for everything)`,
		quantity: 'executions/s',
		unit: 'executions/s',
		contenders,
		goals: load.leastGain ? [gain(load.leastGain)] : [],
		close: async () => {
			for (const stage of stages) await stage.close();
		},
	};
}

/** What a second worker brings, by its ID: `npm run bench -- --queue`. */
export const queueScenarios: Record<string, () => Promise<Scenario>> = Object.fromEntries(
	[waiting, computing].map((load) => [load.id, async () => await scenarioOf(load)]),
);
