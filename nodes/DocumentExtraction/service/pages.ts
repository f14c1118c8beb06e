/** Reads paginated lists, which may change while they are read. */
import { documentIdIn, isObject, stableFingerprintOf } from '../account/fields';
import { mapInOrder, settled } from '../http/concurrency';
import { CallError, hasStatus, noteIn } from './callError';
import { addHint, type Client } from './client';

/** How often a list that changes while it is read is read. */
const MAX_READINGS = 4;
/** How many pages a list may have beyond those that it says it has. */
const MOST_MORE_PAGES = 1000;
/** What is another with each read though no row moved, besides the query of URLs. */
const TIME_STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g;

/** The pagination envelope of interface.md §2. */
export interface Page {
	total: number;
	page: number;
	limit: number;
	pages: number;
	items: unknown[];
}

/** Whether a response is the pagination envelope. Only the fields that the node needs are checked. */
export function isPage(response: unknown): response is Page {
	const page = response as Partial<Page> | null;
	return Array.isArray(page?.items) && Number.isInteger(page.total);
}

/** Whether a page says that it is not the one that was asked for. */
export const isAnotherPage = ({ page }: Page, number: number) =>
	Number.isInteger(page) && page !== number;

/** @throws CallError for a response that is not the requested page */
export function asPage(response: unknown, number: number, { account }: Client): Page {
	if (!isPage(response)) {
		const reason = { text: noteIn(response, account.apiKey) };
		throw new CallError({ kind: 'no page of results', reason });
	}
	if (isAnotherPage(response, number)) {
		throw new CallError({ kind: 'list without pages', asked: number, came: response.page });
	}
	return response;
}

/** A list that is read page by page. */
interface List {
	read: (client: Client, page: number) => Promise<unknown>;
	/** The most rows that are wanted; Infinity for all. */
	limit: number;
	/** How many rows a page was asked for; undefined where there is no way to ask. */
	pageSize?: number;
}

/**
 * Reads a list: pages concurrently, rows in order. Where rows seem to have moved meanwhile, as they do
 * when documents arrive, it is read again, up to three times. What is odd in the same way twice has not
 * moved: equal rows may stand on two pages, and `total` may count something else.
 * @param firstResponse the response that should be the first page
 * @throws CallError where a response is no page, where pages are repeated, or, while a wait looks, where
 *   rows never stop moving
 */
export async function readPages(
	client: Client,
	firstResponse: unknown,
	list: List,
): Promise<unknown[]> {
	const readPage: ReadPage = async (reading, number) =>
		asPage(await list.read(reading, number), number, client);
	const places = ({ total, items }: Page) =>
		JSON.stringify([total, items.map((row) => documentOf(client, row) ?? printOf(row))]);
	let first = asPage(firstResponse, 1, client);
	let oddBefore = '';
	for (let reading = 1; ; reading++) {
		const pages = await readToEnd(client, first, list, readPage);
		const rows = rowsOf(pages).slice(0, list.limit);
		const odd = oddnessOf(pages, list);
		let again: Page[] = [];
		if (odd === '' || odd === oddBefore) {
			// Of two pages, the second was read between the two readings of the first.
			const last = pages.findLastIndex(({ items }) => items.length > 0);
			const ends = [0, last].slice(0, Math.max(0, last));
			again = await mapInOrder(ends, client.maxConcurrency, (index) => readPage(client, index + 1));
			if (again.every((page, end) => places(page) === places(pages[ends[end]]))) {
				if (odd !== '') assertPagesDiffer(pages);
				const { total } = first;
				if (rows.length < Math.min(list.limit, total) && client.patienceMs === undefined) {
					addHint(
						client.context,
						[
							`The service says that this list has ${total} rows, but its pages contain ${rows.length}.`,
							'If rows are missing here, show this to your account team.',
						].join(' '),
					);
				}
				return rows;
			}
		}
		if (reading === MAX_READINGS) {
			// The next look may find it at rest.
			if (client.patienceMs !== undefined)
				throw new CallError({ kind: 'list that changes', mayPass: true });
			addHint(
				client.context,
				[
					`The list changed while it was read, ${MAX_READINGS} times in a row,`,
					'so rows may be missing, or there twice.',
					'Run this again when no documents are arriving.',
				].join(' '),
			);
			return rows;
		}
		oddBefore = odd;
		first = again.at(0) ?? (await readPage(client, 1));
	}
}

type ReadPage = (client: Client, page: number) => Promise<Page>;

/**
 * The pages of a list. `pages` may be wrong, and `total` may count only the rows of its page, so that
 * the list is read on until a page is not full.
 */
async function readToEnd(
	client: Client,
	first: Page,
	{ limit, pageSize }: List,
	readPage: ReadPage,
): Promise<Page[]> {
	// The page may hold fewer rows than requested, so its rows count.
	const size = first.items.length;
	const expected = size === 0 ? 1 : Math.ceil(Math.min(limit, first.total) / size);
	const pages = await readUntilEmpty(client, first, expected, readPage);
	const sizes = [pageSize ?? 0, first.limit].filter((asked) => asked > 0);
	const fullSize = sizes.length > 0 ? Math.min(...sizes) : size;
	let count = rowsOf(pages).length;
	for (let page = pages[pages.length - 1]; page.items.length > 0 && count < limit; ) {
		const isCounted = count >= Math.min(first.total, page.total);
		if (isCounted && page.items.length < fullSize) break;
		const outcome = await settled(readPage(client, pages.length + 1));
		if (outcome.error && !isNoSuchPage(outcome.error)) throw outcome.error;
		if (outcome.error || isRepeated(outcome.value, page, first)) break;
		page = outcome.value;
		count += page.items.length;
		if (pages.push(page) > expected + MOST_MORE_PAGES) {
			throw new CallError({ kind: 'list without pages' });
		}
	}
	return pages;
}

/** Pages in order, read concurrently. There are none after an empty page, whatever `total` says. */
async function readUntilEmpty(
	client: Client,
	first: Page,
	lastPage: number,
	readPage: ReadPage,
): Promise<Page[]> {
	const isOver = new AbortController();
	const stops = client.stop ? [client.stop] : [];
	const reading = { ...client, stop: AbortSignal.any([isOver.signal, ...stops]) };
	const pages = [first];
	let next = 2;
	let end = lastPage;
	const worker = async () => {
		while (next <= end) {
			const number = next++;
			const page = await readPage(reading, number);
			pages[number - 1] = page;
			if (page.items.length === 0) end = Math.min(end, number);
		}
	};
	const workers = Array.from({ length: Math.min(client.maxConcurrency, lastPage - 1) }, worker);
	try {
		await Promise.all(workers);
	} finally {
		// When a page fails, reading the others is stopped.
		isOver.abort(new Error('The list is not read on'));
	}
	return pages;
}

/** How a service may answer where the list has no such page. */
function isNoSuchPage(error: Error): boolean {
	if (hasStatus(error, 400, 404, 416, 422)) return true;
	return error instanceof CallError && /page/.test(error.facts.kind);
}

/** Whether a page beyond those of `total` is an earlier one: the list has ended, or `page` is ignored. */
function isRepeated(page: Page, before: Page, first: Page): boolean {
	const rows = page.items.map(printOf);
	// Rows that are all equal tell nothing, if the page says that it is another one.
	if (Number.isInteger(page.page) && new Set(rows).size === 1) return false;
	return [before, first].some(({ items }) => String(items.map(printOf)) === String(rows));
}

const rowsOf = (pages: Page[]) => pages.flatMap(({ items }) => items);

const documentOf = ({ account }: Client, row: unknown) => documentIdIn(row, account.listIdField);

/** Rows that say the same have the same; what a service changes with each read is left out. */
const printOf = (row: unknown) => stableFingerprintOf(row).replace(TIME_STAMP, '');

/** What rows that moved while a list was read would leave behind; empty for nothing. */
function oddnessOf(pages: Page[], { limit }: List): string {
	const totals = new Set(pages.filter(({ items }) => items.length > 0).map(({ total }) => total));
	const [{ total }] = pages;
	const count = rowsOf(pages).length;
	const isWhole = count >= Math.min(limit, total) && count <= total;
	// Comparing whole rows takes long: only those can be equal that agree in what stands at their top.
	const tops = onSeveralPages(pages, topOf);
	const wholeOf = (row: unknown) => (tops.has(topOf(row)) ? printOf(row) : '');
	const repeated = tops.size === 0 ? tops : onSeveralPages(pages, wholeOf);
	repeated.delete('');
	const isOdd = totals.size > 1 || !isWhole || repeated.size > 0;
	return isOdd ? JSON.stringify([...totals, count, ...repeated]) : '';
}

const topOf = (row: unknown) =>
	isObject(row)
		? printOf(Object.values(row).filter((value) => typeof value !== 'object'))
		: printOf(row);

/** Names of rows that stand on more than one page. */
function onSeveralPages(pages: Page[], nameOf: (row: unknown) => string): Set<string> {
	const pageOf = new Map<string, number>();
	const several = new Set<string>();
	for (const [page, { items }] of pages.entries()) {
		for (const name of items.map(nameOf)) {
			if ((pageOf.get(name) ?? page) !== page) several.add(name);
			pageOf.set(name, page);
		}
	}
	return several;
}

/**
 * Refuses one page again and again, and a page that repeats nearly all rows of earlier ones; not where
 * rows say too little to be told apart.
 */
function assertPagesDiffer(pages: Page[]) {
	const prints = pages.map(({ items }) => items.map(printOf)).filter(({ length }) => length > 0);
	const areAlike = prints.length > 1 && new Set(prints.map(String)).size === 1;
	const mayBeEqualRows = new Set(prints[0]).size === 1 && rowsOf(pages).length === pages[0].total;
	const areTold = prints.every((rows) => new Set(rows).size === rows.length);
	const seen = new Set<string>();
	const isRepeated = prints.some((rows) => {
		const repeated = rows.filter((row) => seen.has(row)).length;
		for (const row of rows) seen.add(row);
		return rows.length === prints[0].length && repeated > Math.max(1, 0.9 * rows.length);
	});
	if ((areAlike && !mayBeEqualRows) || (areTold && isRepeated)) {
		throw new CallError({ kind: 'list without pages' });
	}
}
