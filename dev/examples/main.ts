import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, beforeEach, describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { PROFILES } from '../../test/support/profiles.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { installDebianPackages } from '../machine/debian.ts';
import { exampleNames } from '../n8n/example.ts';
import { loadCases } from '../n8n/stage.ts';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { type Case, openExamplesStage } from './stage.ts';

const { n8n, profile, only } = new Command('npm run test:examples --')
	.description('Imports every workflow of examples/ into a real n8n and executes it.')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.addOption(
		new Option('--profile <name>', "the simulated service's ways")
			.choices(PROFILES)
			.default('atlas'),
	)
	.option('--only <examples...>', 'names of files of examples, without .json')
	.parse()
	.opts<{ n8n: N8nVersion; profile: Profile; only?: string[] }>();

const folder = new URL('cases/', import.meta.url);

test('every example has its case', async () => {
	const examples = await exampleNames();
	assert.deepEqual((await readdir(folder)).sort(), examples.map((name) => `${name}.ts`).sort());
});

const cases = await loadCases<Case>(folder, (name) => !only || only.includes(name));
await installDebianPackages(['dovecot-imapd', 'chromium']);
const stage = await openExamplesStage(n8n, profile);
after(stage.close);
for (const [name, run] of cases) {
	describe(name, () => {
		beforeEach(stage.reset);
		run(stage);
	});
}
