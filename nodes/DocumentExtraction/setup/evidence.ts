/** What the account's own documents, results and responses to uploads say of API Details. */
import { hasStatus, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { ifReady } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import { rowsText } from '../account/rows';
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
import { byDocument, readResults, type DocumentResults } from '../service/extractions';
import { counted, fewOf } from '../service/sentences';
import { columnNames, readActivity } from '../service/workflow';
import { settled } from '../http/concurrency';
import { redact, shortened } from '../http/redact';
import { wordsOf } from '../messages/words';
import { readingsOf, rowText } from '../rows/readings';
import { isEmpty, valuesReader, type ColumnValue } from '../rows/rows';
import { isNearestId, STATUS_DETAILS, type Proposal } from './findings';

/** One page: more results show nothing new. */
const MOST_RESULTS = 200;
const LONGEST_SAMPLE = 60;
/** Nobody reads more. */
const MOST_ROWS = 6;

export interface Evidence {
	proposals: Proposal[];
	/** Why neither documents nor results could be read: the key or the address is wrong, and no API Detail. */
	failure?: Error;
}

/** What was read of the account. */
interface Sightings {
	results: unknown[];
	/** The first page of the document list. */
	documents: object[];
	/** Responses to direct uploads that the flow hands on. */
	uploads: unknown[];
	/** What each of the workflow's columns may be called in results; empty where that is not known. */
	columns: string[][];
	/** Fields that may have a document's ID. */
	ids: Proposal[];
}

/**
 * Reads real documents and results, and tries on them what the credential holds.
 * @param uploads responses to uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<Evidence> {
	const [read, listed, workflow] = await Promise.all([
		settled(readResults(client, {}, MOST_RESULTS)),
		settled(readDocumentPage(client, 1)),
		readWorkflowEvidence(client),
	]);
	client.stop?.throwIfAborted();
	const documents = listed.error ? [] : listed.value.documents;
	const seen: Sightings = {
		results: read.error ? [] : read.value,
		documents,
		uploads,
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
				: rowsEvidence(client, seen)),
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

const NO_READING =
	'No result could be read as a row. Look at one with Extraction › Get Many (switch off Simplify there), and ask your account team which fields contain the names of the columns and their values';

/** All ways to read real results, and what comes of the credential's own. */
function rowsEvidence(client: Client, seen: Sightings): Proposal[] {
	const { results, documents, columns } = seen;
	if (results.length === 0) return [remark('rows', 'note', withoutResults(documents))];
	const field = resultIdField(client, seen);
	const byId = byDocument(results, (result) => documentIdIn(result, field));
	const readings = readingsOf(byId).slice(0, MOST_ROWS);
	const choices = readings.map(({ rows, documents: values }): Proposal => {
		const why = `${rowText(values)}${factsOf(values, columns)}`;
		return { detail: 'rows', value: rowsText(rows), says: 'possible', why };
	});
	if ('lacking' in client.account.rows) {
		return choices.length > 0 ? choices : [remark('rows', 'note', NO_READING)];
	}
	const most = Math.max(0, ...readings.map((one) => ofColumns(one.documents, columns)));
	return [...ownRows(client, seen, byId, field, most), ...choices];
}

/** What comes of the credential's own Rows; `most` columns of the workflow are in the best of the choices. */
function ownRows(
	{ account }: Client,
	{ results, columns }: Sightings,
	documents: DocumentResults[],
	field: string,
	most: number,
): Proposal[] {
	const own = ifReady(account.rows);
	if (!own) return [];
	const read = valuesReader(own, results);
	const tried = documents.map((document) => {
		try {
			return { values: read(document.results) };
		} catch (error) {
			return { problem: (error as Error).message };
		}
	});
	const { problem } = tried[0];
	const rows = tried.flatMap(({ values = [] }) => (values.length > 0 ? [values] : []));
	if (rows.length === 0 && problem !== undefined) return [remark('rows', 'fails', problem)];
	if (!rows.flat().some(({ value }) => !isEmpty(value))) {
		const all = counted(documents.length, 'document');
		const why = `There is nothing to judge it by yet: ${all} with results, and no values in them. Extract a document that has some, and execute this step again`;
		return [remark('rows', 'note', why)];
	}
	const row = `It gives this row${factsOf(rows, columns)}: ${rowText(rows)}`;
	if (field !== account.listIdField) {
		const why = `${row}. But results name their document in '${field}', and not in '${account.listIdField}': nodes that read several documents cannot tell these apart`;
		return [remark('rows', 'note', why)];
	}
	return [remark('rows', ofColumns(rows, columns) < most ? 'doubtful' : 'works', row)];
}

/** What there is to say without any result, by the documents that are there. */
function withoutResults(documents: object[]): string {
	if (documents.length === 0) {
		return 'No result yet: run Extraction › Extract From Files on a document, then Check Setup again';
	}
	const all = [...new Set(documents.flatMap((one) => textIn(one, 'extraction_status') ?? []))];
	const known = fewOf(all.map((status) => `'${redact(status)}'`));
	const are = documents.length === 1 ? 'its status is' : 'their statuses are';
	return [
		`${counted(documents.length, 'document')}, ${known ? `${are} ${known}, ` : ''}no result.`,
		'Look at the document at the service, or ask your account team what its status means. If its extraction is over, nothing was found: extract another document. If it goes on, execute this step again later. If it was never started, run Extraction › Extract Documents',
	].join(' ');
}

/** How many of the workflow's columns some rows have, by ID or by title. */
function ofColumns(rows: ColumnValue[][], columns: string[][]): number {
	const there = new Set(rows.flat().map(({ column }) => column));
	return columns.filter((names) => names.some((name) => there.has(name))).length;
}

/** The same in words; empty where the workflow's columns are not known. */
function factsOf(rows: ColumnValue[][], columns: string[][]): string {
	if (columns.length === 0) return '';
	return ` (${ofColumns(rows, columns)} of your workflow's ${counted(columns.length, 'column')})`;
}

/** The field in which results name their document: Document ID Field, or else the first other that all have. */
function resultIdField({ account }: Client, { results, ids }: Sightings): string {
	const own = account.listIdField;
	const isInAll = (field: string) =>
		results.every((result) => documentIdIn(result, field) !== undefined);
	return [own, ...ids.map(({ value }) => value)].find(isInAll) ?? own;
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
		field !== DOCUMENT_ID || uploads.every((upload) => isNearestId(field, fieldsIn(upload)));
	const why = 'A real response to an upload has this field';
	return isOwn ? [file, remark('documentIdField', 'works', why)] : [file];
}

/** The first fields of a response that may be the ID of its document. */
const fieldsIn = (response: unknown) =>
	firstFields(response)
		.filter(([path, value]) => !OF_NO_DOCUMENT.has(lastStep(path)) && mayBeId(String(value)))
		.map(([path]) => path);

/**
 * The fields that tell some documents apart, those named as an ID first.
 * @param entries responses to uploads, or documents of the list, which may name the ID otherwise
 */
function idFields(entries: unknown[], says: 'possible' | 'elsewhere'): Proposal[] {
	const fields = fieldsIn(entries[0]).flatMap((path) => {
		const name = lastStep(path);
		const ids = entries.map((entry) => textIn(entry, path));
		const areIds = ids.every((id) => id !== undefined && mayBeId(id));
		if (!areIds || new Set(ids).size < ids.length) return [];
		// A bare name also fits responses that hold it elsewhere.
		const isFound = entries.every((entry, index) => idIn(entry, name) === ids[index]);
		const sample = shortened(redact(ids[0] ?? ''), LONGEST_SAMPLE);
		const from = ' (from the list of documents; the response to an upload may name it differently)';
		const why = `${sample}${says === 'elsewhere' ? from : ''}`;
		return [{ name, proposal: { value: isFound ? name : path, why } }];
	});
	const isNamed = ({ name }: { name: string }) => namesAnId(name);
	return [...fields.filter(isNamed), ...fields.filter((field) => !isNamed(field))].map(
		({ proposal }) => ({ detail: 'documentIdField', says, ...proposal }),
	);
}

/** Whether a text may be an ID: it is no file name, address, date or sentence. */
function mayBeId(text: string): boolean {
	return /\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/i.test(text);
}

/** The statuses of real documents, and how many documents have each. */
function statuses({ documents, results, ids: fields }: Sightings): Proposal[] {
	const names = [DOCUMENT_ID, ...fields.map(({ value }) => value)];
	const ids = new Set(results.flatMap((one) => names.map((name) => documentIdIn(one, name))));
	const counts = new Map<string, { all: number; withResults: number }>();
	for (const document of documents) {
		const status = textIn(document, 'extraction_status');
		if (status === undefined) continue;
		const count = counts.get(status) ?? { all: 0, withResults: 0 };
		counts.set(status, count);
		count.all++;
		// The list may name the ID otherwise than results do.
		const values = [...levelsOf(document)].flat();
		if (values.some((value) => ids.has(String(value)))) count.withResults++;
	}
	const areTold = [...counts.values()].some(({ withResults }) => withResults > 0);
	return [...counts].flatMap(([status, { all, withResults }]) => {
		const told = areTold ? `; results were found for ${withResults} of these` : '';
		const why = `${counted(all, 'document')} that ${all === 1 ? 'has' : 'have'} this status${told}`;
		return STATUS_DETAILS.map(
			(detail): Proposal => ({ detail, value: redact(status), says: 'possible', why }),
		);
	});
}

/** What Workflow Endpoint returns. It is tried only if it is a `GET`, which certainly changes nothing. */
async function readWorkflowEvidence(client: Client): Promise<{
	proposals: Proposal[];
	columns: string[][];
}> {
	const nothing = { proposals: [], columns: [] };
	if (ifReady(client.account.workflow)?.method !== 'GET') return nothing;
	const read = await settled(readActivity(client));
	if (read.error) {
		const says = mayPass(read.error) || hasStatus(read.error, 401, 403) ? 'note' : 'fails';
		const why = `The service does not return the workflow there: ${wordsOf(read.error).message}`;
		return { ...nothing, proposals: [remark('workflowEndpoint', says, why)] };
	}
	const columns = columnNames(read.value.workflow, []);
	const why = `It returns the workflow, with ${counted(columns.length, 'column')}`;
	return { proposals: [remark('workflowEndpoint', 'works', why)], columns };
}
