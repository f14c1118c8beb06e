/**
 * Makes items of a document's values: columns are looked up by their names before fields get theirs. Where
 * Rows says `~ path`, each value has what stands beside it: how sure the service is of it.
 */
import type { IDataObject } from 'n8n-workflow';

import { comparableName, isObject } from '../account/fields';
import { fieldNames, isEmpty, type ColumnValue } from './rows';

/** Fields that some documents have besides their values: no column gets their names. */
const TAKEN = ['extraction', 'complete', 'extractionStatus', 'document'];

/**
 * The row of a document: its columns' values, then what is known of the document.
 * @param about the fields that the row has besides, whose names no column gets
 * @param isRated whether it has confidences
 */
export function rowOf(values: ColumnValue[], about: IDataObject, isRated = false): IDataObject {
	return { ...fieldsOfColumns(values, Object.keys(about), isRated), ...about };
}

function fieldsOfColumns(values: ColumnValue[], taken: string[], isRated: boolean): IDataObject {
	const columns = values.map(({ column }) => column);
	const besides = isRated ? ['confidence', 'lowestConfidence'] : [];
	const names = fieldNames(columns, [...taken, ...TAKEN, ...besides]);
	const cells = Object.fromEntries(values.map(({ value }, index) => [names[index], value]));
	if (!isRated) return cells as IDataObject;
	const rated = values.map((value, index): Rated => [names[index], confidenceIn(value)]);
	return { ...(cells as IDataObject), ...confidenceFields(rated) };
}

/** How sure the service is of a value: of a list, the lowest. */
export const confidenceIn = ({ confidences = [] }: ColumnValue) => lowest(confidences.flat());

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
	const cells = held.map((value) => [value.column.slice(start.length), value.value] as const);
	const confidences = [held.flatMap((value) => value.confidences?.flat() ?? [])];
	const asTable = { column, value: [Object.fromEntries(cells)], confidences };
	const tables = isTable || held.length === 0 ? held : [asTable];
	return { tables, others: values.filter((value) => !isHeld(value)) };
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

/** A column whose name has the same letters and digits. */
export function columnLike(columns: Iterable<string>, name: string): string | undefined {
	const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
	const wanted = letters(name);
	return [...columns].find((column) => letters(column) === wanted);
}

/** The values that a name means, also those of an object that became columns with dots. */
export function valuesNamed(values: ColumnValue[], name: string): ColumnValue[] {
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
	isRated = false,
): IDataObject {
	const names = [...new Set(selected)];
	const own = names.map((name) => valuesNamed(values, name));
	const unknown = values.length === 0 ? [] : names.filter((_, index) => own[index].length === 0);
	const cells = own.flatMap((found, index): ColumnValue[] => {
		const name = names[index];
		if (found.length === 0) return [{ column: name, value: null }];
		// Those of an object keep their names.
		return found.map((one) =>
			columnNamed([one.column], name) === undefined ? one : { ...one, column: name },
		);
	});
	return {
		...fieldsOfColumns(cells, [...Object.keys(about), 'columnsNotFound'], isRated),
		documentId: about.documentId,
		...(unknown.length > 0 && { columnsNotFound: unknown }),
	};
}

/**
 * A document's item, once for each row of its tables of one name, with the row's number and its cells; once
 * for tables without rows, so that no file disappears. What is no row is one cell.
 * @param document its item without the table
 * @param tables the values of the column
 * @param isRated whether the item has confidences: each row adds its own
 */
export function rowsOfTable(
	document: IDataObject,
	tables: ColumnValue[],
	table: string,
	isRated = false,
): IDataObject[] {
	const held = tables.filter(({ value }) => !isEmpty(value));
	const rows = held.flatMap(({ value, confidences = [] }) =>
		[value].flat().map((row: unknown, index) => ({ row, own: confidences[index] ?? [] })),
	);
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
	return rows.map(({ row, own }, index) => {
		const item: IDataObject = { ...document, row: index + 1 };
		for (const [name, value] of isObject(row) ? Object.entries(row) : [['', row] as const]) {
			item[fieldOf(name)] = value as IDataObject;
		}
		if (!isRated) return item;
		const others = Object.entries(document.confidence as IDataObject);
		return { ...item, ...confidenceFields([...others, [table, lowest(own)]]) };
	});
}

/** Whether a confidence can be compared. */
export const isShare = (confidence: unknown): confidence is number =>
	typeof confidence === 'number' && confidence >= 0 && confidence <= 1;

/**
 * How the confidences of a run are read: a number is a share, or a percentage where one is above 1, and
 * all others are 0 or from 1 to 100. What is no number stays as it is.
 */
export function shareReader(confidences: unknown[]): (confidence: unknown) => unknown {
	const numbers = confidences.map(Number).filter(Number.isFinite);
	const isPercent =
		numbers.some((one) => one > 1) && numbers.every((one) => one === 0 || (one >= 1 && one <= 100));
	return (confidence) => {
		const number = Number(confidence);
		if (Number.isNaN(number)) return confidence;
		return isPercent ? Number((number / 100).toFixed(6)) : number;
	};
}

/** The lowest that can be compared, or else the first. */
function lowest(confidences: unknown[]): unknown {
	const shares = confidences.filter(isShare);
	// Not with a spread: JavaScript limits the arguments of a call.
	return shares.length > 0 ? shares.reduce((least, one) => Math.min(least, one)) : confidences[0];
}

/** A field of an item, and how sure the service is of its value; undefined where it does not say. */
type Rated = [field: string, confidence: unknown];

/** What an item says of confidences: that of each field that has one, and the lowest. */
function confidenceFields(rated: Rated[]): IDataObject {
	const known = rated.filter(([, confidence]) => confidence !== undefined);
	const least = lowest(known.map(([, confidence]) => confidence));
	return {
		confidence: Object.fromEntries(known) as IDataObject,
		lowestConfidence: isShare(least) ? least : null,
	};
}
