import { sha256 } from '../../test/support/files.ts';
import type { SentFile } from '../queue/flow.ts';
import type { Randomness } from '../simulate/randomness.ts';

/** From this size on, in bytes, the flows upload by signed URL. */
export const largeBytes = 40_000;
const mostFiles = 4;

export interface TextFile extends SentFile {
	content: string;
	/** What is extracted from this file and no other. */
	value: string;
	isSigned: boolean;
}

/** The files of one message to a webhook. */
export function newFiles(random: Randomness): TextFile[] {
	return Array.from({ length: random.between(1, mostFiles) }, () => {
		const value = `N${random.between(0, 2 ** 31)}N${random.between(0, 2 ** 31)}`;
		const content = `Supplier: ${value}\n${'.'.repeat(random.between(0, 2 * largeBytes))}`;
		return {
			name: `${value}.txt`,
			type: 'text/plain',
			content,
			sha256: sha256(content),
			value,
			isSigned: content.length >= largeBytes,
		};
	});
}

const name = /N\d+N\d+\.txt/g;

/** Names of files that a text mentions, each once. */
export const fileNamesIn = (text: string): string[] => [...new Set(text.match(name) ?? [])];
