/** What the account's own responses say of API Details; it counts for more than the API reference. */
import { settled, type Settled } from '../http/concurrency';
import { redact, shortened } from '../http/redact';
import type { Client } from './client';
import type { DocumentExtractionCredential } from './credential';
import {
	detailText,
	DOCUMENT_ID,
	hasDetail,
	problemOf,
	RESULT_DETAILS,
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
import { documentIdIn, idIn, resultFields, type ResultFields } from './details/responses';
import { readDocumentPage } from './documents';
import { readResults } from './extractions';
import { fittingReadings, flawOf, rowText, type Reading } from './readings';
import { counted } from './run';
import { byDocument, rowOf, type DocumentResults } from './simplify';

/** One page: more results show nothing new. */
const MOST_RESULTS = 200;
const MOST_DOCUMENTS = 20;

/** What an API Detail should be, as far as real responses tell. */
export interface Evidence {
	/** What to enter: an empty text means nothing, undefined that it is not certain. */
	value?: string;
	/** What the user may choose from, where nothing is certain. */
	choices: string[];
	why: string;
	/** Whether nothing was seen, so that an API reference says more. */
	isUnseen?: boolean;
	/** What is wrong with what the credential holds. */
	problem?: string;
	/** The row that the right entry, or else the credential's own, makes of a real result. */
	row?: string;
	/** Whether it may stay empty, because other fields that are filled in tell the same. */
	isCovered?: boolean;
}

/** Values that real documents have, of which the user has to choose. */
export interface Sighting {
	values: string[];
	/** Why there are none. */
	why?: string;
}

export interface AllEvidence {
	evidence: { [detail in ApiDetail]?: Evidence };
	sightings: { [detail in ApiDetail]?: Sighting };
	/** The row that the credential's own fields make of a real result. */
	row?: string;
}

/**
 * Reads real documents and results, and compares the credential with them. What cannot be read is said.
 * @param uploads responses to uploads that the flow hands on
 */
export async function readEvidence(client: Client, uploads: unknown[]): Promise<AllEvidence> {
	const { credential } = client;
	const responses = await readRealResponses(client, uploads);
	// As it is filled in, in whatever form.
	const idField = detailText(credential, 'documentIdField') || DOCUMENT_ID;
	const ids = documentIdEvidence(responses, idField);
	const documents = documentsWithResults(responses, credential, ids.value);
	const isCovered = canSimplify(credential);
	const trial = isCovered ? tryFields(documents, resultFields(credential)) : undefined;
	const { valuesField, columnNameField, columnValueField } = valuesEvidence(responses, documents);
	const compared = (detail: ApiDetail, evidence: Evidence): Evidence => ({
		...evidence,
		problem: hasDetail(credential, detail) ? trial?.problem : undefined,
		isCovered,
	});
	return {
		evidence: {
			documentIdField: { ...ids, problem: problemOfIdField(responses, idField) },
			valuesField: {
				...compared('valuesField', valuesField),
				row: valuesField.row ?? trial?.row,
			},
			columnNameField: compared('columnNameField', columnNameField),
			columnValueField: compared('columnValueField', columnValueField),
		},
		sightings: { finishedStatuses: statusesSeen(responses) },
		row: trial?.row,
	};
}

/** Whether the fields for values are filled in so that Simplify can use them. */
function canSimplify(credential: DocumentExtractionCredential): boolean {
	if (RESULT_DETAILS.some((detail) => problemOf(credential, detail) !== undefined)) return false;
	return hasDetail(credential, 'valuesField') || hasDetail(credential, 'columnNameField');
}

interface RealResponses {
	documents: Settled<object[]>;
	results: Settled<unknown[]>;
	uploads: unknown[];
}

async function readRealResponses(client: Client, uploads: unknown[]): Promise<RealResponses> {
	const [results, documents] = await Promise.all([
		settled(readResults(client, {}, MOST_RESULTS)),
		settled(readDocumentPage(client, 1).then((page) => page.documents)),
	]);
	client.stop?.throwIfAborted();
	return { documents, results, uploads };
}

const orNone = <T>(read: Settled<T[]>): T[] => (read.error ? [] : read.value);

/** Why there is nothing to be seen; undefined where there is. */
function whyNone(read: Settled<unknown[]>, kind: 'document' | 'result'): string | undefined {
	if (read.error) return `The ${kind}s could not be read: ${read.error.message}.`;
	if (read.value.length > 0) return undefined;
	return kind === 'result'
		? 'There is no result yet: extract one document, then check again.'
		: 'There is no document yet: upload one, then check again.';
}

/**
 * What document IDs are called in real responses.
 * @param field what the node looks for now
 */
function documentIdEvidence(
	{ documents, results, uploads }: RealResponses,
	field: string,
): Evidence {
	const seen = (orNone(documents).length > 0 ? orNone(documents) : uploads).slice(
		0,
		MOST_DOCUMENTS,
	);
	if (seen.length === 0) {
		const why = documents.error
			? whyNone(documents, 'document')
			: `No document was seen that shows whether '${field}' is right: upload one, then check again.`;
		return { choices: [], why: why ?? '', isUnseen: true };
	}
	const [only, ...others] = idFields(seen, orNone(results), uploads);
	const where = orNone(documents).length > 0 ? counted(seen.length, 'real document') : 'the upload';
	if (only !== undefined && others.length === 0) {
		return {
			value: only,
			choices: [],
			why: `It holds the ID in ${where}${inOthers(results, uploads)}${only === DOCUMENT_ID ? '' : `, which have no '${DOCUMENT_ID}'`}.`,
		};
	}
	return {
		choices: only === undefined ? fieldSamples(seen[0]) : [only, ...others],
		why: 'Choose the field that holds the ID of the document, not of anything else.',
	};
}

/** Whether real documents and responses to uploads have such a field. A path may fit only uploads. */
function problemOfIdField(
	{ documents, uploads }: RealResponses,
	field: string,
): string | undefined {
	const isPath = /[.[]/.test(field);
	const seen = [...orNone(documents), ...uploads];
	const isThere = isPath || seen.every((entry) => idIn(entry, field) !== undefined);
	return isThere ? undefined : `real documents have no '${field}'`;
}

function inOthers(results: Settled<unknown[]>, uploads: unknown[]): string {
	const places = [
		...(orNone(results).length > 0 ? ['in real results'] : []),
		...(uploads.length > 0 ? ['in the response to an upload'] : []),
	];
	return places.map((place) => ` and ${place}`).join('');
}

/** The fields that tell all documents apart, and are in the results and responses to uploads, too. */
function idFields(documents: unknown[], results: unknown[], uploads: unknown[]): string[] {
	const isInAll = (path: string) =>
		[...documents, ...uploads].every((entry) => idIn(entry, path) !== undefined);
	if (isInAll(DOCUMENT_ID)) return [DOCUMENT_ID];
	const paths = cellPaths(documents).filter((path) => {
		const ids = documents.map((document) => textIn(document, path));
		return ids.every((id) => id !== undefined && mayBeId(id)) && new Set(ids).size === ids.length;
	});
	const joined = paths.filter((path) => namesDocumentsOf(results, documents, path));
	const candidates = joined.length > 0 ? joined : paths.filter((path) => namesAnId(lastStep(path)));
	const named = candidates.filter((path) => namesAnId(lastStep(path)));
	const found = named.length === 1 ? named : candidates;
	return found.map((path) => shortest(path, documents)).filter(isInAll);
}

/** No name of a file, address, date or sentence. */
function mayBeId(text: string): boolean {
	return /\d/.test(text) && !/\s|^https?:|\.\w{2,4}$|^\d{4}-\d\d-\d\d/.test(text);
}

/** Whether each result names one of the documents somewhere: in the same place in all results. */
function namesDocumentsOf(results: unknown[], documents: unknown[], path: string): boolean {
	const ids = new Set(documents.map((document) => textIn(document, path)));
	return (
		results.length > 0 &&
		cellPaths(results).some((place) => {
			const known = results.filter((result) => ids.has(textIn(result, place)));
			return 2 * known.length > results.length;
		})
	);
}

/** The bare name where it leads to the same: responses differ in what stands around it. */
function shortest(path: string, documents: unknown[]): string {
	const name = lastStep(path);
	const isSame = documents.every((document) => idIn(document, name) === textIn(document, path));
	const isAlone = cellPaths(documents).filter((other) => lastStep(other) === name).length === 1;
	return isSame && isAlone ? name : path;
}

/** The statuses of real documents, which may be finished or not. */
function statusesSeen({ documents }: RealResponses): Sighting {
	const statuses = orNone(documents).flatMap(
		(document) => textIn(document, 'extraction_status') ?? [],
	);
	return {
		values: [...new Set(statuses)].map((status) => redact(status)),
		why: whyNone(documents, 'document'),
	};
}

/** Real results, document by document. */
function documentsWithResults(
	{ results }: RealResponses,
	credential: DocumentExtractionCredential,
	documentIdField: string | undefined,
): DocumentResults[] {
	const isUsable = problemOf(credential, 'documentIdField') === undefined;
	const own = isUsable ? credential.documentIdField : DOCUMENT_ID;
	const naming = { ...credential, documentIdField: documentIdField ?? own };
	return byDocument(orNone(results), (result) => documentIdIn(naming, result));
}

type ResultEvidence = Record<'valuesField' | 'columnNameField' | 'columnValueField', Evidence>;

/** Where real results hold values: what each of the three fields should be. */
function valuesEvidence({ results }: RealResponses, documents: DocumentResults[]): ResultEvidence {
	const why = whyNone(results, 'result');
	if (why !== undefined) {
		const none = { choices: [], why };
		return { valuesField: none, columnNameField: none, columnValueField: none };
	}
	const readings = fittingReadings(documents);
	if (readings.length === 0) return noReading(orNone(results)[0]);
	const basis = counted(documents.length, 'real document');
	return {
		valuesField: {
			...agreed(
				readings,
				({ values }) => values,
				(fields) => whyValues(fields, basis),
			),
			row: readings.length === 1 ? rowText(readings[0].rows[0]) : undefined,
		},
		columnNameField: agreed(readings, ({ column }) => column?.name, whyName),
		columnValueField: agreed(readings, ({ column }) => column?.value, whyValue),
	};
}

function noReading(result: unknown): ResultEvidence {
	const why =
		'No reading of the real results gives each document one row: choose by what they hold.';
	return {
		valuesField: { choices: containerSamples(result), why },
		columnNameField: { choices: entrySamples(result), why },
		columnValueField: { choices: entrySamples(result), why },
	};
}

/** The entry that all readings share, or all of them with their rows. */
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
			(reading) => `${entryOf(reading.fields) ?? '(empty)'} → ${rowText(reading.rows[0])}`,
		),
		why: 'Choose the one whose row has your columns with the values of the document.',
	};
}

function whyValues({ values, column }: ResultFields, basis: string): string {
	if (values === undefined)
		return `Leave it empty: in ${basis}, each result is the value of one column.`;
	return column
		? `It holds a list with an entry for each column in ${basis}.`
		: `It holds an object with a value for each column in ${basis}.`;
}

const NAMES_ARE_THERE = 'Leave it empty: Values Field alone gives the columns.';

const whyName = ({ column }: ResultFields) =>
	column ? 'It names the column in real results.' : NAMES_ARE_THERE;

const whyValue = ({ column }: ResultFields) =>
	column ? "It holds the column's value in real results." : NAMES_ARE_THERE;

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
		const row = rowText(rowOf(first.results, fields, {}).json);
		return { problem: flawOf(documents, fields), row };
	} catch (error) {
		return { problem: (error as Error).message };
	}
}

const LONGEST_SAMPLE = 60;
const MOST_NAMES = 8;

/**
 * The fields of a response that hold a text, a number or the like: each path as it is entered, a colon,
 * and what stands there.
 */
function fieldSamples(response: unknown): string[] {
	return firstFields(response).map(([path, value]) => `${path}: ${sampleOf(value)}`);
}

/** The fields of a result that hold several values: an object or a list. */
function containerSamples(result: unknown): string[] {
	return firstContainers(result).map(([path, value]) => `${path}: ${sampleOf(value)}`);
}

/**
 * The fields of what may be the entry of a column: of the entries of each list in a result, and of
 * the result itself.
 */
function entrySamples(result: unknown): string[] {
	const ofEntries = firstContainers(result).flatMap(([path, value]) =>
		Array.isArray(value) && isObject(value[0])
			? fieldSamples(value[0]).map((sample) => `${sample} (in an entry of ${path})`)
			: [],
	);
	const ofResult = firstFields(result)
		.filter(([path]) => !path.includes('['))
		.map(([path, value]) => `${path}: ${sampleOf(value)}`);
	return [...ofEntries, ...ofResult];
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
