import { setTimeout as sleep } from 'node:timers/promises';
import { Randomness } from '../simulate/randomness.ts';
import type { Disaster } from './disasters.ts';
import type { Stage } from './stage.ts';

export interface Struck {
	name: string;
	what: string;
	/** Since the beginning of the chaos. */
	fromSecond: number;
	toSecond: number;
}

const pause = { leastMs: 1_000, mostMs: 5_000 };

function shuffled<T>(all: readonly T[], random: Randomness): T[] {
	const rest = [...all];
	return all.map(() => rest.splice(random.between(0, rest.length - 1), 1)[0]);
}

/**
 * One disaster after the other, each kind once before one comes again, until the time is over and
 * each kind was there. Order and choices depend on the seed alone, however long each one takes.
 */
export async function runLane(
	disasters: Disaster[],
	stage: Stage,
	{ random, endsAt }: { random: Randomness; endsAt: number },
	onStruck: (struck: Struck) => Promise<void>,
) {
	const startedAt = Date.now();
	const secondsNow = () => Math.round((Date.now() - startedAt) / 1000);
	for (let round = 1; ; round++) {
		for (const { name, strike } of shuffled(disasters, random)) {
			const own = new Randomness(random.between(0, 2 ** 31));
			await sleep(own.between(pause.leastMs, pause.mostMs));
			if (Date.now() > endsAt && round > 1) return;
			const fromSecond = secondsNow();
			const what = await strike(stage, own);
			await onStruck({ name, what, fromSecond, toSecond: secondsNow() });
		}
	}
}
