/** The options Rows Of and Required Columns: what becomes of a document's row before it is an item. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { assertLeftEmpty, rawParameter, type Client } from '../api/client';
import { DETAIL_GROUPS, howToFillIn } from '../api/details/apiDetails';
import type { ResultFields } from '../api/details/responses';
import { idsFrom } from '../api/entries';
import { addHint, fewOf, sentences } from '../api/run';
import { nameInMessage, redact } from '../http/redact';
import { cellText } from '../rows/readings';
import { isEmpty } from '../rows/rows';
import { rowsOfTable } from '../rows/tables';
import { locatorOf } from './parameters';
import { fieldsToSimplify, selectedOf, type SimplifiedRow } from './simplify';

const rowsOf: INodeProperties = {
	displayName: 'Rows Of',
	name: 'rowsOf',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'A column that holds a table: each of its rows becomes an item, with the other columns repeated',
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
			hint: 'As the output has it',
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
	/** @param row what its item would have had */
	constructor(
		message: string,
		description: string,
		readonly row: IDataObject,
	) {
		super(message, { description });
	}
}

/** How the results of an item's documents are wanted. */
export interface RowSettings {
	/** Where results hold their values; undefined where they are returned raw. */
	fields: ResultFields | undefined;
	/** The column whose rows become items; empty for none. */
	table: string;
	required: string[];
}

/** @throws UserError where an API Detail is malformed, or an option needs rows and results are returned raw */
export function rowSettings(
	context: IExecuteFunctions,
	client: Client,
	itemIndex: number,
): RowSettings {
	const parameter = (name: string) => context.getNodeParameter(name, itemIndex, '');
	const raw = (name: string) => rawParameter(context, itemIndex, name);
	const fields = fieldsToSimplify(context, client, itemIndex);
	const table = String(locatorOf(parameter('options.rowsOf')).value ?? '').trim();
	const required = idsFrom(parameter('options.requiredColumns'), requiredColumns.displayName);
	if (!table) {
		assertLeftEmpty(rowsOf.displayName, locatorOf(raw('options.rowsOf')).value, 'no rows');
	}
	if (required.length === 0) {
		assertLeftEmpty(requiredColumns.displayName, raw('options.requiredColumns'), 'no check');
	}
	if (fields || (!table && required.length === 0)) return { fields, table, required };
	const { displayName } = table ? rowsOf : requiredColumns;
	throw new UserError(`'${displayName}' needs one item per document`, {
		description: `It works with 'Simplify' on (in an agent's tool, with 'Output' set to 'Simplified'), and with '${DETAIL_GROUPS.responseFields.label}' in the credential. ${howToFillIn('valuesField')} Or remove the option.`,
	});
}

const UNSURE =
	'Its extraction may not have been complete yet: Extraction › Get Many shows what it has by now.';

/**
 * The items of a document, from its row.
 * @throws MissingValueError; UserError where Rows Of names a column that holds no table
 */
export function itemsOfRow(
	context: IExecuteFunctions,
	itemIndex: number,
	{ json, columns: columnsOfRun }: SimplifiedRow,
	{ table, required }: RowSettings,
): IDataObject[] {
	if (!table && required.length === 0) return [selectedOf(context, itemIndex, json)];
	const columns = columnsOfRun();
	// Spaces around a name that is entered do not count, so nor do those of columns.
	const fieldOf = (column: string) =>
		Object.keys(json).find((name) => name.trim() === column) ?? column;
	const warnings = [...(table ? [table] : []), ...required].map((column) =>
		warnOfUnknown(context, column, columns),
	);
	const missing = required.filter((column) => isEmpty(json[fieldOf(column)]));
	if (missing.length > 0) {
		const cells = [...columns].flatMap((name) =>
			isEmpty(json[name]) ? [] : `${named(name)}: ${cellText(json[name])}`,
		);
		throw new MissingValueError(
			`No value for ${fewOf(missing.map((column) => `'${named(column)}'`))}`,
			sentences(
				cells.length > 0 && `It has: ${fewOf(cells)}.`,
				json.complete === false && UNSURE,
				...warnings,
			),
			selectedOf(context, itemIndex, json),
		);
	}
	if (!table) return [selectedOf(context, itemIndex, json)];
	const field = fieldOf(table);
	const taken = new Set([...columns, ...Object.keys(json), 'extraction', '__proto__']);
	taken.delete(field);
	return rowsOfTable(selectedOf(context, itemIndex, json, [table]), field, taken);
}

/** Says, once in a run, that no document has a column: its name may be misspelt. */
function warnOfUnknown(context: IExecuteFunctions, name: string, columns: Set<string>): string {
	const all = [...columns];
	if (all.length === 0 || all.some((column) => column.trim() === name)) return '';
	const text = `No document has a column '${named(name)}': check its spelling in the options, upper and lower case included. The columns are: ${fewOf(all.map(named))}.`;
	addHint(context, text);
	return text;
}

const named = (name: string) => nameInMessage(redact(name));
