import assert from 'node:assert/strict';
import { extractText } from 'unpdf';
import type { Service } from '../../../test/support/service.ts';

/** Of the sample documents. */
const titles = ['Invoice', 'Purchase order', 'Delivery note', 'Rechnung'];

/** Fails unless the PDF has all sample documents in it and is the only one that the service has merged. */
export async function assertMerged(service: Service, collectionId: string, pdf: Uint8Array) {
	const { totalPages, text } = await extractText(pdf, { mergePages: true });
	const lines = text.split('\n');
	for (const title of titles) assert.ok(lines.includes(title), `the PDF lacks ${title}`);
	const { merges } = await service.control.ledger();
	assert.deepEqual(
		merges.map((merge) => [merge.collectionId, merge.pages]),
		[[collectionId, totalPages]],
	);
}
