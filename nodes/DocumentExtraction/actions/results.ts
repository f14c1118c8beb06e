/** How results become items: Simplify and, for agents, Output; Rows Of and Required Columns. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { idsFrom, textFrom, type Client } from '../service/client';
import { isObject, ownValue } from '../account/fields';
import { optional, ready } from '../account/account';
import type { Rows } from '../account/rows';
import { readResults, type DocumentResults } from '../service/extractions';
import { addHint, isTool } from '../service/run';
import { fewOf, sentences } from '../service/sentences';
import { settled } from '../http/concurrency';
import { nameInMessage, redact } from '../http/redact';
import { failedAfter } from '../messages/words';
import { cellText, choicesIn } from '../rows/readings';
import { isEmpty, placesOf, rowOf, valuesReader } from '../rows/rows';
import { fieldValue, optionOf } from './parameters';

export const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: "One item per document. Needs the line 'Rows' in the credential's API Details.",
	displayOptions: { show: { '@tool': [false] } },
};

/** For agents in place of Simplify: long output costs tokens and distracts. */
export const output: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Raw',
			value: 'raw',
			description: 'The raw JSON from the service',
		},
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'The document ID and the columns that you select',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'One item per document, with a field for each column',
		},
	],
	default: 'simplified',
	description: 'Which fields the agent gets',
	hint: "'Simplified' and 'Selected Fields' need the line 'Rows' in the credential's API Details",
	displayOptions: { show: { '@tool': [true] } },
};

export const selectedFields: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'selectedFields',
	type: 'multiOptions',
	typeOptions: {
		loadOptionsMethod: 'getColumnNames',
		loadOptionsDependsOn: ['options.workflowId'],
	},
	required: true,
	default: [],
	description:
		'The columns to give the agent, besides the document ID. Here, the IDs of columns are their names, spelled as in the output. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
};

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
		'Names of columns that must have a value, separated by commas, or an expression that returns a list. If a finished document has no value for one of them, its item fails.',
};

export const rowOptions = [rowsOf, requiredColumns];

/** The form in which an item's results are wanted, as a value of `output`. Only an agent can select fields. */
function outputOf(context: IExecuteFunctions, itemIndex: number): string {
	if (isTool(context)) return context.getNodeParameter('output', itemIndex, 'simplified') as string;
	return context.getNodeParameter('simple', itemIndex, true) ? 'simplified' : 'raw';
}

/** A document that lacks required values. Its message lists the others, as the error output's item has none. */
export class MissingValueError extends UserError {
	/**
	 * @param row what its item would have had
	 * @param about the fields of the row besides its values
	 */
	constructor(
		missing: string[],
		readonly row: IDataObject,
		about: IDataObject,
	) {
		const cells = Object.entries(row)
			.filter(([name, value]) => !Object.hasOwn(about, name) && !isEmpty(value))
			.map(([name, value]) => `${nameInMessage(redact(name))}: ${cellText(value)}`);
		super(`No value for ${missing.map(quoted).join(', ')}`, {
			description: sentences(
				about.complete === false &&
					'The extraction may not have been complete yet: read the document again later with Extraction › Get Many.',
				row.extraction === null
					? 'The service returned no values at all for this document; Document › Get Many may show why. Open the file: if it is damaged, protected by a password or hardly readable, use a better copy. Otherwise, show this to your account team.'
					: "Open the document. If the value is in it, check the column's name in 'Required Columns', or improve the column's prompt at the service. If that does not help, show this to your account team. If it is all right that a document has no such value, remove the column from 'Required Columns': that ends the check for all documents.",
				cells.length > 0 && `The document has: ${fewOf(cells)}.`,
			),
		});
	}
}

export type RowSettings = ReturnType<typeof rowSettings>;

const HOW_TO_GET_ROWS =
	"Open the credential, and add one of the lines that Workflow › Check Setup shows for Rows to 'API Details'.";

/**
 * Where results hold their values, none where they are returned raw, and the options of an item.
 * @throws UserError where an API Detail is malformed, or something needs rows and results are returned raw
 */
export function rowSettings(context: IExecuteFunctions, { account }: Client, itemIndex: number) {
	const wanted = outputOf(context, itemIndex);
	const fields = wanted === 'raw' ? undefined : ready(optional(account.rows));
	if (!fields && wanted === 'selectedFields') {
		throw new UserError("'Output' cannot be 'Selected Fields' yet", {
			description: `The node has to know where results contain their values. ${HOW_TO_GET_ROWS} Or choose 'Raw'.`,
		});
	}
	const selected =
		wanted === 'selectedFields'
			? fieldValue(context, itemIndex, selectedFields, idsFrom)
			: undefined;
	const table = fieldValue(context, itemIndex, optionOf(rowsOf), textFrom, 'one item per document');
	const required = fieldValue(context, itemIndex, optionOf(requiredColumns), idsFrom, 'no check');
	const settings = { fields, selected, table, required };
	if (fields || (!table && required.length === 0)) return settings;
	throw new UserError(`'${table ? 'Rows Of' : 'Required Columns'}' needs simplified output`, {
		description: `Remove the option. Or ${'ready' in account.rows ? "switch on 'Simplify' (in an agent's tool, set 'Output' to 'Simplified')." : `set up rows. ${HOW_TO_GET_ROWS} If it shows no choices yet, run this step once on one document (not as an agent's tool), without the option and with 'Simplify' switched on: the hint above its output then shows what to enter.`}`,
	});
}

/** How the results of some documents can be read as rows, for the user to choose. */
function waysToRead(documents: DocumentResults[]): string {
	const choices = choicesIn(documents);
	if (choices === '') return '';
	return `Or add one of these lines, the one whose right side shows your columns with the right values:\n${choices}\nIf no line has your columns, show this to your account team.`;
}

/** Hints at the API Details that Simplify lacks, where results are returned raw. */
export function hintAtRaw(
	context: IExecuteFunctions,
	itemIndexes: number[],
	documents: DocumentResults[],
) {
	if (isTool(context) || documents.every(({ results }) => results.length === 0)) return;
	if (itemIndexes.every((itemIndex) => outputOf(context, itemIndex) === 'raw')) return;
	const how = `You are getting raw JSON. You can get one item per document instead, with a field for each column. ${HOW_TO_GET_ROWS}`;
	addHint(context, sentences(how, waysToRead(documents)), how);
}

/** One page: more earlier results show nothing new. */
const MOST_EARLIER = 200;

/**
 * Makes the items of a document, with `about` as the fields besides its values.
 * @throws MissingValueError; UserError where its results hold nothing at the place that the credential names
 */
export type RowMaker = (
	results: unknown[],
	about: IDataObject,
	settings: RowSettings,
) => IDataObject[];

/**
 * Makes rows of the documents of a run. Where these do not show all fields that the credential names,
 * the workflow's earlier results are read, too: a field that only those have is empty in these.
 */
export async function rowMaker(
	context: IExecuteFunctions,
	client: Client,
	fields: Rows,
	documents: DocumentResults[],
): Promise<RowMaker> {
	const own = documents.flatMap(({ results }) => results);
	const ownPlaces = placesOf(fields, own);
	const isEnough = own.length === 0 || ownPlaces.areSeen;
	const earlier = isEnough ? { value: [] } : await settled(readResults(client, {}, MOST_EARLIER));
	client.stop?.throwIfAborted();
	// If they cannot be read, the documents alone have to show it.
	const known = earlier.error ? own : [...own, ...earlier.value];
	// A run may have many results: none is looked at once more for nothing.
	const places = known.length === own.length ? ownPlaces : placesOf(fields, known);
	const read = valuesReader(fields, known, places);
	let columns: string[] | undefined;
	let advice: string | undefined;
	const valuesOf = (results: unknown[]) => {
		try {
			return read(results);
		} catch (error) {
			// The same for all documents that fail, as they fail in the same way.
			advice ??= sentences(
				waysToRead(documents),
				!isTool(context) && "Or switch off 'Simplify' to get results as the service gives them.",
			);
			throw failedAfter(error as Error, advice);
		}
	};
	return (results, about, { selected, table, required }) => {
		const row = rowOf(valuesOf(results), about);
		const item = selected ? selectedOf(row, table ? [...selected, table] : selected) : row;
		const missing = required.filter((name) => isEmpty(ownValue(row, fieldNamed(row, name))));
		if (missing.length > 0) throw new MissingValueError(missing, item, about);
		if (!table) return [item];
		columns ??= [...new Set(places.read(own).map(({ column }) => column))];
		// Otherwise, a table of a misspelt name would look like one without rows.
		if (columns.length > 0 && !columns.some((column) => column.trim() === table)) {
			addHint(
				context,
				`No document has the column ${quoted(table)} that 'Rows Of' names. If documents should have it, check its spelling, including upper and lower case.`,
			);
		}
		return rowsOfTable(item, table, columns);
	};
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

const quoted = (name: string) => `'${nameInMessage(redact(name))}'`;

/** The field of a column: spaces around a name that is entered do not count, so nor do those of columns. */
function fieldNamed(json: IDataObject, name: string): string {
	return Object.keys(json).find((field) => field.trim() === name) ?? name;
}

/**
 * What an agent gets of a simplified item: the columns that were selected and the document's ID. A column
 * that the document does not have is null, so that the agent need not guess, and named: it may be misspelt.
 */
function selectedOf(json: IDataObject, selected: string[]): IDataObject {
	const names = [...new Set(selected)];
	const values = names.map((name) => ownValue(json, fieldNamed(json, name)));
	const isBlank = json.extraction === null;
	const unknown = isBlank ? [] : names.filter((_, index) => values[index] === undefined);
	return {
		...Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
		documentId: json.documentId,
		...(unknown.length > 0 ? { columnsNotFound: unknown } : {}),
	};
}
