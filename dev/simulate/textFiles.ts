import type { Randomness } from './randomness.ts';

/** A value that is extracted from one file and no other. */
export const newValue = (random: Randomness) =>
	`N${random.between(0, 2 ** 31)}N${random.between(0, 2 ** 31)}`;

/** A text file, named after the value that the simulated service extracts from it, with `padding` bytes more. */
export function fileWithValue(value: string, padding: number) {
	return { value, name: `${value}.txt`, content: `Supplier: ${value}\n${'.'.repeat(padding)}` };
}

/** Names of such files that a text mentions, each once. */
export const fileNamesIn = (text: string): string[] => [
	...new Set(text.match(/N\d+N\d+\.txt/g) ?? []),
];
