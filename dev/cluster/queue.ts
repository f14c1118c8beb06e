import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { until } from '../machine/until.ts';
import { Randomness } from '../simulate/randomness.ts';
import { type Case, cases } from './cases.ts';
import { assertDeployable } from './deployment.ts';
import { hasPassed, tableOf, violationsOf } from './report.ts';
import { type Outcome, run } from './run.ts';
import { openClusterStage, type Stage } from './stage.ts';

const { only = Object.keys(cases) } = new Command('npm run test:queue --')
	.description("Runs the node in n8n's queue mode, with workers, Redis and PostgreSQL of its own.")
	.addOption(new Option('--only <cases...>', 'some of the cases').choices(Object.keys(cases)))
	.parse()
	.opts<{ only?: string[] }>();

const logFolder = fileURLToPath(new URL('logs', import.meta.url));
const pause = { leastMs: 0, mostMs: 100 };

async function outcomeOf({ messages, service, disaster }: Case, stage: Stage): Promise<Outcome> {
	const { control } = stage.service;
	await control.reset();
	await control.settings(service ?? {});
	const random = new Randomness(1);
	return await run(stage, { random, messages, pause }, async (strike) => {
		if (!disaster) return;
		await until(async () => (await control.ledger()).extractions.length >= messages / 4);
		await strike(disaster, random);
	});
}

await test('Compose, a Dockerfile linter and n8n find nothing wrong with the deployment', async () =>
	await assertDeployable());

async function runCases(context: TestContext, names: string[], filesFolder?: string) {
	const stage = await openClusterStage({ filesFolder });
	context.after(stage.close);
	const outcomes: Array<[name: string, outcome: Outcome]> = [];
	for (const name of names) {
		await context.test(cases[name].title, async () => {
			try {
				const outcome = await outcomeOf(cases[name], stage);
				outcomes.push([name, outcome]);
				assert.ok(hasPassed(outcome), violationsOf(outcome).join('\n'));
				await cases[name].check(outcome, stage);
			} catch (error) {
				// It may not come again: what the processes said of it is kept.
				await stage.cluster.copyLogs(join(logFolder, name));
				throw error;
			}
		});
	}
	console.log(`\n${tableOf(outcomes)}`);
}

await test('n8n in queue mode, two workers, files in the database', async (context) => {
	await runCases(context, only);
});

const inFolder = only.filter((name) => cases[name].isAlsoInFolder);

await test('n8n in queue mode, two workers, files in a folder that they share', {
	skip: inFolder.length === 0,
}, async (context) => {
	const filesFolder = await temporaryFolder('cluster-files');
	await runCases(context, inFolder, filesFolder);
	const files = await readdir(filesFolder, { recursive: true, withFileTypes: true });
	assert.ok(
		files.some((file) => file.isFile()),
		'n8n keeps no file in the folder',
	);
});
