import { mapInOrder } from '../../http/concurrency';
import { DEEPEST_LEVEL } from '../../http/redact';
import type { Client } from '../client';
import { valueIn } from '../details/fields';
import { documentIdIn } from '../details/responses';
import { readDocumentPage } from '../documents';

/**
 * Finds certain documents in the document list, whose order, length and page size are not shown. It
 * remembers on which page it saw a document, and searches the others page by page from look to look.
 */
export class DocumentFinder {
	private readonly pageOf = new Map<string, number>();

	private searched = 0;

	/** @param mostPages the most pages that one look searches for documents that were not seen yet */
	constructor(private readonly mostPages: number) {}

	/** @returns the `extraction_status` of those among the wanted documents that it found */
	async find(client: Client, wanted: ReadonlySet<string>): Promise<Map<string, unknown>> {
		const found = new Map<string, unknown>();
		const read = new Set<number>();
		let pages = Infinity;
		const readPage = async (number: number) => {
			read.add(number);
			const page = await readDocumentPage(client, number);
			pages = page.pages;
			for (const document of page.documents) {
				const documentId = wantedDocument(client, document, wanted);
				if (documentId === undefined) continue;
				this.pageOf.set(documentId, number);
				found.set(documentId, valueIn(document, 'extraction_status'));
			}
		};
		const known = new Set([...wanted].flatMap((documentId) => this.pageOf.get(documentId) ?? []));
		await mapInOrder([...known], client.maxConcurrency, readPage);
		for (let searched = 0; searched < this.mostPages && found.size < wanted.size; searched++) {
			if (read.size >= pages) break;
			do this.searched = this.searched >= pages ? 1 : this.searched + 1;
			while (read.has(this.searched));
			await readPage(this.searched);
		}
		for (const documentId of wanted) if (!found.has(documentId)) this.lose(documentId);
		return found;
	}

	/** Rows shift while documents arrive: the search goes on where the document was last. */
	private lose(documentId: string) {
		const page = this.pageOf.get(documentId);
		if (page === undefined) return;
		this.pageOf.delete(documentId);
		this.searched = Math.max(0, page - 1);
	}
}

/** Which of the wanted documents an entry of the list is: by its ID, or by the one that it mentions. */
function wantedDocument(
	{ credential }: Client,
	document: object,
	wanted: ReadonlySet<string>,
): string | undefined {
	const named = documentIdIn(credential, document);
	if (named !== undefined && wanted.has(named)) return named;
	const mentioned = new Set(textsIn(document).filter((text) => wanted.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}

function textsIn(value: unknown, depth = 0): string[] {
	if (value === null || typeof value !== 'object') return [String(value)];
	if (depth > DEEPEST_LEVEL) return [];
	return Object.values(value).flatMap((part) => textsIn(part, depth + 1));
}
