/** What results show of a document's values so far, where their form may be unknown (interface.md §2). */
import type { Client } from '../service/client';
import { fingerprintOf, levelsOf } from '../account/fields';
import { ifReady } from '../account/account';
import { readableValues } from './rows';

/** What stands in place of a value that is not there yet. */
const EMPTY = new Set<unknown>([null, '']);

export interface Values {
	/** Whether there is no result at all. */
	isEmpty: boolean;
	/** How many there are; undefined where it is not known where results hold them. */
	count: number | undefined;
	hasNull: boolean;
	/** Whether each column has a value, and results name no others. */
	isWhole: boolean;
	/** Whether there is an empty value, or none of a column that every document has. */
	isMissing: boolean;
}

/** Columns of the workflow, each by the names that it may have in results; none where they are not known. */
export interface Columns {
	all: string[][];
	/** Those that each document has a value for. */
	always: string[][];
}
export const NO_COLUMNS: Columns = { all: [], always: [] };

export function valuesIn(
	{ account }: Client,
	results: unknown[],
	{ all, always }: Columns,
): Values {
	const fields = ifReady(account.rows);
	const values = fields && readableValues(results, fields);
	const there = values?.filter(({ value }) => !EMPTY.has(value)) ?? [];
	const isThere = (names: string[]) => there.some(({ column }) => names.includes(column));
	const shown = values?.map(({ value }) => value) ?? [...levelsOf(results)].flat();
	const hasNull = shown.some((value) => EMPTY.has(value));
	const areOthers = values?.some(({ column }) => !all.flat().includes(column));
	const isWhole = all.length > 0 && all.every(isThere) && !areOthers;
	return {
		isEmpty: results.length === 0,
		count: values && there.length,
		hasNull,
		isWhole,
		isMissing: !isWhole && (hasNull || (values !== undefined && !always.every(isThere))),
	};
}

/** The results of documents, by ID. */
export type Documents = Map<string, unknown[]>;

/**
 * The columns that documents have. A document may still be growing, and a single value may be a part of
 * it: only documents with several values, unchanged since, show the columns.
 * @param earlier documents as they were some time ago
 * @param now the same documents, and others
 */
export function columnsOf({ account }: Client, earlier: Documents, now: Documents): Columns {
	const rows = ifReady(account.rows);
	if (!rows) return NO_COLUMNS;
	const valuesOf = (results: unknown[]) => readableValues(results, rows);
	const unchanged = [...earlier].filter(
		([id, results]) => fingerprintOf(now.get(id) ?? results) === fingerprintOf(results),
	);
	const proven = unchanged
		.map(([, results]) => valuesOf(results))
		.filter(({ length }) => length > 1);
	if (proven.length === 0) return NO_COLUMNS;
	const values = [...earlier.values(), ...now.values()].flatMap(valuesOf);
	const all = [...new Set(values.map(({ column }) => column))];
	const always = all.filter((name) =>
		proven.every((own) => own.some(({ column, value }) => column === name && !EMPTY.has(value))),
	);
	return { all: all.map((name) => [name]), always: always.map((name) => [name]) };
}
