import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { temporaryFolder } from '../machine/temporaryFolder.ts';
import { withLock } from '../machine/lock.ts';

export const packageName = 'n8n-nodes-document-extraction';

const root = fileURLToPath(new URL('../..', import.meta.url));

let packed: Promise<string> | undefined;

/** Builds the package and packs it as it would be published, once; the path of the tarball. */
export const packNode = async () => await (packed ??= buildAndPack());

async function buildAndPack(): Promise<string> {
	const destination = await temporaryFolder('packed-node');
	const onWait = () => console.log('Another process is building the package; waiting for it.');
	const lock = join(root, 'node_modules', '.packing');
	return await withLock(lock, onWait, async () => {
		await execa('npm', ['run', 'build'], { cwd: root });
		const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', destination];
		const { stdout } = await execa('npm', pack, { cwd: root });
		const [packed] = JSON.parse(stdout) as Array<{ filename: string }>;
		return join(destination, packed.filename);
	});
}

/** Puts the package where n8n keeps community packages, so that it loads as a published one does. */
export async function addNodeTo(userFolder: string): Promise<void> {
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
	await mkdir(folder, { recursive: true });
	await execa('tar', ['-xzf', await packNode(), '-C', folder, '--strip-components=1']);
}
