import { DEEPEST_LEVEL } from '../http/redact';
import type { Client } from './client';
import { asPage, isPage, readPages, type Page } from './pages';
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

/**
 * The documents of the workflow: one entry for each object that carries `extraction_status`, wherever
 * it stands. A page envelope is followed; where no document is found, the response itself is given.
 * @param query passed on as it is; one that names a page gets that page
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
		async (reading, page) => await readList(reading, [...query, ['page', page]]),
	);
	return rows.flatMap((row) => rowsIn([row])).slice(0, limit);
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
	/** How many pages the list has; 1 where it has no envelope. */
	pages: number;
}

export async function readDocumentPage(client: Client, number: number): Promise<DocumentPage> {
	const response = await readList(client, number === 1 ? [] : [['page', number]]);
	const page = number === 1 && !isPage(response) ? undefined : asPage(response, number);
	return { documents: documentsIn(response), pages: page ? pagesOf(page) : 1 };
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
