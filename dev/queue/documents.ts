import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sha256 } from '../../test/support/files.ts';
import type { SentFile } from './flow.ts';

const sample = await readFile(
	new URL('../../examples/files/invoice-harbour-supplies.pdf', import.meta.url),
);

/** Documents that differ, so that each can be told by its hash; what follows a PDF's end is ignored. */
export const documents = (count: number, fillBytes = 0): SentFile[] =>
	Array.from({ length: count }, () => {
		const id = randomUUID();
		const content = Buffer.concat([sample, Buffer.from(`\n% ${id}\n`), randomBytes(fillBytes)]);
		return { name: `${id}.pdf`, type: 'application/pdf', content, sha256: sha256(content) };
	});
