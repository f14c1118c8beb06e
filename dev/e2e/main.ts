import { after, describe } from 'node:test';
import { Command, Option } from 'commander';
import { loadCases } from '../n8n/stage.ts';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { type Case, openE2eStage } from './stage.ts';

const { n8n, only } = new Command('npm run test:e2e --')
	.description('Runs the node inside a real n8n, against the simulated service.')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.option('--only <case>', 'name of one file of dev/e2e/cases, without .ts')
	.parse()
	.opts<{ n8n: N8nVersion; only?: string }>();

const folder = new URL('cases/', import.meta.url);
const cases = await loadCases<Case>(folder, (name) => !only || name === only);
const stage = await openE2eStage(n8n);
after(stage.close);
for (const [name, run] of cases) describe(name, () => run(stage));
