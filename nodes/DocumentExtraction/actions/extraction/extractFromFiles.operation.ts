import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withNote } from '../../api/callError';
import type { Client } from '../../api/client';
import { usableResultFields } from '../../api/details/responses';
import { recallStart, startExtraction } from '../../api/extractions';
import { misreadingOf, type Misreading } from '../../api/readings';
import { addHint, fewOf, sentences } from '../../api/run';
import { waitForExtraction, type Waited } from '../../api/waiting/wait';
import { assertCanWait } from '../../api/workflow';
import { redact } from '../../http/redact';
import { describedFile, inputDataFieldName } from '../inputFiles';
import { grouped, MOST_NAMED, type Operation, type Outcome } from '../operation';
import { columnIds, columnIdsFilter, options, uploadCollection } from '../parameters';
import {
	blankRaw,
	fieldsToSimplify,
	hintAtBlankDocuments,
	hintAtMissingFields,
	simplifiedRow,
	simplify,
} from '../simplify';
import {
	documentFields,
	failedUpload,
	fileItem,
	fileOptions,
	hintAtUploads,
	stopAtFirstFailure,
	uploadFilesOfItems,
	uploadMethod,
	uploadsOf,
	type FileUpload,
} from '../uploads';
import {
	doubtField,
	hintAtDoubts,
	lastStatus,
	timeoutError,
	waitLimits,
	waitOptions,
} from '../waiting';

/** A document that is uploaded, and the output items of its results once they are read. */
interface Extracting {
	upload: FileUpload;
	documentId: string;
	columnIds: string[];
	items?: INodeExecutionData[];
	/** Results that are not simplified. */
	rawResults?: unknown[];
	/** Whether it has results in which no column was found. */
	isBlank?: boolean;
}

export const extractFromFiles: Operation = {
	resource: 'extraction',
	name: 'Extract From Files',
	value: 'extractFromFiles',
	description: 'Upload files, extract, wait, and return the extracted values',
	action: 'Extract values from files with your service',
	builderHint: {
		propertyHint:
			"The usual choice: from binary files to values in one step. With 'simple' on, each column of the account is a field of the output, by its own name, e.g. $json['Total'].",
	},
	uses: ['directUpload', 'signedUpload'],
	output: { documentId: { type: 'string' }, fileName: { type: 'string' } },
	fields: [
		inputDataFieldName,
		uploadMethod,
		uploadCollection,
		simplify,
		options(columnIds, ...fileOptions, ...waitOptions),
	],
	async run(context) {
		const items = await uploadFilesOfItems(context, {
			check: (client) => {
				assertCanWait(client);
				const itemIndex = client.itemIndex ?? 0;
				fieldsToSimplify(context, client, itemIndex);
				columnIdsFilter(context, itemIndex);
			},
			needsDocumentId: true,
		});
		const uploads = uploadsOf(items);
		const documents = uploads.flatMap((upload): Extracting[] => {
			const documentId = upload.uploaded?.documentId;
			if (upload.error || documentId === undefined) return [];
			return [{ upload, documentId, columnIds: columnIdsFilter(context, upload.file.itemIndex) }];
		});
		for (const { upload, documentId } of documents) {
			// Where an earlier try of the execution may have started it, only that document fails.
			upload.error = recallStart(upload.client, PURPOSE, documentId)?.error;
		}
		const toStart = documents.filter(({ upload }) => !upload.error);
		const groups = grouped(toStart, ({ upload, columnIds }) => [
			upload.client,
			columnIds,
			upload.options,
		]);
		await Promise.all(groups.map(async (group) => await extractTogether(context, group)));
		stopAtFirstFailure(context, uploads);

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
	},
};

const PURPOSE = ['from files'];

/** Extracts documents that share their settings in one call. A failure is recorded on each of them. */
async function extractTogether(context: IExecuteFunctions, documents: Extracting[]) {
	const [{ upload, columnIds }] = documents;
	const { client, options: settings } = upload;
	const documentIds = documents.map(({ documentId }) => documentId);
	try {
		const request = { documentIds, columnIds, foundBy: ['documentIdField' as const] };
		await startExtraction(client, request, PURPOSE);
		for (const document of documents) document.upload.isExtractionStarted = true;
		const limits = waitLimits(settings);
		const before = { isNew: true, wasBusy: false };
		const waited = await waitForExtraction(client, documentIds, before, columnIds, limits);
		const misreading = misreadingAmong(client, waited);
		for (const [index, document] of documents.entries()) {
			try {
				document.items = itemsOf(context, document, waited[index], misreading);
			} catch (error) {
				document.upload.error = error as Error;
			}
		}
		markBlankOfRaw(documents);
		hintAtDoubts(context, waited, (id) => {
			const found = documents.find(({ documentId }) => documentId === id);
			return found ? describedFile(found.upload.file) : id;
		});
	} catch (error) {
		for (const document of documents) document.upload.error = error as Error;
	}
}

/** What is wrong with the rows of all documents that were waited for, if anything is. */
function misreadingAmong({ credential }: Client, waited: Waited[]): Misreading | undefined {
	const fields = usableResultFields(credential);
	const documents = waited.map(({ id, results }) => ({ documentId: id, results }));
	return fields && misreadingOf(documents, fields);
}

/** In raw results, a document without any column can only be told by comparison with the others. */
function markBlankOfRaw(documents: Extracting[]) {
	const raw = documents.flatMap(({ documentId, rawResults }) =>
		rawResults ? [{ documentId, results: rawResults }] : [],
	);
	const blank = blankRaw(documents[0].upload.client, raw).map(({ documentId }) => documentId);
	for (const document of documents) document.isBlank ||= blank.includes(document.documentId);
}

/**
 * The output items of a document after waiting for its extraction.
 * @throws CallError where it was not finished in time; UserError where its results cannot be
 * simplified
 */
function itemsOf(
	context: IExecuteFunctions,
	document: Extracting,
	waited: Waited,
	misreading: Misreading | undefined,
): INodeExecutionData[] {
	const { upload, documentId } = document;
	const error = waited.error ?? timeoutError(upload.client, upload.options, waited, documentId);
	if (error) throw error;
	if (waited.isFinished) return resultItems(context, document, waited, misreading);
	const extractionStatus = lastStatus(waited);
	const json = { extraction: null, finished: false, extractionStatus };
	return [fileItem(upload, { ...documentFields(upload), ...json })];
}

/** One output item per document or per result. A document without results gives one as well, so that no file disappears. */
function resultItems(
	context: IExecuteFunctions,
	document: Extracting,
	waited: Waited,
	misreading: Misreading | undefined,
): INodeExecutionData[] {
	const { upload, documentId } = document;
	const { client, file } = upload;
	const { results, status, doubt } = waited;
	// Without results, only the status tells a failed document from one that holds no values.
	const isStatusShown = results.length === 0 && status !== undefined;
	const state: IDataObject = {
		...(isStatusShown ? { extractionStatus: status as IDataObject } : {}),
		...doubtField(doubt),
	};
	const fields = fieldsToSimplify(context, client, file.itemIndex);
	if (fields) {
		const about = { documentId, fileName: file.name, ...state };
		try {
			const { json, isBlank } = simplifiedRow(context, results, fields, about, misreading);
			document.isBlank = isBlank && results.length > 0;
			return [fileItem(upload, json)];
		} catch (error) {
			const note =
				'The document is extracted: once this is corrected, Extraction › Get Many returns its row.';
			throw withNote(error as Error, note);
		}
	}
	if (results.length > 0) {
		document.rawResults = results;
		hintAtMissingFields(context, file.itemIndex);
	}
	const extractions = results.length > 0 ? results : [null];
	return extractions.map((extraction) =>
		fileItem(upload, {
			extraction: extraction as IDataObject,
			...documentFields(upload),
			...state,
		}),
	);
}

/** Names the files whose items hold no values. */
function hintAtMissingResults(context: IExecuteFunctions, documents: Extracting[]) {
	const named = (some: Extracting[]) => some.map(({ upload }) => describedFile(upload.file));
	hintAtBlankDocuments(context, named(documents.filter(({ isBlank }) => isBlank)));
	const empty = documents.filter(
		({ items, isBlank }) => !isBlank && items?.some(({ json }) => json.extraction === null),
	);
	if (empty.length === 0) return;
	addHint(
		context,
		sentences(
			`Without results: ${fewOf(named(empty), MOST_NAMED)}. Their items have extraction: null.`,
			aboutStatuses(empty),
		),
	);
}

/** A status that was listed by mistake ends the wait before there is a result. */
function aboutStatuses(documents: Extracting[]): string {
	const statuses = documents.flatMap(({ items = [] }) =>
		items.flatMap(({ json }) => (json.finished === false ? [] : (json.extractionStatus ?? []))),
	);
	const seen = [...new Set(statuses.map((status) => redact(String(status))))];
	return seen.length > 0
		? `Their status is ${fewOf(seen)}: if it does not mean that the extraction is over, remove it from 'Finished Statuses' in the credential.`
		: '';
}
