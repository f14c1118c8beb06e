/** The option Simplify, for the operations that return results. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withNote } from '../api/callError';
import type { Client } from '../api/client';
import {
	API_DETAILS,
	DETAIL_GROUPS,
	howToFillIn,
	problemOf,
	RESULT_DETAILS,
	type ApiDetail,
} from '../api/details/apiDetails';
import { resultFields, type ResultFields } from '../api/details/responses';
import {
	blankAmong,
	doubtAbout,
	onlyReadingOf,
	readingText,
	rowText,
	type Reading,
} from '../api/readings';
import { addHint, fewOf, isTool } from '../api/run';
import { rowOf, type DocumentResults, type Row } from '../api/simplify';
import { idList } from './parameters';

function isSwitchedOn(context: IExecuteFunctions, itemIndex: number): boolean {
	return context.getNodeParameter('simple', itemIndex, true) as boolean;
}

/**
 * Where results hold their values, for an item whose results are to be simplified; undefined where
 * they are handed on as they are.
 * @throws UserError when an API Detail about it is no field
 */
export function fieldsToSimplify(
	context: IExecuteFunctions,
	{ credential }: Client,
	itemIndex: number,
): ResultFields | undefined {
	const isWanted = isTool(context)
		? outputOf(context, itemIndex) !== 'raw'
		: isSwitchedOn(context, itemIndex);
	if (!isWanted) return undefined;
	const fields = resultFields(credential);
	if (fields.values !== undefined || fields.column) return fields;
	if (!isTool(context) || outputOf(context, itemIndex) !== 'selectedFields') return undefined;
	throw new UserError("'Output' cannot be 'Selected Fields' yet", {
		description: `The node has to know where results hold their values. ${howToFillIn('valuesField')} Or choose 'Raw'.`,
	});
}

function outputOf(context: IExecuteFunctions, itemIndex: number): string {
	return context.getNodeParameter('output', itemIndex, 'simplified') as string;
}

/**
 * What an agent gets of a simplified item: all, or the columns that were selected and the document's
 * ID. A column that the document does not have is null, so that the agent need not guess.
 */
export function selectedOf(
	context: IExecuteFunctions,
	itemIndex: number,
	json: IDataObject,
): IDataObject {
	if (!isTool(context) || outputOf(context, itemIndex) !== 'selectedFields') return json;
	const names = idList(context, itemIndex, 'selectedFields');
	const { documentId } = json;
	return { ...Object.fromEntries(names.map((name) => [name, json[name] ?? null])), documentId };
}

/** Says above the output what Simplify lacks, for an item whose results were passed on raw. */
export function hintAtMissingFields(context: IExecuteFunctions, itemIndex: number) {
	if (isTool(context) || !isSwitchedOn(context, itemIndex)) return;
	addHint(
		context,
		`These are raw results. For one item per document with a field for each column, switch on '${DETAIL_GROUPS.responseFields.label}' in the credential: Workflow › Check Setup says what to enter there.`,
	);
}

const RENAMED =
	'Some documents have several values for a column, or a column with the same name as another field of the item. These values are in fields whose names end with (2), (3) and so on.';

/**
 * A document's one item.
 * @param about what the item says of the document besides the values
 * @throws UserError when results do not hold their values where the API Details say, or when what
 * stands there is certainly something else
 */
export function simplifiedRow(
	context: IExecuteFunctions,
	results: unknown[],
	fields: ResultFields,
	about: IDataObject & { documentId: string | null },
): Row {
	const document = { documentId: about.documentId ?? undefined, results };
	try {
		const row = rowInDoubt(context, document, fields, about);
		if (row.isRenamed) addHint(context, RENAMED);
		return row;
	} catch (error) {
		const otherWay = "Or switch off 'Simplify' to get results as the service gives them.";
		throw withNote(error as Error, isTool(context) ? '' : otherWay);
	}
}

/** Of documents whose results are handed on as they are, those in which no column was found. */
export function blankRaw({ credential }: Client, documents: DocumentResults[]): DocumentResults[] {
	// What is malformed fails only the operations that need it.
	if (RESULT_DETAILS.some((detail) => problemOf(credential, detail) !== undefined)) return [];
	const fields = resultFields(credential);
	const isGiven = fields.values !== undefined || fields.column !== undefined;
	return blankAmong(documents, isGiven ? fields : undefined);
}

/** The most documents that a hint names. */
export const MOST_NAMED = 5;

/** Names documents in which no column was found: their rows look like any other, but for their empty cells. */
export function hintAtBlankDocuments(context: IExecuteFunctions, names: string[]) {
	if (names.length === 0) return;
	addHint(
		context,
		`No column was found in: ${fewOf(names, MOST_NAMED)}. Check whether these are documents of the kind that the columns ask for, and whether their text can be read.`,
	);
}

/** The row of a document, unless the results themselves show that it is none of the workflow's. */
function rowInDoubt(
	context: IExecuteFunctions,
	document: DocumentResults,
	fields: ResultFields,
	about: IDataObject,
) {
	const row = rowOrAdvice(document, fields, about);
	const doubt = doubtAbout(document, fields);
	if (!doubt) return row;
	const { flaw, isCertain, other } = doubt;
	if (isCertain) throw wrongPlace(flaw, fields, other);
	addHint(context, `With these API Details, ${flaw}. ${otherFields(other)}`);
	return row;
}

function rowOrAdvice(document: DocumentResults, fields: ResultFields, about: IDataObject) {
	try {
		return rowOf(document.results, fields, about);
	} catch (error) {
		throw withAdvice(error as Error, fields, onlyReadingOf(document));
	}
}

function withAdvice(error: Error, given: ResultFields, other: Reading | undefined): Error {
	if (!other) return error;
	const { column } = given;
	const { fields } = other;
	if (column && column.name === fields.column?.name && column.value === fields.column.value) {
		return wrongPlace(`there is no '${column.name}'`, given, other);
	}
	return new UserError(error.message, { description: adviceFor(other) });
}

function wrongPlace(reason: string, given: ResultFields, other: Reading): UserError {
	const { label } = API_DETAILS[wrongField(given, other.fields)];
	return new UserError(`'${label}' does not lead to the values of the columns: ${reason}`, {
		description: adviceFor(other),
	});
}

/** The first field in which a reading that fits differs. */
function wrongField({ values, column }: ResultFields, right: ResultFields): ApiDetail {
	if (values !== right.values) return 'valuesField';
	return column?.name === right.column?.name ? 'columnValueField' : 'columnNameField';
}

const otherFields = ({ fields }: Reading) =>
	`The result can be read in another way. Enter in the credential: ${readingText(fields)}.`;

function adviceFor(other: Reading): string {
	return `${otherFields(other)} The item then has: ${rowText(other.rows[0])}.`;
}
