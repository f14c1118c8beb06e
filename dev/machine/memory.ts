import { readFile, writeFile } from 'node:fs/promises';

/** Resident memory of a process in bytes, as Linux counts it. */
export interface Memory {
	current(): Promise<number>;
	/** The highest since the start or the last reset. */
	peak(): Promise<number>;
	resetPeak(): Promise<void>;
}

async function statusField(pid: number, field: 'VmRSS' | 'VmHWM') {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
	if (!kilobytes) throw new Error(`Process ${pid} shows no ${field}.`);
	return Number(kilobytes) * 1024;
}

export const memoryOf = (pid: number): Memory => ({
	current: async () => await statusField(pid, 'VmRSS'),
	peak: async () => await statusField(pid, 'VmHWM'),
	resetPeak: async () => await writeFile(`/proc/${pid}/clear_refs`, '5'),
});
