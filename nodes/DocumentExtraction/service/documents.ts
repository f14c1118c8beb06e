/** Reads the document list, or finds documents in it; its query and response are not shown (interface.md §4.8). */
import { DEEPEST_LEVEL, redact } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import {
	documentIdIn,
	fingerprintOf,
	levelsOf,
	isObject,
	outsideLists,
	partsOfItself,
	valueIn,
} from '../account/fields';
import { isAnotherPage, isPage, readPages, type Page } from './pages';
import { addHint } from './run';
import { counted, fewOf } from './sentences';
import { callService, workflowPath, type Query } from './call';

async function readList(client: Client, query: Query): Promise<unknown> {
	const { json } = await callService(client, {
		method: 'GET',
		path: `${workflowPath(client)}/documents`,
		query,
		expects: 'json',
	});
	return json;
}

/**
 * The documents of the workflow: every object that has `extraction_status`, wherever it is nested. A
 * page envelope is followed; where no document is found, the rows or the response itself are returned.
 * @param query sent as it is; where it names a page, only that page is read
 * @throws CallError where the service does not use `page` as the node expects
 */
export async function readDocuments(
	client: Client,
	query: Query,
	limit: number,
): Promise<unknown[]> {
	const first = await readList(client, query);
	const isFollowed = isPage(first) && !query.some(([name]) => name === 'page');
	if (!isFollowed) {
		const rows = rowsIn(first);
		if (!isPage(first) && rows.length < limit) hintAtMore(client, first, rows.length);
		return rows.slice(0, limit);
	}
	// A row may hold several documents, so `limit` rows hold at least `limit` documents.
	const rows = await readPages(
		client,
		first,
		limit,
		async (reading, number) => await readList(reading, [...query, ['page', number]]),
		(pages, hasSettled) => {
			if (limit > first.items.length) assertPagesDiffer(pages, hasSettled);
		},
	);
	return rows.flatMap((row) => rowsIn([row])).slice(0, limit);
}

/** How services call the fields beside a list that tell that it goes on. */
const MORE = /total|count|pages|more|next|cursor/i;

/** Hints at what a response says of further rows: how to ask for them is not shown (interface.md §4.8). */
function hintAtMore({ context }: Client, response: unknown, rows: number) {
	const said = [...levelsOf(response, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.flatMap((part) => (isObject(part) ? Object.entries(part) : []))
		.filter(([name, value]) => {
			const isMore = typeof value === 'number' ? value > rows : Boolean(value);
			return MORE.test(name) && isMore && typeof value !== 'object';
		})
		.map(([name, value]) => redact(`${name}: ${String(value)}`));
	if (said.length === 0) return;
	addHint(
		context,
		`The response has more than the ${counted(rows, 'row')} of this list (${fewOf(said)}), but not in the form that the node can follow. Choose the others with 'Query Parameters', as your API reference describes.`,
	);
}

/**
 * Refuses pages that are one page again and again. Rows may move to another page when documents
 * arrive while the list is read, but no whole page is repeated by that.
 */
function assertPagesDiffer(pages: Page[], hasSettled: boolean) {
	const count = pages.reduce((sum, page) => sum + page.items.length, 0);
	const seen = new Set<string>();
	let isPageRepeated = false;
	let areDistinct = true;
	for (const page of pages) {
		const rows = new Set(page.items.map(fingerprintOf));
		// With equal rows on one page, rows that are repeated cannot be recognized.
		areDistinct &&= rows.size === page.items.length;
		isPageRepeated ||= rows.size > 0 && [...rows].every((row) => seen.has(row));
		for (const row of rows) seen.add(row);
	}
	const isRepeated = areDistinct && (hasSettled ? seen.size < count : isPageRepeated);
	const isTooMuch = hasSettled && count > pages[0].total;
	if (isRepeated || isTooMuch) throw new CallError({ kind: 'list without pages' });
}

function rowsIn(response: unknown): unknown[] {
	const documents = documentsIn(response);
	if (documents.length > 0) return documents;
	if (isPage(response)) return response.items;
	return Array.isArray(response) ? response : [response];
}

/** The documents on the first page of the list. */
export async function readFirstDocuments(client: Client): Promise<object[]> {
	return documentsIn(await readList(client, []));
}

const isDocument = (value: unknown): value is object =>
	isObject(value) && Object.hasOwn(value, 'extraction_status');

/**
 * The documents in a response: an object with `extraction_status` is a document (interface.md §3), and so
 * is the entry of a list that has it in a nested object. What stands beside a list of documents, e.g. their
 * workflow, is none.
 */
function documentsIn(response: unknown): object[] {
	const listed = listedIn(response, 0);
	if (listed.length > 0) return listed;
	const levels = [...levelsOf(response, DEEPEST_LEVEL)].map((level) => level.filter(isDocument));
	return levels.find(({ length }) => length > 0) ?? [];
}

/** The documents in lists; of lists in entries of lists, those in the inner ones. */
function listedIn(value: unknown, depth: number): object[] {
	if (value === null || typeof value !== 'object' || depth > DEEPEST_LEVEL) return [];
	return Object.values(value).flatMap((part: unknown) => {
		if (!Array.isArray(value)) return listedIn(part, depth + 1);
		if (isDocument(part)) return [part];
		const inner = listedIn(part, depth + 1);
		const isWhole = inner.length === 0 && valueIn(part, 'extraction_status') !== undefined;
		return isWhole ? [part as object] : inner;
	});
}

/** The most pages that are searched for documents: a wait that does not find one reads them with each look. */
const MOST_PAGES = 20;

/**
 * Finds certain documents in the document list. Its order is not shown, so it is read from both ends, where
 * the latest ones are, until all are found.
 * @returns the entry of each wanted document that was found, as it stands in the list
 */
export async function findDocuments(
	client: Client,
	wanted: ReadonlySet<string>,
): Promise<Map<string, object>> {
	const found = new Map<string, object>();
	let last = 1;
	for (let read = 0; read < Math.min(last, MOST_PAGES) && found.size < wanted.size; read++) {
		const number = read % 2 === 0 ? 1 + read / 2 : last - (read - 1) / 2;
		const page = await readList(client, read === 0 ? [] : [['page', number]]);
		for (const document of documentsIn(page)) {
			const documentId = wantedIdOf(document, client.account.listIdField, wanted);
			if (documentId === undefined) continue;
			// Another document may mention it.
			if (found.has(documentId) && !hasAtTop(document, documentId)) continue;
			found.set(documentId, document);
		}
		if (!isPage(page) || isAnotherPage(page, number)) break;
		// The last page has fewer rows, and `pages` may be wrong.
		if (read === 0 && page.items.length > 0) last = Math.ceil(page.total / page.items.length);
	}
	return found;
}

/**
 * Which of the wanted documents an entry of the list is: by its ID, or, if no field is known to be its
 * ID, by the one wanted ID among its values.
 * @param idField the API Detail 'Document ID Field'
 */
export function wantedIdOf(
	document: object,
	idField: string,
	wanted: ReadonlySet<string>,
): string | undefined {
	const named = documentIdIn(document, idField);
	if (named !== undefined) return wanted.has(named) ? named : undefined;
	const values = [...levelsOf(document, DEEPEST_LEVEL, partsOfItself)].flat();
	const texts = values.flatMap((value) => (typeof value === 'object' ? [] : [String(value)]));
	const mentioned = new Set(texts.filter((text) => wanted.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}

const hasAtTop = (document: object, id: string) =>
	partsOfItself(document).some((value) => String(value) === id);
