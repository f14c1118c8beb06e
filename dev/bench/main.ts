import { cpus, loadavg } from 'node:os';
import { Command, Option } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { measure, type Outcome, type Scenario } from './measure.ts';
import { extractFromFiles } from './scenarios/extractFromFiles.ts';
import { largeFile } from './scenarios/largeFile.ts';
import { rows } from './scenarios/rows.ts';
import { uploads } from './scenarios/uploads.ts';
import { openBenchStage, type Stage } from './stage.ts';
import { goals, measurements } from './table.ts';

const scenarios: Record<string, (stage: Stage) => Promise<Scenario>> = {
	'uploads-direct': async (stage) => await uploads(stage, 'direct'),
	'uploads-signed': async (stage) => await uploads(stage, 'signed'),
	rows,
	'extract-from-files': extractFromFiles,
	'large-file': largeFile,
};

const names = Object.keys(scenarios);
const count = wholeNumberFrom(1);

const { rounds, only } = new Command('npm run bench --')
	.description('Measures the node inside a real n8n, against core nodes.')
	.option('--rounds <number>', 'of each long job; short ones have more', count, 5)
	.addOption(
		new Option('--only <scenario...>', 'some of them').choices(names).default(names, 'all'),
	)
	.parse()
	.opts<{ rounds: number; only: string[] }>();

console.log(`Load before: ${loadavg()[0].toFixed(1)} on ${cpus().length} processors`);
const stage = await openBenchStage();
const outcomes: Outcome[] = [];
for (const id of only) outcomes.push(await measure(await scenarios[id](stage), rounds));
await stage.close();
console.table(measurements(outcomes));
console.table(goals(outcomes));
process.exitCode = outcomes.every((outcome) => outcome.goals.every(({ reached }) => reached))
	? 0
	: 1;
