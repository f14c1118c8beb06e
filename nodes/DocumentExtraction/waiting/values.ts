/** What results hold so far, where their form may be unknown (interface.md §2). */
import type { Client } from '../api/client';
import { isObject, levelsOf } from '../api/details/fields';
import { usableResultFields } from '../api/details/responses';
import { readableValues, type ColumnValue } from '../rows/rows';

/** What stands in place of a value that is not there yet. */
export const EMPTY = new Set<unknown>([null, '']);

/** What there is of a document's values. */
export interface ValuesThere {
	/** How many there are; undefined where it is not known where results hold them. */
	count: number | undefined;
	/** Whether there is no result at all. */
	isEmpty: boolean;
	hasNull: boolean;
	/** Whether there is an empty value, or no value of a column that every document has. */
	isMissing: boolean;
	/** How many columns are known; 0 where it is not known where results hold their values. */
	columns: number;
	/** Whether each column has a value, and results name no others. */
	isWhole: boolean;
}

/** The columns of a workflow, each by the names that it may have in results; none where they are not known. */
export interface Columns {
	all: string[][];
	/** Those that each document has a value for. */
	always: string[][];
}

export function valuesThere(
	client: Client,
	results: unknown[],
	{ all, always }: Columns,
): ValuesThere {
	const fields = usableResultFields(client.credential);
	const known = fields && readableValues(results, fields);
	const values = known ?? fieldsIn(results);
	const there = values.filter(({ value }) => !EMPTY.has(value));
	const isThere = (names: string[]) => there.some(({ column }) => names.includes(column));
	const hasNull = there.length < values.length;
	const columns = known ? all.length : 0;
	const areOthers = values.some(({ column }) => !all.some((names) => names.includes(column)));
	const isWhole = columns > 0 && all.every(isThere) && !areOthers;
	return {
		isEmpty: results.length === 0,
		count: known && there.length,
		hasNull,
		isMissing: !isWhole && (hasNull || !always.every(isThere)),
		columns,
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
