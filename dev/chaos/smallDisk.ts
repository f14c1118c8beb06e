import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { onExit } from 'signal-exit';
import { execaSync } from 'execa';
import { temporaryFolder } from '../machine/temporaryFolder.ts';

const size = '256m';
const blockBytes = 1_000_000;

/** A disk that can be full. */
export interface SmallDisk {
	folder: string;
	fill(): Promise<void>;
	free(): Promise<void>;
	stop(): Promise<void>;
}

/**
 * A disk in memory.
 * @returns undefined where this user may not mount one
 */
export async function mountSmallDisk(): Promise<SmallDisk | undefined> {
	const folder = join(await temporaryFolder('chaos-disk'), 'files');
	await mkdir(folder);
	const { failed } = await execa('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder], {
		reject: false,
	});
	if (failed) return undefined;
	const forget = onExit(() => void execaSync('umount', ['-l', folder], { reject: false }));
	const filler = join(folder, 'filler');
	return {
		folder,
		fill: async () => {
			const { bavail, bsize } = await statfs(folder);
			// More than there is room for: the last block is written as far as it goes.
			const blocks = Math.ceil((bavail * bsize) / blockBytes) + 1;
			const write = async () => await writeFile(filler, Buffer.alloc(blocks * blockBytes));
			await write().catch((error: NodeJS.ErrnoException) => {
				if (error.code !== 'ENOSPC') throw error;
			});
		},
		free: async () => await rm(filler, { force: true }),
		stop: async () => {
			forget();
			await execa('umount', ['-l', folder], { reject: false });
		},
	};
}
