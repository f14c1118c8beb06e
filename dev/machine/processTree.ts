import { readdir, readFile } from 'node:fs/promises';
import { memoryOf } from './memory.ts';

interface Usage {
	/** Of all processors, since the start, those included that have ended. */
	cpuSeconds: number;
	/** Each process at its highest. */
	peakBytes: number;
}

interface ProcessStatus {
	pid: number;
	parent: number;
	cpuTicks: number;
}

const ticksPerSecond = 100;

/** A process may end while it is looked at. */
async function statusOf(pid: string): Promise<ProcessStatus[]> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	// The name of the program, in parentheses, may hold blanks.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	if (fields.length < 15) return [];
	const [user, system, childrensUser, childrensSystem] = fields.slice(11, 15).map(Number);
	return [
		{
			pid: Number(pid),
			parent: Number(fields[1]),
			cpuTicks: user + system + childrensUser + childrensSystem,
		},
	];
}

function treeOf(root: number, all: ProcessStatus[]): ProcessStatus[] {
	const children = all.filter(({ parent }) => parent === root);
	return [
		...all.filter(({ pid }) => pid === root),
		...children.flatMap(({ pid }) => treeOf(pid, all)),
	];
}

/** What a process and all that it has started use of the machine, as Linux counts it. */
export async function usageOf(root: number): Promise<Usage> {
	const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
	const tree = treeOf(root, (await Promise.all(pids.map(statusOf))).flat());
	// A process that has just ended holds no memory.
	const peaks = await Promise.all(
		tree.map(({ pid }) =>
			memoryOf(pid)
				.peak()
				.catch(() => 0),
		),
	);
	return {
		cpuSeconds: tree.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) / ticksPerSecond,
		peakBytes: peaks.reduce((sum, bytes) => sum + bytes, 0),
	};
}
