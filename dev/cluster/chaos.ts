import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { PROFILES } from '../../test/support/serviceContract.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { Randomness } from '../simulate/randomness.ts';
import { type Disaster, machineDisasters, orderlyEnds, serviceDisasters } from './disasters.ts';
import { hasPassed, tableOf, violationsOf } from './report.ts';
import { type Outcome, run, runCalm, type Strike } from './run.ts';
import { openClusterStage } from './stage.ts';

const wholeNumber = wholeNumberFrom(1);
const names = [...machineDisasters, ...orderlyEnds, ...serviceDisasters].map(({ name }) => name);

const { seed, minutes, only } = new Command('npm run chaos --')
	.description(
		"Runs the node in n8n's queue mode while all that it needs fails, and accounts for every file.",
	)
	.option(
		'--seed <number>',
		'repeats the same files and disasters, as far as that is possible',
		wholeNumber,
		1,
	)
	.option('--minutes <number>', 'for how long files come in and things die', wholeNumber, 3)
	.addOption(new Option('--only <names...>', 'of disasters').choices(names))
	.parse()
	.opts<{ seed: number; minutes: number; only?: string[] }>();

const started = new Date().toISOString().replaceAll(':', '-');
const logFolder = fileURLToPath(new URL(`logs/seed-${seed}-${started}`, import.meta.url));
await mkdir(logFolder, { recursive: true });

const messagePause = { leastMs: 300, mostMs: 1_200 };
const disasterPause = { leastMs: 1_000, mostMs: 5_000 };

/**
 * One disaster after the other, each kind once before one comes again, until the time is over and
 * each kind was there. Order and choices depend on the seed alone, however long each one takes.
 */
async function inTurn(all: Disaster[], random: Randomness, endsAt: number, strike: Strike) {
	const disasters = all.filter(({ name }) => only?.includes(name) ?? true);
	for (let round = 1; disasters.length > 0; round++) {
		const left = [...disasters];
		while (left.length > 0) {
			const [disaster] = left.splice(random.between(0, left.length - 1), 1);
			const own = new Randomness(random.between(0, 2 ** 31));
			await sleep(own.between(disasterPause.leastMs, disasterPause.mostMs));
			if (Date.now() > endsAt && round > 1) return;
			await strike(disaster, own);
		}
	}
}

/** Lets everything die while files flow through it, and accounts for them. */
async function chaos(): Promise<Outcome> {
	const profile = PROFILES[(seed - 1) % PROFILES.length];
	const filesFolder = await temporaryFolder('cluster-files');
	const stage = await openClusterStage({ filesFolder, profile });
	const { cluster, service, log } = stage;
	try {
		await runCalm(stage);
		await service.control.reset();
		log(`Chaos begins: seed ${seed}, ${minutes} minutes.`);

		const endsAt = Date.now() + 60_000 * minutes;
		const random = new Randomness(seed);
		const newRandom = () => new Randomness(random.between(0, 2 ** 31));
		const sending = { random: newRandom(), pause: messagePause };
		const [ofMachines, ofEnds, ofService] = [newRandom(), newRandom(), newRandom()];
		const outcome = await run(stage, sending, async (strike) => {
			// In one lane only: while something else is down, nothing can be started anew.
			const strikeAndRepair: Strike = async (disaster, own) => {
				await strike(disaster, own);
				await cluster.repair();
			};
			await Promise.all([
				inTurn(machineDisasters, ofMachines, endsAt, strikeAndRepair),
				inTurn(orderlyEnds, ofEnds, endsAt, strike),
				inTurn(serviceDisasters, ofService, endsAt, strike).then(async () => {
					// Not after both: a worker that ends in order waits for what stalls.
					await service.control.cutConnections();
				}),
			]);
			await sleep(Math.max(0, endsAt - Date.now()));
			log('Nothing dies any more; waiting for the executions that are left.');
		});
		await writeFile(join(logFolder, 'evidence.json'), JSON.stringify(outcome.evidence));
		// Where executions hang, nothing ever settles again.
		if (outcome.account.counts.hanging === 0) await runCalm(stage);
		return outcome;
	} finally {
		await cluster.copyLogs(logFolder);
		await stage.close();
	}
}

const outcome = await chaos();
const report = [...violationsOf(outcome), tableOf([[`seed ${seed}`, outcome]])].join('\n');
console.log(`\n${report}\nLogs: ${logFolder}`);
process.exit(hasPassed(outcome) ? 0 : 1);
