import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { packNode } from '../n8n/pack.ts';
import { profilable, profiled } from './profiler.ts';
import { measure, type Contender, type Outcome, type Scenario } from './measure.ts';
import { untilQuiet } from './quiet.ts';
import { extractFromFiles } from './scenarios/extractFromFiles.ts';
import { growthOfFiles, growthOfRows } from './scenarios/growth.ts';
import { largeFile } from './scenarios/largeFile.ts';
import { rateLimit } from './scenarios/rateLimit.ts';
import { rows } from './scenarios/rows.ts';
import { uploads } from './scenarios/uploads.ts';
import { openStage, type Stage } from './stage.ts';

interface Options {
	rounds: number;
	only?: string[];
	patience: number;
	package?: string;
	profile?: string;
}

const scenarios: Record<string, (stage: Stage) => Promise<Scenario>> = {
	direct: async (stage) => await uploads(stage, 'direct'),
	signed: async (stage) => await uploads(stage, 'signed'),
	rows,
	extraction: extractFromFiles,
	'large-file': largeFile,
	'rate-limit': rateLimit,
	'growth-files': growthOfFiles,
	'growth-rows': growthOfRows,
};

const count = (text: string) => {
	const value = Number(text);
	if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Not a whole number.');
	return value;
};

const options = new Command('npm run bench --')
	.option('--rounds <number>', 'of each scenario', count, 5)
	.option('--only <scenario...>', Object.keys(scenarios).join(', '))
	.option('--patience <seconds>', 'that each round waits for a quiet machine', count, 60)
	.option('--package <tarball>', 'of this package, in place of a new build')
	.option('--profile <folder>', 'for a processor profile of n8n during each run')
	.parse()
	.opts<Options>();

const log = (line: string) => console.log(line);
const stage = await openStage(
	options.package ?? (await packNode()),
	options.profile ? profilable : {},
	log,
);
const observed = async (name: string, run: Contender['run']) =>
	options.profile
		? await profiled(
				stage.n8n,
				join(options.profile, `${name.replace(/\W+/g, '-')}.cpuprofile`),
				run,
			)
		: await run();
const outcomes: Outcome[] = [];
for (const [id, open] of Object.entries(scenarios)) {
	if (options.only && !options.only.includes(id)) continue;
	const scenario = await open(stage);
	log(scenario.title);
	outcomes.push(
		await measure(scenario, options.rounds, {
			untilQuiet: async () => await untilQuiet(options.patience * 1000),
			observed,
			log,
		}),
	);
}
await stage.close();
console.log(
	JSON.stringify(
		outcomes.map(({ goals, otherLoad }) => ({
			goals: goals.map(({ text, measured, reached }) => [text, measured.median, reached]),
			otherLoad: otherLoad.median,
		})),
		undefined,
		1,
	),
);
