import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../machine/until.ts';
import { chain, extractionNode, webhook } from '../n8n/workflow.ts';
import type { Settings } from '../service/settings.ts';
import { accountFor } from './account.ts';
import { type Disaster, endWorker, killWorker } from './disasters.ts';
import type { Outcome } from './run.ts';
import type { Stage } from './stage.ts';

/** Chaos with one disaster, or none. Afterwards each file is accounted for, as after chaos. */
export interface Case {
	title: string;
	/** Of one to four files; each message is an execution. */
	messages: number;
	service?: Partial<Settings>;
	/** Strikes when the service extracts from files of a quarter of the messages. */
	disaster?: Disaster;
	/** Whether it is run with files in a folder, too, which main and workers share. */
	isAlsoInFolder?: boolean;
	/** What this case has to show beside what all must. */
	check(outcome: Outcome, stage: Stage): Promise<void> | void;
}

function assertAllDelivered({ account, evidence }: Outcome) {
	assert.equal(account.counts.delivered, account.files, JSON.stringify(account.counts));
	const statuses = new Set(evidence.executions.map(({ status }) => status));
	assert.deepEqual([...statuses], ['success']);
	// It would be noticed if the service lacked one of them, or had one twice.
	const { ledger } = evidence;
	const [one, ...others] = ledger.uploads;
	const wrongsWith = (uploads: typeof others) =>
		accountFor({ ...evidence, ledger: { ...ledger, uploads } }).figures.wrongs;
	assert.equal(wrongsWith([one, one, ...others]).doubled, 1);
	assert.ok(wrongsWith(others).lost > 0);
}

const soonMs = 3_000;
/** By then the node looks at growing intervals. */
const waitedMs = 5_000;

const stop: Case = {
	title: 'Stop, pressed at the main, ends the wait that goes on in a worker',
	messages: 1,
	// So long that only Stop can end the wait.
	service: { extractionMs: 120_000 },
	disaster: {
		name: 'Stop pressed',
		strike: async ({ cluster: { main, postgres, redis } }) => {
			await sleep(waitedMs);
			assert.equal(await redis.activeJobs(), 1);
			const [[id]] = await postgres.query('SELECT max(id) FROM execution_entity');
			const pressedAt = Date.now();
			await main.stopExecution(id);
			await until(async () => (await redis.activeJobs()) === 0);
			const tookMs = Date.now() - pressedAt;
			assert.ok(tookMs < soonMs, `the worker went on for ${tookMs} ms`);
			return `the worker was free after ${tookMs} ms`;
		},
	},
	check: ({ evidence: { executions } }) => {
		const statuses = executions.map(({ status }) => status);
		assert.deepEqual(statuses, ['canceled']);
	},
};

const rate = { limit: 100, windowMs: 5_000 };
/** Two workers know of each other only by the service's answers. */
const tolerableShare = 1 / 4;
const leastUse = 1 / 3;

const rateLimit: Case = {
	title: 'two workers together respect the rate limit',
	messages: 80,
	service: { rate },
	check: async (outcome, { service }) => {
		assertAllDelivered(outcome);
		const requests = await service.control.requests();
		const refused = requests.filter(({ status }) => status === 429).length;
		const [first, last] = [requests[0], requests.at(-1)].map((one) => Date.parse(String(one?.at)));
		const allowed = (rate.limit * (last - first)) / rate.windowMs;
		const [share, use] = [refused / requests.length, (requests.length - refused) / allowed];
		const figures = `of ${requests.length} requests ${refused} refused, of the rate ${use} used`;
		assert.ok(requests.length > 3 * rate.limit, `the limit was in the way: ${figures}`);
		assert.ok(share < tolerableShare && use > leastUse, figures);
	},
};

const orderlyEnd: Case = {
	title: 'a worker that is replaced finishes what it has in hand',
	messages: 30,
	// n8n 2.41 does not wait for jobs that it is still reading from the database: where it has no
	// other, it closes the database on them, and they fail. So it has some in hand for certain.
	service: { extractionMs: 3_000 },
	disaster: endWorker,
	check: assertAllDelivered,
};

const killedWorker: Case = {
	title: 'a worker that is killed loses no document silently',
	messages: 40,
	service: { extractionMs: 4_000 },
	disaster: killWorker,
	check: async ({ account, evidence: { executions } }, { cluster: { postgres }, alarmId }) => {
		const failed = executions.filter(({ status }) => status !== 'success');
		const statuses = [...new Set(failed.map(({ status }) => status))];
		assert.deepEqual(statuses, ['error'], 'the worker was in the middle of something');
		const { delivered, crashed } = account.counts;
		assert.equal(delivered + crashed, account.files);
		assert.equal(account.startedAgain, 0, 'n8n runs nothing a second time by itself');
		const ofAlarm = `"workflowId" = '${alarmId}' AND id > ${executions[0].id}`;
		const alarms = `SELECT id FROM execution_entity WHERE ${ofAlarm}`;
		await until(async () => (await postgres.query(alarms)).length === failed.length, {
			message: `The error workflow does not run for each of ${failed.length} executions.`,
		});
	},
};

const filesComeBack: Case = {
	title: 'a worker downloads the file of a document, and recognizes it by its hash',
	messages: 1,
	isAlsoInFolder: true,
	check: async (outcome, { cluster: { main }, credential }) => {
		assertAllDelivered(outcome);
		const hashes = outcome.evidence.ledger.uploads.map(({ sha256 }) => sha256);
		const path = 'files-come-back';
		const read = { resource: 'extraction', operation: 'getAll', options: { includeFile: true } };
		const workflow = chain('Files come back', [
			webhook(path),
			extractionNode(read, { name: 'Documents' }),
			extractionNode({ options: { skipHashes: hashes.join() } }),
		]);
		const workflowId = await main.importWorkflow({ ...workflow, settings: {} }, [credential]);
		await main.activate(workflowId);
		const response = await fetch(`${main.url}/webhook/${path}`, { method: 'POST' });
		await main.deactivate(workflowId);
		const { skipped, fileHash } = (await response.json()) as Record<string, unknown>;
		assert.equal(skipped, true);
		assert.ok(hashes.includes(String(fileHash)), String(fileHash));
	},
};

export const cases: Record<string, Case> = {
	stop,
	rateLimit,
	orderlyEnd,
	killedWorker,
	filesComeBack,
};
