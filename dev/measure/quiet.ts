import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The share of all processors that is in use while the benchmark itself does nothing. */
const quietShare = 0.08;
const sampleMs = 1_000;
const ticksPerSecond = 100;

async function busySeconds(): Promise<number> {
	const [line] = (await readFile('/proc/stat', 'utf8')).split('\n');
	const [user, nice, system, , , irq, softirq] = line.split(/\s+/).slice(1).map(Number);
	return (user + nice + system + irq + softirq) / ticksPerSecond;
}

async function shareInUse(): Promise<number> {
	const [before, startedAt] = [await busySeconds(), performance.now()];
	await sleep(sampleMs);
	const seconds = (performance.now() - startedAt) / 1000;
	return ((await busySeconds()) - before) / seconds / cpus().length;
}

/**
 * Waits, at most for the given time, until other programs leave the machine alone.
 * @returns what they still use, as a share of all processors
 */
export async function untilQuiet(patienceMs: number): Promise<number> {
	const giveUpAt = Date.now() + patienceMs;
	for (;;) {
		const share = await shareInUse();
		if (share <= quietShare || Date.now() > giveUpAt) return share;
	}
}
