import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../service/client';
import { valueIn } from '../../account/fields';
import { DocumentFinder } from '../../service/documents';
import { startExtraction } from '../../service/extractions';
import { shownJson } from '../../service/reason';
import { addHint } from '../../service/run';
import { fewOf } from '../../service/sentences';
import { waitForExtraction, type Waited } from '../../waiting/wait';
import { assertCanWait, lookBeforeUpload, type BeforeStart } from '../../waiting/sign';
import { settled } from '../../http/concurrency';
import { failedAfter } from '../../messages/words';
import { describedFile, inputDataFieldName } from '../files/select';
import { grouped, MOST_NAMED, type Operation, type Outcome } from '../operation';
import { columnIds, columnIdsFilter, options, uploadCollection } from '../parameters';
import {
	hintAtBlankDocuments,
	hintAtRaw,
	itemsOfRow,
	rowMaker,
	rowOptions,
	rowSettings,
	simplify,
	type RowMaker,
	type RowSettings,
} from '../results';
import {
	documentFields,
	failedUpload,
	fileItem,
	fileOptions,
	hashField,
	hintAtUploads,
	outcomesOf,
	stopAtFirstFailure,
	uploadFilesOfItems,
	uploadMethod,
	type FileUpload,
} from '../files/upload';
import {
	doubtField,
	hintAtDoubts,
	lastStatus,
	unfinishedError,
	waitLimits,
	waitOptions,
} from '../waiting';

/** A document that is uploaded, and what is known of its results. */
interface Extracting {
	upload: FileUpload;
	documentId: string;
	/** What the service responded to the upload. */
	response: unknown;
	columnIds: string[];
	/** Whether it has results in which no column was found. */
	isBlank?: boolean;
	/** What the list of documents says of a document without results. */
	entry?: object;
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
		options(columnIds, ...fileOptions, ...rowOptions, ...waitOptions),
	],
	async run(context) {
		const before = new Map<string, BeforeStart>();
		const end = new AbortController();
		try {
			return await extractFiles(context, (client) => {
				const key = JSON.stringify([client.account.address, client.workflowId]);
				const known = before.get(key) ?? lookBeforeUpload(client, end.signal);
				before.set(key, known);
				return known;
			});
		} finally {
			end.abort(new Error('The run is over'));
			await Promise.all([...before.values()].map(({ earlier }) => earlier?.documents));
		}
	},
};

type LookBefore = (client: Client) => BeforeStart;

async function extractFiles(
	context: IExecuteFunctions,
	lookBefore: LookBefore,
): Promise<Outcome[]> {
	const run = await uploadFilesOfItems(context, {
		check: (client, itemIndex) => {
			assertCanWait(client);
			rowSettings(context, client, itemIndex);
			columnIdsFilter(context, itemIndex);
		},
		beforeUpload: (uploads) => uploads.forEach(({ client }) => lookBefore(client)),
		needsDocumentId: true,
	});
	const documents = run.uploads.flatMap((upload): Extracting[] => {
		const { stage, error, file } = upload;
		if (error || stage.name !== 'confirmed') return [];
		const columnIds = columnIdsFilter(context, file.itemIndex);
		return [{ ...stage, upload, columnIds }];
	});
	const groups = grouped(documents, ({ upload, columnIds }) => [
		upload.client,
		columnIds,
		upload.options,
	]);
	await Promise.all(groups.map(async (group) => await extractTogether(context, group, lookBefore)));
	stopAtFirstFailure(context, run.uploads);

	hintAtUploads(context, run);
	hintAtMissingResults(context, documents);
	return outcomesOf(run, (upload) =>
		upload.stage.name === 'done'
			? { itemIndex: upload.file.itemIndex, items: upload.stage.items }
			: failedUpload(upload),
	);
}

/** Extracts documents that share their settings in one call. A failure is recorded on each of them. */
async function extractTogether(
	context: IExecuteFunctions,
	all: Extracting[],
	lookBefore: LookBefore,
) {
	const [{ upload, columnIds }] = all;
	const client = { ...upload.client, position: [] };
	// A service may know a file's content, and return the document that it has made of it before.
	const documentIds = [...new Set(all.map(({ documentId }) => documentId))];
	const request = { documentIds, columnIds, foundBy: ['documentIdField' as const] };
	const starts = await startExtraction(client, request);
	const errorOf = new Map(documentIds.map((id, index) => [id, starts[index].error]));
	const documents = all.filter(({ upload, documentId, response }) => {
		const error = errorOf.get(documentId);
		if (error) upload.error = error;
		else upload.stage = { name: 'extracting', documentId, response };
		return !error;
	});
	const isStopped = documents.length < all.length && !context.continueOnFail();
	if (isStopped || documents.length === 0) return;
	try {
		const ids = documentIds.filter((id) => !errorOf.get(id));
		const limits = waitLimits(upload.options);
		const waited = await waitForExtraction(client, ids, lookBefore(client), columnIds, limits);
		const results = waited.map(({ id, results }) => ({ documentId: id, results }));
		const indexes = documents.map((document) => document.upload.file.itemIndex);
		const rows = indexes.map((itemIndex) => rowSettings(context, client, itemIndex));
		const known = rows.find(({ fields }) => fields)?.fields;
		const rowFrom = known && (await rowMaker(context, client, known, results));
		const outcomes = new Map(waited.map((outcome) => [outcome.id, outcome]));
		await readEntries(client, documents, waited);
		for (const [index, document] of documents.entries()) {
			const { upload, documentId, response } = document;
			try {
				const outcome = outcomes.get(documentId) as Waited;
				const items = itemsOf(context, document, outcome, rows[index], rowFrom);
				upload.stage = { name: 'done', documentId, response, items };
			} catch (error) {
				upload.error = error as Error;
			}
		}
		if (!rowFrom) hintAtRaw(context, indexes, results);
		hintAtDoubts(context, waited, (id) => {
			const found = documents.find(({ documentId }) => documentId === id);
			return found ? describedFile(found.upload.file) : id;
		});
	} catch (error) {
		for (const document of documents) document.upload.error = error as Error;
	}
}

/** Reads what the list of documents says of those without results: perhaps why there are none. */
async function readEntries(client: Client, documents: Extracting[], waited: Waited[]) {
	const [{ upload }] = documents;
	const isFailure = upload.options.onTimeout !== 'status';
	const empty = waited.filter(
		({ results, verdict }) => results.length === 0 && (verdict.isFinished || isFailure),
	);
	if (empty.length === 0) return;
	const finder = new DocumentFinder();
	const found = await settled(finder.findEntries(client, new Set(empty.map(({ id }) => id))));
	// The items then have a status at most, as without such a list.
	if (found.error) return;
	for (const outcome of empty.filter(({ verdict }) => verdict.isFinished)) {
		outcome.status ??= valueIn(found.value.get(outcome.id), 'extraction_status');
	}
	for (const document of documents) document.entry = found.value.get(document.documentId);
}

const entryField = ({ entry }: Extracting): IDataObject =>
	entry ? { document: entry as IDataObject } : {};

const shownEntry = ({ entry, upload }: Extracting) =>
	`In the list of documents, it is ${shownJson(entry, upload.client.account.apiKey)}.`;

/**
 * The output items of a document after waiting for its extraction.
 * @throws CallError where it was not finished in time; UserError where its results cannot be
 * simplified
 */
function itemsOf(
	context: IExecuteFunctions,
	document: Extracting,
	waited: Waited,
	settings: RowSettings,
	rowFrom: RowMaker | undefined,
): INodeExecutionData[] {
	const { upload, documentId } = document;
	const error = unfinishedError(upload.client, upload.options, waited, documentId);
	if (error) throw document.entry ? failedAfter(error, shownEntry(document)) : error;
	if (waited.verdict.isFinished) return resultItems(context, document, waited, settings, rowFrom);
	const extractionStatus = lastStatus(waited);
	const json = { extraction: null, finished: false, extractionStatus };
	return [fileItem(upload, { ...documentFields(upload), ...json })];
}

/** One output item per document or per result. A document without results gives one as well, so that no file disappears. */
function resultItems(
	context: IExecuteFunctions,
	document: Extracting,
	waited: Waited,
	settings: RowSettings,
	rowFrom: RowMaker | undefined,
): INodeExecutionData[] {
	const { upload, documentId } = document;
	const { results, status, verdict } = waited;
	// Without results, only the status tells a failed document from one that holds no values.
	const isStatusShown = results.length === 0 && status !== undefined;
	const state: IDataObject = {
		...(isStatusShown ? { extractionStatus: status as IDataObject } : {}),
		...entryField(document),
		...doubtField(verdict),
	};
	if (rowFrom && settings.fields) {
		const { itemIndex, name } = upload.file;
		const about = { documentId, fileName: name, ...hashField(upload), ...state };
		const row = readableRow(rowFrom, results, about);
		document.isBlank = row.isBlank && results.length > 0;
		return itemsOfRow(context, itemIndex, row, settings).map((json) => fileItem(upload, json));
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

/** @throws UserError that says that the document is extracted, although its row cannot be made */
function readableRow(...[rowFrom, results, about]: [RowMaker, ...Parameters<RowMaker>]) {
	try {
		return rowFrom(results, about);
	} catch (error) {
		const note =
			'The document is extracted: once this is corrected, Extraction › Get Many returns its row.';
		throw failedAfter(error as Error, note);
	}
}

/** Names the files whose items hold no values. */
function hintAtMissingResults(context: IExecuteFunctions, documents: Extracting[]) {
	const blank = documents.filter(({ isBlank }) => isBlank);
	hintAtBlankDocuments(
		context,
		blank.map(({ upload }) => describedFile(upload.file)),
	);
	const empty = documents.filter(
		({ upload: { stage }, isBlank }) =>
			!isBlank && stage.name === 'done' && stage.items.some(({ json }) => json.extraction === null),
	);
	if (empty.length === 0) return;
	const names = empty.map(({ upload }) => describedFile(upload.file));
	addHint(
		context,
		`Without results: ${fewOf(names, MOST_NAMED)}. Their items have extraction: null, and what the service says of the documents.`,
	);
}
