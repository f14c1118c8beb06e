import { appendFile, mkdtemp, readFile, rm, rmdir, statfs } from 'node:fs/promises';
import { rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { onExit } from 'signal-exit';
import { isAlive } from '../machine/temporaryFolder.ts';

const size = '512m';
const blockBytes = 1_000_000;
const mounted = /^\S+ (\S*\/cluster-disk-(\d+)-\S*) /gm;

/** What a killed process could not take away itself. */
async function removeLeftovers() {
	const mounts = await readFile('/proc/mounts', 'utf8');
	for (const [, folder, pid] of mounts.matchAll(mounted)) {
		if (isAlive(Number(pid))) continue;
		await execa('umount', ['-l', folder], { reject: false });
		await rmdir(folder);
	}
}

/**
 * A disk in memory, which can be full.
 * @returns undefined where this user may not mount one
 */
export async function mountSmallDisk() {
	await removeLeftovers();
	const folder = await mkdtemp(join(tmpdir(), `cluster-disk-${process.pid}-`));
	const { failed } = await execa('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder], {
		reject: false,
	});
	if (failed) {
		await rmdir(folder);
		return undefined;
	}
	const unmount = () => {
		execaSync('umount', ['-l', folder], { reject: false });
		rmdirSync(folder);
	};
	const forget = onExit(unmount);
	const filler = join(folder, 'filler');
	return {
		folder,
		fill: async () => {
			const { bavail, bsize } = await statfs(folder);
			await execa('fallocate', ['--length', String(bavail * bsize - blockBytes), filler]);
			// More than there is room for: it is written as far as it goes.
			const rest = appendFile(filler, Buffer.alloc(2 * blockBytes));
			await rest.catch((error: NodeJS.ErrnoException) => {
				if (error.code !== 'ENOSPC') throw error;
			});
		},
		free: async () => await rm(filler, { force: true }),
		stop: async () => {
			forget();
			unmount();
		},
	};
}
