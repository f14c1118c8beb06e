/** What results show of a document's values so far, where their form may be unknown (interface.md §2). */
import { ifReady } from '../account/account';
import { fingerprintOf, isObject, levelsOf } from '../account/fields';
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
		texts.push(textOf(value));
		reading.set(column, texts);
	}
	for (const texts of reading.values()) texts.sort();
	return reading;
}

const SIGNATURE = /(https?:\/\/[^\s"?]*)\?[^\s"]*/g;

function textOf(value: unknown): string {
	const isThere = value !== null && value !== undefined && value !== '';
	return isThere ? fingerprintOf(value).replace(SIGNATURE, '$1') : '';
}

/** The values in JSON, each with the path to it. */
function fieldsIn(results: unknown[]): ColumnValue[] {
	const partsOf = ({ column, value }: ColumnValue): ColumnValue[] => {
		if (Array.isArray(value)) return value.map((entry: unknown) => ({ column, value: entry }));
		if (!isObject(value)) return [];
		return Object.entries(value).map(([name, part]) => ({ column: `${column}.${name}`, value: part }));
	};
	return [...levelsOf<ColumnValue>({ column: '', value: results }, Infinity, partsOf)]
		.flat()
		.filter(({ value }) => value === null || typeof value !== 'object');
}

/** The columns, or fields, in which two readings of one document differ. */
export function changesBetween(one: Reading, other: Reading): string[] {
	const columns = new Set([...one.keys(), ...other.keys()]);
	return [...columns].filter((column) => String(one.get(column)) !== String(other.get(column)));
}

const valuesUnder = (reading: Reading, names: string[]) =>
	names.flatMap((name) => reading.get(name) ?? []).filter(Boolean).length;

/** How many values there are. */
export const valuesIn = (reading: Reading) => valuesUnder(reading, [...reading.keys()]);

/** A column that the workflow is known to have. */
export interface Column {
	/** What results may call it. */
	names: string[];
	/** How many values of it a whole document has at least. */
	least: number;
	/** Whether no document lacks it. */
	isInAll: boolean;
}

/** How much of a document is there. */
export interface Completeness {
	/** Whether each column has its values, and results name no others. */
	isWhole: boolean;
	/** Whether there is an empty value, or none of a column that all documents have. */
	isMissing: boolean;
	hasEmpty: boolean;
}

/** @param columns none where they are not known */
export function completenessOf(
	{ account }: Client,
	reading: Reading,
	columns: Column[],
): Completeness {
	const isFull = ({ names, least }: Column) => valuesUnder(reading, names) >= least;
	const known = new Set(columns.flatMap(({ names }) => names));
	const areOthers = [...reading.keys()].some((name) => !known.has(name));
	const isWhole = columns.length > 0 && columns.every(isFull) && !areOthers;
	const hasEmpty = [...reading.values()].flat().includes('');
	// Without rows, a field may come long after the extraction, e.g. who has approved a result.
	const lacks = 'ready' in account.rows && !columns.every((one) => !one.isInAll || isFull(one));
	return { isWhole, isMissing: !isWhole && (hasEmpty || lacks), hasEmpty };
}

/** What documents hold, by ID. */
export type Readings = Map<string, Reading>;

/**
 * The columns that other documents have. One may still be growing, and a single value may be a part of
 * it: only documents with several values, unchanged since, show the columns.
 * @param earlier documents as they were some time ago
 * @param now the same documents, and others
 */
export function columnsOf(earlier: Readings, now: Readings): Column[] {
	const proven = [...earlier]
		.filter(([id, reading]) => hasSameValues(reading, now.get(id) ?? reading))
		.map(([, reading]) => reading)
		.filter((reading) => valuesIn(reading) > 1);
	if (proven.length === 0) return [];
	const all = new Set([...earlier.values(), ...now.values()].flatMap((one) => [...one.keys()]));
	return [...all].map((name) => {
		const counts = proven.map((reading) => valuesUnder(reading, [name]));
		const [least = 1] = counts.filter(Boolean).sort((a, b) => a - b);
		return { names: [name], least, isInAll: !counts.includes(0) };
	});
}

/** Times of reading change, but no value comes or goes. */
const hasSameValues = (one: Reading, other: Reading) =>
	[...new Set([...one.keys(), ...other.keys()])].every(
		(name) => valuesUnder(one, [name]) === valuesUnder(other, [name]),
	);
