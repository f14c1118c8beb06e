import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { chaos } from './chaos.ts';
import { faultsOf, reportOf } from './report.ts';

const positive = (text: string) => {
	const value = Number(text);
	if (!(value > 0)) throw new InvalidArgumentError('more than 0');
	return value;
};

interface Options {
	seed: number;
	minutes: number;
	only?: string[];
	package?: string;
}

const options = new Command('npm run chaos --')
	.description(
		"Runs the node in n8n's queue mode while everything that it needs dies or goes wrong, and accounts for every file.",
	)
	.option(
		'--seed <number>',
		'repeats the same files and disasters, as far as that is possible',
		positive,
		1,
	)
	.option('--minutes <number>', 'for how long files come in and things die', positive, 3)
	.option('--only <names...>', 'of disasters')
	.option('--package <tarball>', 'of the node; else it is built from here')
	.parse()
	.opts<Options>();

const started = new Date().toISOString().replaceAll(':', '-');
const logFolder = fileURLToPath(new URL(`logs/seed-${options.seed}-${started}`, import.meta.url));
const outcome = await chaos({ ...options, nodePackage: options.package, logFolder });
const report = reportOf(outcome);
await writeFile(join(logFolder, 'report.txt'), `${report}\n`);
console.log(`\n${report}\nLogs: ${logFolder}`);
process.exit(Object.values(faultsOf(outcome)).every((count) => count === 0) ? 0 : 1);
