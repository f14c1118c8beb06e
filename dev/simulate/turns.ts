import { scenariosOf } from './operations.ts';
import { Randomness } from './randomness.ts';
import { Operation, type Round } from './round.ts';

type Run = (operation: number, work: () => Promise<void>) => Promise<void>;

/**
 * Runs operations, some of them at the same time, as in an n8n that has several workflows. Each has
 * random choices of its own, which depend on no other one's pace.
 * @param run runs the work of one
 * @returns `unfinished`: the numbers of those that have begun and not ended
 */
export function takeTurns(
	round: Round,
	random: Randomness,
	{
		operations,
		lanes,
		run = async (_, work) => await work(),
	}: { operations: number; lanes: number; run?: Run },
) {
	const randoms = Array.from(
		{ length: operations },
		() => new Randomness(random.between(0, 2 ** 31)),
	);
	const numbers = randoms.keys();
	const unfinished = new Set<number>();
	const lane = async () => {
		for (const number of numbers) {
			const own = randoms[number];
			unfinished.add(number);
			await run(number, async () => {
				await own.pick(scenariosOf(round, number))(new Operation(round, number, own));
			});
			unfinished.delete(number);
		}
	};
	const done = Promise.all(Array.from({ length: lanes }, lane));
	return { done, unfinished };
}
