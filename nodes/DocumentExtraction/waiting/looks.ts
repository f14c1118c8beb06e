/** Looks at many documents with few requests: lists are read by pages, whose order and size are not shown. */
import { DOCUMENT_ID, documentIdIn, idIn, levelsOf, namesAnId } from '../account/fields';
import { mapInOrder, settled, type Outcome } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import { CallError, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { readDocumentPage, type ListPage } from '../service/documents';
import { readResultPage, readResultsOf } from '../service/extractions';

/** The most pages that one look searches for documents that have not been found yet. */
const MOST_FURTHER = 5;

/** What a list shows of the documents that are wanted. */
interface Found {
	/** The entries of each, with the pages that they stand on. */
	placesOf: Map<string, Array<{ entry: unknown; page: number; isAtEdge: boolean }>>;
	/** Whether all pages were read. */
	isAll: boolean;
	/** Whether entries came or went meanwhile, so that some may have moved to another page. */
	hasMoved: boolean;
	/** Whether there are entries, and none of them names a document. */
	namesNone: boolean;
	requests: number;
}

/**
 * Finds what a list has of certain documents. It remembers on which pages they were, looks at both ends
 * of the list for the others, and each time at some further pages.
 */
class PagedList {
	private readonly pagesOf = new Map<string, number[]>();
	private last = 1;
	/** The most rows that a page had: the last page has fewer, and `pages` may be wrong. */
	private pageSize = 1;
	private next = 2;

	/** @param isOneEach whether no document has several entries, so that none goes on on another page */
	constructor(
		private readonly read: (client: Client, page: number) => Promise<ListPage<unknown>>,
		private readonly isOneEach = false,
	) {}

	async find(client: Client, wanted: ReadonlySet<string>): Promise<Found> {
		const pages = new Map<number, ListPage<unknown>>();
		const placesOf: Found['placesOf'] = new Map();
		const idOf = (entry: unknown) => wantedIdOf(entry, client.account.listIdField, wanted);
		/** @returns the pages beside those that begin or end with a wanted document, which may go on there */
		const readPages = async (numbers: number[]): Promise<number[]> => {
			const unread = [...new Set(numbers)].filter(
				(number) => number >= 1 && number <= this.last && !pages.has(number),
			);
			const beside = await mapInOrder(unread, client.maxConcurrency, async (number) => {
				const page = await this.read(client, number);
				pages.set(number, page);
				this.pageSize = Math.max(this.pageSize, page.rows);
				const ids = page.entries.map(idOf);
				for (const [index, id] of ids.entries()) {
					if (id === undefined) continue;
					const places = placesOf.get(id) ?? [];
					const isAtEdge = index === 0 || index === ids.length - 1;
					places.push({ entry: page.entries[index], page: number, isAtEdge });
					placesOf.set(id, places);
				}
				const begins = ids.at(0) === undefined ? [] : [number - 1];
				return ids.at(-1) === undefined ? begins : [...begins, number + 1];
			});
			// The page that was read last tells how long the list is now.
			const total = pages.get(Math.max(...unread))?.total;
			if (total !== undefined) this.last = Math.max(1, Math.ceil(total / this.pageSize));
			if (pages.get(this.last)?.isFull) this.last++;
			return beside.flat();
		};
		const known = [...wanted].map((id) => this.pagesOf.get(id));
		const ends = known.includes(undefined) ? [1, this.last] : [];
		let beside = await readPages([...ends, ...known.flatMap((numbers) => numbers ?? [])]);
		const isSearching = () => placesOf.size < wanted.size;
		if (isSearching()) beside.push(...(await readPages([1])), ...(await readPages([this.last])));
		const goesOn = () => beside.length > 0 && (isSearching() || !this.isOneEach);
		while (goesOn()) beside = await readPages(beside);
		for (let count = 0; count < MOST_FURTHER && isSearching() && pages.size < this.last; ) {
			if (!pages.has(this.next)) count++;
			await readPages([this.next]);
			this.next = this.next < this.last ? this.next + 1 : 1;
		}
		// A document that has left its page is searched for again.
		for (const id of wanted) {
			const places = placesOf.get(id)?.sort((a, b) => a.page - b.page);
			if (places) this.pagesOf.set(id, [...new Set(places.map(({ page }) => page))]);
			else this.pagesOf.delete(id);
		}
		const all = [...pages.values()].filter(({ entries }) => entries.length > 0);
		const { listIdField } = client.account;
		const named = all.map(({ entries }) =>
			entries.map((entry) => documentIdIn(entry, listIdField)),
		);
		const isNamed = named.flat().some((id) => id !== undefined);
		// Whoever ignores `page` gives one page again and again.
		const isRepeated = new Set(named.map(String)).size < named.length;
		if (isNamed && isRepeated && !this.isOneEach)
			throw new CallError({ kind: 'list without pages' });
		return {
			placesOf,
			isAll: pages.size >= this.last,
			hasMoved: new Set(all.map(({ total }) => total)).size > 1,
			namesNone: all.length > 0 && !isNamed && placesOf.size === 0,
			requests: pages.size,
		};
	}
}

/**
 * Which of the wanted documents an entry of a list is about: by its ID, or, if the ID is not where it is
 * known to be, by the one wanted ID among its values.
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
	const values = [...levelsOf(entry, DEEPEST_LEVEL)].flat();
	const texts = values.flatMap((value) => (typeof value === 'object' ? [] : [String(value)]));
	const mentioned = new Set(texts.filter((text) => wanted.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}

const hasAtTop = (entry: object, id: string) =>
	Object.entries(entry).some(([name, value]) => namesAnId(name) && String(value) === id);

/** Finds documents in the document list. */
export class DocumentFinder {
	private readonly list = new PagedList(readDocumentPage, true);

	/** @returns the entry of each wanted document that was found, and how many requests that took */
	async find(client: Client, wanted: ReadonlySet<string>) {
		const { placesOf, requests } = await this.list.find(client, wanted);
		const entries = [...placesOf].map(([id, places]): [string, object] => {
			const all = places.map(({ entry }) => entry as object);
			// Another document may mention it.
			const own = all.find((entry) => hasAtTop(entry, id));
			return [id, own ?? all[0]];
		});
		return { entries: new Map(entries), requests };
	}
}

/** So many failures in a row that no later look can mend are no passing ones (interface.md §7). */
export const SUSTAINED_FAILURES = 3;
/** As many documents are read one by one. */
const FEW = 3;
/** So many that no page shows are read one by one in each look, beside those that are over. */
const MOST_SINGLY = 10;

/** What a look at results is about, by the IDs of documents. */
interface Wanted {
	/** Those to look at, the most urgent first. */
	due: string[];
	/** These and others, which pages may show as well. */
	all: ReadonlySet<string>;
	/** Whether the sign tells that an extraction is over, so that there should be results. */
	isOver: (id: string) => boolean;
	/** Is given the results of each one that was looked at, or why they could not be read. */
	onRead: (id: string, outcome: Outcome<unknown[]>) => void;
}

/** Reads the results of documents, a few by `document_id`, and many by pages. */
export class ResultsReader {
	private readonly list = new PagedList(async (client, number) => {
		const { items, total, limit } = await readResultPage(client, number);
		return { entries: items, rows: items.length, total, isFull: items.length >= limit };
	});
	/** Where pages cannot be read, or do not show what `document_id` finds. */
	private areAllSingle = false;
	/** How often in a row pages could not be read for a reason that does not pass by itself. */
	private failures = 0;
	private readonly foundSingly = new Set<string>();

	/** @returns how many requests that took */
	async look(client: Client, wanted: Wanted): Promise<number> {
		const isByPage = wanted.due.length > FEW && !this.areAllSingle;
		const { left, requests } = isByPage
			? await this.lookAtPages(client, wanted)
			: { left: wanted.due, requests: 0 };
		await mapInOrder(left, client.maxConcurrency, async (id) => {
			const outcome = await settled(readResultsOf(client, id));
			client.stop?.throwIfAborted();
			if (isByPage && !outcome.error && outcome.value.length > 0) this.foundSingly.add(id);
			wanted.onRead(id, outcome);
		});
		return requests + left.length;
	}

	/** @returns also the documents that are left to be read one by one */
	private async lookAtPages(client: Client, { due, all, isOver, onRead }: Wanted) {
		const { error, value: found } = await settled(this.list.find(client, all));
		client.stop?.throwIfAborted();
		this.failures = error && !mayPass(error) ? this.failures + 1 : 0;
		this.areAllSingle = this.failures >= SUSTAINED_FAILURES || found?.namesNone === true;
		if (error) throw error;
		const { placesOf, hasMoved, requests } = found;
		const isAll = found.isAll && !hasMoved;
		const unshown = new Set(due);
		for (const [id, places] of placesOf) {
			// Of what stands at the edge of a page, something may have moved and be missing.
			if (hasMoved && places.some(({ isAtEdge }) => isAtEdge)) continue;
			this.foundSingly.delete(id);
			unshown.delete(id);
			onRead(id, { value: places.map(({ entry }) => entry) });
		}
		this.areAllSingle ||= isAll && [...this.foundSingly].some((id) => all.has(id));
		if (this.areAllSingle) return { left: [...unshown], requests };
		const over = [...unshown].filter(isOver);
		const queued = [...unshown].filter((id) => !isOver(id));
		const some = queued.slice(0, isAll ? 1 : MOST_SINGLY);
		if (isAll) for (const id of queued.slice(1)) onRead(id, { value: [] });
		return { left: [...over, ...some], requests };
	}
}
