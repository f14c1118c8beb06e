/** What the account's own responses say of API Details, which counts for more than what its API reference says. */
import { settled } from '../http/concurrency';
import { redact, shortened } from '../http/redact';
import { CallError, hasStatus } from './callError';
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import {
	detailText,
	detailValue,
	DOCUMENT_ID,
	hasDetail,
	problemOf,
	whereToLook,
	type ApiDetail,
} from './details/apiDetails';
import {
	cellPaths,
	firstContainers,
	firstFields,
	isObject,
	lastStep,
	namesAnId,
	textIn,
} from './details/fields';
import { CHOOSE_FINISHED } from './details/openApi/findings';
import { OF_NO_DOCUMENT } from './details/parse';
import {
	documentIdIn,
	finishedStatuses,
	idIn,
	usableResultFields,
	type ResultFields,
} from './details/responses';
import { readDocumentPage } from './documents';
import { byDocument, readResults, type DocumentResults } from './extractions';
import { choiceText, readingsOf, type Reading } from '../rows/readings';
import { counted, sentences } from './run';
import { valuesReader } from '../rows/rows';
import { partsWith, readActivity } from './workflow';

/** One page: more results show nothing new. */
const MOST_RESULTS = 200;
const MOST_DOCUMENTS = 20;

/** What an API Detail should be, as far as real responses tell. */
export interface Evidence {
	/** What to enter; an empty text where the field is to be left empty; undefined where it is not certain. */
	value?: string;
	/** What the user may choose from, where nothing is certain. */
	choices: string[];
	why: string;
	/** Whether nothing was seen, so that an API reference says more. */
	isUnseen?: boolean;
	/** What is wrong with what the credential holds, unless it is `value`. */
	problem?: string;
	/** The row that the right entry, or else the credential's own, makes of a real result. */
	row?: string;
	/** Whether it may stay empty, because other fields that are filled in tell the same. */
	mayStayEmpty?: boolean;
	/** Whether what the credential holds may work, too. */
	mayWork?: boolean;
}

/** Values that real documents have, of which the user has to choose. */
export interface Sighting {
	values: string[];
	/** Why there are none, or what is doubtful about those that the credential holds. */
	why?: string;
	/** How real responses contradict what the credential holds. */
	problem?: string;
	/** How they confirm it. */
	confirmation?: string;
	/** What to choose of them. */
	choose: string;
}

interface AllEvidence {
	evidence: { [detail in ApiDetail]?: Evidence };
	sightings: { [detail in ApiDetail]?: Sighting };
	/** The row that the credential's own fields make of a real result. */
	row?: string;
	/** Whether these fields are malformed, or make no row for each document. */
	isRowWrong: boolean;
	/** Why neither documents nor results could be read. */
	failure?: Error;
}

/**
 * Reads real documents and results, and compares the credential with them. What cannot be read is said.
 * @param uploads responses to uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<AllEvidence> {
	const { credential } = client;
	const [responses, workflowEndpoint] = await Promise.all([
		readRealResponses(client, uploads),
		workflowEvidence(client),
	]);
	// As entered: it may be malformed.
	const idField = detailText(credential, 'documentIdField') || DOCUMENT_ID;
	const documentIdField = documentIdEvidence(responses, idField);
	const naming = namingDocuments(credential, documentIdField.value);
	const documents = byDocument(responses.results, (result) => documentIdIn(naming, result));
	const fields = usableResultFields(credential);
	const trial = fields && tryFields(documents, fields);
	const isMalformed = RESULT_FIELDS.some((detail) => problemOf(credential, detail) !== undefined);
	const evidence: AllEvidence['evidence'] = {
		documentIdField,
		// Where nothing can be read, the key or the address is wrong, and no API Detail.
		workflowEndpoint: responses.failure ? undefined : workflowEndpoint,
	};
	for (const [detail, found] of valuesEvidence(responses, documents)) {
		const unlikely = found.value === undefined ? undefined : UNLIKELY;
		const problem =
			trial && hasDetail(credential, detail) ? (trial.problem ?? unlikely) : undefined;
		evidence[detail] = { ...found, problem, mayStayEmpty: fields !== undefined };
	}
	if (evidence.valuesField) evidence.valuesField.row ??= trial?.row;
	return {
		evidence,
		sightings: { finishedStatuses: statusesSeen(responses, documents, naming) },
		row: trial?.row,
		isRowWrong: isMalformed || trial?.problem !== undefined,
		failure: responses.failure,
	};
}

const RESULT_FIELDS = ['valuesField', 'columnNameField', 'columnValueField'] as const;

const UNLIKELY = 'real documents show that the columns are elsewhere';

interface RealResponses {
	documents: object[];
	results: unknown[];
	uploads: unknown[];
	/** Why documents or results could not be read. */
	failures: { documents?: string; results?: string };
	/** Why neither could be read. */
	failure?: Error;
}

async function readRealResponses(client: Client, uploads: unknown[]): Promise<RealResponses> {
	const [results, documents] = await Promise.all([
		settled(readResults(client, {}, MOST_RESULTS)),
		settled(readDocumentPage(client, 1)),
	]);
	client.stop?.throwIfAborted();
	return {
		documents: documents.error ? [] : documents.value.documents,
		results: results.error ? [] : results.value,
		uploads,
		failures: {
			documents: documents.error && `The documents could not be read: ${documents.error.message}.`,
			results: results.error && `The results could not be read: ${results.error.message}.`,
		},
		failure: documents.error && results.error,
	};
}

/** What is returned where the credential says that the workflow is. Only `GET` certainly changes nothing. */
async function workflowEvidence(client: Client): Promise<Evidence | undefined> {
	const { credential } = client;
	if (problemOf(credential, 'workflowEndpoint') !== undefined) return undefined;
	if (detailValue(credential, 'workflowEndpoint')?.method !== 'GET') return undefined;
	const read = await settled(readActivity(client));
	if (!read.error) {
		const columns = partsWith(read.value.workflow, 'column_id');
		const why = `It returns the workflow, with ${counted(columns.length, 'column')}.`;
		return { value: detailText(credential, 'workflowEndpoint'), choices: [], why };
	}
	const { error } = read;
	if ((error instanceof CallError && error.mayPass) || hasStatus(error, 401, 403)) return undefined;
	return {
		choices: [],
		why: whereToLook('workflowEndpoint'),
		isUnseen: true,
		problem: `the service does not return the workflow there: ${error.message}`,
	};
}

/**
 * What document IDs are called in real responses.
 * @param field what the node looks for now
 */
function documentIdEvidence(responses: RealResponses, field: string): Evidence {
	const { documents, results, uploads, failures } = responses;
	const problem = problemOfIdField(responses, field);
	const seen = (documents.length > 0 ? documents : uploads).slice(0, MOST_DOCUMENTS);
	if (seen.length === 0) {
		const why =
			failures.documents ??
			`No document was seen that shows whether '${field}' is right: upload one, then check again.`;
		return { choices: [], why, isUnseen: true, problem };
	}
	const [only, ...others] = idFields(seen, results, uploads);
	if (only === undefined || others.length > 0) {
		return {
			choices: only === undefined ? samples(firstFields(seen[0])) : [only, ...others],
			why: 'Choose the field that holds the ID of the document, not of anything else.',
			problem,
		};
	}
	const where = [
		documents.length > 0 ? counted(seen.length, 'real document') : 'the upload',
		...(results.length > 0 ? ['in real results'] : []),
		...(uploads.length > 0 ? ['in the response to an upload'] : []),
	].join(' and ');
	const lacking = only === DOCUMENT_ID ? '' : `, which have no '${DOCUMENT_ID}'`;
	const why = `It holds the ID in ${where}${lacking}.`;
	const fitsUploads = uploads.length > 0 || lastStep(field) === lastStep(only);
	const mayWork = isPath(field) && problem === undefined && fitsUploads;
	return { value: only, choices: [], why, problem, mayWork };
}

const isPath = (field: string) => /[.[]/.test(field);

/** Whether real documents and responses to uploads lack such a field. A path may fit only uploads. */
function problemOfIdField({ documents, uploads }: RealResponses, field: string) {
	const isInAll = (entries: unknown[]) =>
		entries.every((entry) => idIn(entry, field) !== undefined);
	if (!isInAll(uploads)) return `the response to an upload has no '${field}'`;
	return isPath(field) || isInAll(documents) ? undefined : `real documents have no '${field}'`;
}

/** The fields that tell all documents apart, and are in the results and responses to uploads, too. */
function idFields(documents: unknown[], results: unknown[], uploads: unknown[]): string[] {
	const isInAll = (path: string) =>
		[...documents, ...uploads].every((entry) => idIn(entry, path) !== undefined);
	if (isInAll(DOCUMENT_ID)) return [DOCUMENT_ID];
	const paths = cellPaths(documents).filter((path) => {
		if (OF_NO_DOCUMENT.has(lastStep(path))) return false;
		const ids = documents.map((document) => textIn(document, path));
		return ids.every((id) => id !== undefined && mayBeId(id)) && new Set(ids).size === ids.length;
	});
	const joined = paths.filter((path) => namesDocumentsOf(results, documents, path));
	const candidates = joined.length > 0 ? joined : paths.filter((path) => namesAnId(lastStep(path)));
	const named = candidates.filter((path) => namesAnId(lastStep(path)));
	const found = named.length === 1 ? named : candidates;
	return found.map((path) => shortest(path, documents)).filter(isInAll);
}

/** Whether a text may be an ID: it is no file name, address, date or sentence. */
function mayBeId(text: string): boolean {
	return /\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/i.test(text);
}

/** Whether results hold, in one field, what documents hold under a path; one match alone may be chance. */
function namesDocumentsOf(results: unknown[], documents: unknown[], path: string): boolean {
	const ids = new Set(documents.map((document) => textIn(document, path)));
	return cellPaths(results).some((place) => {
		const named = results.map((result) => textIn(result, place)).filter((id) => ids.has(id));
		return new Set(named).size > 1 || 2 * named.length > results.length;
	});
}

/** The bare name where it finds the same IDs: it also fits responses that hold the field elsewhere. */
function shortest(path: string, documents: unknown[]): string {
	const name = lastStep(path);
	const isSame = documents.every((document) => idIn(document, name) === textIn(document, path));
	const isAlone = cellPaths(documents).filter((other) => lastStep(other) === name).length === 1;
	return isSame && isAlone ? name : path;
}

/** The statuses of real documents, which may be finished or not. */
function statusesSeen(
	{ documents, failures }: RealResponses,
	extracted: DocumentResults[],
	naming: DocumentExtractionCredential,
): Sighting {
	const none =
		documents.length === 0 ? 'There is no document yet: upload one, then check again.' : undefined;
	const ids = new Set(extracted.flatMap(({ documentId }) => documentId ?? []));
	const withResults = documents.filter((document) => {
		const id = documentIdIn(naming, document);
		return id !== undefined && ids.has(id);
	});
	const seen = statusesOf(documents);
	const ofResults = statusesOf(withResults);
	const have = ofResults.length > 0 && `Documents with results have: ${inMessage(ofResults)}.`;
	const { doubt, ...judgement } = judgeFinishedStatuses(
		seen,
		ofResults,
		withResults.length,
		naming,
	);
	return {
		values: seen.map((status) => redact(status)),
		why: failures.documents ?? none ?? doubt,
		choose: sentences(CHOOSE_FINISHED, have),
		...judgement,
	};
}

const statusesOf = (documents: object[]) => [
	...new Set(documents.flatMap((document) => textIn(document, 'extraction_status') ?? [])),
];

const inMessage = (statuses: string[]) => redact(statuses.join(', '));

/**
 * Whether 'Finished Statuses' fits: it should list a status of documents that have results. A single
 * document may be being extracted again.
 * @param seen the statuses of all documents
 * @param ofResults those of documents that have results
 */
function judgeFinishedStatuses(
	seen: string[],
	ofResults: string[],
	resultCount: number,
	credential: DocumentExtractionCredential,
): { problem?: string; confirmation?: string; doubt?: string } {
	if (problemOf(credential, 'finishedStatuses') !== undefined) return {};
	const listed = finishedStatuses(credential);
	if (listed.size === 0 || ofResults.length === 0) return {};
	const others = seen.filter((status) => listed.has(status) && !ofResults.includes(status));
	const doubt =
		others.length > 0
			? `It lists ${inMessage(others)}, which only documents without results have: right if it means that the extraction failed; otherwise, remove it.`
			: undefined;
	if (ofResults.some((status) => listed.has(status))) {
		return {
			confirmation: 'Real documents that have results have a status that it lists.',
			doubt,
		};
	}
	// All of them may be being extracted again.
	if (resultCount < 2) return { doubt };
	return {
		problem: `it lists none of the statuses that documents with results have: ${inMessage(ofResults)}`,
		doubt,
	};
}

/** The credential with the Document ID Field that real responses show. */
function namingDocuments(
	credential: DocumentExtractionCredential,
	documentIdField: string | undefined,
): DocumentExtractionCredential {
	const isUsable = problemOf(credential, 'documentIdField') === undefined;
	const own = isUsable ? credential.documentIdField : DOCUMENT_ID;
	return { ...credential, documentIdField: documentIdField ?? own };
}

type ResultEvidence = Array<[(typeof RESULT_FIELDS)[number], Evidence]>;

/** Where real results hold values: what each of the three fields should be. */
function valuesEvidence(
	{ results, failures }: RealResponses,
	documents: DocumentResults[],
): ResultEvidence {
	if (results.length === 0) {
		const why =
			failures.results ?? 'There is no result yet: extract one document, then check again.';
		return withChoices(why, [], []);
	}
	const readings = readingsOf(documents).slice(0, 1);
	if (readings.length === 0) {
		const why =
			'No reading of the real results gives each document one row: choose by what they hold.';
		return withChoices(why, samples(firstContainers(results[0])), entrySamples(results[0]));
	}
	const basis = counted(documents.length, 'real document');
	const row = readings.length === 1 ? choiceText(readings[0]).split(' → ')[1] : undefined;
	const ofValues = agreed(
		readings,
		({ valuesField }) => valuesField,
		(fields) => whyValues(fields, basis),
	);
	return [
		['valuesField', { ...ofValues, row }],
		['columnNameField', agreed(readings, ({ columnNameField }) => columnNameField, whyName)],
		['columnValueField', agreed(readings, ({ columnValueField }) => columnValueField, whyValue)],
	];
}

const withChoices = (why: string, containers: string[], entries: string[]): ResultEvidence => [
	['valuesField', { choices: containers, why }],
	['columnNameField', { choices: entries, why }],
	['columnValueField', { choices: entries, why }],
];

/** The entry on which all readings agree; otherwise a choice of one for each reading, with its row. */
function agreed(
	readings: Reading[],
	entryOf: (fields: ResultFields) => string | undefined,
	whyOf: (fields: ResultFields) => string,
): Evidence {
	const [{ fields }] = readings;
	const entries = new Set(readings.map((reading) => entryOf(reading.fields) ?? ''));
	if (entries.size === 1) return { value: entryOf(fields) ?? '', choices: [], why: whyOf(fields) };
	return {
		choices: readings.map(
			(reading) =>
				`${entryOf(reading.fields) ?? '(empty)'} → ${choiceText(reading).split(' → ')[1]}`,
		),
		why: 'Choose the one whose row has your columns with the values of the document.',
	};
}

function whyValues({ valuesField, columnNameField }: ResultFields, basis: string): string {
	if (valuesField === undefined)
		return `Leave it empty: in ${basis}, each result is the value of one column.`;
	return columnNameField
		? `It holds a list with an entry for each column in ${basis}.`
		: `It holds an object with a value for each column in ${basis}.`;
}

const NAMES_ARE_THERE = 'Leave it empty: Values Field alone gives the columns.';

const whyName = ({ columnNameField }: ResultFields) =>
	columnNameField ? 'It names the column in real results.' : NAMES_ARE_THERE;

const whyValue = ({ columnValueField }: ResultFields) =>
	columnValueField ? "It holds the column's value in real results." : NAMES_ARE_THERE;

/** What the fields of the credential make of real results. */
interface Trial {
	/** Why it is no row for each document; undefined where it works. */
	problem?: string;
	row?: string;
}

/** @returns undefined where there is no result to try them on */
function tryFields(documents: DocumentResults[], fields: ResultFields): Trial | undefined {
	const [first] = documents;
	if (!first) return undefined;
	try {
		const known = documents.flatMap(({ results }) => results);
		const row = choiceText({ fields, rows: [valuesReader(fields, known)(first.results)] });
		return { row: row.split(' → ')[1] };
	} catch (error) {
		return { problem: (error as Error).message };
	}
}

const LONGEST_SAMPLE = 60;
const MOST_NAMES = 8;

/** Fields to choose from: each path as it is entered, and what stands there. */
function samples(fields: Array<[path: string, value: unknown]>): string[] {
	return fields.map(([path, value]) => `${path}: ${sampleOf(value)}`);
}

/** The fields of what may be a column's entry: of an entry of each list in a result, and of the result itself. */
function entrySamples(result: unknown): string[] {
	const ofEntries = firstContainers(result).flatMap(([path, value]) =>
		Array.isArray(value) && isObject(value[0])
			? samples(firstFields(value[0])).map((sample) => `${sample} (in an entry of ${path})`)
			: [],
	);
	const own = firstFields(result).filter(([path]) => !path.includes('['));
	return [...ofEntries, ...samples(own)];
}

function sampleOf(value: unknown): string {
	if (Array.isArray(value)) {
		return isObject(value[0]) ? `a list, each entry with ${namesIn(value[0])}` : 'a list';
	}
	if (isObject(value)) return `an object with ${namesIn(value)}`;
	return shortened(redact(String(value)), LONGEST_SAMPLE);
}

function namesIn(value: object): string {
	const names = Object.keys(value);
	const listed = names.slice(0, MOST_NAMES).map((name) => redact(name));
	return listed.join(', ') + (names.length > MOST_NAMES ? ', …' : '') || 'nothing';
}
