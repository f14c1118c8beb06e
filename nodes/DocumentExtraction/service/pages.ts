/** Reads paginated lists, which may change while they are read. */
import { DEEPEST_LEVEL } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import { fingerprintOf } from '../account/fields';
import { noteIn } from './reason';
import { addHint } from './run';

/** How often a list that changes while it is read is read. */
const MAX_READINGS = 4;

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

/**
 * Reads a list from its second page on: pages concurrently, rows in order. If rows moved meanwhile, as
 * they do when documents arrive, the list is read again; if they never stop moving, a hint says so.
 * @param firstResponse the response that should be the first page
 * @param limit the most rows to return; Infinity for all
 * @param check throws where these cannot be the pages of the list; `hasSettled` is whether no rows moved
 * @throws CallError where a response is no page, or rows never stop moving while a wait looks
 */
export async function readPages(
	client: Client,
	firstResponse: unknown,
	limit: number,
	read: (client: Client, page: number) => Promise<unknown>,
	check: (pages: Page[], hasSettled: boolean) => void = () => {},
): Promise<unknown[]> {
	const readPage: ReadPage = async (reading, number) =>
		asPage(await read(reading, number), number, client);
	let first = asPage(firstResponse, 1, client);
	let lastRepeats: string[] | undefined;
	for (let reading = 1; ; reading++) {
		// The page may hold fewer rows than requested, so its rows count; `pages` may be wrong.
		const size = first.items.length;
		const { total } = first;
		const wanted = Math.min(limit, total);
		const lastPage = size === 0 ? 1 : Math.ceil(wanted / size);
		const pages = await readUntilEmpty(client, first, lastPage, readPage);
		const count = pages.reduce((sum, page) => sum + page.items.length, 0);
		const isComplete = count >= wanted && pages.every((page) => page.total === total);
		const repeats = pages.slice(1).flatMap((page, index) => repeatedTop(pages[index], page));
		const rows = pages.flatMap((page) => page.items).slice(0, limit);
		// Rows that are repeated in the same way twice are equal rows, not rows that moved.
		if (isComplete && (repeats.length === 0 || isDeepEqual(repeats, lastRepeats))) {
			check(pages, true);
			return rows;
		}
		lastRepeats = repeats;
		if (reading === MAX_READINGS) {
			check(pages, false);
			// The next look may find it at rest.
			if (client.patienceMs !== undefined)
				throw new CallError({ kind: 'list that changes', mayPass: true });
			const distinct = withoutRepeats(pages).slice(0, limit);
			addHint(
				client.context,
				`The list changed while it was read, ${MAX_READINGS} times in a row, so rows may be missing. Run this again when no documents are arriving.`,
			);
			return distinct;
		}
		first = await readPage(client, 1);
	}
}

/** The rows of pages between which rows moved: one that an earlier page has, too, is the same row. */
function withoutRepeats(pages: Page[]): unknown[] {
	const before = new Set<string>();
	return pages.flatMap(({ items }) => {
		const rows = items.map((row) => [row, fingerprintOf(row)] as const);
		const fresh = rows.filter(([, fingerprint]) => !before.has(fingerprint));
		for (const [, fingerprint] of rows) before.add(fingerprint);
		return fresh.map(([row]) => row);
	});
}

type ReadPage = (client: Client, page: number) => Promise<Page>;

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

/** The first row of a page, if the page before has it too: then an insertion has moved it. */
function repeatedTop(before: Page, page: Page): string[] {
	if (page.items.length === 0) return [];
	const [top] = page.items;
	return before.items.some((row) => isDeepEqual(row, top)) ? [fingerprintOf(top)] : [];
}

type Fields = { [name: string]: unknown };

/** Whether two JSON values are equal. Fast for rows, most of which differ in their first field. */
function isDeepEqual(one: unknown, other: unknown, depth = 0): boolean {
	if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') {
		return one === other;
	}
	if (depth > DEEPEST_LEVEL) return true;
	if (Array.isArray(one) !== Array.isArray(other)) return false;
	// This runs for nearly every row, so names are listed only when all values are equal.
	for (const name in one) {
		if (!isDeepEqual((one as Fields)[name], (other as Fields)[name], depth + 1)) return false;
	}
	return Object.keys(one).length === Object.keys(other).length;
}
