import { readdir } from 'node:fs/promises';
import { after, describe } from 'node:test';
import { Command, Option } from 'commander';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { type Case, openStage } from './stage.ts';

interface Options {
	n8n: N8nVersion;
	only?: string;
}

const options = new Command('npm run test:e2e --')
	.description('Runs the node inside a real n8n, against the simulated service.')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.option('--only <case>', 'name of one file of dev/e2e/cases, without .ts')
	.parse()
	.opts<Options>();

async function casesToRun(): Promise<Array<{ name: string; run: Case }>> {
	const folder = new URL('cases/', import.meta.url);
	const names = (await readdir(folder)).map((file) => file.replace(/\.ts$/, '')).sort();
	const chosen = names.filter((name) => !options.only || name === options.only);
	if (chosen.length === 0) throw new Error(`No such case; there are ${names.join(', ')}.`);
	return await Promise.all(
		chosen.map(async (name) => {
			const { default: run } = (await import(new URL(`${name}.ts`, folder).href)) as {
				default: Case;
			};
			return { name, run };
		}),
	);
}

const cases = await casesToRun();
const stage = await openStage(options.n8n);
after(async () => await stage.close());
for (const { name, run } of cases) describe(name, () => run(stage));
