import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Client } from '../../service/client';
import { valueIn } from '../../account/fields';
import { DocumentFinder } from '../../service/documents';
import { startExtraction } from '../../service/extractions';
import { shownJson } from '../../service/reason';
import { waitForExtraction, type Waited } from '../../waiting/wait';
import { assertCanWait, lookBeforeUpload, type BeforeStart } from '../../waiting/sign';
import { settled } from '../../http/concurrency';
import { failedAfter } from '../../messages/words';
import { describedFile, inputDataFieldName } from '../files/select';
import { grouped, type Operation, type Outcome } from '../operation';
import { chosenColumns, columnIds, options, uploadCollection } from '../parameters';
import {
	hintAtRaw,
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

/** A document that is uploaded. */
interface Extracting {
	upload: FileUpload;
	documentId: string;
	/** What the service responded to the upload. */
	response: unknown;
	columnIds: string[];
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
			chosenColumns(context, itemIndex);
		},
		beforeUpload: (uploads) => uploads.forEach(({ client }) => lookBefore(client)),
		needsDocumentId: true,
	});
	const documents = run.uploads.flatMap((upload): Extracting[] => {
		const { stage, error, file } = upload;
		if (error || stage.name !== 'confirmed') return [];
		const columnIds = chosenColumns(context, file.itemIndex);
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
	const outcomeOf = (upload: FileUpload): Outcome =>
		upload.stage.name === 'done'
			? { itemIndex: upload.file.itemIndex, items: upload.stage.items }
			: failedUpload(upload);
	return [...run.invalid, ...run.uploads.map(outcomeOf)];
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
	const request = { documentIds, columnIds, fromDetails: ['documentIdField' as const] };
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
		const rowsFrom = known && (await rowMaker(context, client, known, results));
		const outcomes = new Map(waited.map((outcome) => [outcome.id, outcome]));
		const entries = await readEntries(client, waited, upload.options);
		for (const [index, { upload, documentId, response }] of documents.entries()) {
			try {
				const outcome = outcomes.get(documentId) as Waited;
				const json = jsonOf(upload, outcome, entries.get(documentId), rows[index], rowsFrom);
				const items = json.map((row) => fileItem(upload, row));
				upload.stage = { name: 'done', documentId, response, items };
			} catch (error) {
				upload.error = error as Error;
			}
		}
		if (!rowsFrom) hintAtRaw(context, indexes, results);
		hintAtDoubts(context, waited, (id) => {
			const found = documents.find(({ documentId }) => documentId === id);
			return found ? describedFile(found.upload.file) : id;
		});
	} catch (error) {
		for (const document of documents) document.upload.error = error as Error;
	}
}

/** What the list of documents says of those without results: perhaps why there are none. */
async function readEntries(
	client: Client,
	waited: Waited[],
	{ onTimeout }: IDataObject,
): Promise<Map<string, object>> {
	const empty = waited.filter(
		({ results, verdict }) =>
			results.length === 0 && (verdict.isFinished || onTimeout !== 'status'),
	);
	if (empty.length === 0) return new Map();
	const wanted = new Set(empty.map(({ id }) => id));
	const found = await settled(new DocumentFinder().find(client, wanted));
	// Without such a list, their items have a status at most.
	return found.error ? new Map() : found.value;
}

/**
 * The output of a document: a row, or an item per result. A document without results gives one as well,
 * so that no file disappears.
 * @param entry what the list of documents says of a document without results
 * @throws CallError where it was not finished in time; UserError where its results cannot be simplified
 */
function jsonOf(
	upload: FileUpload,
	waited: Waited,
	entry: object | undefined,
	settings: RowSettings,
	rowsFrom: RowMaker | undefined,
): IDataObject[] {
	const { id: documentId, results, verdict } = waited;
	const { client, options, file } = upload;
	const error = unfinishedError(client, options, waited, documentId);
	if (error) {
		const shown = entry && shownJson(entry, client.account.apiKey);
		throw failedAfter(error, shown ? `In the list of documents, it is ${shown}.` : '');
	}
	if (!verdict.isFinished) {
		const unfinished = { extraction: null, finished: false, extractionStatus: lastStatus(waited) };
		return [{ ...documentFields(upload), ...unfinished }];
	}
	// Without results, only the list of documents tells a failed document from one that holds no values.
	const status = waited.status ?? valueIn(entry, 'extraction_status');
	const isStatusShown = results.length === 0 && status !== undefined;
	const state: IDataObject = {
		...(isStatusShown && { extractionStatus: status as IDataObject }),
		...(entry && { document: entry as IDataObject }),
		...doubtField(verdict),
	};
	if (rowsFrom && settings.fields) {
		const about = { documentId, fileName: file.name, ...hashField(upload), ...state };
		return rowsFrom(results, about, settings);
	}
	return (results.length > 0 ? results : [null]).map((extraction) => ({
		extraction: extraction as IDataObject,
		...documentFields(upload),
		...state,
	}));
}
