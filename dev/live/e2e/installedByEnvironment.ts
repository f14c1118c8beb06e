import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNpmRegistry } from '../../machine/npmRegistry.ts';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { packageName, packNode } from '../../n8n/pack.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type Needs, type Stage } from '../stage/live.ts';
import { assertExtracted, samples } from '../stage/samples.ts';

// n8n can do so from 2.21 on.
const needs: Needs = { n8n: ['newest'], ownN8n: true };

const manifest = new URL('../../../package.json', import.meta.url);
const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };

/** Starts an n8n that finds the package in a registry only, and is told to install it. */
async function openRegistry({ keep, inN8n }: Stage) {
	const registry = await keep(startNpmRegistry(packageName, version, await packNode()));
	const start = async (entry: object, env = {}, userFolder?: string) =>
		await inN8n({
			withoutPackage: true,
			programs: registry.programs,
			userFolder,
			env: {
				N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
				N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name: packageName, version, ...entry }]),
				...env,
			},
		});
	return { checksum: registry.integrity, start };
}

type Started = Awaited<ReturnType<Awaited<ReturnType<typeof openRegistry>>['start']>>;

async function assertWorks({ run }: Started) {
	const execution = await run(emailsThrough(samples));
	assertExtracted(execution.items(extractionNodeName).map(({ json }) => json));
}

const assertUnknown = async ({ run }: Started) =>
	await assert.rejects(run(emailsThrough(samples)), /Unrecognized credential type/);

live('n8n installs the package that its environment names', needs, async (stage) => {
	const { checksum, start } = await openRegistry(stage);

	await assertWorks(await start({ checksum }, { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' }));
});

live('n8n starts without a package whose checksum is another one', needs, async (stage) => {
	const { start } = await openRegistry(stage);

	await assertUnknown(await start({ checksum: 'sha512-of-something-else' }));
});

live('n8n needs the checksum where unverified packages are off', needs, async (stage) => {
	const { start } = await openRegistry(stage);

	await assert.rejects(
		start({}, { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' }),
		/no checksum available for .+ and unverified packages are disabled/,
	);
});

live('a container without the folder gets the package again if told to', needs, async (stage) => {
	const { checksum, start } = await openRegistry(stage);
	const userFolder = await temporaryFolder('n8n-user-folder');
	const loseFolder = async ({ n8n }: Started) => {
		await n8n.stop();
		await rm(join(userFolder, '.n8n/nodes'), { recursive: true });
	};
	await loseFolder(await start({ checksum }, {}, userFolder));

	const forgetful = await start({ checksum }, {}, userFolder);
	await assertUnknown(forgetful);
	await loseFolder(forgetful);

	const reinstalling = { N8N_REINSTALL_MISSING_PACKAGES: 'true' };
	await assertWorks(await start({ checksum }, reinstalling, userFolder));
});
