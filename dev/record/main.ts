/** Records what the node does, case by case, so that two versions of it can be compared. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';
import { differencesOf } from './differences.ts';

const options = new Command('npm run record --')
	.description(
		'Runs every scenario of every operation with every account and every fault, in virtual time, and writes down what the node sent, returned and said, and when: the same bytes as long as the node does the same.',
	)
	.argument('<file>', 'to write')
	.option('--against <file>', 'a recording of before: says which cases differ, and in which lines')
	.option('--only <text>', 'accounts and scenarios with this in their names', '')
	.parse();
const { against, only } = options.opts<{ against?: string; only: string }>();

useN8nFolder(await temporaryFolder('record'));
// Only now, as n8n reads its settings when it is loaded.
const { recorded } = await import('./record.ts');

const cases: string[] = [];
for await (const text of recorded(only)) cases.push(text);
const recording = cases.join('\n');
writeFileSync(options.args[0], recording);
const differences = against ? differencesOf(readFileSync(against, 'utf8'), recording) : [];
console.log(`${cases.length} cases`, ...differences.map((text) => `\n${text}`));
process.exit(differences.length > 0 ? 1 : 0);
