import type { IDataObject } from 'n8n-workflow';
import type { ResultRow } from '../service/model.ts';

/** What a row has besides its columns. */
const ABOUT = new Set(['documentId', 'fileName', 'file', 'extractionStatus', 'complete']);

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/**
 * What is wrong with the row of a document: undefined if it holds each column's values in their order, in
 * fields that are called as the column, and nothing else.
 */
export function flawOf(row: IDataObject, values: ResultRow['values']): string | undefined {
	const expected = new Map<string, unknown[]>();
	for (const [column, value] of values) {
		expected.set(column, [...(expected.get(column) ?? []), ...(isEmpty(value) ? [] : [value])]);
	}
	const given = new Map<string, unknown[]>();
	for (const [name, value] of Object.entries(row)) {
		// Where a name is taken, the column's field has a number.
		const column = expected.has(name) ? name : name.replace(/ \(\d+\)$/, '');
		const isAbout = ABOUT.has(name) && (!expected.has(name) || `${name} (2)` in row);
		if (isAbout || (name === 'extraction' && value === null)) continue;
		if (!expected.has(column)) return `a field that is no column: ${name}`;
		given.set(column, [...(given.get(column) ?? []), ...(isEmpty(value) ? [] : [value])]);
	}
	for (const [column, wanted] of expected) {
		const own = JSON.stringify(given.get(column) ?? []);
		if (own !== JSON.stringify(wanted)) return `${column} is ${own} for ${JSON.stringify(wanted)}`;
	}
	return undefined;
}
