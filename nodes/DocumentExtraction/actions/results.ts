/** How results become items: Simplify and, for agents, Output; Rows Of, Required Columns and confidences. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { addHint, isTool, needsAttention, type Client } from '../service/client';
import { ifReady, optional, ready } from '../account/account';
import type { Rows } from '../account/rows';
import { MAX_PAGE_SIZE, readResults, type DocumentResults } from '../service/extractions';
import { partsWith, readActivity, type PartOfWorkflow } from '../service/workflow';
import { fewOf, nameInMessage, redact, sentences } from '../http/redact';
import { settled } from '../http/concurrency';
import { failedAfter } from '../messages/words';
import { cellText, choicesIn } from '../rows/readings';
import {
	columnLike,
	columnNamed,
	confidenceIn,
	isShare,
	rowOf,
	rowsOfTable,
	selectedOf,
	shareReader,
	tableNamed,
	tablesIn,
	valuesNamed,
} from '../rows/items';
import { holdsTable, isEmpty, rowsReader, type ColumnValue, type RowsReader } from '../rows/rows';
import { MOST_NAMED } from './operation';
import {
	booleanField,
	checkedOptions,
	fieldValue,
	idsFrom,
	listFrom,
	optionOf,
	textFrom,
} from './parameters';

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
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	default: {},
	placeholder: 'Add column',
	description:
		'Columns that must have a value. If a finished document has no value for one of them, its item fails.',
	options: [
		{
			displayName: 'Columns',
			name: 'columns',
			values: [
				{
					...rowsOf,
					displayName: 'Column',
					name: 'column',
					description: 'A column, or an expression that gives the names of several',
				},
			],
		},
	],
};

const includeConfidence: INodeProperties = {
	displayName: 'Include Confidence',
	name: 'includeConfidence',
	type: 'boolean',
	default: false,
	description:
		"Whether to add how sure the service is of each value: confidence, by column, and lowestConfidence. Needs a line 'Rows' with ~ in the credential's API Details.",
};

export const minConfidence: INodeProperties = {
	displayName: 'Min Confidence',
	name: 'minConfidence',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
	default: 0.8,
	description:
		"From 0 to 1. A document fails if the service is less sure of a value; with Required Columns, only those columns count. Needs a line 'Rows' with ~ in the credential's API Details.",
};

export const rowOptions = [rowsOf, requiredColumns, includeConfidence, minConfidence];

/** The form in which an item's results are wanted, as a value of `output`. Only an agent can select fields. */
function outputOf(context: IExecuteFunctions, itemIndex: number): string {
	if (isTool(context)) return context.getNodeParameter('output', itemIndex, 'simplified') as string;
	return booleanField(context, itemIndex, simplify) ? 'simplified' : 'raw';
}

/** A document whose row is not good enough. Its message lists the values, as the error output's item has none. */
export class RefusedRowError extends UserError {
	/**
	 * @param row what its item would have had
	 * @param advice the sentences before the values
	 */
	constructor(
		message: string,
		readonly row: IDataObject,
		values: ColumnValue[],
		...advice: Array<string | false>
	) {
		const cells = values
			.filter(({ value }) => !isEmpty(value))
			.map(({ column, value }) => `${nameInMessage(redact(column))}: ${cellText(value)}`);
		super(message, {
			description: sentences(...advice, cells.length > 0 && `The document has: ${fewOf(cells)}.`),
		});
	}
}

/** The error about a document that lacks required values. */
function missingError(
	missing: string[],
	columns: Columns,
	row: IDataObject,
	values: ColumnValue[],
): RefusedRowError {
	const meant = sentences(...missing.map((name) => didYouMean(name, columns)));
	const { titles } = columns;
	const unknown = titles.length > 0 ? missing.filter((name) => !isColumn(name, columns)) : [];
	if (unknown.length > 0) {
		const how =
			"Correct 'Required Columns', where columns have the names that the output gives them.";
		return new RefusedRowError(`There is no column ${quoted(unknown)}`, row, values, meant, how);
	}
	return new RefusedRowError(
		`No value for ${quoted(missing)}`,
		row,
		values,
		meant,
		row.extractionStatus !== undefined &&
			`The status of the document at the service is: ${cellText(row.extractionStatus)}.`,
		row.complete === false &&
			'The extraction may not have been complete yet: read the document again later with Extraction › Get Many.',
		values.length === 0
			? 'The service returned no values at all for this document; Document › Get Many may show why. Open the file: if it is damaged, protected by a password or hardly readable, use a better copy. Otherwise, show this to your account team.'
			: "Open the document. If the value is in it, check the column's name in 'Required Columns', or improve the column's prompt at the service. If that does not help, show this to your account team. If it is all right that a document has no such value, remove the column from 'Required Columns': that ends the check for all documents.",
	);
}

/** A value that the service is not sure of, e.g. "Total 641.28 (0.41)". */
function ratedText({ column, value, confidence }: ColumnValue & { confidence: unknown }): string {
	const cell = Array.isArray(value) ? '' : ` ${cellText(value)}`;
	return `${nameInMessage(redact(column))}${cell} (${cellText(confidence ?? 'none')})`;
}

/** The columns that need a value; an expression may give several names. */
function requiredNames(context: IExecuteFunctions, itemIndex: number): string[] {
	const path = 'options.requiredColumns.columns';
	const { length } = context.getNodeParameter(path, itemIndex, []) as unknown[];
	const names = Array.from({ length }, (_, index) => {
		const field = { name: `${path}[${index}].column`, displayName: requiredColumns.displayName };
		return fieldValue(context, itemIndex, field, (value, label) =>
			listFrom(value, label, (text) => [text]),
		);
	});
	return [...new Set(names.flat())];
}

export type RowSettings = ReturnType<typeof rowSettings>;

/** For what reads results and makes no rows of them. */
export const NO_ROWS: RowSettings = {
	rows: undefined,
	selected: undefined,
	table: '',
	required: [],
	isRated: false,
	minConfidence: undefined,
};

/** Whether the names of columns stand in the workflow, and results have only their IDs. */
const areTitled = ({ places }: Rows) => places.some(({ name }) => name?.columnField !== undefined);

const HOW_TO_GET_ROWS =
	"Open the credential, and add one of the lines that Workflow › Check Setup shows for Rows to 'API Details'.";

/**
 * Where results hold their values, none where they are returned raw, and the options of an item.
 * @throws UserError where an API Detail is malformed, or something needs rows, or a confidence in them
 */
export function rowSettings(context: IExecuteFunctions, { account }: Client, itemIndex: number) {
	const wanted = outputOf(context, itemIndex);
	const options = checkedOptions(context, itemIndex, [includeConfidence, minConfidence]);
	const settings = {
		rows: wanted === 'raw' ? undefined : ready(optional(account.details.rows)),
		selected:
			wanted === 'selectedFields'
				? fieldValue(context, itemIndex, selectedFields, idsFrom)
				: undefined,
		table: fieldValue(context, itemIndex, optionOf(rowsOf), textFrom, 'one item per document'),
		required: requiredNames(context, itemIndex),
		isRated: options.includeConfidence === true,
		minConfidence: options.minConfidence as number | undefined,
	};
	const { rows, selected, table, required, isRated } = settings;
	if (rows && areTitled(rows)) ready(account.details.workflowEndpoint);
	const rating =
		settings.minConfidence === undefined ? isRated && includeConfidence : minConfidence;
	const needsRows =
		(selected && { displayName: 'Selected Fields' }) ||
		(table && rowsOf) ||
		(required.length > 0 && requiredColumns) ||
		rating;
	if (!rows && needsRows) {
		const how =
			'ready' in account.details.rows
				? "switch on 'Simplify' (in an agent's tool, set 'Output' to 'Simplified')."
				: `set up rows. ${HOW_TO_GET_ROWS} If it shows no choices yet, run this step once on one document (not as an agent's tool), without the option and with 'Simplify' switched on: the hint above its output then shows what to enter.`;
		throw new UserError(`'${needsRows.displayName}' needs simplified output`, {
			description: `${selected ? "Choose 'Raw' in 'Output'" : 'Remove the option'}. Or ${how}`,
		});
	}
	if (rating && rows?.places.every(({ confidence }) => !confidence)) {
		throw new UserError(`'${rating.displayName}' needs a line 'Rows' that names a confidence`, {
			description:
				"In the credential's API Details, 'Rows' must end as in 'fields = value ~ confidence', with the field beside each value that says how sure the service is. Workflow › Check Setup shows such lines if results have such a field. If they do not, remove the option.",
		});
	}
	return settings;
}

/** How the results of some documents can be read as rows, for the user to choose. */
function waysToRead(documents: DocumentResults[], columns: PartOfWorkflow[] = []): string {
	const choices = choicesIn(documents, columns);
	if (choices === '') return '';
	return `Copy the line that shows your columns into 'API Details' of the credential:\n${choices}`;
}

/** Hints at the API Details that Simplify lacks, where results are returned raw. */
export async function hintAtRaw(
	context: IExecuteFunctions,
	client: Client,
	itemIndexes: number[],
	documents: DocumentResults[],
) {
	if (isTool(context) || documents.every(({ results }) => results.length === 0)) return;
	if (itemIndexes.every((itemIndex) => outputOf(context, itemIndex) === 'raw')) return;
	const how = `You are getting raw JSON instead of one item per document with a field for each column.`;
	const columns = await readColumns(client);
	addHint(context, sentences(how, waysToRead(documents, columns) || HOW_TO_GET_ROWS), how);
}

/** Makes the items of the documents of a run: what these tell, taken together, counts for each. */
export class RowMaker {
	private advice: string | undefined;

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly documents: DocumentResults[],
		private readonly reader: RowsReader,
		private readonly columns: Columns,
		/** How a confidence is read: as a share, or as a percentage. */
		private readonly shareOf: (confidence: unknown) => unknown,
	) {}

	/** @param settings of all items that are made */
	static async of(
		context: IExecuteFunctions,
		client: Client,
		rows: Rows,
		documents: DocumentResults[],
		settings: RowSettings[],
	): Promise<RowMaker> {
		const reader = await readerOf(context, client, rows, documents);
		const wanted = settings.flatMap(({ table, required }) =>
			table ? [...required, table] : required,
		);
		const isLookedAt = wanted.length > 0 || settings.some(isRating);
		const all = isLookedAt ? documents.flatMap(({ results }) => reader.readable(results)) : [];
		const columns = await columnsOf(client, all, wanted);
		const shareOf = shareReader(all.flatMap((value) => value.confidences?.flat() ?? []));
		return new RowMaker(context, documents, reader, columns, shareOf);
	}

	/**
	 * The items of a document: one, or with Rows Of one for each row of that table.
	 * @param about the fields besides its values
	 * @throws RefusedRowError; UserError where its results hold nothing at the place that the credential names
	 */
	itemsOf(results: unknown[], about: IDataObject, settings: RowSettings): IDataObject[] {
		const { context, columns } = this;
		const { selected, table, required, isRated } = settings;
		const itemFrom = (values: ColumnValue[], fields: IDataObject, names = selected) =>
			names ? selectedOf(values, names, fields, isRated) : rowOf(values, fields, isRated);
		const values = this.valuesOf(results, settings);
		const besides = values.length === 0 ? { extraction: null, ...about } : about;
		const item = itemFrom(values, besides);
		const missing = required.filter((name) =>
			valuesNamed(values, name).every(({ value }) => isEmpty(value)),
		);
		if (missing.length > 0) throw missingError(missing, columns, item, values);
		const compared =
			required.length > 0 ? required.flatMap((name) => valuesNamed(values, name)) : values;
		const doubt = doubtAbout(context, compared, settings);
		if (doubt) throw new RefusedRowError(doubt, item, values, HOW_TO_BE_SURE);
		if (values.length === 0) needsAttention(context, 'without results');
		if (!table) return [item];
		const column = tableNamed(columns.names, columns.tables, table) ?? table;
		const { tables, others } = tablesIn(values, column);
		hintAtTable(context, column, columns);
		const names = selected?.filter((name) => columnNamed([column], name) === undefined);
		const row = itemFrom(others, { ...besides, row: null }, names);
		return rowsOfTable(row, tables, table, isRated);
	}

	/** The values of a document, with confidences as shares where these are wanted. */
	private valuesOf(results: unknown[], settings: RowSettings): ColumnValue[] {
		try {
			return this.reader.read(results).map((value) => ({
				...value,
				confidences: isRating(settings)
					? value.confidences?.map((row) => row.map(this.shareOf))
					: undefined,
			}));
		} catch (error) {
			throw failedAfter(error as Error, this.howToRead());
		}
	}

	/** What to do about results that cannot be read: the same for all of them. */
	private howToRead(): string {
		const raw = "Or switch off 'Simplify' to get results as the service gives them.";
		this.advice ??= [waysToRead(this.documents), isTool(this.context) ? '' : raw]
			.filter(Boolean)
			.join('\n');
		return this.advice;
	}
}

const isRating = ({ isRated, minConfidence: least }: RowSettings) => isRated || least !== undefined;

/**
 * A reader for the documents of a run. Where these show nothing at a place that Rows names, the workflow's
 * earlier results are read, too: what only those have is empty in these.
 */
async function readerOf(
	context: IExecuteFunctions,
	client: Client,
	rows: Rows,
	documents: DocumentResults[],
): Promise<RowsReader> {
	const own = documents.flatMap(({ results }) => results);
	// Without them, the rows of this run would have other names than those of the next.
	const workflow = areTitled(rows)
		? partsWith((await readActivity(client)).workflow, 'column_id').map(({ fields }) => fields)
		: [];
	const ownReader = rowsReader(rows, own, workflow);
	if (own.length === 0 || ownReader.missing().length === 0) return ownReader;
	// One page: more show nothing new.
	const earlier = await settled(readResults(client, {}, MAX_PAGE_SIZE));
	client.stop?.throwIfAborted();
	// If they cannot be read, the documents alone have to show it.
	const reader = rowsReader(rows, [...own, ...(earlier.value ?? [])], workflow);
	const nowhere = reader.missing();
	if (nowhere.length > 0 && nowhere.length < rows.places.length) {
		addHint(
			context,
			`No result has anything at ${quoted(nowhere)}, which 'Rows' in the credential names. If documents should have it, correct 'Rows': Workflow › Check Setup shows choices.`,
		);
	}
	return reader;
}

const NOT_COMPARABLE = [
	"'Rows' in the credential must lead to a number from 0 to 1 after ~,",
	'or from 0 to 100 in all results of a run. Workflow › Check Setup shows choices.',
].join(' ');

const HOW_TO_BE_SURE = [
	'The service is less sure of these values than this step asks for: compare them with the document.',
	"If too many documents fail that are right, lower 'Min Confidence', or name the columns that matter in 'Required Columns'.",
].join(' ');

/** Which of a document's values are below Min Confidence; undefined where none is, or it is not set. */
function doubtAbout(
	context: IExecuteFunctions,
	values: ColumnValue[],
	{ isRated, minConfidence: least }: Pick<RowSettings, 'isRated' | 'minConfidence'>,
) {
	if (!isRated && least === undefined) return undefined;
	const rated = values
		.filter(({ value }) => !isEmpty(value))
		.map((value) => ({ ...value, confidence: confidenceIn(value) }));
	const comparable = rated.filter(({ confidence }) => isShare(confidence));
	const others = rated.filter(({ confidence }) => !isShare(confidence));
	const example =
		others.find(({ confidence }) => confidence !== undefined) ??
		(comparable.length === 0 ? others[0] : undefined);
	if (example) {
		const what = `Some confidences cannot be compared, such as that of ${ratedText(example)}`;
		addHint(context, `${what}: ${NOT_COMPARABLE}`, NOT_COMPARABLE);
	}
	if (least === undefined) return undefined;
	if (comparable.length === 0 && example) needsAttention(context, 'without a confidence');
	const low = comparable.filter(({ confidence }) => Number(confidence) < least);
	if (low.length === 0) return undefined;
	needsAttention(context, 'below Min Confidence');
	return `Below 'Min Confidence' (${least}): ${fewOf(low.map(ratedText), MOST_NAMED)}`;
}

/** The workflow's columns; none where they are not known, or cannot be read. */
async function readColumns(client: Client): Promise<PartOfWorkflow[]> {
	if (ifReady(client.account.details.workflowEndpoint)?.method !== 'GET') return [];
	const read = await settled(readActivity(client));
	client.stop?.throwIfAborted();
	return read.error ? [] : partsWith(read.value.workflow, 'column_id');
}

/** The columns of a run. */
interface Columns {
	/** All that some document has. */
	names: Set<string>;
	/** Those in which a document has a table, and those in which one has another value. */
	tables: Set<string>;
	others: Set<string>;
	/** Those in which a row has a table in a cell. */
	nested: Set<string>;
	/** The workflow's, where they had to be read, and results name columns as it does. */
	titles: string[];
}

/**
 * @param values of all documents
 * @param wanted the names of columns that the user has entered: if the documents have no such column, the
 * workflow may have it
 */
async function columnsOf(
	client: Client,
	values: ColumnValue[],
	wanted: string[],
): Promise<Columns> {
	const names = new Set(values.map(({ column }) => column));
	const lists = values.filter(({ value }) => Array.isArray(value));
	const tables = new Set(lists.map(({ column }) => column));
	const holdOthers = lists.filter(({ value }) => (value as unknown[]).some(holdsTable));
	const nested = new Set(holdOthers.map(({ column }) => column));
	const plain = values.filter(({ value }) => !Array.isArray(value) && !isEmpty(value));
	const others = new Set(plain.map(({ column }) => column));
	const isThere = (name: string) => columnNamed(names, name) !== undefined;
	const isKnown = names.size === 0 || wanted.every(isThere);
	const columns = isKnown ? [] : await readColumns(client);
	const titles = columns.flatMap(({ id, title = id }) => [id, title]);
	return {
		names,
		tables,
		others,
		nested,
		titles: titles.some((one) => names.has(one)) ? titles : [],
	};
}

/** Whether a name is that of a column, or of an object that became columns with dots. */
function isColumn(name: string, { names, titles }: Columns): boolean {
	const all = [...names, ...titles];
	return columnNamed(all, name) !== undefined || all.some((one) => one.startsWith(`${name}.`));
}

function didYouMean(name: string, columns: Columns): string | undefined {
	const meant = isColumn(name, columns)
		? undefined
		: columnLike([...columns.names, ...columns.titles], name);
	return meant === undefined ? undefined : `Did you mean ${quoted([meant])}?`;
}

/** Says where no document has a table in the column that Rows Of names, or rows hold tables themselves. */
function hintAtTable(context: IExecuteFunctions, name: string, columns: Columns) {
	const { names, tables, others, nested } = columns;
	if (nested.has(name)) {
		const what = `The rows of ${quoted([name])}, which 'Rows Of' names, have lists of rows in their cells.`;
		const how = 'If you want an item for each of those, choose another line for Rows:';
		addHint(context, sentences(what, how, 'Workflow › Check Setup shows choices.'), what);
	}
	if (tables.has(name) || names.size === 0) return;
	if (others.has(name)) {
		addHint(
			context,
			`${quoted([name])}, which 'Rows Of' names, is not a table: no document has a list there.`,
		);
	} else if (!isColumn(name, { ...columns, titles: [] })) {
		const what = `No document has the column ${quoted([name])} that 'Rows Of' names.`;
		const how = 'If documents should have it, check its spelling, including upper and lower case.';
		addHint(context, sentences(what, didYouMean(name, columns), how), what);
	}
}

const quoted = (names: string[]) =>
	names.map((name) => `'${nameInMessage(redact(name))}'`).join(', ');
