import type { Randomness } from './randomness.ts';

/** A value that is extracted from one file and no other. */
export const newValue = (random: Randomness) =>
	`N${random.between(0, 2 ** 31)}N${random.between(0, 2 ** 31)}`;

/** A file from which the simulated service extracts a value, named after it, and `padding` bytes longer than it must be. */
export function textFile(value: string, padding: number) {
	return { value, name: `${value}.txt`, content: `Supplier: ${value}\n${'.'.repeat(padding)}` };
}

/** Names of such files that a text mentions, each once. */
export const fileNamesIn = (text: string): string[] => [
	...new Set(text.match(/N\d+N\d+\.txt/g) ?? []),
];
