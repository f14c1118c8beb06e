import { readFile } from 'node:fs/promises';
import { startNpmRegistry } from '../../machine/npmRegistry.ts';
import { packageName, packNode } from '../../n8n/pack.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type Needs } from '../stage/live.ts';
import { assertExtracted, samples } from '../stage/samples.ts';

// n8n can do so from 2.21 on.
const needs: Needs = { n8n: ['newest'], ownN8n: true };

const manifest = new URL('../../../package.json', import.meta.url);
const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };

live('n8n installs the package that its environment names', needs, async ({ keep, inN8n }) => {
	const registry = await keep(startNpmRegistry(packageName, version, await packNode()));
	const named = { name: packageName, version, checksum: registry.integrity };
	const { run } = await inN8n({
		withoutPackage: true,
		programs: registry.programs,
		env: {
			N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
			N8N_COMMUNITY_PACKAGES: JSON.stringify([named]),
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
		},
	});

	const execution = await run(emailsThrough(samples));

	assertExtracted(execution.items(extractionNodeName).map(({ json }) => json));
});
