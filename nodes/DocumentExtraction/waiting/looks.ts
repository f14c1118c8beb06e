/** Looks at many documents with few requests: lists are read by pages, whose order and size are not shown. */
import { DOCUMENT_ID, documentIdIn, idIn, isObject, levelsOf, namesAnId } from '../account/fields';
import { mapInOrder, settled, type Outcome } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import { CallError, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import type { ListPage } from '../service/documents';
import { readResultPage, readResults } from '../service/extractions';
import { printOf } from '../service/pages';

/** The most pages that one look searches for documents that have not been found yet. */
const MOST_FURTHER = 5;

/** What a list shows of the documents that are wanted. */
interface Found {
	/** The entries of each. */
	entriesOf: Map<string, unknown[]>;
	/** Whether nothing can stand elsewhere: all pages were read while none moved, and entries name documents. */
	isAll: boolean;
}

/**
 * Finds what a list has of certain documents. It remembers on which pages they were, looks at both ends
 * of the list for the others, and each time at some further pages.
 */
export class PagedList {
	private readonly pagesOf = new Map<string, Set<number>>();
	private last = 1;
	/** The most rows that a page had: the last page has fewer, and `pages` may be wrong. */
	private pageSize = 1;
	private next = 2;

	/** @param isOneEach whether no document has several entries, so that none goes on on another page */
	constructor(
		private readonly read: (client: Client, page: number) => Promise<ListPage<unknown>>,
		private readonly isOneEach: boolean,
	) {}

	async find(client: Client, wanted: ReadonlySet<string>): Promise<Found> {
		const { listIdField } = client.account;
		const pages = new Map<number, ListPage<unknown> & { ids: Array<string | undefined> }>();
		const missing = new Set(wanted);
		/** @returns how many of them had not been read yet */
		const readPages = async (numbers: number[]): Promise<number> => {
			const unread = [...new Set(numbers)].filter(
				(number) => number >= 1 && number <= this.last && !pages.has(number),
			);
			await mapInOrder(unread, client.maxConcurrency, async (number) => {
				const page = await this.read(client, number);
				const ids = page.entries.map((entry) => wantedIdOf(entry, listIdField, wanted));
				pages.set(number, { ...page, ids });
				for (const id of ids) if (id !== undefined) missing.delete(id);
				this.pageSize = Math.max(this.pageSize, page.rows);
			});
			// The page that was read last tells how long the list is now.
			const total = pages.get(Math.max(...unread))?.total;
			if (total !== undefined) this.last = Math.max(1, Math.ceil(total / this.pageSize));
			if (pages.get(this.last)?.isFull) this.last++;
			return unread.length;
		};
		/** Beside pages that begin or end with a wanted document, which may go on there. */
		const readBeside = async () =>
			await readPages(
				[...pages].flatMap(([number, { ids }]) => [
					...(ids.at(0) === undefined ? [] : [number - 1]),
					...(ids.at(-1) === undefined ? [] : [number + 1]),
				]),
			);
		await readPages([...wanted].flatMap((id) => [...(this.pagesOf.get(id) ?? [1, this.last])]));
		// Further results of a document may stand at the end of the list.
		if (missing.size > 0 || !this.isOneEach) await readPages([1, this.last]);
		while (!this.isOneEach && (await readBeside()) > 0);
		for (let count = 0; count < MOST_FURTHER && missing.size > 0 && pages.size < this.last; ) {
			count += await readPages([this.next]);
			this.next = this.next < this.last ? this.next + 1 : 1;
		}
		const entriesOf: Found['entriesOf'] = new Map();
		// A document that has left its page is searched for again.
		for (const id of wanted) this.pagesOf.delete(id);
		for (const [number, { entries, ids }] of [...pages].sort(([a], [b]) => a - b)) {
			for (const [index, id] of ids.entries()) {
				if (id === undefined) continue;
				entriesOf.set(id, [...(entriesOf.get(id) ?? []), entries[index]]);
				this.pagesOf.set(id, (this.pagesOf.get(id) ?? new Set()).add(number));
			}
		}
		const shown = [...pages.values()].filter(({ entries }) => entries.length > 0);
		const hasMoved = new Set(shown.map(({ total }) => total)).size > 1;
		if (!this.isOneEach) {
			// Of what stands at the edge of a page, something may have moved and be missing.
			const edges = hasMoved ? shown.flatMap(({ ids }) => [ids.at(0), ids.at(-1)]) : [];
			for (const id of edges) entriesOf.delete(id ?? '');
			// Whoever ignores `page` gives one page again and again.
			if (new Set(shown.map(({ entries }) => printOf(entries))).size < shown.length)
				throw new CallError({ kind: 'list without pages' });
		}
		const areNamed = shown.every(({ entries }) =>
			entries.some((entry) => documentIdIn(entry, listIdField) !== undefined),
		);
		return { entriesOf, isAll: pages.size >= this.last && !hasMoved && areNamed };
	}
}

/**
 * Which of the wanted documents an entry of a list is about: by its ID, or, if that is not where it is
 * known to be, by the wanted ID that is nearest to the top.
 * @param idField the API Detail 'Document ID Field'
 */
function wantedIdOf(
	entry: unknown,
	idField: string,
	wanted: ReadonlySet<string>,
): string | undefined {
	const named = documentIdIn(entry, idField);
	if (named !== undefined && wanted.has(named)) return named;
	const other = idIn(entry, DOCUMENT_ID);
	if (other !== undefined) return wanted.has(other) ? other : undefined;
	const fields = [...levelsOf(entry, DEEPEST_LEVEL)]
		.flat()
		.filter(isObject)
		.flatMap(Object.entries);
	const [, id] = fields.find(([name, value]) => namesAnId(name) && wanted.has(String(value))) ?? [];
	return id === undefined ? undefined : String(id);
}

/** As many documents are read one by one. */
const FEW = 3;
/** So many that no page shows are read one by one in each look. */
const MOST_SINGLY = 10;

/** Reads the results of documents, a few by `document_id`, and many by pages. */
export class ResultsReader {
	private readonly list = new PagedList(async (client, number) => {
		const { items, total, limit } = await readResultPage(client, number);
		return { entries: items, rows: items.length, total, isFull: items.length >= limit };
	}, false);

	/**
	 * @param due the IDs of those to look at, the most urgent first
	 * @param all these and others, which pages may show as well
	 * @param isOver whether the sign tells that an extraction is over, so that there should be results
	 * @returns the results of each one that was looked at, or why they could not be read
	 * @throws CallError where pages cannot be read for a reason that passes
	 */
	async look(client: Client, due: string[], all: Set<string>, isOver: (id: string) => boolean) {
		const outcomes = new Map<string, Outcome<unknown[]>>();
		let singly = due;
		if (due.length > FEW) {
			const { error, value: found } = await settled(this.list.find(client, all));
			client.stop?.throwIfAborted();
			if (error && mayPass(error)) throw error;
			for (const [id, value] of found?.entriesOf ?? []) outcomes.set(id, { value });
			const unshown = due.filter((id) => !outcomes.has(id));
			if (found?.isAll) for (const id of unshown) outcomes.set(id, { value: [] });
			singly = unshown.filter((id) => !found?.isAll || isOver(id)).slice(0, MOST_SINGLY);
		}
		await mapInOrder(singly, client.maxConcurrency, async (documentId) => {
			outcomes.set(documentId, await settled(readResults(client, { documentId })));
			client.stop?.throwIfAborted();
		});
		return outcomes;
	}
}
