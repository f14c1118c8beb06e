import type { IDataObject } from 'n8n-workflow';

import type { StoreFile } from '../http/response';
import type { Client } from './client';
import { callService, pathSegment, workflowPath, type ServiceResponse } from './service';

/**
 * Makes one PDF of the PDFs in a collection (interface.md §4.9).
 * @param labelOrder in the form that the account's API reference shows; undefined for the collection's order
 * @returns the file, where the service responds with it, or its JSON
 */
export async function mergeCollection(
	client: Client,
	collectionId: string,
	labelOrder: IDataObject | undefined,
	store: StoreFile,
): Promise<ServiceResponse> {
	const collection = pathSegment(collectionId, 'Collection');
	return await callService(client, {
		method: 'POST',
		path: `${workflowPath(client)}/collections/${collection}/merged-document`,
		body: labelOrder === undefined ? undefined : { label_order: labelOrder },
		expects: 'json',
		store,
		shownBy: 'Document › Get Many',
	});
}
