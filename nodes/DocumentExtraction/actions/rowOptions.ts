/** The options Rows Of and Required Columns: what becomes of a document's row before it is an item. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Client } from '../api/client';
import { DETAIL_GROUPS, howToFillIn } from '../account/apiDetails';
import { isObject, ownValue } from '../account/fields';
import { idsFrom, textFrom } from '../api/entries';
import { addHint } from '../api/run';
import { fewOf, sentences } from '../api/sentences';
import { nameInMessage, redact } from '../http/redact';
import { cellText } from '../rows/readings';
import { isEmpty } from '../rows/rows';
import { optionalValue } from './parameters';
import { fieldNamed, fieldsToSimplify, selectedOf, type SimplifiedRow } from './simplify';

const rowsOf: INodeProperties = {
	displayName: 'Rows Of',
	name: 'rowsOf',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'A column with a table: each row becomes an item, with the other columns repeated',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchColumns', searchable: true },
		},
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder: 'e.g. Line items',
		},
	],
};

const requiredColumns: INodeProperties = {
	displayName: 'Required Columns',
	name: 'requiredColumns',
	type: 'string',
	default: '',
	placeholder: 'e.g. Document number, Total',
	description:
		'Names of columns that must have a value, separated by commas, or an expression that returns a list. A document that lacks one fails.',
};

export const rowOptions = [rowsOf, requiredColumns];

/** A document that lacks required values. */
export class MissingValueError extends UserError {
	/** What its item would have had. */
	row: IDataObject = {};
}

export type RowSettings = ReturnType<typeof rowSettings>;

/** @throws UserError where an API Detail is malformed, or an option needs rows and results are returned raw */
export function rowSettings(context: IExecuteFunctions, client: Client, itemIndex: number) {
	const fields = fieldsToSimplify(context, client, itemIndex);
	const table = optionalValue(context, itemIndex, 'options.rowsOf', 'Rows Of', 'no rows', textFrom);
	const path = 'options.requiredColumns';
	const required = optionalValue(context, itemIndex, path, 'Required Columns', 'no check', idsFrom);
	if (fields || (!table && required.length === 0)) return { fields, table, required };
	throw new UserError(`'${table ? 'Rows Of' : 'Required Columns'}' needs one item per document`, {
		description: `It works with 'Simplify' on (in an agent's tool, with 'Output' set to 'Simplified'), and with '${DETAIL_GROUPS.responseFields.label}' in the credential. ${howToFillIn('valuesField')} Or remove the option.`,
	});
}

/** The items of a document. @throws MissingValueError */
export function itemsOfRow(
	context: IExecuteFunctions,
	itemIndex: number,
	{ json, columns }: SimplifiedRow,
	{ table, required }: RowSettings,
): IDataObject[] {
	const names = table ? [table, ...required] : required;
	const item = selectedOf(context, itemIndex, json, table ? [table] : []);
	if (names.length === 0) return [item];
	const known = [...columns()];
	const unknown = names.filter((name) => !known.some((column) => column.trim() === name));
	const warning =
		known.length > 0 &&
		unknown.length > 0 &&
		`No document has a column ${fewOf(unknown.map(quoted))}: check its spelling in 'Rows Of' or 'Required Columns', upper and lower case included. The columns are: ${fewOf(known.map(shown))}.`;
	if (warning) addHint(context, warning);
	const missing = required.filter((name) => isEmpty(ownValue(json, fieldNamed(json, name))));
	if (missing.length > 0) {
		const filled = known.filter((name) => !isEmpty(json[name]));
		const cells = filled.map((name) => `${shown(name)}: ${cellText(json[name])}`);
		const has = cells.length > 0 && `It has: ${fewOf(cells)}.`;
		const advice =
			"If the document contains it, improve the column's prompt at the service. If not, remove the column from 'Required Columns', or let such documents leave through the error output ('On Error' in this node's settings).";
		const isUnsure = json.complete === false && 'Its extraction may not have been complete yet.';
		const description = sentences(warning || advice, has, isUnsure);
		const error = new MissingValueError(`No value for ${fewOf(missing.map(quoted))}`, {
			description,
		});
		throw Object.assign(error, { row: item });
	}
	return table ? rowsOfTable(item, table, known) : [item];
}

/**
 * A document's item, once for each row of a table, with its number and its cells; once for a table without
 * rows, so that no file disappears. What is no list is one row, and what is no row is one cell.
 * @param columns of the run: a cell with the name of one of them gets the table's name in front
 */
function rowsOfTable(document: IDataObject, table: string, columns: string[]): IDataObject[] {
	const field = fieldNamed(document, table);
	const { [field]: held, ...others } = document;
	const rows: unknown[] = isEmpty(held) ? [{}] : [held].flat();
	const taken = [...columns.filter((name) => name !== field), 'extraction', '__proto__'];
	return rows.map((row, index) => {
		const item: IDataObject = { ...others };
		const add = (name: string, value: unknown) => {
			let free = name;
			while (taken.includes(free) || Object.hasOwn(item, free)) free = `${table} ${free}`;
			item[free] = value as IDataObject;
		};
		add('row', isEmpty(held) ? null : index + 1);
		for (const cell of Object.entries(isObject(row) ? row : { [table]: row })) add(...cell);
		return item;
	});
}

const shown = (name: string) => nameInMessage(redact(name));
const quoted = (name: string) => `'${shown(name)}'`;
