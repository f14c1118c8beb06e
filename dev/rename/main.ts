import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { rename, type Names } from './rename.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const names = new Command('npm run rename --')
	.description('Names the package, the node and its credential after the service, in every file.')
	.requiredOption('--service <name>', 'as users see it, e.g. "Acme Extract"')
	.requiredOption('--org <owner>', 'the owner of the repository on GitHub, e.g. acme')
	.parse()
	.opts<Names>();

const changed = await rename(root, names);
if (changed.length === 0) console.log('Every file has these names already.');
else {
	// Longer or shorter names break lines elsewhere.
	const biome = ['--no-install', 'biome', 'format', '--write', '--files-ignore-unknown=true'];
	execFileSync('npx', biome, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
	console.log(`${changed.length} files have changed. To see that all is well: npm ci && npm test
What a person has to do then is in dev/release.md, under "Names".`);
}
