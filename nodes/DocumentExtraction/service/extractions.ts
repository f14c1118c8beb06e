/** Starts extractions, and reads their results. */
import type { IDataObject } from 'n8n-workflow';

import { mapInOrder, settled, type Outcome } from '../http/concurrency';
import { counted, redact } from '../http/redact';
import { finding, isTooLarge } from './callError';
import { logProgress, type Client } from './client';
import { ifReady, ready } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import { DOCUMENT_ID, documentIdsIn } from '../account/fields';
import { holdersIn } from '../account/rows';
import { asPage, readPages, type Page } from './pages';
import { callForEach, callService, pathSegment, workflowPath, type ServiceCall } from './call';

/** What to extract; each field that is left out does not narrow it (interface.md §4.6). */
export interface ExtractionRequest {
	/** Each once. */
	documentIds: string[];
	collectionId?: string;
	columnIds: string[];
	/** Whether to extract again what is extracted already, which overwrites the results. */
	force?: boolean;
	/** The API Details that the IDs were found with. */
	fromDetails?: ApiDetail[];
}

/** The most documents in one call by default. */
export const DEFAULT_DOCUMENTS_PER_CALL = 1000;

/**
 * Starts an extraction; the body is omitted when nothing was chosen.
 * @param documentsPerCall the most documents in one call; more go in several calls
 * @returns for each document whether it was started; one outcome where no documents are named
 */
export async function startExtraction(
	client: Client,
	{ documentIds, collectionId, columnIds, force, fromDetails }: ExtractionRequest,
	documentsPerCall = DEFAULT_DOCUMENTS_PER_CALL,
): Promise<Array<Outcome<unknown>>> {
	const callFor = (ids: string[]): ServiceCall => {
		const body: IDataObject = {
			...(ids.length > 0 ? { document_ids: ids } : {}),
			...(collectionId ? { collection_id: collectionId } : {}),
			...(columnIds.length > 0 ? { column_ids: columnIds } : {}),
			...(force ? { force } : {}),
		};
		return {
			method: 'POST',
			path: `${workflowPath(client)}/extract`,
			body: Object.keys(body).length > 0 ? body : undefined,
			expects: 'any',
			changes: 'extraction',
			fromDetails,
		};
	};
	const outcomes =
		documentIds.length > 0
			? await callForEach(client, documentIds, callFor, documentsPerCall)
			: [await settled(callService(client, callFor([])))];
	if (outcomes.some(({ error }) => error)) return outcomes;
	const what = documentIds.length > 0 ? `of ${counted(documentIds.length, 'document')} ` : '';
	logProgress(client.context, `extraction ${what}started`);
	return outcomes;
}

/**
 * Starts the extraction of a single document (interface.md §4.7).
 * @param body sent as it is; none by default
 * @returns the service's response; undefined where it is empty
 */
export async function startExtractionOfOne(
	client: Client,
	documentId: string,
	body: IDataObject | undefined,
): Promise<unknown> {
	const { json } = await callService(client, {
		method: 'POST',
		path: `${workflowPath(client)}/documents/${pathSegment(documentId, 'Document ID')}/extract`,
		body,
		expects: 'any',
		changes: 'extraction',
	});
	return json;
}

interface ResultFilters {
	documentId?: string;
	collectionId?: string;
	/** The API Detail that the document's ID was found with. */
	fromDetails?: ApiDetail[];
}

/** The most results on a page (interface.md §4.5). */
export const MAX_PAGE_SIZE = 200;

/**
 * One page of the extraction results (interface.md §4.5).
 * @throws CallError also where a document is asked for, and the results name another one
 */
export async function readResultPage(
	client: Client,
	page: number,
	{ documentId, collectionId, fromDetails }: ResultFilters = {},
	size = MAX_PAGE_SIZE,
): Promise<Page> {
	const { json } = await callService(client, {
		method: 'GET',
		path: `${workflowPath(client)}/extractions`,
		query: [
			['document_id', documentId],
			['collection_id', collectionId],
			['page', page],
			['limit', size],
		],
		expects: 'json',
		fromDetails,
	});
	const result = asPage(json, page, client);
	if (documentId === undefined) return result;
	const rows = ifReady(client.account.details.rows);
	const named = documentIdsIn(result.items, DOCUMENT_ID, (row) => holdersIn(row, rows));
	const came = named.find((id) => id && id.toLowerCase() !== documentId.toLowerCase());
	if (came === undefined) return result;
	throw finding([
		'The service gave the results of another document',
		`The node asked for document ${redact(documentId)} and got results of document ${redact(came)}.`,
		'A cache or a proxy may ignore the part of the address after the question mark.',
		'Show this to whoever runs it, or to your account team.',
	]);
}

/**
 * Reads extraction results, in the order of the service's list. Where a page is too large to be read, it
 * asks for half as many rows.
 * @param limit the most results to return
 */
export async function readResults(
	client: Client,
	filters: ResultFilters,
	limit = Infinity,
): Promise<unknown[]> {
	for (let pageSize = Math.min(limit, MAX_PAGE_SIZE); ; pageSize = Math.ceil(pageSize / 2)) {
		const read = async (page: number) => await readResultPage(client, page, filters, pageSize);
		const outcome = await settled(
			read(1).then((first) => readPages(client, first, read, limit, pageSize)),
		);
		if (!outcome.error) return outcome.value;
		if (pageSize === 1 || !isTooLarge(outcome.error)) throw outcome.error;
	}
}

/** The results of one document; a result without a document ID is on its own. */
export interface DocumentResults {
	documentId: string | undefined;
	results: unknown[];
}

/**
 * Results that were read with these filters, by document, in the order of each document's first result.
 * @param field the field that names a result's document
 */
export function groupedByDocument(
	{ account }: Client,
	{ documentId: asked }: ResultFilters,
	results: unknown[],
	field = account.listIdField,
): DocumentResults[] {
	const rows = ifReady(account.details.rows);
	const named =
		asked === undefined ? documentIdsIn(results, field, (one) => holdersIn(one, rows)) : [];
	const documents = new Map<string | symbol, DocumentResults>();
	for (const [index, result] of results.entries()) {
		const documentId = asked ?? named[index];
		const key = documentId ?? Symbol();
		const document = documents.get(key) ?? { documentId, results: [] };
		document.results.push(result);
		documents.set(key, document);
	}
	return [...documents.values()];
}

/**
 * Results grouped by document, each with all of its results, in the order of the list.
 * @param limit the most documents to return; Infinity for all
 */
export async function readResultsByDocument(
	client: Client,
	filters: ResultFilters,
	limit: number,
): Promise<DocumentResults[]> {
	// If it is malformed, nothing is read first.
	if (filters.documentId === undefined) ready(client.account.details.documentIdField);
	for (let wanted = limit; ; wanted *= 4) {
		const results = await readResults(client, filters, wanted);
		const documents = groupedByDocument(client, filters, results);
		const enough = documents.slice(0, limit);
		if (results.length < wanted) return enough;
		if (documents.length >= limit) return await completed(client, enough);
	}
}

/** Documents with all their results, also those further down in the list. */
async function completed(client: Client, documents: DocumentResults[]): Promise<DocumentResults[]> {
	return await mapInOrder(documents, client.maxConcurrency, async (document) => {
		const { documentId } = document;
		if (documentId === undefined) return document;
		const results = await readResults(client, { documentId, fromDetails: ['documentIdField'] });
		// What was read is there, whatever the service finds by this ID.
		return results.length < document.results.length ? document : { documentId, results };
	});
}
