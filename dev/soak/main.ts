import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';

const wholeNumber = (text: string) => {
	const value = Number(text);
	if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('1, 2, 3, …');
	return value;
};

const options = new Command('npm run soak --')
	.description(
		"Runs the node through thousands of operations against a service on which everything goes wrong, and compares what it says with the service's ledger.",
	)
	.option(
		'--seed <number>',
		'repeats the same operations, files and chances of faults',
		wholeNumber,
		1,
	)
	.option('--operations <number>', 'of all kinds, in all profiles', wholeNumber, 10_000)
	.option('--mutations', 'break rules of the node on purpose, one after the other, in a copy')
	.parse()
	.opts<{ seed: number; operations: number; mutations?: true }>();

if (options.mutations) {
	const { runMutations } = await import('./mutations.ts');
	process.exit((await runMutations(options.seed)) ? 0 : 1);
}

const userFolder = await mkdtemp(join(tmpdir(), 'n8n-soak-'));
useN8nFolder(userFolder);

// `performance.now()` stays ahead after a soak; `Date.now()` is put back.
const start = Date.now();
const { soak, SPEED } = await import('./soak.ts');
const figures = await soak(options);
await rm(userFolder, { recursive: true, force: true });

const seconds = Math.round((Date.now() - start) / 1000);
console.log(`seed ${options.seed}, ${seconds} s; the node's waits pass ${SPEED} times faster`);
console.log(figures.text());
process.exit(figures.isClean ? 0 : 1);
