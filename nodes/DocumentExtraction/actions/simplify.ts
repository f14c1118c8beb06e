/** The parameters Simplify and, for agents, Output: how operations return results. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Client } from '../api/client';
import { DETAIL_GROUPS, howToFillIn } from '../account/apiDetails';
import { ownValue } from '../account/fields';
import { optional, ready, type ResultFields } from '../account/account';
import { idsFrom } from '../api/entries';
import { readResults, type DocumentResults } from '../api/extractions';
import { addHint, isTool } from '../api/run';
import { fewOf, sentences } from '../api/sentences';
import { settled } from '../http/concurrency';
import { failedAfter } from '../messages/words';
import { choicesIn } from '../rows/readings';
import { isBlank, placesOf, rowOf, valuesReader } from '../rows/rows';
import { MOST_NAMED } from './operation';

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
	{ account }: Client,
	itemIndex: number,
): ResultFields | undefined {
	const wanted = outputOf(context, itemIndex);
	if (wanted === 'raw') return undefined;
	const fields = ready(optional(account.rows));
	if (fields || wanted !== 'selectedFields') return fields;
	throw new UserError("'Output' cannot be 'Selected Fields' yet", {
		description: `The node has to know where results hold their values. ${howToFillIn('valuesField')} Or choose 'Raw'.`,
	});
}

/** The field of a column: spaces around a name that is entered do not count, so nor do those of columns. */
export function fieldNamed(json: IDataObject, name: string): string {
	return Object.keys(json).find((field) => field.trim() === name) ?? name;
}

/**
 * What an agent gets of a simplified item: all, or the columns that were selected and the document's
 * ID. A column that the document does not have is null, so that the agent need not guess, and named:
 * it may be misspelt.
 * @param besides other fields that are wanted
 */
export function selectedOf(
	context: IExecuteFunctions,
	itemIndex: number,
	json: IDataObject,
	besides: string[] = [],
): IDataObject {
	if (outputOf(context, itemIndex) !== 'selectedFields') return json;
	const chosen = context.getNodeParameter('selectedFields', itemIndex, '');
	const names = [...new Set([...idsFrom(chosen, selectedFields.displayName), ...besides])];
	const { documentId } = json;
	const values = names.map((name) => ownValue(json, fieldNamed(json, name)));
	const isBlank = json.extraction === null;
	const unknown = isBlank ? [] : names.filter((_, index) => values[index] === undefined);
	return {
		...Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
		documentId,
		...(unknown.length > 0 ? { columnsNotFound: unknown } : {}),
	};
}

/** How the results of some documents can be read as rows, for the user to choose. */
function waysToRead(documents: DocumentResults[]): string {
	const choices = choicesIn(documents);
	if (choices === '') return '';
	return `Enter in the credential what one of these lines says, the one with your columns:\n${choices}\nLeave the fields that it does not name empty.`;
}

/** Hints at the API Details that Simplify lacks, where results are returned raw. */
export function hintAtRaw(
	context: IExecuteFunctions,
	itemIndexes: number[],
	documents: DocumentResults[],
) {
	if (isTool(context) || documents.every(({ results }) => results.length === 0)) return;
	if (itemIndexes.every((itemIndex) => outputOf(context, itemIndex) === 'raw')) return;
	const how = `You are getting raw JSON. For one item per document with a field for each column, switch on '${DETAIL_GROUPS.responseFields.label}' in the credential.`;
	addHint(context, sentences(how, waysToRead(documents)), how);
}

const RENAMED =
	'Some documents have several values for a column, or a column with the same name as another field of the item. These values are in fields whose names end with (2), (3) and so on.';

/** One page: more earlier results show nothing new. */
const MOST_EARLIER = 200;

/** A document's one item, and whether no column was found in it. */
export interface SimplifiedRow {
	json: IDataObject;
	isBlank: boolean;
	/** The names of the columns that the documents of the run have. */
	columns: () => Set<string>;
}

export type RowMaker = (results: unknown[], about: IDataObject) => SimplifiedRow;

/**
 * Makes rows of the documents of a run. Where these do not show all fields that the credential names,
 * the workflow's earlier results are read: a field that they have was left out for being empty.
 * @returns makes the row of a document, with `about` as the fields besides its values; throws a
 * UserError where its results hold nothing at the place that the credential names
 */
export async function rowMaker(
	context: IExecuteFunctions,
	client: Client,
	fields: ResultFields,
	documents: DocumentResults[],
): Promise<RowMaker> {
	const own = documents.flatMap(({ results }) => results);
	const isEnough = own.length === 0 || placesOf(fields, own).areSeen;
	const earlier = isEnough ? { value: [] } : await settled(readResults(client, {}, MOST_EARLIER));
	client.stop?.throwIfAborted();
	// If they cannot be read, the documents alone have to show it.
	const known = earlier.error ? own : [...own, ...earlier.value];
	const read = valuesReader(fields, known);
	let names: Set<string> | undefined;
	const valuesOfRun = () => placesOf(fields, known).read(own);
	const columns = () => (names ??= new Set(valuesOfRun().map(({ column }) => column)));
	let advice: string | undefined;
	return (results, about) => {
		try {
			const values = read(results);
			const { json, hasRenamedColumns } = rowOf(values, about);
			if (hasRenamedColumns) addHint(context, RENAMED);
			return { json, isBlank: isBlank(values), columns };
		} catch (error) {
			// The same for all documents that fail, as they fail in the same way.
			advice ??= sentences(
				waysToRead(documents),
				!isTool(context) && "Or switch off 'Simplify' to get results as the service gives them.",
			);
			throw failedAfter(error as Error, advice);
		}
	};
}

/** Names documents in which no column was found: their rows differ from others only by empty cells. */
export function hintAtBlankDocuments(context: IExecuteFunctions, names: string[]) {
	if (names.length === 0) return;
	addHint(
		context,
		`No column was found in: ${fewOf(names, MOST_NAMED)}. Check whether these are the right kind of document for these columns, and whether they are readable.`,
	);
}
