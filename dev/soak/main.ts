import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';

const wholeNumber = wholeNumberFrom(1);

const options = new Command('npm run soak --')
	.description(
		"Runs the node on real connections, against a service on which everything goes wrong, for what the simulation in virtual time cannot see: streams, connections, memory and n8n's own log.",
	)
	.option(
		'--seed <number>',
		'repeats the same operations, files and chances of faults',
		wholeNumber,
		1,
	)
	.option('--operations <number>', 'of all kinds, in all profiles', wholeNumber, 600)
	.parse()
	.opts<{ seed: number; operations: number }>();

const userFolder = await mkdtemp(join(tmpdir(), 'n8n-soak-'));
useN8nFolder(userFolder);

const start = process.hrtime.bigint();
const { isClean, textOf, wrongs } = await import('../simulate/figures.ts');
const { soak, SPEED } = await import('./soak.ts');
const figures = await soak(options);
await rm(userFolder, { recursive: true, force: true });

const seconds = Number((process.hrtime.bigint() - start) / 1_000_000_000n);
console.log(`seed ${options.seed}, ${seconds} s; the node's waits pass ${SPEED} times faster`);
for (const { wrong, what } of figures.violations) console.log(`${wrongs[wrong]}: ${what}`);
console.log(textOf(figures));
process.exit(isClean(figures) ? 0 : 1);
