import type { IDataObject } from 'n8n-workflow';

import type { Connection, Context } from './connection';
import { isPage, readPages } from './pages';
import { callService, workflowPath } from './request';

/**
 * The document list (interface.md §4.8). Its answer is not shown: a page envelope is followed, an
 * array gives its entries, anything else is one row.
 * @param query passed on as it is; one that names a page gets that page
 * @param isExact whether rows that shift while they are read matter
 */
export async function readDocuments(
	context: Context,
	connection: Connection,
	query: IDataObject,
	limit: number,
	{ isExact = true } = {},
): Promise<unknown[]> {
	const read = async (page?: number) => {
		const { json } = await callService(context, connection, {
			method: 'GET',
			path: `${workflowPath(context, connection)}/documents`,
			query: page === undefined ? query : { ...query, page },
			answer: 'json',
		});
		return json;
	};
	const first = await read();
	if (isPage(first) && !('page' in query)) {
		return await readPages(context, connection, first, limit, read, { isExact });
	}
	const rows = isPage(first) ? first.items : Array.isArray(first) ? first : [first];
	return rows.slice(0, limit);
}
