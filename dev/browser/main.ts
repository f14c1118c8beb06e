import { after, describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { installDebianPackages } from '../machine/debian.ts';
import { loadCases } from '../n8n/stage.ts';
import { type N8nVersion, n8nVersions } from '../n8n/versions.ts';
import { assertPicturesOfDocumentation } from './documentation.ts';
import { type Case, openBrowserStage } from './stage.ts';

const { pictures, only, n8n } = new Command('npm run test:browser --')
	.description("Uses the node in n8n's editor, in a real browser.")
	.option('--pictures', 'let the screenshots replace those of docs/images')
	.option('--only <case>', 'name of one file of dev/browser/cases, without .ts')
	.addOption(new Option('--n8n <version>').choices(n8nVersions).default('newest'))
	.parse()
	.opts<{ pictures?: true; only?: string; n8n: N8nVersion }>();

/** Of older n8ns, whose windows are built in another way: how the node is found, and set up. */
const inOlder = ['nodePanel', 'setup'];

const cases = await loadCases<Case>(
	new URL('cases/', import.meta.url),
	(name) => (n8n === 'newest' || inOlder.includes(name)) && (!only || name === only),
);
// The font is that of n8n's forms.
await installDebianPackages(['chromium', 'dovecot-imapd', 'fonts-open-sans', 'poppler-utils']);
const stage = await openBrowserStage(n8n, pictures ?? false);
after(stage.close);
for (const [name, run] of cases) describe(name, () => run(stage));
if (!only && n8n === 'newest') {
	test('the documentation shows every picture that was taken, and no other', async () => {
		await assertPicturesOfDocumentation(stage.pictures);
	});
}
