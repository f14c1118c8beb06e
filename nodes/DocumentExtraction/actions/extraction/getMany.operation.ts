import type { IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../api/client';
import { extractionList, readResultsByDocument } from '../../api/extractions';
import { readRows } from '../../api/pages';
import { addHint } from '../../api/run';
import { existingCollection } from '../fields/collection';
import { forOperation, options } from '../fields/options';
import { limit, returnAll } from '../fields/paging';
import { simplify } from '../fields/simplify';
import { asJson } from '../operation';
import { collectionFilter, documentFilter, wantedRows } from '../parameters';
import { fieldsToSimplify, hintAtMissingFields, simplifiedJson } from '../simplified';

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
	simplify,
	options(),
]);

const NO_ID =
	"Some results have no document ID under the API Detail 'Document ID Field', so each of them is an item of its own.";

export async function execute(context: IExecuteFunctions, itemIndex: number) {
	const wanted = wantedRows(context, itemIndex);
	const documentId = documentFilter(context, itemIndex);
	const collectionId = collectionFilter(context, itemIndex);
	const client = await createClient(context, itemIndex);
	const filters = { documentId, collectionId };
	const fields = fieldsToSimplify(context, client, itemIndex);
	if (!fields) {
		const results = await readRows(client, extractionList(client, filters), wanted);
		if (results.length > 0) hintAtMissingFields(context, itemIndex);
		return results.map((result) => ({ json: asJson(result) }));
	}
	const isOneEach = fields.values !== undefined;
	const documents = await readResultsByDocument(client, filters, wanted, isOneEach);
	if (documents.some((document) => document.documentId === undefined)) addHint(context, NO_ID);
	return documents.map((document) => {
		const about = { documentId: document.documentId ?? null };
		return { json: simplifiedJson(context, document.results, fields, about) };
	});
}
