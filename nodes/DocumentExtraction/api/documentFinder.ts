import { mapInOrder } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import { levelsOf, valueIn } from './details/fields';
import { documentIdIn } from './details/responses';
import { readDocumentPage } from './documents';

/** The most pages that one look searches for documents that were not seen yet. */
const MOST_PAGES = 5;

/**
 * Finds certain documents in the document list, whose order, length and page size are not shown. It
 * remembers on which page it saw a document, and searches the others page by page from look to look.
 */
export class DocumentFinder {
	private readonly pageOf = new Map<string, number>();

	private next = 1;

	/** @returns the `extraction_status` of those among the wanted documents that it found */
	async find(client: Client, wanted: ReadonlySet<string>): Promise<Map<string, unknown>> {
		const found = new Map<string, unknown>();
		const readPage = async (number: number) => {
			const { documents, pages } = await readDocumentPage(client, number);
			for (const document of documents) {
				const documentId = wantedDocument(client.credential, document, wanted);
				if (documentId === undefined) continue;
				this.pageOf.set(documentId, number);
				found.set(documentId, valueIn(document, 'extraction_status'));
			}
			return pages;
		};
		const known = new Set([...wanted].flatMap((documentId) => this.pageOf.get(documentId) ?? []));
		await mapInOrder([...known], client.maxConcurrency, readPage);
		for (let count = 0; count < MOST_PAGES && found.size < wanted.size; count++) {
			const pages = await readPage(this.next);
			this.next = this.next < pages ? this.next + 1 : 1;
			if (pages === 1) break;
		}
		// Rows shift while documents arrive: what has moved is searched for again.
		for (const documentId of wanted) {
			if (!found.has(documentId)) this.pageOf.delete(documentId);
		}
		return found;
	}
}

/**
 * Which of the wanted documents an entry of the list is: by its own ID, or, where it has none that is
 * known as one, by the only one that it mentions.
 */
export function wantedDocument(
	credential: DocumentExtractionCredential,
	document: object,
	wanted: ReadonlySet<string>,
): string | undefined {
	const named = documentIdIn(credential, document);
	if (named !== undefined) return wanted.has(named) ? named : undefined;
	const values = [...levelsOf(document, DEEPEST_LEVEL)].flat();
	const texts = values.flatMap((value) => (typeof value === 'object' ? [] : [String(value)]));
	const mentioned = new Set(texts.filter((text) => wanted.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}
