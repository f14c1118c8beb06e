import type { IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { extractionList } from '../../api/extractions';
import { readRows } from '../../api/pages';
import { existingCollection } from '../fields/collection';
import { forOperation, options } from '../fields/options';
import { limit, returnAll } from '../fields/paging';
import { asJson } from '../operation';
import { collectionFilter, documentFilter, wantedRows } from '../parameters';

export const description = forOperation('extraction', 'getAll', [
	returnAll,
	limit,
	{
		displayName: 'Document ID',
		name: 'documentIdFilter',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.documentId }}',
		description: 'Only results of this document. Leave it empty for all.',
	},
	existingCollection,
	options(),
]);

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const wanted = wantedRows(context, itemIndex);
	const documentId = documentFilter(context, itemIndex);
	const collectionId = collectionFilter(context, itemIndex);
	const client = await createClient(context, itemIndex);
	const list = extractionList(client, { documentId, collectionId });
	const rows = await readRows(client, list, wanted);
	return rows.map((row) => ({ json: asJson(row) }));
}
