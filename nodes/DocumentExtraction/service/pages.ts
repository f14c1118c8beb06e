/** Reads paginated lists, which may change while they are read. */
import { documentIdIn, fingerprintOf, isObject } from '../account/fields';
import { mapInOrder, settled } from '../http/concurrency';
import { COMPARE_BASE_URL, LESS_AT_A_TIME, TO_TEAM } from '../account/credential';
import { finding, mayPass, noteIn } from './callError';
import { addHint, type Client } from './client';
import { sentences } from '../http/redact';

/** How often a list that changes while it is read is read. */
const MAX_READINGS = 4;
/** How many pages a list may have beyond those that it says it has. */
const MOST_MORE_PAGES = 1000;
/** So many pages are read before it is seen whether there are more: none come after an empty one. */
const MOST_AT_ONCE = 40;
/** A URL within JSON, up to its query, and the query: services may sign URLs anew with each read (§4.5). */
const URL_WITH_QUERY = /((?::\/\/|"\/)[^\s?#"\\]*)(?:[?#][^\s"\\]*)?/g;
/** What else may be another with each read. */
const TIME_STAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*|\b\d\d:\d\d:\d\d\b[\d.]*/g;

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
		const what = 'The response of the service is not a page of results';
		const needed = "The response should contain 'total' and 'items'.";
		throw finding([what, needed, COMPARE_BASE_URL, TO_TEAM], {
			said: noteIn(response, account.apiKey),
		});
	}
	if (isAnotherPage(response, number)) {
		throw withoutPages(`The node expected page ${number} and got page ${response.page}.`);
	}
	return response;
}

const REPEATED = 'Its pages repeat rows, or contain more rows than the list says it has.';

const withoutPages = (why: string) =>
	finding([
		"The list cannot be read page by page with the parameter 'page'",
		why,
		LESS_AT_A_TIME,
		'If that does not help, ask your account team how this list can be read page by page.',
	]);

/**
 * Reads a list: pages concurrently, rows in order. Where rows seem to have moved meanwhile, as they do
 * when documents arrive, it is read again, up to three times. What comes twice in the same way has not
 * moved: equal rows may stand on two pages, and `total` may count something else.
 * @param limit the most rows that are wanted; Infinity for all
 * @param pageSize how many rows a page was asked for; Infinity where there is no way to ask
 * @throws CallError where pages are repeated, or, while a wait looks, where rows never stop moving
 */
export async function readPages(
	client: Client,
	firstPage: Page,
	readPage: ReadPage,
	limit: number,
	pageSize = Infinity,
): Promise<unknown[]> {
	const isLook = client.patienceMs !== undefined;
	const placesOn = (pages: Page[]) =>
		JSON.stringify(
			pages.map(({ total, items }) => [
				total,
				...items.map((row) => documentIdIn(row, client.account.listIdField) ?? printOf(row)),
			]),
		);
	let first = firstPage;
	let before = '';
	for (let reading = 1; ; reading++) {
		const pages = await readToEnd(client, first, readPage, limit, pageSize);
		const seemMoved = haveMoved(pages, limit);
		const last = pages.findLastIndex(({ items }) => items.length > 0);
		// Of two pages, the second was read between the two readings of the first.
		const ends = seemMoved ? [] : [0, last].slice(0, Math.max(0, last));
		const again = await mapInOrder(ends, client.maxConcurrency, (index) => readPage(index + 1));
		const places = placesOn(seemMoved ? pages : ends.map((index) => pages[index]));
		const rows = rowsOn(pages).slice(0, limit);
		if (places === (seemMoved ? before : placesOn(again))) {
			if (seemMoved) assertPagesDiffer(pages);
			const isShort = rows.length < Math.min(limit, first.total);
			if (isShort && !isLook) addHint(client.context, shortHint(first.total, rows.length));
			return rows;
		}
		if (reading === MAX_READINGS) {
			// The next look may find it at rest.
			if (isLook) throw finding(['The list changed each time it was read'], { mayPass: true });
			addHint(client.context, CHANGED_HINT);
			return rows;
		}
		before = seemMoved ? places : '';
		first = again.at(0) ?? (await readPage(1));
	}
}

const shortHint = (total: number, count: number) =>
	sentences(
		`The service says that this list has ${total} rows, but its pages contain ${count}.`,
		'If rows are missing here, show this to your account team.',
	);

const CHANGED_HINT = sentences(
	`The list changed while it was read, ${MAX_READINGS} times in a row,`,
	'so rows may be missing, or there twice.',
	'Run this again when no documents are arriving.',
);

type ReadPage = (page: number) => Promise<Page>;

/**
 * The pages of a list, read concurrently. There are none after an empty page, whatever `total` says. But
 * `total` may count only the rows of its page, so that the list is read on until a page is not full.
 */
async function readToEnd(
	client: Client,
	first: Page,
	readPage: ReadPage,
	limit: number,
	pageSize: number,
): Promise<Page[]> {
	// The page may hold fewer rows than requested, so its rows count.
	const size = first.items.length;
	const expected = size === 0 ? 1 : Math.ceil(Math.min(limit, first.total) / size);
	const asked = Math.min(pageSize, first.limit > 0 ? first.limit : Infinity);
	const fullSize = asked === Infinity ? size : asked;
	const pages = [first];
	let count = size;
	for (;;) {
		const last = pages[pages.length - 1];
		const isEnough = count >= Math.min(first.total, last.total) && last.items.length < fullSize;
		if (last.items.length === 0 || count >= limit || isEnough) return pages;
		if (pages.length > expected + MOST_MORE_PAGES) throw withoutPages(REPEATED);
		const isBeyond = pages.length >= expected;
		const length = isBeyond ? 1 : Math.min(expected - pages.length, MOST_AT_ONCE);
		const numbers = Array.from({ length }, (_, index) => pages.length + 1 + index);
		const { error, value: next } = await settled(
			mapInOrder(numbers, client.maxConcurrency, readPage),
		);
		// There is no such page, however the service says that.
		if (error && isBeyond && !mayPass(error)) return pages;
		if (error) throw error;
		// The list has ended, or `page` is ignored.
		if (isBeyond && [first, last].some(({ items }) => printOf(items) === printOf(next[0].items)))
			return pages;
		const empty = next.findIndex(({ items }) => items.length === 0);
		const more = next.slice(0, empty === -1 ? length : empty + 1);
		pages.push(...more);
		count += rowsOn(more).length;
	}
}

const rowsOn = (pages: Page[]) => pages.flatMap(({ items }) => items);

/** Rows, or pages, that say the same have the same; what a service changes with each read is left out. */
export const printOf = (value: unknown) =>
	fingerprintOf(value).replace(URL_WITH_QUERY, '$1').replace(TIME_STAMP, '');

/** Whether pages show what rows that moved while they were read would leave behind. */
function haveMoved(pages: Page[], limit: number): boolean {
	const totals = new Set(pages.filter(({ items }) => items.length > 0).map(({ total }) => total));
	const [{ total }] = pages;
	const count = rowsOn(pages).length;
	const isWhole = count >= Math.min(limit, total) && count <= total;
	return totals.size > 1 || !isWhole || haveRowTwice(pages);
}

/** Refuses pages of which one repeats another, unless their rows say too little to be told apart. */
function assertPagesDiffer(pages: Page[]) {
	const told = pages.filter(({ items }) => new Set(items.map(printOf)).size > 1);
	const areRepeated = new Set(told.map(({ items }) => printOf(items))).size < told.length;
	// A total may count only the rows of its page.
	const [{ total, items }] = pages;
	const areTooMany = total !== items.length && rowsOn(pages).length > total;
	if (areRepeated || (areTooMany && haveRowTwice(pages))) throw withoutPages(REPEATED);
}

/**
 * Whether a row stands on two pages. Comparing whole rows takes long: only those can be equal that agree
 * in what stands at their top.
 */
function haveRowTwice(pages: Page[]): boolean {
	const firstOf = new Map<string, { row: unknown; page: number }>();
	const pageOf = new Map<string, number>();
	return pages.some(({ items }, page) =>
		items.some((row) => {
			const top = printOf(isObject(row) ? Object.values(row).filter(isScalar) : row);
			const first = firstOf.get(top);
			if (!first) return void firstOf.set(top, { row, page });
			if (!pageOf.has(top)) pageOf.set(top, first.page).set(printOf(first.row), first.page);
			const print = printOf(row);
			const other = pageOf.get(print) ?? page;
			pageOf.set(print, page);
			return other !== page;
		}),
	);
}

const isScalar = (value: unknown) => typeof value !== 'object';
