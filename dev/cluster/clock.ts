import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Worker } from './worker.ts';

/** Debian's libfaketime: what it says reaches all code of a process, as another clock of the machine would. */
export const clockPackage = 'libfaketime';

async function library(): Promise<string> {
	const folders = await readdir('/usr/lib');
	const folder = folders.find((name) => name.endsWith('-linux-gnu'));
	return join('/usr/lib', folder ?? '', 'faketime', 'libfaketimeMT.so.1');
}

const fileIn = (userFolder: string) => join(userFolder, 'clock');

/** Settings for a process whose clock can be set. What measures durations goes on as it is. */
export async function settableClock(userFolder: string): Promise<Record<string, string>> {
	await writeFile(fileIn(userFolder), '+0');
	return {
		LD_PRELOAD: await library(),
		FAKETIME_TIMESTAMP_FILE: fileIn(userFolder),
		FAKETIME_CACHE_DURATION: '1',
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
	};
}

/** @param seconds from now on; negative: the clock is slow */
export async function setClock({ logFile }: Worker, seconds: number) {
	await writeFile(fileIn(dirname(logFile)), `${seconds < 0 ? '' : '+'}${seconds}`);
}
