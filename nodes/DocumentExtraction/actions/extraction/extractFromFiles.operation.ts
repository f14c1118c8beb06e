import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withNote } from '../../api/errors/callError';
import type { Client } from '../../api/client';
import { readDocumentResults, recallStart, startExtraction } from '../../api/extractions';
import { addHint } from '../../api/run';
import {
	assertCanWaitForDocuments,
	waitForDocuments,
	type DocumentsWaitedFor,
} from '../../api/waiting/documents';
import { settleInOrder } from '../../http/concurrency';
import { uploadCollection } from '../fields/collection';
import { columnIds } from '../fields/documents';
import { fileOptions, inputDataFieldName, uploadMethod } from '../fields/files';
import { forOperation, options } from '../fields/options';
import { simplify } from '../fields/simplify';
import { waitOptions } from '../fields/waiting';
import { grouped } from '../grouped';
import { describedFile } from '../inputFiles';
import type { Outcome } from '../operation';
import { columnIdsFilter, waitLimits } from '../parameters';
import { fieldsToSimplify, hintAtMissingFields, simplifiedJson } from '../simplified';
import { documentTimeout, lastStatus } from '../timeout';
import {
	documentFields,
	failedUpload,
	fileItem,
	throwFirstFailure,
	uploadsOf,
	type FileUpload,
} from '../uploads/fileUpload';
import { hintAtUploads, uploadFilesOfItems } from '../uploads/upload';

export const description = forOperation('extraction', 'extractFromFiles', [
	inputDataFieldName,
	uploadMethod,
	uploadCollection,
	simplify,
	options(columnIds, ...fileOptions, ...waitOptions),
]);

/** A document that is uploaded, and the output items of its results once they are read. */
interface Extracting {
	upload: FileUpload;
	documentId: string;
	columnIds: string[];
	items?: INodeExecutionData[];
}

export async function executeRun(context: IExecuteFunctions): Promise<Outcome[]> {
	const items = await uploadFilesOfItems(context, {
		check: (client) => {
			assertCanWaitForDocuments(client);
			const itemIndex = client.itemIndex ?? 0;
			fieldsToSimplify(context, client, itemIndex);
			columnIdsFilter(context, itemIndex);
		},
		needsDocumentId: true,
	});
	const uploads = uploadsOf(items);
	const documents = uploads.flatMap((upload) => extractingOf(context, upload));
	for (const document of documents) recallDoubt(document);
	const certain = documents.filter(({ upload }) => !upload.error);
	const groups = grouped(certain, ({ upload, columnIds }) => [
		upload.client,
		columnIds,
		upload.options,
	]);
	await Promise.all(groups.map(async (group) => await extractTogether(context, group)));
	if (!context.continueOnFail()) throwFirstFailure(uploads);

	hintAtUploads(context, items);
	hintAtMissingResults(context, documents);
	const results = new Map(documents.map((document) => [document.upload, document.items]));
	return items.flatMap((item): Outcome[] => {
		if (item.error) return [item];
		return item.uploads.map((upload) => {
			const found = results.get(upload);
			return upload.error || !found
				? failedUpload(upload, upload.error as Error)
				: { itemIndex: item.itemIndex, items: found };
		});
	});
}

function extractingOf(context: IExecuteFunctions, upload: FileUpload): Extracting[] {
	const documentId = upload.uploaded?.documentId;
	if (upload.error || documentId === undefined) return [];
	const columnIds = columnIdsFilter(context, upload.file.itemIndex);
	return [{ upload, documentId, columnIds }];
}

const PURPOSE = 'from files';

/** Where nobody knows whether an earlier try of the execution has started it, that document fails alone. */
function recallDoubt({ upload, documentId }: Extracting) {
	upload.error = recallStart(upload.client, PURPOSE, documentId)?.error;
}

/** One extraction for documents that share their settings; what fails is noted at each of them. */
async function extractTogether(context: IExecuteFunctions, documents: Extracting[]) {
	const [{ upload, columnIds }] = documents;
	const { client, options: settings } = upload;
	const documentIds = documents.map(({ documentId }) => documentId);
	try {
		await startExtraction(client, { documentIds, columnIds }, PURPOSE);
		const limits = waitLimits(settings);
		const waited = await waitForDocuments(client, documentIds, { areNew: true }, limits);
		const outcomes = await settleInOrder(
			documents,
			client.maxConcurrency,
			false,
			async (document) => await readItems(context, client, document, waited),
		);
		for (const [index, outcome] of outcomes.entries()) {
			if (outcome?.error) documents[index].upload.error = outcome.error;
			else documents[index].items = outcome?.value;
		}
	} catch (error) {
		for (const document of documents) document.upload.error = error as Error;
	}
}

/**
 * The output items of a document, once its extraction was waited for.
 * @throws CallError where it was not finished in time, and that is a failure; UserError where its
 * results cannot be simplified
 */
async function readItems(
	context: IExecuteFunctions,
	client: Client,
	{ upload, documentId }: Extracting,
	waited: DocumentsWaitedFor,
): Promise<INodeExecutionData[]> {
	const unread = waited.errors.get(documentId);
	if (unread) throw unread;
	const isFinished = waited.finished.has(documentId);
	if (isFinished || waited.unread.has(documentId)) {
		const results =
			waited.results.get(documentId) ?? (await readDocumentResults(client, documentId));
		if (isFinished || results.length > 0) return resultItems(context, upload, results);
	}
	if (upload.options.onTimeout !== 'status') {
		throw documentTimeout(upload.options, documentId, waited);
	}
	const extractionStatus = lastStatus(waited, documentId);
	const json = { extraction: null, finished: false, extractionStatus };
	return [fileItem(upload, { ...documentFields(upload), ...json })];
}

/** One output item per document or per result. A document without any still gives one: no file disappears. */
function resultItems(
	context: IExecuteFunctions,
	upload: FileUpload,
	results: unknown[],
): INodeExecutionData[] {
	const { client, file, uploaded } = upload;
	const fields = fieldsToSimplify(context, client, file.itemIndex);
	if (fields) {
		const about = { documentId: uploaded?.documentId ?? null, fileName: file.name };
		try {
			return [fileItem(upload, simplifiedJson(context, results, fields, about))];
		} catch (error) {
			const note = 'The document is extracted: Extraction › Get Many returns its results.';
			throw withNote(error as Error, note);
		}
	}
	if (results.length > 0) hintAtMissingFields(context, file.itemIndex);
	const extractions = results.length > 0 ? results : [null];
	return extractions.map((extraction) =>
		fileItem(upload, { extraction: extraction as IDataObject, ...documentFields(upload) }),
	);
}

const MOST_NAMED = 5;

/** An empty item must not pass unseen. */
function hintAtMissingResults(context: IExecuteFunctions, documents: Extracting[]) {
	const empty = documents.filter(({ items }) =>
		items?.some(({ json }) => json.extraction === null),
	);
	if (empty.length === 0) return;
	const names = empty.slice(0, MOST_NAMED).map(({ upload }) => describedFile(upload.file));
	const rest = empty.length - names.length;
	addHint(
		context,
		`Without results: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. Their items have extraction: null.`,
	);
}
