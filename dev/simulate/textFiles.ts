import type { Randomness } from './randomness.ts';

/** A value that is extracted from one file and no other. */
export const newValue = (random: Randomness) =>
	`N${random.between(0, 2 ** 31)}N${random.between(0, 2 ** 31)}`;

/** What the other columns of the simulated service's main workflow find. */
const OTHER_VALUES = `Invoice number: 1
Invoice date: 2025-01-01
Total: 12.50
Currency: EUR
Your reference: R
Line items
Item\tOf
`;

/** What the table in each file says, line by line, beside its value. */
export const ITEMS = ['First item', 'Second item'];

/**
 * A text file, named after a value that the simulated service extracts from it, with `padding` bytes
 * more.
 */
export function fileWithValue(value: string, padding: number) {
	const lines = ITEMS.map((item) => `${item}\t${value}\n`).join('');
	const content = `Supplier: ${value}\n${OTHER_VALUES}${lines}${'.'.repeat(padding)}`;
	return { value, name: `${value}.txt`, content };
}

/** Names of such files that a text mentions, each once. */
export const fileNamesIn = (text: string): string[] => [
	...new Set(text.match(/N\d+N\d+\.txt/g) ?? []),
];
