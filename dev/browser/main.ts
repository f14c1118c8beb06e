import { readdir } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { installDebianPackages } from '../machine/debian.ts';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { assertPicturesOfDocumentation } from './documentation.ts';
import { type Case, openStage } from './stage.ts';

interface Options {
	pictures?: true;
	only?: string;
	n8n: N8nVersion;
}

const { pictures, only, n8n } = new Command('npm run test:browser --')
	.description("Uses the node in n8n's editor, in a real browser.")
	.option('--pictures', 'let the screenshots replace those of docs/images')
	.option('--only <case>', 'name of one file of dev/browser/cases, without .ts')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.parse()
	.opts<Options>();

const folder = new URL('cases/', import.meta.url);
const names = (await readdir(folder)).map((file) => file.replace(/\.ts$/, '')).sort();
/** Of the oldest n8n, whose windows are built in another way: how the node is found, and set up. */
const inOldest = ['nodePanel', 'setup'];
const possible = n8n === 'newest' ? names : inOldest;
const chosen = possible.filter((name) => !only || name === only);
if (chosen.length === 0) throw new Error(`No such case; there are ${possible.join(', ')}.`);

// The font is that of n8n's forms.
await installDebianPackages(['chromium', 'dovecot-imapd', 'fonts-open-sans', 'poppler-utils']);
const stage = await openStage({ version: n8n, keepPictures: pictures ?? false });
after(async () => await stage.close());
for (const name of chosen) {
	const { default: run } = (await import(new URL(`${name}.ts`, folder).href)) as { default: Case };
	describe(name, () => run(stage));
}
if (!only && n8n === 'newest') {
	test('the documentation shows every picture that was taken, and no other', async () => {
		await assertPicturesOfDocumentation(stage.pictures);
	});
}
