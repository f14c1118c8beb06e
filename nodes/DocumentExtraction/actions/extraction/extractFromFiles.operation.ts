import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addHint, forWholeRun, needsAttention } from '../../service/client';
import { startExtraction } from '../../service/extractions';
import { assertCanWait } from '../../waiting/verdict';
import { settled } from '../../http/concurrency';
import { redact } from '../../http/redact';
import { describedFile } from '../files/inputFiles';
import { grouped, type Operation } from '../operation';
import { chosenColumns, columnIds, options } from '../parameters';
import {
	hintAtRaw,
	RowMaker,
	rowOptions,
	rowSettings,
	simplify,
	type RowSettings,
} from '../results';
import {
	documentFields,
	fileFields,
	fileOptions,
	hashField,
	hashOfFile,
	uploadFilesOfItems,
	type FileUpload,
} from '../files/upload';
import { waitFor, waitOptions, type Awaited } from '../waiting';

/** What the operation has read of an item, besides what every upload needs. */
interface Settings {
	columnIds: string[];
	rowSettings: RowSettings;
}

type Upload = FileUpload<Settings>;

const idOf = ({ stage }: Upload) => ('documentId' in stage ? stage.documentId : '');

export const extractFromFiles: Operation = {
	resource: 'extraction',
	name: 'Extract From Files',
	value: 'extractFromFiles',
	description: 'Upload files, extract, wait, and return the extracted values',
	action: 'Extract values from files with your service',
	builderHint: {
		propertyHint:
			"The usual choice: from binary files to values in one step. With 'simple' on, and if the credential's API Details have a line 'Rows', each column is a field of the output, by its own name, e.g. $json['Total']; otherwise the raw result is in $json.extraction. How sure the service is of each value is added by the option includeConfidence; minConfidence lets doubtful documents fail.",
	},
	output: { documentId: { type: 'string' }, fileName: { type: 'string' } },
	fields: [
		...fileFields,
		simplify,
		options(columnIds, ...fileOptions, ...rowOptions, ...waitOptions),
	],
	async run(context) {
		return await uploadFilesOfItems<Settings>(context, {
			needsDocumentId: true,
			settingsOf(client, itemIndex) {
				assertCanWait(client);
				return {
					rowSettings: rowSettings(context, client, itemIndex),
					columnIds: chosenColumns(context, itemIndex),
				};
			},
			async finish(uploads) {
				// What is made of the results does not matter to their extraction.
				const groups = grouped(uploads, ({ client, settings, options }) => [
					client,
					settings.columnIds,
					waitOptions.map(({ name }) => options[name]),
				]);
				const extract = async (group: Upload[]) => {
					const { error } = await settled(extractTogether(context, group));
					for (const upload of group) upload.error ??= error;
				};
				await Promise.all(groups.map(extract));
			},
		});
	},
};

/** Extracts documents that share their settings in one call, and gives each its output, or its own error. */
async function extractTogether(context: IExecuteFunctions, all: Upload[]) {
	const [{ options, settings }] = all;
	const { columnIds } = settings;
	const client = forWholeRun(all[0].client);
	// A service may know a file's content, and return the document that it has made of it before.
	const documentIds = [...new Set(all.map(idOf))];
	await hintAtSharedIds(context, all);
	const request = { documentIds, columnIds, fromDetails: ['documentIdField' as const] };
	const starts = await startExtraction(client, request);
	const errorOf = new Map(documentIds.map((id, index) => [id, starts[index].error]));
	for (const upload of all) {
		const { stage } = upload;
		upload.error = errorOf.get(idOf(upload));
		if (!upload.error && 'documentId' in stage) upload.stage = { ...stage, name: 'extracting' };
	}
	const documents = all.filter(({ error }) => !error);
	const isStopped = documents.length < all.length && !context.continueOnFail();
	if (isStopped || documents.length === 0) return;
	const ids = documentIds.filter((id) => !errorOf.get(id));
	const nameOf = (id: string) => {
		const found = documents.find((upload) => idOf(upload) === id);
		return found ? describedFile(found.file) : id;
	};
	const waited = await waitFor(client, ids, { documents: 'new' }, columnIds, options, nameOf);
	const results = waited.map(({ id, results }) => ({ documentId: id, results }));
	const wanted = documents.map((upload) => upload.settings.rowSettings);
	const rows = wanted.find((one) => one.rows)?.rows;
	const maker = rows && (await RowMaker.of(context, client, rows, results, wanted));
	const outcomes = new Map(waited.map((outcome) => [outcome.id, outcome]));
	for (const upload of documents) {
		const id = idOf(upload);
		try {
			upload.output = jsonOf(upload, outcomes.get(id) as Awaited, maker);
		} catch (error) {
			upload.error = error as Error;
		}
	}
	const indexes = documents.map(({ file }) => file.itemIndex);
	if (!maker) await hintAtRaw(context, client, indexes, results);
}

/** Says where files of different content got one ID: it is probably that of something else. */
async function hintAtSharedIds(context: IExecuteFunctions, all: Upload[]) {
	const first = new Map<string, Upload>();
	for (const upload of all) {
		const other = first.get(idOf(upload));
		first.set(idOf(upload), other ?? upload);
		if (!other || (await hashOfFile(context, other)) === (await hashOfFile(context, upload)))
			continue;
		addHint(
			context,
			`${describedFile(other.file)} and ${describedFile(upload.file)} differ, but the service's responses have the same ID for both, ${redact(idOf(upload))}. 'Document ID Field' in the credential probably leads to something else: Workflow › Check Setup, run after Document › Upload, shows other fields.`,
		);
	}
}

/**
 * The output of a document: a row, or an item per result. A document without results gives one as well,
 * so that no file disappears.
 * @throws CallError where its extraction failed or was not finished in time; UserError where its results cannot be simplified
 */
function jsonOf(upload: Upload, awaited: Awaited, maker: RowMaker | undefined): IDataObject[] {
	const { client, file, settings } = upload;
	const { id: documentId, results, status, state } = awaited;
	// Without results, only the list of documents tells a failed document from one that holds no values.
	const entry = results.length === 0 ? awaited.entry : undefined;
	if (awaited.failure) throw awaited.failure;
	const { finished, extractionStatus, ...doubt } = state;
	if (!finished)
		return [{ ...documentFields(upload), extraction: null, finished, extractionStatus }];
	const isStatusShown = results.length === 0 && status !== undefined;
	const about: IDataObject = {
		...(isStatusShown && { extractionStatus: status as IDataObject }),
		...(entry && { document: entry as IDataObject }),
		...doubt,
	};
	if (maker && settings.rowSettings.rows) {
		const fields = { documentId, fileName: file.name, ...hashField(upload), ...about };
		return maker.itemsOf(results, fields, settings.rowSettings);
	}
	if (results.length === 0) needsAttention(client.context, 'without results');
	return (results.length > 0 ? results : [null]).map((extraction) => ({
		extraction: extraction as IDataObject,
		...documentFields(upload),
		...about,
	}));
}
