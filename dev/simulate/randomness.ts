import crypto, { type UUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { uuid } from '../service/profiles/schemas.ts';

/** Random choices that a seed repeats. */
export class Randomness {
	private state: number;

	constructor(seed: number) {
		this.state = seed >>> 0;
	}

	/** Between 0 and 1, by the generator mulberry32. */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = this.state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	between(least: number, most: number): number {
		return least + Math.floor(this.next() * (most - least + 1));
	}

	pick<T>(choices: readonly T[]): T {
		return choices[this.between(0, choices.length - 1)];
	}
}

/**
 * From now on chance in this process is repeatable: `Math.random`, from which the node's pauses come, and
 * `randomUUID`, from which the service's IDs come.
 * @returns how to end it
 */
export function seedChance(random: Randomness): () => void {
	const { random: realRandom } = Math;
	const { randomUUID } = crypto;
	const digits = () =>
		random
			.between(0, 2 ** 32 - 1)
			.toString(16)
			.padStart(8, '0');
	Math.random = () => random.next();
	crypto.randomUUID = () => uuid([digits(), digits(), digits(), digits()].join('')) as UUID;
	syncBuiltinESMExports();
	return () => {
		Math.random = realRandom;
		crypto.randomUUID = randomUUID;
		syncBuiltinESMExports();
	};
}
