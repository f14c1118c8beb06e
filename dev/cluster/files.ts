import { sha256 } from '../../test/support/files.ts';
import type { Randomness } from '../simulate/randomness.ts';
import { fileWithValue, newValue } from '../simulate/textFiles.ts';

/** From this size on, in bytes, the flows upload by signed URL. */
export const largeBytes = 40_000;
const mostFiles = 4;

export interface TextFile {
	name: string;
	content: string;
	sha256: string;
	/** What is extracted from this file and no other. */
	value: string;
	isSigned: boolean;
}

/** The files of one message to a webhook. */
export const newFiles = (random: Randomness): TextFile[] =>
	Array.from({ length: random.between(1, mostFiles) }, () => {
		const value = newValue(random);
		const file = fileWithValue(value, random.between(0, 2 * largeBytes));
		return { ...file, sha256: sha256(file.content), isSigned: file.content.length >= largeBytes };
	});
