/** The parameters Simplify and, for agents, Output: how operations return results. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { withNote } from '../api/callError';
import type { Client } from '../api/client';
import { API_DETAILS, DETAIL_GROUPS, howToFillIn, type ApiDetail } from '../api/details/apiDetails';
import { resultFields, usableResultFields, type ResultFields } from '../api/details/responses';
import {
	blankAmong,
	onlyReadingOf,
	readingText,
	readingWithRowOf,
	rowText,
	type Misreading,
	type Reading,
} from '../api/readings';
import { addHint, fewOf, isTool } from '../api/run';
import { rowOf, type DocumentResults, type Row } from '../api/rows';
import { MOST_NAMED } from './operation';
import { idList } from './parameters';

export const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: `One item per document. Needs '${DETAIL_GROUPS.responseFields.label}' in the credential.`,
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
	hint: `'Simplified' and 'Selected Fields' need '${DETAIL_GROUPS.responseFields.label}' in the credential.`,
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
		'The columns to give the agent, besides the document ID. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	hint: 'An expression gives names, as the output has them',
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
};

/** The form in which an item's results are wanted, as a value of `output`. Only an agent can select fields. */
function outputOf(context: IExecuteFunctions, itemIndex: number): string {
	if (isTool(context)) return context.getNodeParameter('output', itemIndex, 'simplified') as string;
	return context.getNodeParameter('simple', itemIndex, true) ? 'simplified' : 'raw';
}

/**
 * Where results hold their values, for an item whose results are to be simplified; undefined where
 * they are returned raw.
 * @throws UserError when an API Detail for it is malformed
 */
export function fieldsToSimplify(
	context: IExecuteFunctions,
	{ credential }: Client,
	itemIndex: number,
): ResultFields | undefined {
	const wanted = outputOf(context, itemIndex);
	if (wanted === 'raw') return undefined;
	const fields = resultFields(credential);
	if (fields || wanted !== 'selectedFields') return fields;
	throw new UserError("'Output' cannot be 'Selected Fields' yet", {
		description: `The node has to know where results hold their values. ${howToFillIn('valuesField')} Or choose 'Raw'.`,
	});
}

/**
 * What an agent gets of a simplified item: all, or the columns that were selected and the document's
 * ID. A column that the document does not have is null, so that the agent need not guess, and named:
 * it may be misspelt.
 */
export function selectedOf(
	context: IExecuteFunctions,
	itemIndex: number,
	json: IDataObject,
): IDataObject {
	if (outputOf(context, itemIndex) !== 'selectedFields') return json;
	const names = idList(context, itemIndex, 'selectedFields');
	const { documentId } = json;
	const unknown =
		json.extraction === null ? [] : names.filter((name) => !Object.hasOwn(json, name));
	return {
		...Object.fromEntries(names.map((name) => [name, json[name] ?? null])),
		documentId,
		...(unknown.length > 0 ? { columnsNotFound: unknown } : {}),
	};
}

/** Hints at the API Details that Simplify lacks, for an item whose results are returned raw. */
export function hintAtMissingFields(context: IExecuteFunctions, itemIndex: number) {
	if (isTool(context) || outputOf(context, itemIndex) === 'raw') return;
	addHint(
		context,
		`These are raw results. For one item per document with a field for each column, use '${DETAIL_GROUPS.responseFields.label}' in the credential: Workflow › Check Setup says what to enter there.`,
	);
}

const RENAMED =
	"Some documents have several values for a column, or a column with the same name as another field of the item. These values are in fields whose names end with (2), (3) and so on. If they are values of several documents, correct 'Document ID Field' in the credential.";

/**
 * A document's one item.
 * @param about the item's fields besides the values
 * @param misreading what is wrong with the rows of the run's documents, if anything is
 * @throws UserError when results do not hold their values where the API Details say, or certainly
 * hold something else there
 */
export function simplifiedRow(
	context: IExecuteFunctions,
	results: unknown[],
	fields: ResultFields,
	about: IDataObject & { documentId: string | null },
	misreading: Misreading | undefined,
): Row {
	const document = { documentId: about.documentId ?? undefined, results };
	try {
		if (results.length === 0 || !misreading) return rowOrAdvice(context, document, fields, about);
		const { flaw, isCertain, other } = misreading;
		if (isCertain) throw wrongPlace(flaw, fields, readingWithRowOf(document, other));
		addHint(
			context,
			`With these API Details, ${flaw}. ${otherFields(other)} Until then, the items have doubtfulColumns: true.`,
		);
		return rowOrAdvice(context, document, fields, { ...about, doubtfulColumns: true });
	} catch (error) {
		const otherWay = "Or switch off 'Simplify' to get results as the service gives them.";
		throw withNote(error as Error, isTool(context) ? '' : otherWay);
	}
}

/** Of documents whose results are returned raw, those in which no column was found. */
export function blankRaw({ credential }: Client, documents: DocumentResults[]): DocumentResults[] {
	return blankAmong(documents, usableResultFields(credential));
}

/** Names documents in which no column was found: their rows differ from others only by empty cells. */
export function hintAtBlankDocuments(context: IExecuteFunctions, names: string[]) {
	if (names.length === 0) return;
	addHint(
		context,
		`No column was found in: ${fewOf(names, MOST_NAMED)}. Check whether these are the right kind of document for these columns, and whether they are readable. If it is so for all documents, the credential may be wrong: run Workflow › Check Setup.`,
	);
}

/** @throws UserError that names the other API Details with which the results can be read, if only one choice fits */
function rowOrAdvice(
	context: IExecuteFunctions,
	document: DocumentResults,
	fields: ResultFields,
	about: IDataObject,
): Row {
	try {
		const row = rowOf(document.results, fields, about);
		if (row.hasRenamedColumns) addHint(context, RENAMED);
		return row;
	} catch (error) {
		throw withAdvice(error as Error, fields, onlyReadingOf([document]));
	}
}

function withAdvice(error: Error, fields: ResultFields, other?: Reading): Error {
	if (!other) return error;
	const { column } = fields;
	const right = other.fields.column;
	if (column && column.name === right?.name && column.value === right.value) {
		return wrongPlace(`there is no '${column.name}'`, fields, other);
	}
	return new UserError(error.message, { description: adviceFor(other) });
}

function wrongPlace(reason: string, given: ResultFields, other: Reading): UserError {
	const { label } = API_DETAILS[wrongField(given, other.fields)];
	return new UserError(`'${label}' does not lead to the values of the columns: ${reason}`, {
		description: adviceFor(other),
	});
}

/** The first API Detail that differs from those with which the results can be read. */
function wrongField({ values, column }: ResultFields, right: ResultFields): ApiDetail {
	if (values !== right.values) return 'valuesField';
	return column?.name === right.column?.name ? 'columnValueField' : 'columnNameField';
}

const otherFields = ({ fields }: Reading) =>
	`The result can be read in another way. Enter in the credential: ${readingText(fields)}.`;

function adviceFor(other: Reading): string {
	return `${otherFields(other)} The item then has: ${rowText(other.rows[0])}.`;
}
