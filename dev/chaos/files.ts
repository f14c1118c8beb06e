import { sha256 } from '../../test/support/files.ts';
import type { SentFile } from '../queue/flow.ts';
import type { Randomness } from '../simulate/randomness.ts';
import { fileWithValue, newValue } from '../simulate/textFiles.ts';

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
		const file = fileWithValue(newValue(random), random.between(0, 2 * largeBytes));
		return {
			...file,
			type: 'text/plain',
			sha256: sha256(file.content),
			isSigned: file.content.length >= largeBytes,
		};
	});
}
