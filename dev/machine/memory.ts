import { readFile, writeFile } from 'node:fs/promises';

async function statusField(pid: number, field: 'VmRSS' | 'VmHWM') {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
	if (!kilobytes) throw new Error(`Process ${pid} shows no ${field}.`);
	return Number(kilobytes) * 1024;
}

/** Resident memory of a process in bytes, as Linux counts it. */
export const memoryOf = (pid: number) => ({
	current: async () => await statusField(pid, 'VmRSS'),
	/** The highest since the start or the last reset. */
	peak: async () => await statusField(pid, 'VmHWM'),
	resetPeak: async () => await writeFile(`/proc/${pid}/clear_refs`, '5'),
});
