import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { Command, Option } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { releaseNumber } from '../n8n/versions.ts';
import { measure, type Outcome, type Scenario } from './measure.ts';
import { extractFromFiles } from './scenarios/extractFromFiles.ts';
import { largeFile } from './scenarios/largeFile.ts';
import { rows } from './scenarios/rows.ts';
import { uploads } from './scenarios/uploads.ts';
import { openBenchStage, type Stage } from './stage.ts';
import { goalsTable, measurementsTable } from './table.ts';

const scenarios: Record<string, (stage: Stage) => Promise<Scenario>> = {
	'uploads-direct': async (stage) => await uploads(stage, 'direct'),
	'uploads-signed': async (stage) => await uploads(stage, 'signed'),
	rows,
	'extract-from-files': extractFromFiles,
	'large-file': largeFile,
};

const names = Object.keys(scenarios);
const count = wholeNumberFrom(1);

const options = new Command('npm run bench --')
	.description('Measures the node inside a real n8n, against core nodes.')
	.option('--rounds <number>', 'of each long job; short ones have more', count, 5)
	.addOption(
		new Option('--only <scenario...>', 'some of them').choices(names).default(names, 'all'),
	)
	.addOption(new Option('--write', 'all values into results/latest.json').conflicts('only'))
	.parse()
	.opts<{ rounds: number; only: string[]; write?: true }>();

async function measureAll(): Promise<Outcome[]> {
	const stage = await openBenchStage();
	const outcomes: Outcome[] = [];
	for (const id of options.only) {
		outcomes.push(await measure(await scenarios[id](stage), options.rounds));
	}
	await stage.close();
	return outcomes;
}

const loadBefore = loadavg()[0];
console.log(`Load before: ${loadBefore.toFixed(1)} on ${cpus().length} processors`);
const outcomes = await measureAll();
console.log(measurementsTable(outcomes));
console.log(goalsTable(outcomes));
if (options.write) {
	const results = {
		measuredAt: new Date().toISOString(),
		machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
		n8n: await releaseNumber('newest'),
		loadBefore,
		roundsOfLongJobs: options.rounds,
		outcomes,
	};
	const file = new URL('results/latest.json', import.meta.url);
	await writeFile(file, `${JSON.stringify(results, undefined, '\t')}\n`);
}
process.exitCode = outcomes.every(({ goals }) => goals.every(({ reached }) => reached)) ? 0 : 1;
