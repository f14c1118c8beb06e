import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { chaos } from './chaos.ts';
import { machineDisasters, serviceDisasters } from './disasters.ts';
import { faultsOf, tableOf, violationsOf } from './report.ts';

const wholeNumber = wholeNumberFrom(1);
const names = [...machineDisasters, ...serviceDisasters].map(({ name }) => name);

const options = new Command('npm run chaos --')
	.description(
		"Runs the node in n8n's queue mode while everything that it needs dies or goes wrong, and accounts for every file.",
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
const logFolder = fileURLToPath(new URL(`logs/seed-${options.seed}-${started}`, import.meta.url));
const outcome = await chaos({ ...options, logFolder });
const report = [...violationsOf(outcome), tableOf([[`seed ${options.seed}`, outcome]])].join('\n');
await writeFile(join(logFolder, 'report.txt'), `${report}\n`);
console.log(`\n${report}\nLogs: ${logFolder}`);
process.exit(Object.values(faultsOf(outcome)).every((count) => count === 0) ? 0 : 1);
