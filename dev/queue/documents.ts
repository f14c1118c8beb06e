import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface SentDocument {
	fileName: string;
	bytes: Buffer;
	sha256: string;
}

const sample = await readFile(
	new URL('../../examples/files/invoice-harbour-supplies.pdf', import.meta.url),
);

/** Documents that differ, so that each can be told by its hash; what follows a PDF's end is ignored. */
export const documents = (count: number, fillBytes = 0): SentDocument[] =>
	Array.from({ length: count }, () => {
		const id = randomUUID();
		const bytes = Buffer.concat([sample, Buffer.from(`\n% ${id}\n`), randomBytes(fillBytes)]);
		return {
			fileName: `${id}.pdf`,
			bytes,
			sha256: createHash('sha256').update(bytes).digest('hex'),
		};
	});
