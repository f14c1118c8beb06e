/** What the account's own documents, results and responses to uploads say of API Details. */
import { hasStatus, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { ifReady } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import { rowsText, type Rows } from '../account/rows';
import { DOCUMENT_ID, firstFields, idIn, lastStep, levelsOf, textIn } from '../account/fields';
import { OF_NO_DOCUMENT } from '../account/parse';
import { readDocumentPage } from '../service/documents';
import {
	groupedByDocument,
	MAX_PAGE_SIZE,
	readResults,
	type DocumentResults,
} from '../service/extractions';
import { counted, fewOf, redact, sentences, shortened } from '../http/redact';
import { partsWith, readActivity, type PartOfWorkflow } from '../service/workflow';
import { settled } from '../http/concurrency';
import { wordsOf } from '../messages/words';
import {
	columnsAmong,
	readingsOf,
	rowsWithConfidence,
	rowText,
	type Reading,
} from '../rows/readings';
import { isEmpty, rowsReader } from '../rows/rows';
import { idsAmong, isNearestId, STATUS_DETAILS, type Proposal } from './findings';

const LONGEST_SAMPLE = 60;
/** The likeliest rows, of which a line with confidences is a choice, too. */
const MOST_RATED = 3;

export interface Evidence {
	proposals: Proposal[];
	/** Why neither documents nor results could be read: the key or the address is wrong. */
	failure?: Error;
}

/**
 * Reads real documents and results, and tries on them what the credential holds.
 * @param uploads responses to direct uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<Evidence> {
	const [read, listed, workflow] = await Promise.all([
		// One page: more show nothing new.
		settled(readResults(client, {}, MAX_PAGE_SIZE)),
		settled(readDocumentPage(client, 1)),
		workflowEvidence(client),
	]);
	client.stop?.throwIfAborted();
	const documents = listed.error ? [] : listed.value.entries;
	const results = read.error ? [] : read.value;
	const named = namedDocuments(client, results, documents);
	const unread = (detail: ApiDetail, what: string, error: Error) =>
		remark(detail, 'note', `The ${what} could not be read: ${wordsOf(error).message}`);
	const failure = read.error && listed.error;
	return {
		proposals: [
			...(read.error
				? [unread('rows', 'results', read.error)]
				: rowsEvidence(client, results, named.byDocument, workflow.columns)),
			...(read.value?.length === 0 ? [withoutResults(documents)] : fileUrls(results[0])),
			...named.proposals,
			...(listed.error
				? [unread('finishedStatuses', 'documents', listed.error)]
				: statuses(documents, named.byDocument)),
			...(uploads.length > 0
				? uploadEvidence(client, uploads)
				: idFields(documents, 'elsewhere', ofSource('the list of documents'))),
			...(failure ? [] : workflow.proposals),
		],
		failure,
	};
}

const remark = (detail: ApiDetail, says: Proposal['says'], why: string): Proposal => {
	return { detail, value: '', says, why };
};

/** All texts and numbers in JSON. */
const textsIn = (value: unknown) =>
	new Set(
		[...levelsOf(value)]
			.flat()
			.filter((one) => typeof one !== 'object')
			.map(String),
	);

/** Results by document. They may name it otherwise: where the ID of a listed document stands. */
function namedDocuments(client: Client, results: unknown[], documents: object[]) {
	const listed = textsIn(documents);
	const grouped = (field: string) => groupedByDocument(client, {}, results, field);
	const isNamed = ({ documentId }: DocumentResults) => documentId !== undefined;
	const isListed = ({ documentId = '' }: DocumentResults) => listed.has(documentId);
	const own = grouped(client.account.listIdField);
	const fields = own.every(isNamed) ? [] : mayBeIds(results[0]).map(lastStep);
	const other = fields
		.map((field) => ({ field, byDocument: grouped(field) }))
		.find(({ byDocument }) => byDocument.every(isNamed) && byDocument.some(isListed));
	if (!other) return { byDocument: own, proposals: [] };
	const why = ofSource('results')(other.byDocument[0].documentId);
	const value = other.field;
	const proposal: Proposal = { detail: 'documentIdField', value, says: 'possible', why };
	return { byDocument: other.byDocument, proposals: [proposal] };
}

/** All ways to read real results, and what comes of the credential's own. */
function rowsEvidence(
	{ account }: Client,
	results: unknown[],
	byDocument: DocumentResults[],
	columns: PartOfWorkflow[],
): Proposal[] {
	if (results.length === 0) return [];
	const own = ifReady(account.details.rows);
	const readings = readingsOf(byDocument, columns);
	const choice = (rows: Rows, { documents }: Reading, more = ''): Proposal => {
		const why = rowText(documents, columns) + more;
		return { detail: 'rows', value: rowsText(rows), says: 'possible', why };
	};
	const rated = readings.slice(0, MOST_RATED).flatMap((one) => {
		const rows = rowsWithConfidence(one.rows, results);
		return rows ? [choice(rows, one, '; with a confidence for each')] : [];
	});
	const choices = [...readings.map((one) => choice(one.rows, one)), ...rated];
	if (own) {
		const others = choices.filter(({ value }) => value !== rowsText(own));
		return [ownRows(own, results, byDocument, columns, readings), ...others];
	}
	const unreadable = sentences(
		'No result could be read as a row.',
		'Look at one with Extraction › Get Many (switch off Simplify there), and ask your account team',
		'which fields contain the names of the columns and their values',
	);
	return choices.length > 0 ? choices : [remark('rows', 'note', unreadable)];
}

/**
 * What comes of the credential's own Rows.
 * @param readings what else the results can be read as
 */
function ownRows(
	own: Rows,
	results: unknown[],
	byDocument: DocumentResults[],
	columns: PartOfWorkflow[],
	readings: Reading[],
): Proposal {
	const fields = columns.map((column) => column.fields);
	const { read } = rowsReader(own, results, fields);
	let problem: string | undefined;
	const rows = byDocument.map((document) => {
		try {
			return read(document.results);
		} catch (error) {
			problem ??= (error as Error).message;
			return [];
		}
	});
	if (rows.flat().some(({ value }) => !isEmpty(value))) {
		const known = columnsAmong(rows, columns).size;
		const isLess = readings.some(({ documents }) => columnsAmong(documents, columns).size > known);
		const row = rowText(rows, columns);
		return remark('rows', isLess ? 'doubtful' : 'works', `It gives this row: ${row}`);
	}
	// The values of a single document may all be left out: it is blank.
	if (problem && byDocument.length > 1) return remark('rows', 'fails', problem);
	const all = counted(byDocument.length, 'document');
	const why = sentences(
		`There is nothing to judge it by yet: ${all} with results, and no values there.`,
		'Extract a document that has some, and execute this step again',
	);
	return remark('rows', 'note', why);
}

/** What there is to say without any result, by the documents that are there. */
function withoutResults(documents: object[]): Proposal {
	const are = documents.length === 1 ? 'its status is' : 'their statuses are';
	const statuses = fewOf(statusesOf(documents).map((status) => `'${redact(status)}'`));
	const why =
		documents.length === 0
			? 'No result yet: run Extraction › Extract From Files on a document, then Check Setup again'
			: sentences(
					`${counted(documents.length, 'document')}, ${are} ${statuses}, no result.`,
					'Your API reference, or your account team, can tell what that means.',
					'If the extraction is over, nothing was found: extract another document.',
					'If it goes on, execute this step again later.',
					'If it was never started, run Extraction › Extract Documents',
				);
	return remark('rows', 'note', why);
}

/** The fields of a result that contain a URL: it may be that of the document's file. */
function fileUrls(result: unknown): Proposal[] {
	return firstFields(result).flatMap(([value, url]): Proposal[] =>
		typeof url === 'string' && /^https?:\/\//i.test(url)
			? [{ detail: 'fileUrlField', value, says: 'possible', why: sampleOf(url) }]
			: [],
	);
}

/** What responses to uploads say: the file's field was right, and Document ID Field may be there. */
function uploadEvidence({ account }: Client, uploads: unknown[]): Proposal[] {
	const field = account.listIdField;
	const file = remark('uploadFileField', 'works', 'An upload has worked with it');
	const fields = idFields(uploads, 'possible', sampleOf);
	if (uploads.some((upload) => idIn(upload, field) === undefined)) {
		const why = `The upload's response has no '${field}', or has several`;
		return [file, remark('documentIdField', 'fails', why), ...fields];
	}
	// The default, which nobody has chosen, may be the ID of another document, further down.
	const isOwn =
		field !== DOCUMENT_ID || uploads.every((upload) => isNearestId(field, mayBeIds(upload)));
	const why = 'A real response to an upload has this field';
	return [file, ...(isOwn ? [remark('documentIdField', 'works', why)] : []), ...fields];
}

/** The first fields of a response that may be the ID of its document. */
const mayBeIds = (response: unknown) =>
	firstFields(response)
		.filter(([path, value]) => !OF_NO_DOCUMENT.has(lastStep(path)) && mayBeId(String(value)))
		.map(([path]) => path);

/** Whether a text is no file name, address, date or sentence. */
const mayBeId = (text: string) =>
	/\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/i.test(text);

const sampleOf = (id = '') => shortened(redact(id), LONGEST_SAMPLE);

/** An ID as an example, where it is not from the response to an upload. */
const ofSource = (source: string) => (id?: string) =>
	`${sampleOf(id)} (from ${source}; the response to an upload may name it differently)`;

/**
 * The fields that tell some documents apart.
 * @param entries responses to uploads, or documents of the list, which may name the ID otherwise
 */
function idFields(
	entries: unknown[],
	says: 'possible' | 'elsewhere',
	sample: (id: string) => string,
): Proposal[] {
	const all = firstFields(entries[0]).map(([path]) => path);
	return idsAmong(mayBeIds(entries[0]), all).flatMap((value): Proposal[] => {
		const ids = entries.map((entry) => idIn(entry, value) ?? '');
		const isDistinct = ids.every(mayBeId) && new Set(ids).size === ids.length;
		return isDistinct ? [{ detail: 'documentIdField', says, value, why: sample(ids[0]) }] : [];
	});
}

const statusOf = (document: object) => textIn(document, 'extraction_status');

const statusesOf = (documents: object[]) => [
	...new Set(documents.flatMap((one) => statusOf(one) ?? [])),
];

/** The statuses of real documents, and how many documents have each. */
function statuses(documents: object[], byDocument: DocumentResults[]): Proposal[] {
	const ids = new Set(byDocument.map(({ documentId }) => documentId));
	// The list may name the ID otherwise than results do.
	const hasResults = (document: object) => [...textsIn(document)].some((text) => ids.has(text));
	return statusesOf(documents).flatMap((status) => {
		const own = documents.filter((one) => statusOf(one) === status);
		const why = `${counted(own.length, 'document')}, ${own.filter(hasResults).length} with results`;
		return STATUS_DETAILS.map(
			(detail): Proposal => ({ detail, value: redact(status), says: 'possible', why }),
		);
	});
}

/** What Workflow Endpoint returns. It is tried only if it is a `GET`, which certainly changes nothing. */
async function workflowEvidence(client: Client) {
	if (ifReady(client.account.details.workflowEndpoint)?.method !== 'GET')
		return { proposals: [], columns: [] };
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
