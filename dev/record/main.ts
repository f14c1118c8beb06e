/** Records what the node does, case by case, so that two versions of it can be compared. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { useN8nFolder } from '../../test/support/n8nSettings.ts';

const options = new Command('npm run record --')
	.description(
		'Runs every scenario of every operation with every account and every fault, in virtual time, and writes down what the node sent, returned and said, and when: the same bytes as long as the node does the same, so that `git diff --no-index` tells in which cases two versions differ.',
	)
	.argument('<file>', 'to write')
	.option('--only <text>', 'accounts and scenarios with this in their names', '')
	.parse();
const { only } = options.opts<{ only: string }>();

useN8nFolder(await temporaryFolder('record'));
// Only now, as n8n reads its settings when it is loaded.
const { recorded } = await import('./record.ts');

const cases: string[] = [];
for await (const text of recorded(only)) cases.push(text);
writeFileSync(options.args[0], cases.join('\n'));
console.log(`${cases.length} cases`);
process.exit(0);
