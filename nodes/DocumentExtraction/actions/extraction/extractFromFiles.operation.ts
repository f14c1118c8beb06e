import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { readDocumentResults, startExtraction } from '../../api/extractions';
import { once } from '../../api/memory';
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
import { waitOptions } from '../fields/waiting';
import { grouped } from '../grouped';
import { describedFile } from '../inputFiles';
import type { Outcome } from '../operation';
import { idList, waitLimits } from '../parameters';
import { documentTimeout, lastStatus } from '../timeout';
import {
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
		check: assertCanWaitForDocuments,
		needsDocumentId: true,
	});
	const uploads = uploadsOf(items);
	const documents = uploads.flatMap((upload) => extractingOf(context, upload));
	const groups = grouped(documents, ({ upload, columnIds }) => [
		upload.client,
		columnIds,
		upload.options,
	]);
	await Promise.all(groups.map(extractTogether));
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
	const columnIds = idList(context, upload.file.itemIndex, 'options.columnIds');
	return [{ upload, documentId, columnIds }];
}

/** One extraction for documents that share their settings; what fails is noted at each of them. */
async function extractTogether(documents: Extracting[]) {
	const [{ upload, columnIds }] = documents;
	const { client, options: settings } = upload;
	const documentIds = documents.map(({ documentId }) => documentId);
	try {
		await once(
			client,
			`extract ${documentIds.join()}`,
			async () => await startExtraction(client, { documentIds, columnIds }),
		);
		const limits = waitLimits(settings);
		const waited = await waitForDocuments(client, documentIds, { areNew: true }, limits);
		const outcomes = await settleInOrder(
			documents,
			client.maxConcurrency,
			false,
			async (document) => await readItems(client, document, waited),
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
 * @throws CallError where it was not finished in time, and that is a failure
 */
async function readItems(
	client: Client,
	{ upload, documentId }: Extracting,
	waited: DocumentsWaitedFor,
): Promise<INodeExecutionData[]> {
	const unread = waited.errors.get(documentId);
	if (unread) throw unread;
	if (waited.finished.has(documentId)) {
		const rows = waited.results.get(documentId) ?? (await readDocumentResults(client, documentId));
		return resultItems(upload, rows);
	}
	if (upload.options.onTimeout !== 'status') {
		throw documentTimeout(upload.options, documentId, waited);
	}
	const extractionStatus = lastStatus(waited, documentId);
	return [fileItem(upload, { extraction: null, finished: false, extractionStatus })];
}

/** One output item per result. A document without any still gives an item: no file disappears. */
function resultItems(upload: FileUpload, rows: unknown[]): INodeExecutionData[] {
	const extractions = rows.length > 0 ? rows : [null];
	return extractions.map((row) => fileItem(upload, { extraction: row as IDataObject }));
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
