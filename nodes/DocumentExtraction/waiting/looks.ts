/** Looks at many documents with few requests: lists are read by pages, whose order and size are not shown. */
import { ifReady } from '../account/account';
import {
	DOCUMENT_ID,
	documentIdIn,
	idIn,
	isObject,
	isOuter,
	levelsOf,
	namesAnId,
} from '../account/fields';
import { mapInOrder } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import { rowsReader, type ColumnValue } from '../rows/rows';
import type { Client } from '../service/client';
import type { ListPage } from '../service/documents';
import { printOf } from '../service/pages';

/** A time as a number, such as when a result was read: it may be another with each look. */
const CLOCK = /\b1[6-9]\d{8}(?:\d{3})?\b/g;

/** What results show of a document's values so far, where their form may be unknown (interface.md §2). */
export interface Shown {
	/** Whether there is no result at all. */
	areNone: boolean;
	/** The same for the same values, in whatever order. */
	print: string;
	/** The columns that have a value; one without a name where it is not known how to read results. */
	columns: ReadonlySet<string>;
	/** Whether a value is empty: it is not there yet. */
	hasEmpty: boolean;
}

/** Results that hold nothing at the place that the credential names show no values. */
export function shownBy({ account }: Client, results: unknown[]): Shown {
	const rows = ifReady(account.details.rows);
	const all = rows ? rowsReader(rows, results).readable(results) : scalarsIn(results);
	const values = all.filter(({ value }) => value !== null && value !== undefined && value !== '');
	return {
		areNone: results.length === 0,
		print: [results.length > 0, ...all.map((one) => printOf(one).replace(CLOCK, '')).sort()].join(),
		columns: new Set(values.map(({ column }) => column)),
		hasEmpty: values.length < all.length,
	};
}

const scalarsIn = (results: unknown[]): ColumnValue[] =>
	[...levelsOf<unknown>(results)]
		.flat()
		.filter((value) => !isOuter(value))
		.map((value) => ({ column: '', value }));

/** The most pages that one look searches for documents that were not where they were before. */
const MOST_SEARCHED = 7;

/** A document that an entry of a list is about. */
interface About {
	id: string;
	/** How far from the top of the entry its ID stands; 0 where the ID is where it is known to be. */
	depth: number;
}

/** A page with what each of its entries is about, if that is wanted. */
interface SearchedPage extends ListPage<unknown> {
	about: Array<About | undefined>;
}

/**
 * Finds what a list has of certain documents. It remembers on which pages they were, and looks for the
 * others at both ends of the list, and each time at some further pages.
 */
export class PagedList {
	/** What stood on the pages that were read last. */
	private latest: Array<[page: number, about: SearchedPage['about']]> = [];
	private last = 1;
	/** The most rows that a page had: the last page has fewer, and `pages` may be wrong. */
	private pageSize = 1;
	/** The page that was searched last. */
	private searched = 1;

	/** @param isOneEach whether no document has several entries, so that none goes on on another page */
	constructor(
		private readonly read: (client: Client, page: number) => Promise<ListPage<unknown>>,
		private readonly isOneEach: boolean,
	) {}

	/** @returns the entries of each, and whether entries name their documents at all */
	async find(client: Client, wanted: ReadonlySet<string>) {
		const { listIdField } = client.account;
		const pages = new Map<number, SearchedPage>();
		const missing = new Set(wanted);
		const unreadOf = (numbers: number[]) =>
			[...new Set(numbers)].filter((page) => page >= 1 && page <= this.last && !pages.has(page));
		const known = this.latest.filter(([, about]) => about.some((one) => wanted.has(one?.id ?? '')));
		let unread = unreadOf(known.map(([number]) => number));
		let left = MOST_SEARCHED;
		do {
			await mapInOrder(unread, client.maxConcurrency, async (number) => {
				const { entries, page } = await this.read(client, number);
				const about = entries.map((entry) => aboutWhich(entry, listIdField, wanted));
				pages.set(number, { entries, page, about });
				for (const one of about) missing.delete(one?.id ?? '');
				this.pageSize = Math.max(this.pageSize, page.items.length);
			});
			// The page that was read last tells how long the list is now; it may count only its own rows.
			const total = pages.get(Math.max(...unread))?.page.total;
			if (total !== undefined) this.last = Math.max(1, Math.ceil(total / this.pageSize));
			const end = Math.max(1, ...pages.keys());
			const { items = [], limit = 1 } = pages.get(end)?.page ?? {};
			// Whoever ignores `page` gives one page again and again.
			if (items.length >= limit && printOf(items) !== printOf(pages.get(end - 1)?.page.items))
				this.last = Math.max(this.last, end + 1);
			// What is about a document at the edge of a page may go on beside it, or at the end of the list.
			const beside = [...pages].flatMap(([number, { about }]) => [
				...(about.at(0) ? [number - 1] : []),
				...(about.at(-1) ? [number + 1] : []),
			]);
			unread = unreadOf(this.isOneEach ? [] : [...beside, 1, this.last]);
			if (unread.length === 0 && missing.size > 0) {
				const further = Array.from({ length: this.last }, (_, index) => this.searched + index);
				const order = [1, this.last, ...further.map((number) => (number % this.last) + 1)];
				unread = unreadOf(order).slice(0, left);
				left -= unread.length;
				this.searched = unread.at(-1) ?? this.searched;
			}
		} while (unread.length > 0);
		this.latest = [...pages].map(([number, { about }]) => [number, about]);
		const shown = [...pages]
			.sort(([a], [b]) => a - b)
			.flatMap(([, page]) => (page.entries.length > 0 ? [page] : []));
		const prints = shown.map(({ entries }) => printOf(entries));
		const different = shown.filter((_, index) => prints.indexOf(prints[index]) === index);
		const entriesOf = entriesIn(different);
		const hasMoved = new Set(shown.map(({ page }) => page.total)).size > 1;
		// Of what stands at the edge of a page, something may have moved and be missing.
		const edges = hasMoved ? shown.flatMap(({ about }) => [about.at(0), about.at(-1)]) : [];
		for (const edge of edges) entriesOf.delete(edge?.id ?? '');
		const areNamed = shown.every(({ entries }) =>
			entries.some((entry) => documentIdIn(entry, listIdField) !== undefined),
		);
		return { entriesOf, areNamed };
	}
}

/**
 * Which of the wanted documents an entry of a list is about: by its ID, or, if that is not where it is
 * known to be, by the wanted ID that is nearest to the top.
 * @param idField the API Detail 'Document ID Field'
 */
function aboutWhich(
	entry: unknown,
	idField: string,
	wanted: ReadonlySet<string>,
): About | undefined {
	const named = documentIdIn(entry, idField);
	if (named !== undefined && wanted.has(named)) return { id: named, depth: 0 };
	const other = idIn(entry, DOCUMENT_ID);
	if (other !== undefined) return wanted.has(other) ? { id: other, depth: 0 } : undefined;
	for (const [depth, level] of [...levelsOf(entry, DEEPEST_LEVEL)].entries()) {
		const ids = level
			.filter(isObject)
			.flatMap(Object.entries)
			.filter(([name, value]) => namesAnId(name) && wanted.has(String(value)));
		const [, id] = ids.find(([name]) => name === 'id') ?? ids[0] ?? [];
		if (id !== undefined) return { id: String(id), depth: depth + 1 };
	}
	return undefined;
}

/** The entries about each document; one that has its ID further down than another only mentions it. */
function entriesIn(pages: SearchedPage[]): Map<string, unknown[]> {
	const all = pages.flatMap(({ entries, about }) =>
		about.flatMap((one, index) => (one ? [{ ...one, entry: entries[index] }] : [])),
	);
	const nearest = new Map<string, number>();
	for (const { id, depth } of all) nearest.set(id, Math.min(depth, nearest.get(id) ?? depth));
	const entriesOf: Map<string, unknown[]> = new Map([...nearest.keys()].map((id) => [id, []]));
	for (const { id, depth, entry } of all)
		if (depth === nearest.get(id)) entriesOf.get(id)?.push(entry);
	return entriesOf;
}
