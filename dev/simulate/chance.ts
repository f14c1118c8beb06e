import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Randomness } from './randomness.ts';

/**
 * From now on chance in this process is repeatable: `Math.random`, from which the node's pauses come, and
 * `randomUUID`, from which the service's IDs come.
 * @returns how to end it
 */
export function seedChance(random: Randomness): () => void {
	const { random: realRandom } = Math;
	const { randomUUID } = crypto;
	const digits = () =>
		Math.floor(random.next() * 2 ** 32)
			.toString(16)
			.padStart(8, '0');
	Math.random = () => random.next();
	crypto.randomUUID = () => {
		const [one, two, three, four] = [digits(), digits(), digits(), digits()];
		return `${one}-${two.slice(4)}-4${two.slice(5)}-8${three.slice(5)}-${three.slice(4)}${four}` as const;
	};
	syncBuiltinESMExports();
	return () => {
		Math.random = realRandom;
		crypto.randomUUID = randomUUID;
		syncBuiltinESMExports();
	};
}
