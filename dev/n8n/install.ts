import { join } from 'node:path';
import { nodeRuntime } from './nodeRuntime.ts';
import { installPackageFolder, type NodeRuntime } from './packageFolder.ts';
import { type N8nVersion, releases } from './versions.ts';

export interface InstalledN8n {
	version: N8nVersion;
	runtime: NodeRuntime;
	/** The script that the runtime's Node runs. */
	cli: string;
}

/** Installs n8n on first use and keeps it; afterwards this takes no time. */
export async function installN8n(version: N8nVersion = 'newest'): Promise<InstalledN8n> {
	const { folder, native } = releases[version];
	const runtime = await nodeRuntime(version);
	await installPackageFolder({
		folder,
		native,
		runtime,
		announce: `Installing n8n (${version}), once: about 2 GB on disk, some minutes.`,
	});
	return { version, runtime, cli: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}
