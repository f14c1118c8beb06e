import type { IDataObject } from 'n8n-workflow';
import type { ResultRow } from '../service/model.ts';

/** What a row has besides its columns, behind them. */
const ABOUT = new Set(['documentId', 'fileName', 'file', 'extractionStatus', 'complete']);

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/**
 * What is wrong with the row of a document: undefined if it holds each column's values in their order, in
 * fields that are called as the column, and nothing else.
 */
export function flawOf(row: IDataObject, values: ResultRow['values']): string | undefined {
	const columns = new Set(values.map(([column]) => column));
	// Where a name is taken, the column's field has a number.
	const columnOf = (field: string) => (columns.has(field) ? field : field.replace(/ \(\d+\)$/, ''));
	const fields = Object.entries(row);
	const other = fields.find(([name]) => !columns.has(columnOf(name)) && !ABOUT.has(name));
	if (other && !(other[0] === 'extraction' && other[1] === null)) return `more: ${other[0]}`;
	for (const column of columns) {
		const wanted = values.filter(([name, value]) => name === column && !isEmpty(value));
		const given = fields.filter(([name, value]) => columnOf(name) === column && !isEmpty(value));
		const last = given.at(-1);
		if (last && ABOUT.has(last[0]) && given.length > wanted.length) given.pop();
		const [is, should] = [given, wanted].map((list) =>
			JSON.stringify(list.map(([, value]) => value)),
		);
		if (is !== should) return `${column} is ${is} for ${should}`;
	}
	return undefined;
}
