import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { measure, type Outcome, type Scenario } from '../measure/measure.ts';
import { untilQuiet } from '../measure/quiet.ts';
import { packNode } from '../n8n/pack.ts';
import { releaseNumber } from '../n8n/versions.ts';
import { chart, themes } from './chart.ts';
import { extractFromFiles } from './scenarios/extractFromFiles.ts';
import { growthOfFiles, growthOfRows } from './scenarios/growth.ts';
import { fileInDatabase, largeFile, readOnly } from './scenarios/largeFile.ts';
import { queue } from './scenarios/queue.ts';
import { rows, savedExecution } from './scenarios/rows.ts';
import { uploads } from './scenarios/uploads.ts';
import { openBenchStage, type Stage } from './stage.ts';
import { goalsTable, measurementsTable } from './table.ts';

const scenarios: Record<string, (stage: Stage) => Promise<Scenario>> = {
	'uploads-direct': async (stage) => await uploads(stage, 'direct'),
	'uploads-signed': async (stage) => await uploads(stage, 'signed'),
	rows,
	'extract-from-files': extractFromFiles,
	'large-file': largeFile,
	'file-in-database': fileInDatabase,
	'growth-files': growthOfFiles,
	'growth-rows': growthOfRows,
};

interface Options {
	rounds: number;
	only: string[];
	patience: number;
	package?: string;
	write?: true;
	draw?: true;
	queue?: true;
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const resultsFile = fileOf('results/latest.json');
const imagesFolder = fileOf('../../docs/images');
/** What users ask for first. */
const charted = ['uploads-direct', 'uploads-signed', 'rows', 'extract-from-files', 'large-file'];
/** They show what the others' values are made of. */
const controls = [savedExecution, readOnly];

const count = wholeNumberFrom(1);

function readOptions(): Options {
	return new Command('npm run bench --')
		.description('Measures the node inside a real n8n, against core nodes and against no n8n.')
		.option('--rounds <number>', 'of each long job; short ones have more', count, 5)
		.addOption(
			new Option('--only <scenario...>', 'some of them')
				.choices(Object.keys(scenarios))
				.default(Object.keys(scenarios), 'all'),
		)
		.option('--patience <seconds>', 'that each round waits for a quiet machine', count, 60)
		.option('--package <tarball>', 'of this package, in place of a new build')
		.option('--write', 'the results and the charts into the files that the documentation shows')
		.option('--draw', 'only the charts anew, from the results that are written')
		.addOption(
			new Option('--queue', "n8n's queue mode instead: one worker against two").conflicts('write'),
		)
		.parse()
		.opts<Options>();
}

const log = (line: string) => console.log(line);

async function measureEach(
	openScenarios: Array<() => Promise<Scenario>>,
	{ rounds, patience }: Options,
): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	for (const open of openScenarios) {
		const scenario = await open();
		log(`\n${scenario.title}`);
		const quietWithin = async () => await untilQuiet(patience * 1000);
		outcomes.push(await measure(scenario, rounds, { untilQuiet: quietWithin, log }));
	}
	return outcomes;
}

async function measureAll(options: Options) {
	if (options.queue) return await measureEach([queue], options);
	const stage = await openBenchStage(options.package ?? (await packNode()), log);
	const chosen = options.only.map((id) => async () => await scenarios[id](stage));
	const outcomes = await measureEach(chosen, options);
	await stage.close();
	return outcomes;
}

async function write(outcomes: Outcome[], { rounds }: Options) {
	const results = {
		measuredAt: new Date().toISOString(),
		machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
		n8n: await releaseNumber('newest'),
		roundsOfLongJobs: rounds,
		outcomes,
	};
	await mkdir(dirname(resultsFile), { recursive: true });
	await writeFile(resultsFile, `${JSON.stringify(results, undefined, '\t')}\n`);
	await draw(outcomes);
}

async function draw(outcomes: Outcome[]) {
	const shown = outcomes
		.filter(({ id }) => charted.includes(id))
		.map((outcome) => ({
			...outcome,
			contenders: outcome.contenders.filter(({ name }) => !controls.includes(name)),
		}));
	for (const theme of themes) {
		await writeFile(join(imagesFolder, `benchmarks.${theme}.svg`), chart(shown, theme));
	}
}

async function drawWritten(): Promise<boolean> {
	const { outcomes } = JSON.parse(await readFile(resultsFile, 'utf8')) as { outcomes: Outcome[] };
	await draw(outcomes);
	return true;
}

async function main(options: Options): Promise<boolean> {
	if (options.draw) return await drawWritten();
	const outcomes = await measureAll(options);
	log(measurementsTable(outcomes));
	log(goalsTable(outcomes));
	if (options.write) await write(outcomes, options);
	return outcomes.every(({ goals }) => goals.every(({ reached }) => reached));
}

process.exitCode = (await main(readOptions())) ? 0 : 1;
