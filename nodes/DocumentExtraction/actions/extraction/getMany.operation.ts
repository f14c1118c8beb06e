import type { IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { extractionList } from '../../transport/extractions';
import { readRows } from '../../transport/pages';
import {
	collectionFilter,
	existingCollection,
	filterOf,
	forOperation,
	limit,
	options,
	returnAll,
	wantedRows,
} from '../fields';
import { asJson } from '../operation';

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
	const documentId = filterOf(context, itemIndex, 'Document ID', {
		entered: context.getNode().parameters.documentIdFilter,
		value: context.getNodeParameter('documentIdFilter', itemIndex),
	});
	const collectionId = collectionFilter(context, itemIndex);
	const connection = await connect(context, itemIndex);
	const list = extractionList(context, connection, {
		document_id: documentId,
		collection_id: collectionId,
	});
	const rows = await readRows(context, connection, list, wanted);
	return rows.map((row) => ({ json: asJson(row) }));
}
