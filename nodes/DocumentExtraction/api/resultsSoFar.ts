/** What results hold so far, where their form may be unknown (interface.md §2). */
import type { Client } from './client';
import { fingerprintOf, isObject, levelsOf } from './details/fields';
import { usableResultFields } from './details/responses';
import { readableValues, type ColumnValue } from '../rows/rows';

/** What stands in place of a value that is not there yet. */
const EMPTY = new Set<unknown>([null, '']);

/** What there is of a document's values. */
export interface ValuesThere {
	/** Differs where the results do. */
	fingerprint: string;
	/** How many there are; undefined where it is not known where results hold them. */
	count: number | undefined;
	/** Whether there is no result at all. */
	isEmpty: boolean;
	/** Whether there is an empty value, or a column without a value. */
	isMissing: boolean;
	/** Whether each column has a value; false where the columns are not known. */
	isWhole: boolean;
}

/** @param columns what each column may be called, where the workflow's metadata tells */
export function valuesThere(client: Client, rows: unknown[], columns: string[][]): ValuesThere {
	const fields = usableResultFields(client.credential);
	const known = fields && readableValues(rows, fields);
	const values = known ?? fieldsIn(rows);
	const there = values.filter(({ value }) => !EMPTY.has(value));
	const areThere = columns.every((names) => there.some(({ column }) => names.includes(column)));
	const isWhole = columns.length > 0 && areThere;
	const isMissing = !isWhole && (there.length < values.length || !areThere);
	return {
		fingerprint: fingerprintOf(rows),
		isEmpty: rows.length === 0,
		count: known && there.length,
		isMissing,
		isWhole,
	};
}

/** Every field of the results, at any depth. A value with a null inside is null, as it is not complete. */
function fieldsIn(rows: unknown[]): ColumnValue[] {
	const holders = [...levelsOf(rows)].flat().filter((value) => typeof value === 'object');
	const holdNull = new Set(EMPTY);
	// From the inside out, so that each value is visited once, however deep results are.
	for (const holder of holders.reverse()) {
		if (Object.values(holder ?? {}).some((value) => holdNull.has(value))) holdNull.add(holder);
	}
	return holders.filter(isObject).flatMap((holder) =>
		Object.entries(holder).map(([column, value]) => ({
			column,
			value: holdNull.has(value) ? null : (value as unknown),
		})),
	);
}
