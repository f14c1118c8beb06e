/** What the account's own documents, results and responses to uploads say of API Details. */
import { hasStatus, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { ifReady } from '../account/account';
import { rowsText } from '../account/rows';
import { firstFields, idIn, lastStep, levelsOf, namesAnId, textIn } from '../account/fields';
import { OF_NO_DOCUMENT } from '../account/parse';
import { readDocumentPage } from '../service/documents';
import { groupedByDocument, readResults, type DocumentResults } from '../service/extractions';
import { counted } from '../service/sentences';
import { partsWith, readActivity, type PartOfWorkflow } from '../service/workflow';
import { settled } from '../http/concurrency';
import { redact, shortened } from '../http/redact';
import { wordsOf } from '../messages/words';
import { readingsOf, readingText, rowText } from '../rows/readings';
import { rowsReader } from '../rows/rows';
import type { Proposal } from './findings';

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

/**
 * Reads real documents and results, and tries on them what the credential holds.
 * @param uploads responses to uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<Evidence> {
	const [read, listed, { columns, proposals: workflow }] = await Promise.all([
		settled(readResults(client, {}, MOST_RESULTS)),
		settled(readDocumentPage(client, 1)),
		workflowEvidence(client),
	]);
	client.stop?.throwIfAborted();
	const results = read.error ? [] : read.value;
	const documents = listed.error ? [] : listed.value.documents;
	const ids = uploads.length > 0 ? idFields(uploads, 'possible') : idFields(documents, 'elsewhere');
	const extracted = byLikelyDocument(client, results, ids);
	const unread = (what: string, error: Error) =>
		`The ${what} could not be read: ${wordsOf(error).message}`;
	const failure = read.error && listed.error;
	return {
		proposals: [
			...(read.error
				? [remark('rows', 'note', unread('results', read.error))]
				: rowsEvidence(client, results, extracted, columns)),
			...(listed.error
				? [remark('finishedStatuses', 'note', unread('documents', listed.error))]
				: statuses(documents, extracted)),
			...(uploads.length > 0 ? [uploadEvidence(client, uploads)] : []),
			...ids,
			...(failure ? [] : workflow),
		],
		failure,
	};
}

/** Results by document: by the credential's Document ID Field, or else by the first other that all have. */
function byLikelyDocument(client: Client, results: unknown[], ids: Proposal[]): DocumentResults[] {
	const own = client.account.listIdField;
	const documentsBy = (field: string) => groupedByDocument(client, {}, results, field);
	const isInAll = (field: string) =>
		documentsBy(field).every(({ documentId }) => documentId !== undefined);
	return documentsBy([own, ...ids.map(({ value }) => value)].find(isInAll) ?? own);
}

const remark = (detail: Proposal['detail'], says: Proposal['says'], why: string): Proposal => {
	return { detail, value: '', says, why };
};

const NO_RESULT =
	'No result yet: run Extraction › Extract From Files on a document, then Check Setup again';
export const NO_READING =
	'No result could be read as a row. Look at one with Extraction › Get Many (switch off Simplify there), and ask your account team which fields contain the names of the columns and their values';

/** All ways to read real results, and what comes of the credential's own. */
function rowsEvidence(
	{ account }: Client,
	results: unknown[],
	documents: DocumentResults[],
	columns: PartOfWorkflow[],
): Proposal[] {
	if (results.length === 0) return [remark('rows', 'note', NO_RESULT)];
	const ways = readingsOf(documents, columns)
		.slice(0, MOST_ROWS)
		.map((reading): Proposal => {
			const why = readingText(reading, columns);
			return { detail: 'rows', value: rowsText(reading.rows), says: 'possible', why };
		});
	const own = ifReady(account.rows);
	if (!own) return ways.length > 0 ? ways : [remark('rows', 'note', NO_READING)];
	const { read } = rowsReader(
		own,
		results,
		columns.map(({ fields }) => fields),
	);
	const tried = documents.map((document) => {
		try {
			return { values: read(document.results) };
		} catch (error) {
			return { problem: (error as Error).message };
		}
	});
	const rows = tried.flatMap(({ values = [] }) => (values.length > 0 ? [values] : []));
	const outcome =
		rows.length > 0
			? remark('rows', 'works', `It works and gives this row: ${rowText(rows)}`)
			: remark('rows', tried[0].problem ? 'fails' : 'note', tried[0].problem ?? NO_READING);
	return [outcome, ...ways];
}

/** Whether Document ID Field is there in real responses to uploads. */
function uploadEvidence({ account }: Client, uploads: unknown[]): Proposal {
	const field = account.listIdField;
	const isInAll = uploads.every((upload) => idIn(upload, field) !== undefined);
	return isInAll
		? remark('documentIdField', 'works', 'A real response to an upload has this field')
		: remark('documentIdField', 'fails', `The upload's response has no '${field}', or has several`);
}

/**
 * The fields that tell some documents apart, those named as an ID first.
 * @param entries responses to uploads, or documents of the list, which may name the ID otherwise
 */
function idFields(entries: unknown[], says: 'possible' | 'elsewhere'): Proposal[] {
	const fields = firstFields(entries[0]).flatMap(([path]) => {
		const name = lastStep(path);
		const isOther = OF_NO_DOCUMENT.has(name);
		const ids = entries.map((entry) => textIn(entry, path));
		const areIds = ids.every((id) => id !== undefined && mayBeId(id));
		if (isOther || !areIds || new Set(ids).size < ids.length) return [];
		// A bare name also fits responses that hold it elsewhere.
		const isFound = entries.every((entry, index) => idIn(entry, name) === ids[index]);
		const sample = shortened(redact(ids[0] ?? ''), LONGEST_SAMPLE);
		const why = `${sample}${says === 'elsewhere' ? ' (from the list of documents; the response to an upload may name it differently)' : ''}`;
		return [{ name, entry: { value: isFound ? name : path, why } }];
	});
	const isNamed = ({ name }: { name: string }) => namesAnId(name);
	return [...fields.filter(isNamed), ...fields.filter((field) => !isNamed(field))].map(
		({ entry }) => ({ detail: 'documentIdField', says, ...entry }),
	);
}

/** Whether a text may be an ID: it is no file name, address, date or sentence. */
function mayBeId(text: string): boolean {
	return /\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/i.test(text);
}

/** The statuses of real documents, and how many documents have each. */
function statuses(documents: object[], extracted: DocumentResults[]): Proposal[] {
	const ids = new Set(extracted.flatMap(({ documentId }) => documentId ?? []));
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
	return [...counts].map(([status, { all, withResults }]) => ({
		detail: 'finishedStatuses',
		value: redact(status),
		says: 'possible',
		why: `${all} of the documents that were read ${all === 1 ? 'has' : 'have'} this status${areTold ? `; results were found for ${withResults} of these` : ''}`,
	}));
}

/** What Workflow Endpoint returns. It is tried only if it is a `GET`, which certainly changes nothing. */
async function workflowEvidence(
	client: Client,
): Promise<{ proposals: Proposal[]; columns: PartOfWorkflow[] }> {
	if (ifReady(client.account.workflow)?.method !== 'GET') return { proposals: [], columns: [] };
	const read = await settled(readActivity(client));
	if (!read.error) {
		const columns = partsWith(read.value.workflow, 'column_id');
		const why = `It returns the workflow, with ${counted(columns.length, 'column')}`;
		return { proposals: [remark('workflowEndpoint', 'works', why)], columns };
	}
	const { error } = read;
	const says = mayPass(error) || hasStatus(error, 401, 403) ? 'note' : 'fails';
	const why = `The service does not return the workflow there: ${wordsOf(error).message}`;
	return { proposals: [remark('workflowEndpoint', says, why)], columns: [] };
}
