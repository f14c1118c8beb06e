import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../../transport/connection';
import { extractionList } from '../../transport/extractions';
import { readRows } from '../../transport/pages';
import {
	chosenCollection,
	existingCollection,
	forOperation,
	limit,
	options,
	returnAll,
	wantedRows,
} from '../fields';

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
	const connection = await connect(context, itemIndex);
	const documentId = String(context.getNodeParameter('documentIdFilter', itemIndex)).trim();
	const list = extractionList(context, connection, {
		document_id: documentId || undefined,
		collection_id: chosenCollection(context, itemIndex).id,
	});
	const rows = await readRows(context, connection, list, wanted);
	return rows.map((row) => ({ json: row as IDataObject }));
}
