/**
 * Results of the service as rows of a table: one per document, with a field for each column. Where a
 * result holds its values is not shown (interface.md §2), so the user names the fields.
 */
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import { fieldsOf, textIn, valueIn } from './details/fields';
import { API_DETAILS, type ApiDetail } from './details/apiDetails';
import type { ResultFields } from './details/responses';

/** The results of one document; a result without a document ID is on its own. */
export interface DocumentResults {
	documentId: string | undefined;
	results: unknown[];
}

/** Results by document, in the order of each document's first result. */
export function byDocument(
	results: unknown[],
	documentIdOf: (result: unknown) => string | undefined,
): DocumentResults[] {
	const documents = new Map<string | symbol, DocumentResults>();
	for (const result of results) {
		const documentId = documentIdOf(result);
		const key = documentId ?? Symbol();
		const known = documents.get(key);
		if (known) known.results.push(result);
		else documents.set(key, { documentId, results: [result] });
	}
	return [...documents.values()];
}

export interface Row {
	json: IDataObject;
	/** Whether a column's field has another name than the column, because that one was taken. */
	hasRenamedColumns: boolean;
	isBlank: boolean;
}

/**
 * The row of a document: its columns' values, then what is known of the document. One without any
 * value says `extraction: null`.
 * @param results all results of the document
 * @param about the fields that the row has besides, whose names no column gets
 * @throws UserError when a result does not hold its values where the API Details say
 */
export function rowOf(results: unknown[], fields: ResultFields, about: IDataObject): Row {
	const values = columnValues(results, fields);
	if (values.length === 0) {
		return { json: { extraction: null, ...about }, hasRenamedColumns: false, isBlank: true };
	}
	const columns = values.map(({ column }) => column);
	const names = fieldNames(columns, [...Object.keys(about), 'extraction']);
	const cells = Object.fromEntries(values.map(({ value }, index) => [names[index], value]));
	return {
		json: { ...(cells as IDataObject), ...about },
		hasRenamedColumns: names.some((name, index) => name !== columns[index]),
		isBlank: isBlank(values),
	};
}

/** Whether there is no value, or each is empty. */
export function isBlank(values: ColumnValue[]): boolean {
	return values.every(({ value }) => isEmpty(value));
}

/** Whether a value is blank, or a table without rows or with nothing but blank cells. */
function isEmpty(value: unknown): boolean {
	if (value === null || value === undefined) return true;
	if (typeof value === 'object') return Object.values(value).every(isEmpty);
	return typeof value === 'string' && value.trim() === '';
}

export interface ColumnValue {
	column: string;
	value: unknown;
}

/**
 * The values of a document with their columns, as results have them: a column may be there twice.
 * @throws UserError when a result does not hold its values where the API Details say
 */
export function columnValues(results: unknown[], { values, column }: ResultFields): ColumnValue[] {
	if (!column) return results.flatMap((result) => valuesByColumn(valuesUnder(values, result)));
	const entries =
		values === undefined ? results : results.flatMap((result) => entriesUnder(values, result));
	const isAtTheTop = entries.some((entry) => valueIn(entry, column.value, 0) !== undefined);
	const found = entries.map((entry) => ({
		column: textIn(entry, column.name) ?? throwNameless(column.name, entry),
		// Where an entry leaves its value out, a field of that name further down holds something else.
		value: valueIn(entry, column.value, isAtTheTop ? 0 : Infinity),
	}));
	// Some services leave out a value that is empty; none at all means that the field is wrong.
	if (found.length > 0 && found.every(({ value }) => value === undefined)) {
		throwMissing('columnValueField', column.value, entries[0]);
	}
	return found.map((entry) => ({ ...entry, value: entry.value ?? null }));
}

/** Like `columnValues`; undefined where a result does not hold its values where the fields say. */
export function readableValues(
	results: unknown[],
	fields: ResultFields,
): ColumnValue[] | undefined {
	try {
		return columnValues(results, fields);
	} catch {
		return undefined;
	}
}

/** What a result holds under Values Field: an object, a list, or null where there is nothing yet. */
function valuesUnder(path: string, result: unknown): object | null {
	const holder = valueIn(result, path);
	if (holder === undefined) throwMissing('valuesField', path, result);
	if (typeof holder === 'object') return holder;
	throw new UserError(`'${path}' of a result holds a single value, not a value for each column`, {
		description: `${correct('valuesField')} The result has: ${fieldsOf(result)}.`,
	});
}

function valuesByColumn(holder: object | null): ColumnValue[] {
	if (Array.isArray(holder) && holder.length > 0) {
		const message = "'Values Field' leads to a list, not to an object with a value per column";
		throw new UserError(message, {
			description: `Fill in 'Column Name Field' and 'Column Value Field' in the credential as well. An entry of the list has: ${fieldsOf(holder[0])}.`,
		});
	}
	return Object.entries(holder ?? {}).map(([column, value]: [string, unknown]) => ({
		column,
		value,
	}));
}

function entriesUnder(path: string, result: unknown): unknown[] {
	const holder = valuesUnder(path, result);
	const entries: unknown[] = Object.values(holder ?? {});
	if (entries.every((entry) => entry !== null && typeof entry === 'object')) return entries;
	const message = `'${path}', which the API Detail 'Values Field' names, holds no entries for columns`;
	throw new UserError(message, {
		description: `It has: ${fieldsOf(holder)}. ${correct('valuesField')} Leave it empty if each result is the entry of a column.`,
	});
}

function throwNameless(path: string, entry: unknown): never {
	const holder = valueIn(entry, path);
	if (holder === undefined) throwMissing('columnNameField', path, entry);
	const held = typeof holder === 'object' && holder ? fieldsOf(holder) : JSON.stringify(holder);
	throw new UserError(`'${path}', which the API Detail 'Column Name Field' names, is not a name`, {
		description: `It holds: ${held}. ${correct('columnNameField')}`,
	});
}

function throwMissing(detail: ApiDetail, path: string, holder: unknown): never {
	const whole = detail === 'valuesField' ? 'A result' : 'An entry of a result';
	throw new UserError(
		`${whole} has no '${path}', which the API Detail '${API_DETAILS[detail].label}' names`,
		{ description: `It has: ${fieldsOf(holder)}. ${correct(detail)}` },
	);
}

const correct = (detail: ApiDetail) => `Correct '${API_DETAILS[detail].label}' in the credential.`;

/**
 * A field's name for each column: the column's own, or with a number where that is taken. Names that
 * differ only in case are different names, so that each column's name is the same in every row.
 * @param taken names that no column gets
 */
function fieldNames(columns: string[], taken: string[]): string[] {
	// n8n's copies of items lose a field that is called __proto__.
	const used = new Set([...taken, '__proto__']);
	const isColumn = new Set(columns);
	const lastNumber = new Map<string, number>();
	return columns.map((column) => {
		let name = column;
		let number = lastNumber.get(column) ?? 1;
		while (used.has(name) || (name !== column && isColumn.has(name))) {
			name = `${column} (${++number})`;
		}
		lastNumber.set(column, number);
		used.add(name);
		return name;
	});
}
