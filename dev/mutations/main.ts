/** Breaks rules of the node on purpose, one after the other, to see that the simulation notices. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import type { BrokenFile } from '../simulate/node.ts';
import { simulate, Worker } from '../simulate/run.ts';
import { brokenFiles } from './brokenFiles.ts';
import { mutations } from './mutations.ts';

const wholeNumber = wholeNumberFrom(1);

const options = new Command('npm run mutations --')
	.description('Breaks rules of the node on purpose, one after the other, in a copy.')
	.option('--seed <number>', 'of the simulation', wholeNumber, 1)
	.option('--seconds <number>', 'within which it is to be noticed', wholeNumber, 60)
	.option('--workers <number>', 'processes of the simulation', wholeNumber, 2)
	.option('--only <text>', 'those whose description has this in it', '')
	.parse()
	.opts<{ seed: number; seconds: number; workers: number; only: string }>();

useN8nFolder(await temporaryFolder('mutations'));
const start = async () => await Promise.all(Array.from({ length: options.workers }, Worker.start));
let workers = await start();

/** What the simulation finds in a node of which this is broken, and after how long. */
async function simulated(broken: BrokenFile[]) {
	const startedAt = performance.now();
	const limitMs = options.seconds * 1000;
	const finding = simulate({
		seed: options.seed,
		operations: 1_000_000,
		workers,
		broken,
		mostWrong: 1,
		until: startedAt + limitMs,
	});
	// What hangs in real time ends with its process.
	const figures = await Promise.race([finding, sleep(2 * limitMs)]);
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	if (!figures) {
		finding.catch(() => {});
		for (const worker of workers) worker.stop();
		workers = await start();
		return { after: `${seconds} s`, found: ['hangs'], violations: [] };
	}
	const found = Object.entries(figures.wrongs).flatMap(([wrong, count]) =>
		count > 0 ? [wrong] : [],
	);
	const after = `${figures.operations} operations, ${seconds} s`;
	return { after, found, violations: figures.violations };
}

let areNoticed = true;
function say(
	isRight: boolean,
	breaks: string,
	{ found, after }: { found: string[]; after: string },
) {
	areNoticed &&= isRight;
	const what = `${found.join() || 'nothing'} after ${after}`;
	console.log(`${isRight ? 'as it should' : 'WRONG'} · a node that ${breaks}: ${what}`);
}

const unbroken = await simulated([]);
for (const { what } of unbroken.violations) console.log(what);
say(unbroken.found.length === 0, 'is as it is', unbroken);
for (const { breaks, changes, moves } of mutations) {
	if (!breaks.includes(options.only)) continue;
	const result = await simulated(brokenFiles(changes));
	const isNoticed = [...moves, 'hangs'].some((wrong) => result.found.includes(wrong));
	say(isNoticed, breaks, result);
}
for (const worker of workers) worker.stop();
process.exit(areNoticed ? 0 : 1);
