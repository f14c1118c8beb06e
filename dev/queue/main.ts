import { test } from 'node:test';
import Table from 'cli-table3';
import { Command } from 'commander';
import { deployment } from './cases/deployment.ts';
import { killedWorker } from './cases/killedWorker.ts';
import { orderlyEnd } from './cases/orderlyEnd.ts';
import { rateLimit } from './cases/rateLimit.ts';
import { sharedFilesystem } from './cases/sharedFilesystem.ts';
import { sharing } from './cases/sharing.ts';
import { stop } from './cases/stop.ts';
import { type ClusterOptions, installCluster } from './cluster.ts';
import { measureQueue } from './measurements.ts';
import { type Case, openStage } from './stage.ts';
import type { Tally } from './tally.ts';

const { bench } = new Command('npm run test:queue --')
	.description("Runs the node in n8n's queue mode, with workers, Redis and PostgreSQL of its own.")
	.option('--bench', 'measure instead of test')
	.parse()
	.opts<{ bench?: true }>();

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

async function onStage(title: string, options: ClusterOptions, cases: Case[]) {
	await test(title, async (context) => {
		const stage = await openStage(options);
		context.after(stage.close);
		for (const each of cases) {
			await context.test(each.title, async (caseContext) => {
				await stage.service.control.reset();
				const record = (executions: number, { documents, lost, doubled }: Tally) =>
					table.push([each.title, executions, documents, lost.length, doubled.length]);
				await each.run({ ...stage, record }, caseContext);
			});
		}
	});
}

async function runTests() {
	await installCluster();
	await test(deployment.title, deployment.run);
	await onStage(
		'n8n in queue mode, two workers, files in the database',
		{ workers: 2, env: soonDeclaredDead },
		[sharing, stop, rateLimit, orderlyEnd, killedWorker],
	);
	await onStage(
		'n8n in queue mode, two workers, files in a shared folder',
		{ workers: 2, binaryMode: 'shared filesystem' },
		[sharedFilesystem],
	);
	console.log(`\n${table.toString()}`);
}

if (bench) process.exitCode = (await measureQueue()) ? 0 : 1;
else await runTests();
