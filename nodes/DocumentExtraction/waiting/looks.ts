/** Looks at many documents with few requests: lists are read by pages, whose order and size are not shown. */
import { ifReady } from '../account/account';
import { DOCUMENT_ID, documentIdIn, idIn, isObject, levelsOf, namesAnId } from '../account/fields';
import { mapInOrder } from '../http/concurrency';
import { DEEPEST_LEVEL } from '../http/redact';
import { rowsReader, type ColumnValue } from '../rows/rows';
import type { Client } from '../service/client';
import type { ListPage } from '../service/documents';
import { printOf } from '../service/pages';

/** A time as a number, such as when a result was read: it may be another with each look. */
const CLOCK = /\b1[6-9]\d{8}(?:\d{3})?\b/g;

/** What results show of a document's values so far, where their form may be unknown (interface.md §2). */
export interface Reading {
	/** Whether there is no result at all. */
	areNone: boolean;
	/** The same for the same values, in whatever order. */
	print: string;
	/** The columns that have a value; one without a name where it is not known how to read results. */
	columns: ReadonlySet<string>;
	/** Whether a value is empty: it is not there yet. */
	hasEmpty: boolean;
}

/** @returns a reading without values also where results hold nothing at the place that the credential names */
export function readingOf({ account }: Client, results: unknown[]): Reading {
	const rows = ifReady(account.rows);
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
		.filter((value) => value === null || typeof value !== 'object')
		.map((value) => ({ column: '', value }));

/** The most pages that one look searches for documents that were not where they were before. */
const MOST_SEARCHED = 5;

/** A document that an entry of a list is about. */
interface About {
	id: string;
	/** How far from the top of the entry its ID stands; 0 where the ID is where it is known to be. */
	depth: number;
}

/** A page with what each of its entries is about, if that is wanted. */
interface ReadPage extends ListPage<unknown> {
	number: number;
	about: Array<About | undefined>;
}

/**
 * Finds what a list has of certain documents. It remembers on which pages they were, and looks for the
 * others at both ends of the list, and each time at some further pages.
 */
export class PagedList {
	/** The pages that each document was on, and on which it may go on. */
	private placesOf = new Map<string, number[]>();
	/** The last page that is known of, though `total` may count only the rows of its page. */
	private last = 1;
	/** The page that was searched last. */
	private searched = 1;

	constructor(
		private readonly read: (client: Client, page: number) => Promise<ListPage<unknown>>,
	) {}

	/**
	 * @returns the entries of each document; the documents that may have more on pages that were not read;
	 *   and whether entries name their documents at all
	 */
	async find(client: Client, wanted: ReadonlySet<string>) {
		const { listIdField } = client.account;
		const pages = new Map<number, ReadPage>();
		const readPages = async (numbers: number[]) => {
			const unread = new Set(numbers.filter((number) => !pages.has(number)));
			await mapInOrder([...unread], client.maxConcurrency, async (number) => {
				const { entries, page } = await this.read(client, number);
				const about = entries.map((entry) => aboutWhich(entry, listIdField, wanted));
				pages.set(number, { number, entries, page, about });
				const isFull = page.total === page.items.length && page.items.length >= page.limit;
				if (isFull) this.last = Math.max(this.last, number + 1);
				else if (number === 1) this.last = Math.ceil(page.total / page.items.length) || 1;
			});
		};
		const places = [...wanted].map((id) => this.placesOf.get(id));
		await readPages([1, this.last, ...places.flatMap((numbers = []) => numbers)]);
		const { last } = this;
		const searched = Array.from(
			{ length: places.includes(undefined) ? MOST_SEARCHED : 0 },
			(_, index) => ((this.searched + index) % last) + 1,
		);
		this.searched = searched.at(-1) ?? this.searched;
		await readPages([last, ...searched]);

		const [first, ...others] = [...pages.values()].sort((a, b) => a.number - b.number);
		// Whoever ignores `page` gives one page again and again.
		const shown = [
			first,
			...others.filter((page) => printOf(page.entries) !== printOf(first.entries)),
		];
		const haveMoved = new Set(shown.map(({ page }) => page.total)).size > 1;
		const partial = new Set<string>();
		this.placesOf = new Map();
		for (const { number, about } of shown) {
			for (const [index, one] of about.entries()) {
				if (!one) continue;
				// What is about a document at the edge of a page may go on beside it.
				const beside = [index === 0 ? number - 1 : 0, index === about.length - 1 ? number + 1 : 0];
				const edges = beside.filter((edge) => edge >= 1 && edge <= last);
				if (edges.some((edge) => haveMoved || !pages.has(edge))) partial.add(one.id);
				this.placesOf.set(one.id, [...(this.placesOf.get(one.id) ?? []), number, ...edges]);
			}
		}
		const all = shown.flatMap(({ entries }) => entries);
		const areNamed = all.every((entry) => documentIdIn(entry, listIdField) !== undefined);
		return { entriesOf: entriesIn(shown), partial, areNamed };
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
function entriesIn(pages: ReadPage[]): Map<string, unknown[]> {
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
