import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onExit } from 'signal-exit';

function isAlive(pid: number) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== 'ESRCH';
	}
}

/** What a killed process could not remove itself. */
async function removeLeftovers(name: string) {
	const ofProcess = new RegExp(`^${name}-(\\d+)-`);
	const left = (await readdir(tmpdir())).filter((folder) => {
		const pid = ofProcess.exec(folder)?.[1];
		return pid !== undefined && !isAlive(Number(pid));
	});
	await Promise.all(
		left.map(async (folder) => await rm(join(tmpdir(), folder), { recursive: true, force: true })),
	);
}

const folders = new Set<string>();

onExit(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that lasts as long as this process. */
export async function temporaryFolder(name: string): Promise<string> {
	await removeLeftovers(name);
	const folder = await mkdtemp(join(tmpdir(), `${name}-${process.pid}-`));
	folders.add(folder);
	return folder;
}
