/** What results show of a document's values so far, where their form may be unknown (interface.md §2). */
import { ifReady } from '../account/account';
import { isObject, levelsOf, stableFingerprintOf } from '../account/fields';
import type { Client } from '../service/client';
import { readableValues, type ColumnValue } from './rows';

/**
 * The values of a document by column, each as a text, which is empty for a value that is not there yet.
 * Without rows, by field: the path to it, without places in lists. The order of results does not count,
 * nor does what a signed URL is signed with.
 */
export type Reading = Map<string, string[]>;

/** @returns an empty reading also where results hold nothing at the place that the credential names */
export function readingOf({ account }: Client, results: unknown[]): Reading {
	const rows = ifReady(account.rows);
	const reading: Reading = new Map();
	for (const { column, value } of rows ? readableValues(results, rows) : fieldsIn(results)) {
		const texts = reading.get(column) ?? [];
		const isEmpty = value === null || value === undefined || value === '';
		texts.push(isEmpty ? '' : stableFingerprintOf(value));
		reading.set(column, texts);
	}
	for (const texts of reading.values()) texts.sort();
	return reading;
}

/** The values in JSON, each with the path to it. */
function fieldsIn(results: unknown[]): ColumnValue[] {
	const partsOf = ({ column, value }: ColumnValue): ColumnValue[] => {
		if (Array.isArray(value)) return value.map((entry: unknown) => ({ column, value: entry }));
		if (!isObject(value)) return [];
		return Object.entries(value).map(([name, part]) => ({
			column: `${column}.${name}`,
			value: part,
		}));
	};
	return [...levelsOf<ColumnValue>({ column: '', value: results }, Infinity, partsOf)]
		.flat()
		.filter(({ value }) => value === null || typeof value !== 'object');
}

const columnsIn = (...readings: Reading[]) => [
	...new Set(readings.flatMap((reading) => [...reading.keys()])),
];

/** The columns, or fields, in which two readings of one document differ. */
export const changesBetween = (one: Reading, other: Reading): string[] =>
	columnsIn(one, other).filter((name) => String(one.get(name)) !== String(other.get(name)));

/** How many values there are. */
export const countIn = (reading: Reading, names = columnsIn(reading)): number =>
	names.flatMap((name) => reading.get(name) ?? []).filter(Boolean).length;

/** A column that the workflow is known to have. */
export interface Column {
	/** What results may call it. */
	names: string[];
	/** How many values of it a whole document has at least. */
	least: number;
	/** Whether a document that lacks it is not whole, though it may have none. */
	isInAll: boolean;
}

/**
 * The columns that other documents have. One may still be growing, and a single value may be a part of
 * it: only documents with several values, as many as before, show the columns.
 * @param earlier documents, by ID, as they were some time ago
 * @param now the same documents, and others
 */
export function columnsOf(earlier: Map<string, Reading>, now: Map<string, Reading>): Column[] {
	const isProven = ([id, before]: [string, Reading]) => {
		const after = now.get(id) ?? before;
		const isAlike = columnsIn(before, after).every(
			(name) => countIn(before, [name]) === countIn(after, [name]),
		);
		return isAlike && countIn(before) > 1;
	};
	const proven = [...earlier].filter(isProven).map(([, reading]) => reading);
	if (proven.length === 0) return [];
	return columnsIn(...earlier.values(), ...now.values()).map((name) => {
		const counts = proven.map((reading) => countIn(reading, [name]));
		const [least = 1] = counts.filter(Boolean).sort((a, b) => a - b);
		return { names: [name], least, isInAll: !counts.includes(0) };
	});
}
