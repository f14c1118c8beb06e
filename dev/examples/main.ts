import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, beforeEach, describe, test } from 'node:test';
import { Command, Option } from 'commander';
import type { Profile } from '../../test/support/serviceContract.ts';
import { installDebianPackages } from '../machine/debian.ts';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { exampleNames } from '../n8n/example.ts';
import { type Case, openStage } from './stage.ts';

interface Options {
	n8n: N8nVersion;
	profile: Profile;
	only?: string[];
}

const options = new Command('npm run test:examples --')
	.description('Imports every workflow of examples/ into a real n8n and executes it.')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.addOption(
		new Option('--profile <name>', "the simulated service's ways")
			.choices(['atlas', 'borealis', 'cobalt'])
			.default('atlas'),
	)
	.option('--only <examples...>', 'names of files of examples, without .json')
	.parse()
	.opts<Options>();

const examples = (await exampleNames()).sort();
const chosen = examples.filter((name) => !options.only || options.only.includes(name));
if (chosen.length === 0) throw new Error(`No such example; there are ${examples.join(', ')}.`);

test('every example has its case', async () => {
	const files = await readdir(new URL('cases/', import.meta.url));
	assert.deepEqual(
		files.sort(),
		examples.map((name) => `${name}.ts`),
	);
});

const cases = await Promise.all(
	chosen.map(async (name): Promise<[string, Case]> => {
		const { default: run } = (await import(`./cases/${name}.ts`)) as { default: Case };
		return [name, run];
	}),
);
await installDebianPackages(['dovecot-imapd', 'chromium']);
const stage = await openStage(options.n8n, options.profile);
after(async () => await stage.close());
for (const [name, run] of cases) {
	describe(name, () => {
		beforeEach(async () => await stage.reset());
		run(stage);
	});
}
