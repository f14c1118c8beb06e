/** The rows of a table column, as items of their own. */
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../api/details/fields';
import { cellText } from './readings';
import { isEmpty } from './rows';

/**
 * A document's fields, once for each row of a table: after the others come `row`, its number, and its
 * cells. A document without rows gives one, so that no file disappears.
 * @param table the field that holds the table, if the document has it
 * @param taken names of other fields in the documents of the run: what has one of them gets the table's
 * name in front, in every document
 * @throws UserError where the field holds something else
 */
export function rowsOfTable(
	document: IDataObject,
	table: string,
	taken: Set<string>,
): IDataObject[] {
	const { [table]: held, ...others } = document;
	const isTable = Array.isArray(held);
	if (!isTable && !isEmpty(held)) {
		throw new UserError(`'${table}', which 'Rows Of' names, holds no table`, {
			description: `It holds: ${cellText(held)}. Choose a column that holds a list of rows.`,
		});
	}
	const used = new Set(taken);
	const freeName = (name: string, cells: object = {}) => {
		let free = name;
		while (used.has(free) || (free !== name && free in cells)) free = `${table} ${free}`;
		return free;
	};
	const number = freeName('row');
	used.add(number);
	if (!isTable || held.length === 0) return [{ ...others, [number]: null }];
	return held.map((row: unknown, index) => {
		// What is no object has no names for its cells.
		const cells: object = isObject(row) ? row : { [table]: row };
		const named = Object.entries(cells).map(([name, value]) => [
			freeName(name, cells),
			value as unknown,
		]);
		return { ...others, [number]: index + 1, ...(Object.fromEntries(named) as IDataObject) };
	});
}
