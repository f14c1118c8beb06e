/**
 * The ways in which results can be read as rows. Which one is right is not shown (interface.md §2), and
 * nothing here decides it: all are listed, the likeliest first, and the user points at their own row.
 */
import { parseRows, rowsText, type Rows } from '../account/rows';
import {
	DOCUMENT_ID,
	fingerprintOf,
	isFieldPath,
	isObject,
	lastStep,
	levelsOf,
	valueIn,
	wordsIn,
} from '../account/fields';
import type { DocumentResults } from '../service/extractions';
import { counted, fewOf } from '../service/sentences';
import { redact, shortened } from '../http/redact';
import { isEmpty, placesOf, type ColumnValue } from './rows';

/** A way to read results: what to enter, and the values that each document then has. */
export interface Reading {
	rows: Rows;
	/** The row of each document. */
	documents: ColumnValue[][];
}

const RESULT_DETAILS = ['valuesField', 'columnNameField', 'columnValueField'] as const;

type ResultDetail = (typeof RESULT_DETAILS)[number];

type ResultFields = { [detail in ResultDetail]?: string };

function rowsIn({ valuesField, columnNameField, columnValueField }: ResultFields): Rows {
	const named = columnNameField === undefined ? '' : `: ${columnNameField}`;
	const value = columnValueField === undefined ? '' : ` = ${columnValueField}`;
	return parseRows(`${valuesField ?? '.'}${named}${value}`);
}

/** Ten documents show what recurs and what varies; each reading is tried on all of them. */
const MOST_DOCUMENTS = 10;
/** Results or entries in which fields are looked for: they are alike. */
const MOST_SAMPLES = 50;
/** Nobody has so many candidates; those nearest to the top are tried, each with each other one. */
const MOST_FIELDS = 20;
/** Steps to a field, e.g. `analysis.documents[0].fields`. */
const DEEPEST = 5;

/**
 * All ways to read some documents, the likeliest first. None is certain.
 * @param documents with their results, as `groupedByDocument` gives them
 */
export function readingsOf(documents: DocumentResults[]): Reading[] {
	const some = documents
		.map(({ results }) => results.filter(isObject).slice(0, MOST_SAMPLES))
		.filter((results) => results.length > 0)
		.slice(0, MOST_DOCUMENTS);
	const all = some.flat();
	return possibleFields(all.slice(0, MOST_SAMPLES))
		.flatMap((fields) => {
			const rows = rowsIn(fields);
			const { read, lackOf } = placesOf(rows, all);
			const reading = { rows, documents: some.map(read) };
			if (lackOf(all) || reading.documents.flat().length === 0) return [];
			return [{ reading, likelihood: likelihoodOf(fields, reading.documents) }];
		})
		.sort((one, other) => other.likelihood - one.likelihood)
		.map(({ reading }) => reading);
}

/** Every combination of fields that some results offer. */
function possibleFields(results: unknown[]): ResultFields[] {
	const containers = new Map<string, object[]>();
	for (const [path, part] of results.flatMap(partsOf)) {
		if (typeof part !== 'object' || part === null) continue;
		containers.set(path, [...(containers.get(path) ?? []), part]);
	}
	const within = [...containers]
		.slice(0, MOST_FIELDS)
		.flatMap(([valuesField, holders]): ResultFields[] => {
			const byColumn = holders.filter(isObject);
			const boxes = byColumn.flatMap(Object.values).filter(isObject);
			const entries = holders.flatMap(Object.values).filter(isObject);
			return [
				...(byColumn.length > 0 ? [{ valuesField }] : []),
				...pathsIn(boxes).map((columnValueField) => ({ valuesField, columnValueField })),
				...pairsIn(entries).map((pair) => ({ valuesField, ...pair })),
			];
		});
	return [...within, ...pairsIn(results)];
}

/** The pairs of fields that may hold a column's name and its value. */
function pairsIn(entries: unknown[]): ResultFields[] {
	const some = entries.slice(0, MOST_SAMPLES);
	const paths = pathsIn(some);
	// A name may be missing in an entry, but what most entries lack is no name.
	const names = paths.filter((path) => {
		if (lastStep(path) === DOCUMENT_ID) return false;
		const texts = some.filter((entry) => typeof valueIn(entry, path, 0) === 'string');
		return 2 * texts.length > some.length;
	});
	return names.flatMap((columnNameField) =>
		paths
			.filter((path) => path !== columnNameField)
			.map((columnValueField) => ({ columnNameField, columnValueField })),
	);
}

/** The fields of some entries, in the form that the credential takes. */
function pathsIn(entries: unknown[]): string[] {
	const parts = entries.slice(0, MOST_SAMPLES).flatMap(partsOf);
	return [...new Set(parts.map(([path]) => path))].slice(0, MOST_FIELDS);
}

type PartAt = [path: string, part: unknown];

/** What an object holds, by the paths to it, level by level; in lists only where they have one entry. */
function partsOf(outer: unknown): PartAt[] {
	const [, ...levels] = levelsOf<PartAt>(['', outer], DEEPEST, ([path, part]) => {
		if (Array.isArray(part)) return part.length === 1 ? [[`${path}[0]`, part[0]]] : [];
		if (!isObject(part)) return [];
		return Object.entries(part).map(([name, inner]) => [path ? `${path}.${name}` : name, inner]);
	});
	return levels.flat().filter(([path]) => isFieldPath(path));
}

const LONGEST_CELL = 40;
const MOST_CELLS = 6;

/** The row of the document that has the most values, for its user to recognize. */
export function rowText(rows: ColumnValue[][]): string {
	const valuesIn = (row: ColumnValue[]) => row.filter(({ value }) => !isEmpty(value)).length;
	const row = rows.reduce((most, one) => (valuesIn(one) > valuesIn(most) ? one : most), []);
	const cells = row.map(({ column, value }) => `${redact(column)}: ${cellText(value)}`);
	return fewOf(cells, MOST_CELLS, ' · ', ' · and');
}

/** A value in a few words. */
export function cellText(value: unknown): string {
	if (Array.isArray(value)) return `a table with ${counted(value.length, 'row')}`;
	const text = isObject(value) ? `{${Object.keys(value).join(', ')}}` : String(value ?? '');
	return shortened(redact(text), LONGEST_CELL);
}

/** How many ways to read results a message shows. */
const MOST_SHOWN = 3;

/** The likeliest ways to read some documents, one per line; empty where there is none. */
export function choicesIn(results: DocumentResults[]): string {
	return readingsOf(results)
		.slice(0, MOST_SHOWN)
		.map(({ rows, documents }) => `Rows: ${redact(rowsText(rows))} → ${rowText(documents)}`)
		.join('\n');
}

/** What the fields of each kind are often called. */
const USUAL: { [detail in ResultDetail]: RegExp } = {
	valuesField:
		/^(values?|data|fields?|extract(ed|ion|ions)?|answers?|results?|contents?|columns?|cells?|entities|predictions?|outputs?|attributes?)$/,
	columnNameField:
		/^(names?|labels?|titles?|columns?|fields?|keys?|questions?|headings?|captions?)$/,
	columnValueField:
		/^(values?|answers?|texts?|contents?|results?|data|responses?|extracted|normalized|transcriptions?|parsed)$/,
};

/** What fields are called that say something about a value, its column or its document. */
const ABOUT =
	/^(meta|metadata|usage|stats?|cost|reviews?|users?|links?|urls?|files?|mime|ids?|uuid|status|created|updated|at|confidences?|scores?|probability|sources?|pages?|box|boxes|polygon|units?|prompts?|reasoning|explanations?|citations?|validations?)$/;

/**
 * How likely a reading is, by what recurs, what varies and what fields are called. It only orders
 * readings: each part goes from 0 to 1, and its weight says how much a full 1 counts.
 */
function likelihoodOf(fields: ResultFields, rows: ColumnValue[][]): number {
	const filled = rows.filter((row) => row.length > 0);
	const cells = filled.flat();
	const columns = new Set(cells.map(({ column }) => column));
	const ofDocuments = filled.flatMap((row) => [...new Set(row.map(({ column }) => column))]);
	const values = cells.map(({ value }) => value).filter((value) => !isEmpty(value));
	const different = new Set(
		values.map((value) => (typeof value === 'object' ? fingerprintOf(value) : value)),
	);
	const shareOf = (holds: (value: unknown) => boolean) =>
		values.filter(holds).length / Math.max(1, values.length);
	const { valuesField = '', columnNameField = '', columnValueField = '' } = fields;
	return (
		// A workflow's columns are those of all its documents.
		2 * (ofDocuments.length / (columns.size * filled.length)) +
		// A document has two values for one column if it was extracted again, or is read wrongly.
		ofDocuments.length / cells.length +
		// What is the same everywhere describes the document or the service.
		different.size / Math.max(1, values.length) +
		// What most entries lack is not their value.
		values.length / cells.length +
		// Most workflows have several columns; beyond a few, their number tells nothing.
		2 * (Math.min(columns.size, 4) / 4) -
		// An object, or a list with one entry, probably has the value inside it, unless it is a table.
		2 * shareOf(isObject) -
		shareOf((value) => Array.isArray(value) && value.length === 1) -
		// A number from 0 to 1 is mostly a confidence.
		2 * shareOf((value) => typeof value === 'number' && value >= 0 && value <= 1) -
		// A list is a list of columns, even with a single one.
		(valuesField.endsWith(']') ? 2 : 0) -
		// What stands beside the name, in an object of its own, describes the column.
		(parentOf(columnNameField) !== '' && parentOf(columnNameField) === parentOf(columnValueField)
			? 1
			: 0) -
		// The nearer, the likelier.
		0.25 * (columnNameField + columnValueField).split(/[.[]/).length +
		RESULT_DETAILS.reduce((sum, detail) => sum + namingOf(detail, fields[detail]), 0)
	);
}

const parentOf = (path: string) => path.split('.').slice(0, -1).join('.');

/** How well the name of a field fits, from -2 to 1. */
function namingOf(detail: ResultDetail, path: string | undefined): number {
	if (path === undefined) return 0;
	const words = wordsIn(path);
	const fits = words.some((word) => USUAL[detail].test(word)) ? 1 : 0;
	return fits - (words.some((word) => ABOUT.test(word)) ? 2 : 0);
}
