import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onExit } from 'signal-exit';

const folders: string[] = [];

onExit(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that lasts as long as this process. */
export async function temporaryFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	folders.push(folder);
	return folder;
}
