import type { INodeProperties } from 'n8n-workflow';

import { ready } from '../../account/account';
import { groupedByDocument, readResults, readResultsByDocument } from '../../service/extractions';
import { addHint } from '../../service/client';
import { redact } from '../../http/redact';
import { failedAfter } from '../../messages/words';
import { includeFile, itemsOfDocuments } from '../files/download';
import {
	asJson,
	forEachItem,
	goesOnAfterFailure,
	type Operation,
	type ItemOutcome,
} from '../operation';
import {
	checkedOptions,
	collectionId,
	createClient,
	existingCollection,
	fieldValue,
	idFrom,
	limit,
	options,
	returnAll,
	wantedRows,
} from '../parameters';
import { hintAtRaw, output, rowOptions, rowSettings, selectedFields, simplify } from '../results';

const NO_ID =
	"Some results have no document ID, neither under 'document_id' nor under the field named in 'Document ID Field' in the credential, so each of them is an item of its own. If they contain the document's ID in another field, do not change 'Document ID Field' to it yet: the node also looks for the ID under 'Document ID Field' in the responses to uploads. Ask your account team what to enter there, so that it fits both uploads and results.";

const documentId: INodeProperties = {
	displayName: 'Document ID',
	name: 'documentIdFilter',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description: 'Only results for this document. Leave empty for all.',
};

/** For an ID that it does not know, the service may return an empty list, and no error. */
const noResultsFor = (id: string) =>
	`No results for ${redact(id)}. Is that an ID, as Document › Get Many or Workflow › Get shows it, and not a name? If it is an ID, probably nothing has been extracted for it yet. If an extraction was started, wait until it is over, and run this again; otherwise, start one with Extraction › Extract Documents. If there are still no results then, show this to your account team.`;

export const getManyExtractions: Operation = {
	resource: 'extraction',
	name: 'Get Many',
	value: 'getAll',
	description: 'Retrieve a list of extraction results',
	action: 'Get many extraction results',
	builderHint: {
		propertyHint:
			'Reads results that exist already; starts no extraction and needs no file. The option includeConfidence adds how sure the service is of each value.',
	},
	output: { documentId: { type: ['string', 'null'] } },
	fields: [
		returnAll,
		{ ...limit, hint: 'With simplified output, this is the max number of documents' },
		documentId,
		existingCollection,
		simplify,
		output,
		selectedFields,
		options(includeFile, ...rowOptions),
	],
	run: forEachItem(async (context, itemIndex) => {
		const wanted = wantedRows(context, itemIndex);
		const filters = {
			documentId: fieldValue(context, itemIndex, documentId, idFrom, 'all documents') || undefined,
			collectionId: collectionId(context, itemIndex, 'all collections') || undefined,
		};
		const client = await createClient(context, itemIndex);
		const hasFiles = checkedOptions(context, itemIndex, [includeFile]).includeFile === true;
		if (hasFiles) ready(client.account.details.fileUrlField);
		const settings = rowSettings(context, client, itemIndex);
		const { rows } = settings;
		const results = rows ? [] : await readResults(client, filters, wanted);
		const documents = rows
			? await readResultsByDocument(client, filters, wanted)
			: groupedByDocument(client, filters, results);
		const id = filters.documentId ?? filters.collectionId;
		if (documents.length === 0 && id !== undefined) addHint(context, noResultsFor(id));
		if (!rows) await hintAtRaw(context, client, [itemIndex], documents);
		else if (documents.some((one) => one.documentId === undefined)) addHint(context, NO_ID);
		if (!rows && !hasFiles) return results.map((result) => ({ json: asJson(result) }));
		const goesOn = goesOnAfterFailure(context);
		const how = { hasFiles, goesOn };
		const made = await itemsOfDocuments(context, client, documents, settings, how);
		const outcomes = made.flatMap((one, index): ItemOutcome[] => {
			if (!one?.error) return one ? [{ itemIndex, items: one.value }] : [];
			const { documentId: failed = null } = documents[index];
			// If the run continues, the details name the document.
			const note = goesOn || failed === null ? '' : `Document ID: ${redact(failed)}.`;
			const details = { documentId: failed };
			return [{ itemIndex, error: failedAfter(one.error, note), details }];
		});
		return { outcomes };
	}),
};
