import { DEEPEST_LEVEL } from '../http/redact';
import { CallError } from './callError';
import type { Client } from './client';
import { fingerprintOf } from './details/fields';
import { isPage, readPages, type Page } from './pages';
import { counted } from './run';
import { callService, workflowPath, type Query } from './service';

/** Reads the document list (interface.md §4.8), whose query and response are not shown. */
async function readList(client: Client, query: Query): Promise<unknown> {
	const { json } = await callService(client, {
		method: 'GET',
		path: `${workflowPath(client)}/documents`,
		query,
		expects: 'json',
	});
	return json;
}

const isAnotherPage = ({ page }: Page, number: number) => Number.isInteger(page) && page !== number;

/**
 * The documents of the workflow: one entry for each object that carries `extraction_status`, wherever
 * it stands. A page envelope is followed; where no document is found, the response itself is given.
 * @param query passed on as it is; one that names a page gets that page
 * @throws CallError where the list does not take `page` as the node expects, which is not shown
 */
export async function readDocuments(
	client: Client,
	query: Query,
	limit: number,
): Promise<unknown[]> {
	const first = await readList(client, query);
	const isFollowed = isPage(first) && !query.some(([name]) => name === 'page');
	if (!isFollowed) return rowsIn(first).slice(0, limit);
	// Rows that hold several documents only make more than are asked for.
	const rows = await readPages(
		client,
		first,
		limit,
		async (reading, number) => {
			const page = await readList(reading, [...query, ['page', number]]);
			if (isPage(page) && isAnotherPage(page, number)) {
				throw notPaged(first, `The node asked for page ${number} and got page ${page.page}`);
			}
			return page;
		},
		(pages, hasSettled) => {
			if (limit > first.items.length) assertPagesDiffer(pages, hasSettled);
		},
	);
	return rows.flatMap((row) => rowsIn([row])).slice(0, limit);
}

/**
 * Documents may arrive while the list is read; then rows move from page to page, but no whole page
 * comes twice.
 */
function assertPagesDiffer(pages: Page[], hasSettled: boolean) {
	const count = pages.reduce((sum, page) => sum + page.items.length, 0);
	const seen = new Set<string>();
	let isPageRepeated = false;
	let areTold = true;
	for (const page of pages) {
		const rows = new Set(page.items.map(fingerprintOf));
		// Rows that are equal within a page do not tell whether they come again.
		areTold &&= rows.size === page.items.length;
		isPageRepeated ||= rows.size > 0 && [...rows].every((row) => seen.has(row));
		for (const row of rows) seen.add(row);
	}
	const isRepeated = areTold && (hasSettled ? seen.size < count : isPageRepeated);
	const [first] = pages;
	const isTooMuch = hasSettled && count > first.total;
	if (!isRepeated && !isTooMuch) return;
	const came = `${counted(pages.length, 'page')} came with ${counted(count, 'row')}`;
	throw notPaged(
		first,
		`${came}${isRepeated ? `, ${seen.size} of them different` : ''}; the service says that there are ${first.total} in total`,
	);
}

/** @param what came in place of the pages that the node asked for */
function notPaged({ items }: Page, what: string): CallError {
	return new CallError({
		message: "The document list cannot be read page by page with the parameter 'page'",
		description: `${what}. Set 'Limit' to ${items.length}, the rows on the first page, or to fewer, and choose the rows under 'Query Parameters', with the parameters that your account's API reference names for this list, e.g. an offset or a larger page size.`,
	});
}

function rowsIn(response: unknown): unknown[] {
	const documents = documentsIn(response);
	if (documents.length > 0) return documents;
	if (isPage(response)) return response.items;
	return Array.isArray(response) ? response : [response];
}

/** One page of the document list, for those who look for certain documents only. */
export interface DocumentPage {
	documents: object[];
	/** How many pages can be read; 1 where there is no envelope, or another page came than was asked for. */
	pages: number;
}

export async function readDocumentPage(client: Client, number: number): Promise<DocumentPage> {
	const response = await readList(client, number === 1 ? [] : [['page', number]]);
	const isWanted = isPage(response) && !isAnotherPage(response, number);
	return { documents: documentsIn(response), pages: isWanted ? pagesOf(response) : 1 };
}

/** The service may give fewer rows a page than it was asked for; `pages` may be wrong. */
function pagesOf({ items, total, pages }: Page): number {
	if (items.length === 0) return 1;
	return Number.isInteger(pages) ? pages : Math.ceil(total / items.length);
}

/**
 * The documents in a response whose shape is not shown: what carries `extraction_status` is a document
 * (interface.md §3). An entry of a list that holds it further inside is one as a whole, since its other
 * fields belong to the document too.
 */
export function documentsIn(response: unknown): object[] {
	return findDocuments(response, false, 0).documents;
}

interface FoundDocuments {
	documents: object[];
	/** Whether a list holds them: then what stands around the list is no document. */
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
	const areListed = inner.some((found) => found.areListed);
	const isDocument = Object.hasOwn(value, 'extraction_status')
		? isEntry || documents.length === 0
		: isEntry && documents.length === 1 && !areListed;
	return isDocument ? { documents: [value], areListed: false } : { documents, areListed };
}
