import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldsOf } from '../../api/details/fields';
import { howToFillIn } from '../../api/details/labels';
import { documentIdField } from '../../api/details/responses';
import { settleInOrder } from '../../transport/concurrency';
import { inputError } from '../../transport/connection';
import { readDocumentResults, startExtraction } from '../../transport/extractions';
import { assertCanWaitForDocuments, waitForDocuments } from '../../transport/waiting';
import {
	columnIds,
	fileFilterOptions,
	forOperation,
	idList,
	inputDataFieldName,
	options,
	uploadCollection,
	timeoutError,
	uploadMethod,
	waitLimits,
	waitOptions,
} from '../fields';
import type { Outcome } from '../operation';
import {
	failedUpload,
	fileItem,
	grouped,
	hintAtUploads,
	stopAtFailure,
	uploadFilesOfItems,
	type FileUpload,
} from '../uploads';

export const description = forOperation('extraction', 'extractFromFiles', [
	inputDataFieldName,
	uploadMethod,
	uploadCollection,
	options(columnIds, ...fileFilterOptions, ...waitOptions),
]);

/** A document that is uploaded, and the output items of its results once they are read. */
interface Extracting {
	upload: FileUpload;
	documentId: string;
	columns: string[];
	items?: INodeExecutionData[];
}

export async function executeRun(context: IExecuteFunctions): Promise<Outcome[]> {
	const items = await uploadFilesOfItems(context, (connection) =>
		assertCanWaitForDocuments(context, connection),
	);
	const uploads = items.flatMap((item) => (item.error ? [] : item.uploads));
	const documents = uploads.flatMap((upload) => asDocument(context, upload));
	stopAtFailure(context, uploads);

	const groups = grouped(documents, ({ upload: { connection, options }, columns }) => [
		connection,
		columns,
		options,
	]);
	await Promise.all(groups.map(async (group) => await extractTogether(context, group)));
	stopAtFailure(context, uploads);

	hintAtUploads(context, items);
	const results = new Map(documents.map(({ upload, items: found }) => [upload, found]));
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

function asDocument(context: IExecuteFunctions, upload: FileUpload): Extracting[] {
	const { uploaded, error, file, connection } = upload;
	if (error || !uploaded) return [];
	const { documentId } = uploaded;
	if (documentId === undefined) {
		upload.error = inputError(
			context,
			file.itemIndex,
			"The answer to the upload holds no document ID under the API Detail 'Document ID Field'",
			`The file is uploaded, but was not extracted. The field is '${documentIdField(connection.credential)}'. The answer has: ${fieldsOf(uploaded.answer)}. ${howToFillIn('documentIdField')}`,
		);
		return [];
	}
	return [{ upload, documentId, columns: idList(context, file.itemIndex, 'options.columnIds') }];
}

/** One extraction for documents that share their settings; what fails is noted at each of them. */
async function extractTogether(context: IExecuteFunctions, documents: Extracting[]) {
	const [{ upload, columns }] = documents;
	const { connection, options: settings } = upload;
	const documentIds = documents.map(({ documentId }) => documentId);
	try {
		await startExtraction(context, connection, { documentIds, columnIds: columns });
		const waited = await waitForDocuments(
			context,
			connection,
			documentIds,
			true,
			waitLimits(settings),
		);
		const outcomes = await settleInOrder(
			documents,
			connection.maxConcurrency,
			false,
			async (document) => {
				const { documentId } = document;
				const unread = waited.errors.get(documentId);
				if (unread) throw unread;
				if (!waited.finished.has(documentId)) {
					return unfinished(context, document, waited.statuses.get(documentId));
				}
				const rows =
					waited.results.get(documentId) ??
					(await readDocumentResults(context, document.upload.connection, documentId));
				return resultItems(document.upload, rows);
			},
		);
		for (const [index, outcome] of outcomes.entries()) {
			if (outcome?.error) documents[index].upload.error = outcome.error;
			else documents[index].items = outcome?.value;
		}
	} catch (error) {
		for (const document of documents) document.upload.error = error as Error;
	}
}

/** One output item per result. A document without any still gives an item: no file disappears. */
function resultItems(upload: FileUpload, rows: unknown[]): INodeExecutionData[] {
	const extractions = rows.length > 0 ? rows : [null];
	return extractions.map((row) => fileItem(upload, { extraction: row as IDataObject }));
}

/** A document that took too long: its ID and last status, as an item or as a failure. */
function unfinished(
	context: IExecuteFunctions,
	{ upload, documentId }: Extracting,
	status: unknown,
): INodeExecutionData[] {
	const { options: settings, file } = upload;
	if (settings.onTimeout !== 'status') {
		throw timeoutError(context, file.itemIndex, settings, documentId, status);
	}
	const extractionStatus = (status ?? null) as IDataObject;
	return [fileItem(upload, { extraction: null, finished: false, extractionStatus })];
}
