import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { Command, Option } from 'commander';
import { deployment } from './cases/deployment.ts';
import { killedWorker } from './cases/killedWorker.ts';
import { orderlyEnd } from './cases/orderlyEnd.ts';
import { rateLimit } from './cases/rateLimit.ts';
import { sharedFilesystem } from './cases/sharedFilesystem.ts';
import { sharing } from './cases/sharing.ts';
import { stop } from './cases/stop.ts';
import { type ClusterOptions, installCluster } from './cluster.ts';
import { type Case, type CaseStage, openQueueStage } from './stage.ts';
import { assertNothingWrong, tallyOf } from './tally.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';

const wholeNumber = wholeNumberFrom(1);

interface Options {
	only?: string[];
	times: number;
}

const casesOfDatabase = { sharing, stop, rateLimit, orderlyEnd, killedWorker };
const casesOfFolder = { sharedFilesystem };

const { only, times } = new Command('npm run test:queue --')
	.description("Runs the node in n8n's queue mode, with workers, Redis and PostgreSQL of its own.")
	.addOption(
		new Option('--only <cases...>', 'some of the cases').choices(
			Object.keys({ deployment, ...casesOfDatabase, ...casesOfFolder }),
		),
	)
	.option('--times <number>', 'how often the cases run, one round after the other', wholeNumber, 1)
	.parse()
	.opts<Options>();

const logFolder = fileURLToPath(new URL('logs', import.meta.url));

const isChosen = (name: string) => only?.includes(name) ?? true;

/** n8n declares a worker dead after a minute by default, too long to wait for here. */
const soonDeclaredDead = {
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};

const table = new Table({
	head: ['', 'Executions', 'Documents', 'Lost', 'Doubled'],
	style: { head: [], border: [] },
});

async function onStage(title: string, options: ClusterOptions, cases: Record<string, Case>) {
	const chosen = Object.keys(cases).filter(isChosen);
	if (chosen.length === 0) return;
	await test(title, async (context) => {
		const stage = await openQueueStage(options);
		context.after(stage.close);
		for (const name of Array.from({ length: times }, () => chosen).flat()) {
			const each = cases[name];
			await context.test(each.title, async (caseContext) => {
				await stage.service.control.reset();
				const executionCount = async () => (await stage.intake.executions()).length;
				const before = await executionCount();
				const assertAllOnce: CaseStage['assertAllOnce'] = async (sent, answers) => {
					const tally = tallyOf(sent, answers, await stage.service.control.ledger());
					const { lost, doubled } = tally.wrongs;
					const executions = (await executionCount()) - before;
					table.push([each.title, executions, sent.length, lost, doubled]);
					assertNothingWrong(tally);
				};
				try {
					await each.run({ ...stage, assertAllOnce }, caseContext);
				} catch (error) {
					// It may not come again: what the processes said of it is kept.
					await stage.cluster.copyLogs(join(logFolder, name));
					throw error;
				}
			});
		}
	});
}

async function runTests() {
	await installCluster();
	if (isChosen('deployment')) await test(deployment.title, deployment.run);
	await onStage(
		'n8n in queue mode, two workers, files in the database',
		{ workers: 2, env: soonDeclaredDead },
		casesOfDatabase,
	);
	await onStage(
		'n8n in queue mode, two workers, files in a shared folder',
		{ workers: 2, binaryMode: 'shared filesystem' },
		casesOfFolder,
	);
	console.log(`\n${table.toString()}`);
}

await runTests();
