/**
 * The ways in which results can be read as rows: an object of values, a list with an entry for each
 * column, or a result for each column. Which one is right is not shown (interface.md §2), but real
 * results show it: read in a wrong way, columns repeat, hold objects, or are IDs.
 */
import type { IDataObject } from 'n8n-workflow';

import { redact, shortened } from '../http/redact';
import {
	cellPaths,
	firstContainers,
	isObject,
	lastStep,
	levelsOf,
	namesAnId,
	valueIn,
} from './details/fields';
import type { ResultFields } from './details/responses';
import { fewOf } from './run';
import {
	columnValues,
	isBlank,
	readableValues,
	rowOf,
	type ColumnValue,
	type DocumentResults,
} from './rows';

/** A way to read results, and the rows that it makes of them, one per document. */
export interface Reading {
	fields: ResultFields;
	rows: IDataObject[];
}

/** More show nothing new, and every reading is tried on each of them. */
const MOST_DOCUMENTS = 10;
/** Results in which fields are looked for. */
const MOST_RESULTS = 50;

/**
 * The readings that give every document one row with distinct columns of single values or tables,
 * none of them a technical ID. Where several do, the more plausible ones.
 */
export function fittingReadings(documents: DocumentResults[]): Reading[] {
	const some = documents.slice(0, MOST_DOCUMENTS);
	const fitting = possibleFields(some).flatMap((fields) => readingOf(some, fields) ?? []);
	const preferences = [hasRecurringColumns, hasVariousColumns, hasVariousDocuments];
	return withoutEnvelopes(preferences.reduce<Reading[]>(preferred, fitting));
}

/** The one reading that fits some documents; undefined where none or several do. */
export function onlyReadingOf(documents: DocumentResults[]): Reading | undefined {
	const [only, ...others] = fittingReadings(documents);
	return others.length === 0 ? only : undefined;
}

/**
 * What keeps a reading from fitting; undefined where it fits.
 * @throws UserError when results do not hold values there
 */
export function flawOf(documents: DocumentResults[], fields: ResultFields): string | undefined {
	const flaws = documents.map((document) => flawIn(document, fields));
	const found = flaws.find((flaw) => flaw && !TOLERATED.includes(flaw)) ?? majorityOf(flaws);
	if (found) return FLAWS[found];
	const isEmpty = documents.every(({ results }) => columnValues(results, fields).length === 0);
	return isEmpty ? FLAWS.empty : undefined;
}

const FLAWS = {
	ofDocument: 'columns describe the document or the service, such as a file, a status or an ID',
	ofColumn: 'columns hold their type or prompt instead of values',
	swapped: 'columns hold names, and are named as values',
	names: 'columns hold their own names instead of values',
	first: 'only the first column of each result is read',
	repeated: 'the same column comes several times',
	same: 'all columns have the same value',
	ids: 'columns are technical, such as IDs',
	idValues: 'columns hold IDs instead of values',
	lacking: 'most columns are empty, though results hold values for them',
	nested: 'columns hold objects instead of values',
	empty: 'no document has a value there',
};

type Flaw = keyof typeof FLAWS;

/** In some documents: one may have been extracted twice, or be a form with nothing but ticks. */
const TOLERATED: Flaw[] = ['repeated', 'same', 'names'];
/** Fewer may be the same by chance. */
const FEWEST_SAME = 3;

/** What is wrong with the rows of some documents. */
export interface Misreading {
	flaw: string;
	/** Whether the fields are wrong; otherwise documents may really have such columns. */
	isCertain: boolean;
	/** The one other reading that fits all of the documents. */
	other: Reading;
}

/**
 * Whether the rows of some documents are wrong while one other reading fits all of these documents.
 * Documents whose results do not hold values where `given` says do not count: they fail by themselves.
 */
export function misreadingOf(
	documents: DocumentResults[],
	given: ResultFields,
): Misreading | undefined {
	const some: DocumentResults[] = [];
	for (const document of documents) {
		// A list may be long: none is read beyond those that are judged.
		if (some.length === MOST_DOCUMENTS) break;
		if (readableValues(document.results, given)?.length) some.push(document);
	}
	const flaw = flawOfMost(some, given);
	const fuller = flaw ? undefined : fullerReadingOf(some, given);
	if (fuller) return { flaw: FLAWS.lacking, isCertain: true, other: fuller };
	if (!flaw && !mayBeSwapped(some, given)) return undefined;
	const other = onlyReadingOf(some);
	if (!other) return undefined;
	if (!flaw) {
		return isSwapped(some, given, other.fields)
			? { flaw: FLAWS.swapped, isCertain: true, other }
			: undefined;
	}
	if (flaw === 'nested' && !isOtherThanCell(given, other.fields)) return undefined;
	return { flaw: FLAWS[flaw], isCertain: isCertain(flaw, some, given, other.fields), other };
}

/** Another reading with the row of the document itself, if it has one. */
export function readingWithRowOf(document: DocumentResults, { fields, rows }: Reading): Reading {
	return readingOf([document], fields) ?? { fields, rows };
}

function flawOfMost(documents: DocumentResults[], fields: ResultFields): Flaw | undefined {
	return majorityOf(
		documents.map((document) => {
			const flaw = flawIn(document, fields);
			return flaw && isPlausible(document, fields, flaw) ? undefined : flaw;
		}),
	);
}

/** The flaw that more than half of some documents have. */
function majorityOf(flaws: Array<Flaw | undefined>): Flaw | undefined {
	return flaws.find((flaw) => 2 * flaws.filter((own) => own === flaw).length > flaws.length);
}

/** A document that was extracted twice repeats its columns, and a value may be an object. */
function isPlausible(document: DocumentResults, fields: ResultFields, flaw: Flaw): boolean {
	if (flaw === 'repeated') return document.results.length < 3;
	const values = columnValues(document.results, fields).map(({ value }) => value);
	return flaw === 'nested' && values.some((value) => value === null || typeof value !== 'object');
}

/** Any object inside a value could be read as a row; the one value of a result may be the row itself. */
function isOtherThanCell({ column }: ResultFields, other: ResultFields): boolean {
	return other.column !== undefined || (column !== undefined && column.value === other.values);
}

/**
 * Whether a flaw is no coincidence: a form may have nothing but ticks, a workflow a single column with
 * a link, and columns may be called like IDs.
 */
function isCertain(
	flaw: Flaw,
	documents: DocumentResults[],
	given: ResultFields,
	other: ResultFields,
): boolean {
	const cells = documents.flatMap(({ results }) => columnValues(results, given));
	switch (flaw) {
		case 'ofDocument':
			return given.column !== undefined || countOf(cells.map(({ column }) => column)) > 1;
		case 'ids':
			return textOf(documents, given, 'value') === textOf(documents, other, 'value');
		case 'ofColumn':
		case 'idValues':
			return textOf(documents, given, 'column') === textOf(documents, other, 'column');
		case 'same':
			return cells.every(({ value }) => isOfFile(value));
		case 'nested':
			return other.column !== undefined;
		default:
			return true;
	}
}

/**
 * The one reading with the values of the same columns where most are empty, because 'Column Value Field'
 * leads to something within a table.
 */
function fullerReadingOf(documents: DocumentResults[], given: ResultFields): Reading | undefined {
	if (!given.column) return undefined;
	const cellsOf = (fields: ResultFields) =>
		documents.flatMap(({ results }) => columnValues(results, fields));
	const cells = cellsOf(given);
	const empty = cells.filter(({ value }) => value === null);
	const areMost = (some: ColumnValue[]) => 2 * some.length > cells.length;
	// Where all are empty, nothing shows where the others would be.
	if (!areMost(empty) || empty.length === cells.length) return undefined;
	const fuller = fittingReadings(documents).filter(({ fields }) => {
		if (fields.values !== given.values || fields.column?.name !== given.column.name) return false;
		const own = cellsOf(fields);
		return (
			cells.every(({ value }, index) => value === null || isWithinTable(value, own[index].value)) &&
			areMost(own.filter((cell, index) => cells[index].value === null && !isBlank([cell])))
		);
	});
	return fuller.length === 1 ? fuller[0] : undefined;
}

function isWithinTable(value: unknown, outer: unknown): boolean {
	if (!Array.isArray(outer) || !outer.some(isObject)) return false;
	const [, ...inner] = levelsOf(outer);
	return inner.flat().includes(value);
}

/** A workflow's columns are those of all its documents, unless the names of columns are really values. */
function mayBeSwapped(documents: DocumentResults[], fields: ResultFields): boolean {
	if (!fields.column || documents.length < 2) return false;
	return !hasRecurringColumns({
		fields,
		rows: documents.map(({ results }) => rowOf(results, fields, {}).json),
	});
}

function isSwapped(
	documents: DocumentResults[],
	given: ResultFields,
	other: ResultFields,
): boolean {
	return textOf(documents, given, 'value') === textOf(documents, other, 'column');
}

/** All columns' names, or all their values, as a text that differs where they do. */
function textOf(
	documents: DocumentResults[],
	fields: ResultFields,
	part: keyof ColumnValue,
): string {
	const cells = documents.flatMap(({ results }) => columnValues(results, fields));
	return JSON.stringify(cells.map((cell) => cell[part]));
}

/**
 * Documents whose results are returned raw, and in which no column was found. Without the user's
 * fields it can be told only if one reading fits all of them and others have values: that of a single
 * document may be empty because its values are elsewhere.
 * @param given the fields of results that the user has named
 */
export function blankAmong(
	documents: DocumentResults[],
	given: ResultFields | undefined,
): DocumentResults[] {
	if (!given && documents.length < 2) return [];
	const fields = given ?? onlyReadingOf(documents)?.fields;
	if (!fields) return [];
	const blank = documents.filter(({ results }) => {
		// Without making a row, as this runs for every document of a list.
		const values = readableValues(results, fields);
		return values !== undefined && isBlank(values);
	});
	return given || blank.length < documents.length ? blank : [];
}

/** The fields of a reading, as they are to be entered. */
export function readingText({ values, column }: ResultFields): string {
	const empty = '(empty)';
	return `'Values Field': ${values ?? empty}, 'Column Name Field': ${column?.name ?? empty}, 'Column Value Field': ${column?.value ?? empty}`;
}

const LONGEST_CELL = 40;
const MOST_CELLS = 6;

/** A row to be looked at: its first columns, and how many more there are. */
export function rowText(row: IDataObject): string {
	const cells = Object.entries(row).map(
		([column, value]) => `${redact(column)}: ${cellText(value)}`,
	);
	return fewOf(cells, MOST_CELLS, ' · ', ' · and');
}

function cellText(value: unknown): string {
	if (Array.isArray(value)) return `a table of ${value.length}`;
	const text = isObject(value) ? JSON.stringify(value) : String(value);
	return shortened(redact(text), LONGEST_CELL);
}

function readingOf(documents: DocumentResults[], fields: ResultFields): Reading | undefined {
	try {
		if (flawOf(documents, fields)) return undefined;
		const rows = documents.map(({ results }) => rowOf(results, fields, {}).json);
		return { fields, rows: rows.filter((row) => row.extraction !== null) };
	} catch {
		return undefined;
	}
}

/** The identifiers that the interface names (§2): none of them is an extracted value. */
const IDENTIFIERS = new Set(['workflow_id', 'column_id', 'collection_id', 'document_id']);
/** What the interface says that a document has besides its values (§3). */
const STATUS = 'extraction_status';
/** What the interface says that a column has besides its values (§2). */
const OF_A_COLUMN = new Set(['type', 'prompt']);

function flawIn({ documentId, results }: DocumentResults, fields: ResultFields): Flaw | undefined {
	const cells = columnValues(results, fields);
	const columns = cells.map(({ column }) => column);
	if (isOfDocument(cells, fields, documentId)) return 'ofDocument';
	if (fields.column && OF_A_COLUMN.has(lastStep(fields.column.value))) return 'ofColumn';
	if (fields.column && namesAnId(lastStep(fields.column.value))) return 'idValues';
	if (areOwnNames(cells, fields)) return 'names';
	if (isFirstOfList(results, fields)) return 'first';
	if (areIds(columns, fields)) return 'ids';
	if (new Set(columns).size < columns.length) return 'repeated';
	if (!cells.every(({ value }) => isCell(value))) return 'nested';
	const isSame = cells.length >= FEWEST_SAME && countOf(cells.map(({ value }) => value)) === 1;
	return isSame && cells[0].value !== null ? 'same' : undefined;
}

/** Whether columns or values are what the service knows of the document or of the column itself. */
function isOfDocument(
	cells: ColumnValue[],
	{ column }: ResultFields,
	documentId?: string,
): boolean {
	const isKnown = (text: string) => text === documentId || isOfFile(text);
	if (column) {
		if ([column.name, column.value].some((path) => lastStep(path) === STATUS)) return true;
		const areAll = (holds: (cell: ColumnValue) => boolean) =>
			cells.length > 0 && cells.every(holds);
		return areAll((cell) => isKnown(cell.column)) || areAll(({ value }) => value === documentId);
	}
	const values = cells.flatMap(({ value }) => value ?? []);
	return (
		cells.some(
			(cell) =>
				IDENTIFIERS.has(cell.column) ||
				(namesAnId(cell.column) && String(cell.value) === documentId),
		) ||
		(values.length > 0 && values.every(isOfFile))
	);
}

function areOwnNames(cells: ColumnValue[], { column }: ResultFields): boolean {
	return (
		column !== undefined && cells.length > 1 && cells.every((cell) => cell.value === cell.column)
	);
}

/** Whether the one result of a document has a list of columns, in which a name or a path leads to the first. */
function isFirstOfList(results: unknown[], { values, column }: ResultFields): boolean {
	if (!column || values !== undefined || results.length > 1) return false;
	const outsideLists = (outer: object) =>
		Array.isArray(outer) && outer.length > 1 ? [] : Object.values(outer);
	const [result] = results;
	return (
		column.name.includes('[') || valueIn(result, column.name, Infinity, outsideLists) === undefined
	);
}

function areIds(columns: string[], { column }: ResultFields): boolean {
	if (column && namesAnId(lastStep(column.name))) return true;
	return columns.length > 1 && columns.every(looksLikeId);
}

/** Whether a value is the address or the name of a file. */
const isOfFile = (value: unknown) =>
	/^https?:\/\/\S+$|^\S.*\.(pdf|png|jpe?g|tiff?|docx?)$/i.test(String(value));

/** A number, or one word of letters and digits that nobody would give to a column. */
function looksLikeId(name: string): boolean {
	if (/^\d+$/.test(name)) return true;
	return /^[\w:/.-]{8,}$/.test(name) && /\d/.test(name) && /[a-z]/i.test(name);
}

/** A single value, or what becomes a table: a list of values or of objects. */
function isCell(value: unknown): boolean {
	return !isObject(value) && !(Array.isArray(value) && value.some(Array.isArray));
}

/** Every combination of fields that real results offer. */
function possibleFields(documents: DocumentResults[]): ResultFields[] {
	const results = documents.flatMap((document) => document.results).slice(0, MOST_RESULTS);
	const containers = new Map<string, object[]>();
	for (const [path, value] of results.flatMap((result) => firstContainers(result))) {
		containers.set(path, [...(containers.get(path) ?? []), value]);
	}
	const within = [...containers].flatMap(([values, holders]) => {
		const lists = holders.filter(Array.isArray) as unknown[][];
		const ofLists = nameValuePairs(lists).map((column) => ({ values, column }));
		return holders.some(isObject) ? [{ values }, ...ofLists] : ofLists;
	});
	const ofResults = nameValuePairs(documents.map((document) => document.results));
	return [...within, ...ofResults.map((column) => ({ column }))];
}

/** The pairs of fields in the entries of lists that may hold a column's name and its value. */
function nameValuePairs(lists: unknown[][]): Array<{ name: string; value: string }> {
	const entries = lists.flat().slice(0, MOST_RESULTS);
	// One entry alone shows neither which of its fields is the name, nor that it is one of several.
	if (lists.every((list) => list.length < 2) || !entries.every(isObject)) return [];
	const paths = cellPaths(entries);
	const names = paths.filter((path) => lists.some((list) => areNames(list, path)));
	const values = paths.filter((path) => !OF_A_COLUMN.has(lastStep(path)));
	return names.flatMap((name) =>
		values.filter((value) => value !== name).map((value) => ({ name, value })),
	);
}

/** Whether a field has a different text in each entry of a list. */
function areNames(list: unknown[], path: string): boolean {
	const names = list.map((entry) => valueIn(entry, path));
	return names.every((name) => typeof name === 'string') && new Set(names).size === list.length;
}

/** The readings for which a condition holds, if there are any; else all of them. */
function preferred(readings: Reading[], holds: (reading: Reading) => boolean): Reading[] {
	const better = readings.filter(holds);
	return better.length > 0 ? better : readings;
}

/** Whether most columns are those of several documents: a workflow's columns are the same for all. */
function hasRecurringColumns({ rows }: Reading): boolean {
	const counts = new Map<string, number>();
	const all = rows.flatMap(Object.keys);
	for (const column of all) counts.set(column, (counts.get(column) ?? 0) + 1);
	const recurring = all.filter((column) => (counts.get(column) ?? 0) > 1);
	return 2 * recurring.length > all.length;
}

/** Whether the columns of a document have different values: one value in all of them describes the document. */
function hasVariousColumns({ rows }: Reading): boolean {
	return rows.some((row) => countOf(Object.values(row)) > 1);
}

/** Whether a column has different values in documents: one value in all of them describes the column. */
function hasVariousDocuments({ rows }: Reading): boolean {
	const columns = new Set(rows.flatMap(Object.keys));
	return [...columns].some((column) => countOf(rows.map((row) => row[column])) > 1);
}

const countOf = (values: unknown[]) => new Set(values.map((value) => JSON.stringify(value))).size;

/** Leaves out objects whose only field is the list that another reading reads. */
function withoutEnvelopes(readings: Reading[]): Reading[] {
	const isEnvelope = ({ fields: { values, column }, rows }: Reading) =>
		!column &&
		rows.every((row) => Object.keys(row).length === 1) &&
		readings.some(({ fields }) => fields.values?.startsWith(`${values}.`));
	return readings.filter((reading) => !isEnvelope(reading));
}
