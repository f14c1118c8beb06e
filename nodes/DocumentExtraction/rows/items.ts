/** Makes items of a document's values: columns are looked up by their names before fields get theirs. */
import type { IDataObject } from 'n8n-workflow';

import { comparableName, isObject } from '../account/fields';
import { editsBetween } from '../account/lines';
import { fieldNames, isEmpty, type ColumnValue } from './rows';

/** Fields that some documents have besides their values: no column gets their names. */
const TAKEN = ['extraction', 'complete', 'extractionStatus', 'document'];

/**
 * The row of a document: its columns' values, then what is known of the document. One without any
 * column says `extraction: null`.
 * @param about the fields that the row has besides, whose names no column gets
 */
export function rowOf(values: ColumnValue[], about: IDataObject): IDataObject {
	if (values.length === 0) return { extraction: null, ...about };
	return { ...fieldsOfColumns(values, Object.keys(about)), ...about };
}

/** The field of each value in a row. */
export function namesOfFields(values: ColumnValue[], taken: string[]): string[] {
	const columns = values.map(({ column }) => column);
	return fieldNames(columns, [...taken, ...TAKEN]);
}

function fieldsOfColumns(values: ColumnValue[], taken: string[]): IDataObject {
	const names = namesOfFields(values, taken);
	const cells = values.map(({ value }, index) => [names[index], value]);
	return Object.fromEntries(cells) as IDataObject;
}

/**
 * The column that a name means: the one of this very name, or the first whose name differs only in spaces
 * and in how accents are written; undefined where there is none.
 */
export function columnNamed(columns: Iterable<string>, name: string): string | undefined {
	const all = [...columns];
	if (all.includes(name)) return name;
	const wanted = comparableName(name);
	return all.find((column) => comparableName(column) === wanted);
}

/** The values of a column, and the others; an object that became columns with dots is a table of one row. */
export function tablesIn(values: ColumnValue[], column: string) {
	const start = `${column}.`;
	const isTable = values.some((value) => value.column === column);
	const isHeld = (value: ColumnValue) =>
		isTable ? value.column === column : value.column.startsWith(start);
	const held = values.filter(isHeld);
	const row = held.map((value) => [value.column.slice(start.length), value.value] as const);
	const asTable =
		isTable || held.length === 0 ? held : [{ column, value: [Object.fromEntries(row)] }];
	return { tables: asTable, others: values.filter((value) => !isHeld(value)) };
}

/** The column that Rows Of means, or the one table in an object of that name. */
export function tableNamed(
	columns: Set<string>,
	tables: Set<string>,
	name: string,
): string | undefined {
	const column = columnNamed(columns, name);
	if (column !== undefined) return column;
	const inside = [...tables].filter((table) => table.startsWith(`${name}.`));
	return inside.length === 1 ? inside[0] : undefined;
}

/** A column whose name is nearly the same, or has the same letters and digits. */
export function columnLike(columns: Iterable<string>, name: string): string | undefined {
	const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
	const wanted = letters(name);
	const all = [...columns];
	return (
		all.find((column) => letters(column) === wanted) ??
		all.find((column) => wanted.length > 3 && isNear(letters(column), wanted))
	);
}

/** Whether at most two letters differ; names that differ more in length are not compared letter by letter. */
const isNear = (one: string, other: string) =>
	Math.abs(one.length - other.length) <= 2 && editsBetween(one, other) <= 2;

/** The values that a name means, also those of an object that became columns with dots. */
export function valuesNamed<V extends ColumnValue>(values: V[], name: string): V[] {
	const column = columnNamed(
		values.map((value) => value.column),
		name,
	);
	if (column !== undefined) return values.filter((value) => value.column === column);
	return values.filter((value) => value.column.startsWith(`${name}.`));
}

/**
 * What an agent gets of a document: the columns that were selected. One that the document does not have is
 * null, so that the agent need not guess, and named: it may be misspelt.
 */
export function selectedOf(
	values: ColumnValue[],
	selected: string[],
	about: IDataObject,
): IDataObject {
	const names = [...new Set(selected)];
	const own = names.map((name) => valuesNamed(values, name));
	const unknown = values.length === 0 ? [] : names.filter((_, index) => own[index].length === 0);
	const cells = own.flatMap((found, index) => {
		const name = names[index];
		if (found.length === 0) return [{ column: name, value: null }];
		// Those of an object keep their names.
		return found.map(({ column, value }) => ({
			column: columnNamed([column], name) === undefined ? column : name,
			value,
		}));
	});
	return {
		...fieldsOfColumns(cells, [...Object.keys(about), 'columnsNotFound']),
		documentId: about.documentId,
		...(unknown.length > 0 && { columnsNotFound: unknown }),
	};
}

/**
 * A document's item, once for each row of its tables of one name, with the row's number and its cells; once
 * for tables without rows, so that no file disappears. What is no row is one cell.
 * @param document its item without the table
 * @param tables the values of the column
 */
export function rowsOfTable(
	document: IDataObject,
	tables: ColumnValue[],
	table: string,
): IDataObject[] {
	const rows = tables.flatMap(({ value }) => (isEmpty(value) ? [] : [value].flat()));
	if (rows.length === 0) return [{ ...document, row: null }];
	const fields = new Map<string, string>();
	const fieldOf = (name: string) => {
		let field = fields.get(name);
		if (field === undefined) {
			// A cell's name has the table's in front, so that it is the same whatever other columns there are.
			[field] = fieldNames(
				[name === '' ? table : `${table} ${name}`],
				[...Object.keys(document), 'row', ...fields.values()],
			);
			fields.set(name, field);
		}
		return field;
	};
	return rows.map((row, index) => {
		const item: IDataObject = { ...document, row: index + 1 };
		for (const [name, value] of isObject(row) ? Object.entries(row) : [['', row] as const]) {
			item[fieldOf(name)] = value as IDataObject;
		}
		return item;
	});
}
