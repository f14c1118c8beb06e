import type { IDataObject } from 'n8n-workflow';

import type { Connection, Context } from './connection';
import { readRows, type List } from './pages';
import { counted, logProgress } from './progress';
import { callService, workflowPath } from './request';

/** What to extract; what is left out does not narrow it (interface.md §4.6). */
export interface ExtractionRequest {
	documentIds?: string[];
	collectionId?: string;
	columnIds?: string[];
	/** Extracts again what is extracted already, overwriting the results. */
	force?: boolean;
}

/** Starts an extraction of many documents; the body is omitted when nothing was chosen. */
export async function startExtraction(
	context: Context,
	connection: Connection,
	{ documentIds, collectionId, columnIds, force }: ExtractionRequest,
): Promise<void> {
	const body: IDataObject = {
		...(documentIds?.length ? { document_ids: documentIds } : {}),
		...(collectionId ? { collection_id: collectionId } : {}),
		...(columnIds?.length ? { column_ids: columnIds } : {}),
		...(force ? { force } : {}),
	};
	await callService(context, connection, {
		method: 'POST',
		path: `${workflowPath(context, connection)}/extract`,
		body: Object.keys(body).length > 0 ? body : undefined,
		answer: 'any',
		shownBy: 'Workflow › Get or Extraction › Get Many',
	});
	const what = documentIds?.length ? `of ${counted(documentIds.length, 'document')} ` : '';
	logProgress(context, `extraction ${what}started`);
}

/** The list of extraction results, filtered (interface.md §4.5). */
export function extractionList(
	context: Context,
	connection: Connection,
	filters: { document_id?: string; collection_id?: string },
): List {
	return { path: `${workflowPath(context, connection)}/extractions`, query: filters };
}

/** All results of one document. */
export async function readDocumentResults(
	context: Context,
	connection: Connection,
	documentId: string,
): Promise<unknown[]> {
	const list = extractionList(context, connection, { document_id: documentId });
	return await readRows(context, connection, list, Infinity);
}
