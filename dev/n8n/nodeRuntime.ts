import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installPackageFolder, type NodeRuntime } from './packageFolder.ts';
import { type N8nVersion, node24Folder, releases } from './versions.ts';

const running: NodeRuntime = { binary: process.execPath, abi: process.versions.modules, env: {} };
const runningMajor = Number(process.versions.node.split('.')[0]);
const node24Abi = '137';

async function installedNode24(): Promise<string> {
	const modules = join(node24Folder, 'node_modules');
	const platformPackage = (await readdir(modules)).find((name) => name.startsWith('node-'));
	if (!platformPackage) {
		throw new Error(
			`The newest n8n needs Node 24, and npm has none for ${process.platform} ${process.arch}. Install Node 24 and start again.`,
		);
	}
	return join(modules, platformPackage);
}

/** The running Node, or where that is too old for this n8n, one from the npm registry. */
export async function nodeRuntime(version: N8nVersion): Promise<NodeRuntime> {
	if (runningMajor >= releases[version].minimumNode) return running;
	await installPackageFolder({
		folder: node24Folder,
		announce: 'Getting Node 24 for n8n, once: about 190 MB on disk.',
	});
	const folder = await installedNode24();
	const binary = join(folder, 'bin', 'node');
	return {
		binary,
		abi: node24Abi,
		env: {
			PATH: `${dirname(binary)}:${process.env.PATH ?? ''}`,
			// Its own headers lie beside the binary, so that native parts build without a download.
			npm_config_nodedir: folder,
		},
	};
}
