import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { PROFILES } from '../../test/support/serviceContract.ts';
import { installDebianPackages } from '../machine/debian.ts';
import { wholeNumberFrom } from '../machine/wholeNumber.ts';
import { exampleNames } from '../n8n/example.ts';
import { n8nVersions } from '../n8n/versions.ts';
import { type DemoOptions, runDemo } from './demo/demo.ts';
import { casesOf, openRun, type RunOptions, whyNotAt } from './stage/live.ts';

interface Group {
	does: string;
	/** What it needs of Debian's packages. */
	packages: string[];
}

const groups: Record<string, Group> = {
	e2e: { does: 'Runs the node inside a real n8n, against the simulated service.', packages: [] },
	examples: {
		does: 'Imports every workflow of examples/ into a real n8n and executes it.',
		packages: ['chromium', 'dovecot-imapd'],
	},
	browser: {
		does: "Uses the node in n8n's editor, in a real browser.",
		// The font is that of n8n's forms.
		packages: ['chromium', 'dovecot-imapd', 'fonts-open-sans', 'poppler-utils'],
	},
};

async function runGroup(group: string, { only, ...options }: RunOptions & { only?: string[] }) {
	const files = await casesOf(group);
	const unknown = only?.filter((name) => !files.has(name)) ?? [];
	if (unknown.length > 0) {
		throw new Error(`No case ${unknown.join(', ')}; there are ${[...files.keys()].join(', ')}.`);
	}
	await installDebianPackages(groups[group].packages);
	const run = await openRun(options);
	after(run.close);

	for (const [file, cases] of files) {
		if (!(only?.includes(file) ?? true)) continue;
		const chosen = cases.filter(({ needs }) => needs.n8n?.includes(options.n8n) ?? true);
		describe(file, () => {
			for (const { title, needs, run: runCase } of chosen) {
				const profiles = needs.everyProfile ? PROFILES : PROFILES.slice(0, 1);
				for (const profile of profiles) {
					const name = needs.everyProfile ? `${title}, with ${profile}` : title;
					test(name, { skip: whyNotAt(options, needs) }, async (context) => {
						const stage = await run.openCase(needs, profile);
						context.after(stage.close);
						await runCase(stage);
					});
				}
			}
		});
	}
	if (group === 'examples') {
		test('every example has its case', async () => {
			assert.deepEqual([...files.keys()].sort(), (await exampleNames()).sort());
		});
	}
	if (group === 'browser' && !only) {
		test('the documentation shows every picture that was taken, and no other', async () => {
			await run.book.assertComplete();
		});
	}
}

const program = new Command('npm run');
for (const [name, { does }] of Object.entries(groups)) {
	const command = program
		.command(name)
		.description(does)
		.option('--only <files...>', `names of files of dev/live/${name}, without .ts`)
		.action(
			async (options: Partial<RunOptions>) => await runGroup(name, { n8n: 'newest', ...options }),
		);
	if (name === 'e2e') {
		command
			.addOption(new Option('--n8n <version>').choices(n8nVersions))
			.option('--at <address>', 'of an n8n that runs already, as dev/n8n/README.md says');
	}
	if (name === 'browser') {
		command.option('--pictures', 'let the screenshots replace those of docs/images');
	}
}
program
	.command('demo')
	.description('Runs the main job in a real n8n, against a simulated service, on sample PDFs.')
	.option('--once', 'end after the tables; the exit code is 1 if a value is missing')
	.option('--port <number>', "port of n8n's editor", wholeNumberFrom(1), 5678)
	.action(async (options: DemoOptions) => {
		process.exitCode = (await runDemo(options)) ? 0 : 1;
	});
await program.parseAsync();
