/** Reads the document list, or finds documents in it; its query and response are not shown (interface.md §4.8). */
import { counted, DEEPEST_LEVEL, fewOf, redact } from '../http/redact';
import { addHint, type Client } from './client';
import { isObject, levelsOf, outsideLists } from '../account/fields';
import { isAnotherPage, isPage, readPages } from './pages';
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
	const rows = await readPages(client, first, {
		read: async (reading, number) => await readList(reading, [...query, ['page', number]]),
		limit,
	});
	return rows.flatMap((row) => rowsIn([row])).slice(0, limit);
}

/** Fields beside a list that may say that there are more rows. */
const COUNTS_ROWS = /total|count/i;
const COUNTS_PAGES = /pages/i;
const LEADS_ON = /more|next|cursor/i;

/** Hints at what a response says of further rows: how to ask for them is not shown (interface.md §4.8). */
function hintAtMore({ context }: Client, response: unknown, rows: number) {
	const told = [...levelsOf(response, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.flatMap((object) => Object.entries(isObject(object) ? object : {}))
		.filter(
			([name, value]) =>
				typeof value !== 'object' &&
				((COUNTS_ROWS.test(name) && Number(value) > rows) ||
					(COUNTS_PAGES.test(name) && Number(value) > 1) ||
					(LEADS_ON.test(name) && value)),
		)
		.map(([name, value]) => redact(`${name}: ${String(value)}`));
	if (told.length === 0) return;
	addHint(
		context,
		`The service seems to have more than the ${counted(rows, 'row')} returned here (${fewOf(told)}), but the node cannot fetch the rest by itself. Get it with 'Query Parameters': your API reference or your account team can tell you how.`,
	);
}

function rowsIn(response: unknown): unknown[] {
	const documents = documentsIn(response);
	if (documents.length > 0) return documents;
	if (isPage(response)) return response.items;
	return Array.isArray(response) ? response : [response];
}

/** What a page shows, where a row may hold several entries, or none. */
export interface ListPage<T> {
	entries: T[];
	/** 0 where there is no page envelope, or the service returned another page; then `total` is 0, too. */
	rows: number;
	total: number;
	/** Whether it is full, so that another page may follow, whatever `total` says. */
	isFull: boolean;
}

/** One page of the document list, with the documents in it as its rows; one page where there is no page envelope. */
export async function readDocumentPage(client: Client, number: number): Promise<ListPage<object>> {
	const response = await readList(client, number === 1 ? [] : [['page', number]]);
	const isWanted = isPage(response) && !isAnotherPage(response, number);
	const { items, total, limit } = isWanted ? response : { items: [], total: 0, limit: Infinity };
	const rows = items.length;
	return { entries: documentsIn(response), rows, total, isFull: rows >= limit };
}

interface FoundDocuments {
	documents: object[];
	/** Whether they are in a list: then the object around the list is not a document. */
	areListed: boolean;
}

const documentsIn = (response: unknown): object[] => findDocuments(response, false, 0).documents;

/**
 * The documents in a response: an object with `extraction_status` is a document (interface.md §3). If
 * an entry of a list has it in a nested object, the whole entry is the document.
 */
function findDocuments(value: unknown, isEntry: boolean, depth: number): FoundDocuments {
	if (value === null || typeof value !== 'object' || depth > DEEPEST_LEVEL)
		return { documents: [], areListed: false };
	const isList = Array.isArray(value);
	const inner = Object.values(value).map((part) => findDocuments(part, isList, depth + 1));
	const documents = inner.flatMap((found) => found.documents);
	if (isList) return { documents, areListed: documents.length > 0 };
	const lists = inner.filter((found) => found.areListed);
	const areListed = lists.length > 0;
	// What stands beside a list of documents, e.g. their workflow, is none.
	if (areListed && !isEntry)
		return { documents: lists.flatMap((found) => found.documents), areListed };
	const isDocument = Object.hasOwn(value, 'extraction_status')
		? isEntry || documents.length === 0
		: isEntry && documents.length === 1 && !areListed;
	return isDocument ? { documents: [value], areListed: false } : { documents, areListed };
}
