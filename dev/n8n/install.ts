import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackageFolder, type NodeRuntime } from './packageFolder.ts';
import { type N8nVersion, node24Folder, releases } from './versions.ts';

export interface InstalledN8n {
	version: N8nVersion;
	runtime: NodeRuntime;
	/** The script that the runtime's Node runs. */
	cli: string;
}

const running: NodeRuntime = { binary: process.execPath, abi: process.versions.modules, env: {} };
const node24Abi = '137';

async function installNode24(): Promise<NodeRuntime> {
	await installPackageFolder({
		folder: node24Folder,
		announce: 'Getting Node 24 for n8n, once: about 190 MB on disk.',
	});
	const modules = join(node24Folder, 'node_modules');
	const platformPackage = (await readdir(modules)).find((name) => name.startsWith('node-'));
	if (!platformPackage) {
		const machine = `${process.platform} ${process.arch}`;
		throw new Error(
			[
				`The newest n8n needs Node 24, and npm has none for ${machine}.`,
				'Install Node 24 and start again.',
			].join(' '),
		);
	}
	const folder = join(modules, platformPackage);
	const bin = join(folder, 'bin');
	return {
		binary: join(bin, 'node'),
		abi: node24Abi,
		// Its own headers lie beside the binary, so that native parts build without a download.
		env: { PATH: `${bin}:${process.env.PATH ?? ''}`, npm_config_nodedir: folder },
	};
}

/**
 * Installs n8n on first use and keeps it; afterwards this takes no time. It runs on the running Node, or
 * where that is too old for this n8n, on one from the npm registry.
 */
export async function installN8n(version: N8nVersion = 'newest'): Promise<InstalledN8n> {
	const { folder, native, minimumNode } = releases[version];
	const isTooOld = Number.parseInt(process.versions.node) < minimumNode;
	const runtime = isTooOld ? await installNode24() : running;
	await installPackageFolder({
		folder,
		native,
		runtime,
		announce: `Installing n8n (${version}), once: about 2 GB on disk, some minutes.`,
	});
	return { version, runtime, cli: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}
