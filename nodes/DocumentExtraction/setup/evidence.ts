/** What the account's own documents, results and responses to uploads say of API Details. */
import { hasStatus, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { ifReady } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import { EACH, partsAt, rowsText, type Rows } from '../account/rows';
import {
	DOCUMENT_ID,
	documentIdIn,
	firstFields,
	idIn,
	lastStep,
	levelsOf,
	namesAnId,
	textIn,
} from '../account/fields';
import { OF_NO_DOCUMENT } from '../account/parse';
import { readDocumentPage } from '../service/documents';
import { groupedByDocument, readResults, type DocumentResults } from '../service/extractions';
import { counted, fewOf, sentences } from '../service/sentences';
import { partsWith, readActivity, type PartOfWorkflow } from '../service/workflow';
import { settled } from '../http/concurrency';
import { redact, shortened } from '../http/redact';
import { wordsOf } from '../messages/words';
import { rowsWithConfidence } from '../rows/confidence';
import { columnsAmong, readingsOf, rowText, type Reading } from '../rows/readings';
import { isEmpty, rowsReader, type ColumnValue } from '../rows/rows';
import { isNearestId, STATUS_DETAILS, type Proposal } from './findings';

/** One page: more results show nothing new. */
const MOST_RESULTS = 200;
const LONGEST_SAMPLE = 60;

export interface Evidence {
	proposals: Proposal[];
	/** Why neither documents nor results could be read: the key or the address is wrong. */
	failure?: Error;
}

/** What was read of the account. */
interface Sightings {
	results: unknown[];
	/** The first page of the document list. */
	documents: object[];
	/** The workflow's columns; empty where they are not known. */
	columns: PartOfWorkflow[];
	/** Fields that may have a document's ID. */
	ids: Proposal[];
}

/**
 * Reads real documents and results, and tries on them what the credential holds.
 * @param uploads responses to direct uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<Evidence> {
	const [read, listed, workflow] = await Promise.all([
		settled(readResults(client, {}, MOST_RESULTS)),
		settled(readDocumentPage(client, 1)),
		workflowEvidence(client),
	]);
	client.stop?.throwIfAborted();
	const documents = listed.error ? [] : listed.value.entries;
	const seen: Sightings = {
		results: read.error ? [] : read.value,
		documents,
		columns: workflow.columns,
		ids: uploads.length > 0 ? idFields(uploads, 'possible') : idFields(documents, 'elsewhere'),
	};
	const unread = (what: string, error: Error) =>
		`The ${what} could not be read: ${wordsOf(error).message}`;
	const failure = read.error && listed.error;
	return {
		proposals: [
			...(read.error
				? [remark('rows', 'note', unread('results', read.error))]
				: [...rowsEvidence(client, seen), ...fileUrls(seen)]),
			...(listed.error
				? [remark('finishedStatuses', 'note', unread('documents', listed.error))]
				: statuses(seen)),
			...(uploads.length > 0 ? uploadEvidence(client, uploads) : []),
			...seen.ids,
			...(failure ? [] : workflow.proposals),
		],
		failure,
	};
}

const remark = (detail: ApiDetail, says: Proposal['says'], why: string): Proposal => {
	return { detail, value: '', says, why };
};

/** All ways to read real results, and what comes of the credential's own. */
function rowsEvidence(client: Client, seen: Sightings): Proposal[] {
	const { results, documents, columns } = seen;
	if (results.length === 0) return [remark('rows', 'note', withoutResults(documents))];
	const { listIdField } = client.account;
	const documentsBy = (name: string) => groupedByDocument(client, {}, results, name);
	const isInAll = (name: string) =>
		documentsBy(name).every(({ documentId }) => documentId !== undefined);
	// Results may name their document otherwise: where the ID of a listed document stands.
	const listed = textsIn(documents);
	const others = mayBeIds(results[0])
		.map(lastStep)
		.filter((name) => documentsBy(name).some(({ documentId = '' }) => listed.has(documentId)));
	const field = [listIdField, ...others].find(isInAll) ?? listIdField;
	const byId = documentsBy(field);
	const readings = readingsOf(byId, columns);
	const choices = readings.flatMap((one): Proposal[] => {
		const why = rowText(one.documents, columns);
		const choice = (rows: Rows, more = ''): Proposal => {
			return { detail: 'rows', value: rowsText(rows), says: 'possible', why: why + more };
		};
		const rated = rowsWithConfidence(one.rows, results);
		return [choice(one.rows), ...(rated ? [choice(rated, '; with a confidence for each')] : [])];
	});
	const own = ownRows(client, seen, byId, readings);
	const found = [...own, ...choices];
	if (found.length > 0 && field === listIdField) return found;
	if (found.length > 0) {
		const other = `Results name their document in '${field}', and not in '${listIdField}'`;
		const why = sampleFrom('results', byId[0].documentId);
		return [
			...found,
			{ detail: 'documentIdField', value: field, says: 'possible', why },
			remark('documentIdField', 'note', other),
			remark('rows', 'note', `${other}: see the item 'Document ID Field'`),
		];
	}
	const unreadable = sentences(
		'No result could be read as a row.',
		'Look at one with Extraction › Get Many (switch off Simplify there), and ask your account team',
		'which fields contain the names of the columns and their values',
	);
	return [remark('rows', 'note', unreadable)];
}

/** The fields of a result that contain a URL: it may be that of the document's file. */
function fileUrls({ results: [result] }: Sightings): Proposal[] {
	return firstFields(result).flatMap(([value, url]): Proposal[] =>
		typeof url === 'string' && /^https?:\/\//i.test(url)
			? [{ detail: 'fileUrlField', value, says: 'possible', why: sampleOf(url) }]
			: [],
	);
}

/**
 * What comes of the credential's own Rows.
 * @param readings what else the results can be read as
 */
function ownRows(
	{ account }: Client,
	{ results, columns }: Sightings,
	documents: DocumentResults[],
	readings: Reading[],
): Proposal[] {
	const own = ifReady(account.rows);
	if (!own) return [];
	const fields = columns.map((column) => column.fields);
	const { read } = rowsReader(own, results, fields);
	let problem: string | undefined;
	const rows = documents.map((document) => {
		try {
			return read(document.results);
		} catch (error) {
			problem ??= (error as Error).message;
			return [];
		}
	});
	if (rows.flat().every(({ value }) => isEmpty(value))) {
		// The one document may be blank, its values left out, unless there is anything beside its own fields.
		const isElsewhere = readings.some((one) => one.rows.places[0].path.length > 0);
		const isWrong = documents.length > 1 || (isElsewhere && !results.every(areNames(own)));
		if (problem && isWrong) return [remark('rows', 'fails', problem)];
		const all = counted(documents.length, 'document');
		const why = sentences(
			`There is nothing to judge it by yet: ${all} with results, and no values there.`,
			'Extract a document that has some, and execute this step again',
		);
		return [remark('rows', 'note', why)];
	}
	const ownColumns = (read: ColumnValue[][]) => columnsAmong(read, columns).size;
	const isLess = readings.some((one) => ownColumns(one.documents) > ownColumns(rows));
	const row = rowText(rows, columns);
	return [remark('rows', isLess ? 'doubtful' : 'works', `It gives this row: ${row}`)];
}

/** Whether all entries of a result's columns say only which column they are of, and leave out its value. */
const areNames =
	({ places }: Rows) =>
	(result: unknown) =>
		places.every(({ path, name }) => {
			const entries = name ? partsAt(result, [...path, EACH]) : [];
			const saysName = (key: string) => key === name?.path[0] || namesAnId(key);
			return entries.length > 0 && entries.every((one) => Object.keys(Object(one)).every(saysName));
		});

/** What there is to say without any result, by the documents that are there. */
function withoutResults(documents: object[]): string {
	if (documents.length === 0) {
		return 'No result yet: run Extraction › Extract From Files on a document, then Check Setup again';
	}
	const all = [...new Set(documents.flatMap((one) => textIn(one, 'extraction_status') ?? []))];
	const are = documents.length === 1 ? 'its status is' : 'their statuses are';
	const statuses = fewOf(all.map((status) => `'${redact(status)}'`));
	return sentences(
		`${counted(documents.length, 'document')}, ${are} ${statuses}, no result.`,
		'Your API reference, or your account team, can tell what that means.',
		'If the extraction is over, nothing was found: extract another document.',
		'If it goes on, execute this step again later.',
		'If it was never started, run Extraction › Extract Documents',
	);
}

/** What responses to uploads say: the file's field was right, and Document ID Field may be there. */
function uploadEvidence({ account }: Client, uploads: unknown[]): Proposal[] {
	const field = account.listIdField;
	const file = remark('uploadFileField', 'works', 'An upload has worked with it');
	if (uploads.some((upload) => idIn(upload, field) === undefined)) {
		const why = `The upload's response has no '${field}', or has several`;
		return [file, remark('documentIdField', 'fails', why)];
	}
	// The default, which nobody has chosen, may be the ID of another document, further down.
	const isOwn =
		field !== DOCUMENT_ID || uploads.every((upload) => isNearestId(field, mayBeIds(upload)));
	const why = 'A real response to an upload has this field';
	return isOwn ? [file, remark('documentIdField', 'works', why)] : [file];
}

/** The first fields of a response that may be the ID of its document. */
const mayBeIds = (response: unknown) =>
	firstFields(response)
		.filter(([path, value]) => !OF_NO_DOCUMENT.has(lastStep(path)) && mayBeId(String(value)))
		.map(([path]) => path);

/** Whether a text may be an ID: it is no file name, address, date or sentence. */
function mayBeId(text: string): boolean {
	return /\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/i.test(text);
}

const sampleOf = (id = '') => shortened(redact(id), LONGEST_SAMPLE);

/** An ID as an example, where it is not from the response to an upload. */
const sampleFrom = (source: string, id?: string) =>
	`${sampleOf(id)} (from ${source}; the response to an upload may name it differently)`;

const textsIn = (value: unknown) => new Set([...levelsOf(value)].flat().map(String));

/**
 * The fields that tell some documents apart, those named as an ID first.
 * @param entries responses to uploads, or documents of the list, which may name the ID otherwise
 */
function idFields(entries: unknown[], says: 'possible' | 'elsewhere'): Proposal[] {
	const fields = mayBeIds(entries[0]).flatMap((path) => {
		const name = lastStep(path);
		const ids = entries.map((entry) => textIn(entry, path) ?? '');
		if (!ids.every(mayBeId) || new Set(ids).size < ids.length) return [];
		// A bare name also fits responses that hold it elsewhere.
		const isFound = entries.every((entry, index) => idIn(entry, name) === ids[index]);
		const why =
			says === 'elsewhere' ? sampleFrom('the list of documents', ids[0]) : sampleOf(ids[0]);
		return [{ detail: 'documentIdField' as const, says, value: isFound ? name : path, why }];
	});
	const isNamed = ({ value }: Proposal) => Number(namesAnId(lastStep(value)));
	return fields.sort((one, other) => isNamed(other) - isNamed(one));
}

/** The statuses of real documents, and how many documents have each. */
function statuses({ documents, results, ids: fields }: Sightings): Proposal[] {
	const names = [DOCUMENT_ID, ...fields.map(({ value }) => value)];
	const ids = new Set(results.flatMap((one) => names.map((name) => documentIdIn(one, name))));
	// The list may name the ID otherwise than results do.
	const hasResults = (document: object) => [...textsIn(document)].some((value) => ids.has(value));
	const all = [...new Set(documents.map((one) => textIn(one, 'extraction_status') ?? ''))];
	return all.filter(Boolean).flatMap((status) => {
		const own = documents.filter((one) => textIn(one, 'extraction_status') === status);
		const told = `, ${own.filter(hasResults).length} with results`;
		const why = `${counted(own.length, 'document')}${documents.some(hasResults) ? told : ''}`;
		return STATUS_DETAILS.map(
			(detail): Proposal => ({ detail, value: redact(status), says: 'possible', why }),
		);
	});
}

/** What Workflow Endpoint returns. It is tried only if it is a `GET`, which certainly changes nothing. */
async function workflowEvidence(client: Client) {
	if (ifReady(client.account.workflow)?.method !== 'GET') return { proposals: [], columns: [] };
	const { error, value } = await settled(readActivity(client));
	if (error) {
		const says = mayPass(error) || hasStatus(error, 401, 403) ? 'note' : 'fails';
		const why = `The service does not return the workflow there: ${wordsOf(error).message}`;
		return { proposals: [remark('workflowEndpoint', says, why)], columns: [] };
	}
	const columns = partsWith(value.workflow, 'column_id');
	const why = `It returns the workflow, with ${counted(columns.length, 'column')}`;
	return { proposals: [remark('workflowEndpoint', 'works', why)], columns };
}
