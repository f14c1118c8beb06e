/** Reads the document list, or finds documents in it; its query and response are not shown (interface.md §4.8). */
import { mapInOrder } from '../http/concurrency';
import { DEEPEST_LEVEL, redact } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import {
	documentIdIn,
	fingerprintOf,
	isObject,
	levelsOf,
	namesAnId,
	outsideLists,
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

/** Fields beside a list, with the values by which they say that there are more rows. */
const MORE: Array<[name: RegExp, saysMore: (value: unknown, rows: number) => boolean]> = [
	[/total|count/i, (value, rows) => Number(value) > rows],
	[/pages/i, (value) => Number(value) > 1],
	[/more|next|cursor/i, (value) => Boolean(value)],
];

/** Hints at what a response says of further rows: how to ask for them is not shown (interface.md §4.8). */
function hintAtMore({ context }: Client, response: unknown, rows: number) {
	const fields = [...levelsOf(response, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.filter(isObject)
		.flatMap((object) => Object.entries(object))
		.filter(([, value]) => value === null || typeof value !== 'object');
	const telling = fields.filter(([name, value]) =>
		MORE.some(([pattern, saysMore]) => pattern.test(name) && saysMore(value, rows)),
	);
	if (telling.length === 0) return;
	const told = telling.map(([name, value]) => redact(`${name}: ${String(value)}`));
	addHint(
		context,
		`The service seems to have more than the ${counted(rows, 'row')} returned here (${fewOf(told)}), but the node cannot fetch the rest by itself. Get it with 'Query Parameters': your API reference or your account team can tell you how.`,
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

/**
 * One page of the document list.
 * @returns its documents, how many rows they stand in, and how many rows the list has; 0 of both where
 * there is no page envelope, or the service returned another page
 */
export async function readDocumentPage(
	client: Client,
	number: number,
): Promise<{ documents: object[]; rows: number; total: number }> {
	const response = await readList(client, number === 1 ? [] : [['page', number]]);
	const isWanted = isPage(response) && !isAnotherPage(response, number);
	const { items, total } = isWanted ? response : { items: [], total: 0 };
	return { documents: documentsIn(response), rows: items.length, total };
}

/**
 * The documents in a response: an object with `extraction_status` is a document (interface.md §3). If
 * an entry of a list has it in a nested object, the whole entry is the document.
 */
function documentsIn(response: unknown): object[] {
	return findDocuments(response, false, 0).documents;
}

interface FoundDocuments {
	documents: object[];
	/** Whether they are in a list: then the object around the list is not a document. */
	areListed: boolean;
}

function findDocuments(value: unknown, isEntry: boolean, depth: number): FoundDocuments {
	if (value === null || typeof value !== 'object' || depth > DEEPEST_LEVEL) {
		return { documents: [], areListed: false };
	}
	const parts = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
	const inner = parts.map((part) => findDocuments(part, Array.isArray(value), depth + 1));
	const documents = inner.flatMap((found) => found.documents);
	if (Array.isArray(value)) return { documents, areListed: documents.length > 0 };
	const lists = inner.filter((found) => found.areListed);
	// What stands beside a list of documents, e.g. their workflow, is none.
	if (lists.length > 0 && !isEntry) {
		return { documents: lists.flatMap((found) => found.documents), areListed: true };
	}
	const areListed = lists.length > 0;
	const isDocument = Object.hasOwn(value, 'extraction_status')
		? isEntry || documents.length === 0
		: isEntry && documents.length === 1 && !areListed;
	return isDocument ? { documents: [value], areListed: false } : { documents, areListed };
}

/** The most pages that one look searches for documents that have not been found yet. */
const MOST_PAGES = 5;

/**
 * Finds certain documents in the document list, whose order and page size are not shown. It remembers
 * on which page each was, and each look searches further pages for the others.
 */
export class DocumentFinder {
	private readonly pageOf = new Map<string, number>();
	private next = 1;
	/** The most rows that a page had: the last page has fewer, and `pages` may be wrong. */
	private pageSize = 0;

	/** @returns the entry of each wanted document that was found, as it stands in the list */
	async find(client: Client, wanted: ReadonlySet<string>): Promise<Map<string, object>> {
		const found = new Map<string, object>();
		const readPage = async (number: number) => {
			const { documents, rows, total } = await readDocumentPage(client, number);
			for (const document of documents) {
				const documentId = wantedIdOf(document, client.account.listIdField, wanted);
				if (documentId === undefined) continue;
				// Another document may mention it.
				if (found.has(documentId) && !hasAtTop(document, documentId)) continue;
				this.pageOf.set(documentId, number);
				found.set(documentId, document);
			}
			this.pageSize = Math.max(this.pageSize, rows);
			return rows === 0 ? 1 : Math.ceil(total / this.pageSize);
		};
		const known = new Set([...wanted].flatMap((documentId) => this.pageOf.get(documentId) ?? []));
		await mapInOrder([...known], client.maxConcurrency, readPage);
		for (let count = 0; count < MOST_PAGES && found.size < wanted.size; count++) {
			const pages = await readPage(this.next);
			this.next = this.next < pages ? this.next + 1 : 1;
			if (pages === 1) break;
		}
		// Rows move while documents arrive: a document that has left its page is searched for again.
		for (const documentId of wanted) {
			if (!found.has(documentId)) this.pageOf.delete(documentId);
		}
		return found;
	}
}

/**
 * Which of the wanted documents an entry of the list is: by its ID, or, if no field is known to be its
 * ID, by the one wanted ID among its values.
 * @param idField the API Detail 'Document ID Field'
 */
function wantedIdOf(
	document: object,
	idField: string,
	wanted: ReadonlySet<string>,
): string | undefined {
	const named = documentIdIn(document, idField);
	if (named !== undefined) return wanted.has(named) ? named : undefined;
	const values = [...levelsOf(document, DEEPEST_LEVEL)].flat();
	const texts = values.flatMap((value) => (typeof value === 'object' ? [] : [String(value)]));
	const mentioned = new Set(texts.filter((text) => wanted.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}

const hasAtTop = (document: object, id: string) =>
	Object.entries(document).some(([name, value]) => namesAnId(name) && String(value) === id);
