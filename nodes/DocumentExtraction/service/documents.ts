/** Reads the document list, or finds documents in it; its query and response are not shown (interface.md §4.8). */
import { counted, DEEPEST_LEVEL, fewOf, redact } from '../http/redact';
import { addHint, type Client } from './client';
import { isObject, isOuter, levelsOf, outsideLists, ownValue } from '../account/fields';
import { asPage, isAnotherPage, isPage, readPages, type Page } from './pages';
import { callService, workflowPath, type Query } from './call';

/** What tells a document from what stands around it (interface.md §3). */
const STATUS = 'extraction_status';

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
	const readPage = async (page: number) =>
		asPage(await readList(client, [...query, ['page', page]]), page, client);
	const rows = await readPages(client, asPage(first, 1, client), readPage, limit);
	return rows.flatMap((row) => rowsIn([row])).slice(0, limit);
}

/** Names of fields beside a list that may say that there are more rows. */
const TELLS_OF_MORE = /total|count|pages|more|next|cursor/i;

/** Hints at what a response says of further rows: how to ask for them is not shown (interface.md §4.8). */
function hintAtMore({ context }: Client, response: unknown, rows: number) {
	const told = [...levelsOf(response, DEEPEST_LEVEL, outsideLists)]
		.flat()
		.flatMap((object) => Object.entries(isObject(object) ? object : {}))
		.filter(([name, value]) => TELLS_OF_MORE.test(name) && typeof value !== 'object')
		.filter(([, value]) => value && value !== 1 && value !== rows)
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
	/** Empty where there is no page envelope, or the service returned another page. */
	page: Page;
}

const NO_PAGE: Page = { total: 0, page: 1, limit: Infinity, pages: 1, items: [] };

/** One page of the document list, with the documents in it as its rows; one page where there is no page envelope. */
export async function readDocumentPage(client: Client, number: number): Promise<ListPage<object>> {
	const response = await readList(client, number === 1 ? [] : [['page', number]]);
	const isWanted = isPage(response) && !isAnotherPage(response, number);
	return { entries: documentsIn(response), page: isWanted ? response : NO_PAGE };
}

/** The documents in a response: what has `extraction_status` is a document (interface.md §3). */
function documentsIn(response: unknown): object[] {
	const listed = listedIn(response, 0);
	// What stands beside a list of documents, e.g. their workflow, is none.
	if (listed.length > 0) return listed;
	const levels = [...levelsOf(response, DEEPEST_LEVEL)].map((level) => level.filter(isStated));
	return levels.findLast((level) => level.length > 0) ?? [];
}

const isStated = (value: unknown): value is object => ownValue(value, STATUS) !== undefined;

/** The entries of lists that have a status, themselves or in a nested object. */
function listedIn(value: unknown, depth: number): object[] {
	if (!isOuter(value) || depth > DEEPEST_LEVEL) return [];
	const isDocument = (entry: unknown): entry is object =>
		[...levelsOf(entry, DEEPEST_LEVEL, outsideLists)].flat().some(isStated);
	return Object.values(value).flatMap((part) =>
		Array.isArray(value) && isDocument(part) ? [part] : listedIn(part, depth + 1),
	);
}
