/** The option Simplify, for the operations that return results. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withNote } from '../api/errors/callError';
import type { Client } from '../api/client';
import { API_DETAILS, howToFillIn } from '../api/details/labels';
import { resultFields, type ResultFields } from '../api/details/responses';
import { addHint, isTool } from '../api/run';
import { rowOf } from '../api/simplify';

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
	if (!isTool(context) && !isSwitchedOn(context, itemIndex)) return undefined;
	const fields = resultFields(credential);
	return fields.values === undefined && !fields.column ? undefined : fields;
}

/** Says below the output what Simplify lacks, for an item whose results were handed on as they are. */
export function hintAtMissingFields(context: IExecuteFunctions, itemIndex: number) {
	if (isTool(context) || !isSwitchedOn(context, itemIndex)) return;
	const [name, value] = [API_DETAILS.columnNameField.label, API_DETAILS.columnValueField.label];
	addHint(
		context,
		`For one row per document with a field for each column, 'Simplify' has to know where results hold their values. ${howToFillIn('valuesField')} Where there is an entry for each column, fill in '${name}' and '${value}' as well; if each result is such an entry, these two alone.`,
	);
}

const RENAMED =
	'Some documents have several values for a column, or a column with the same name as another field of the item. These values are in fields whose names end with (2), (3) and so on.';

/**
 * The JSON of a document's one item.
 * @param about what the item says of the document besides the values
 * @throws UserError when a result does not hold its values where the API Details say
 */
export function simplifiedJson(
	context: IExecuteFunctions,
	results: unknown[],
	fields: ResultFields,
	about: IDataObject,
): IDataObject {
	try {
		const { json, isRenamed } = rowOf(results, fields, about);
		if (isRenamed) addHint(context, RENAMED);
		return json;
	} catch (error) {
		const otherWay = "Or switch off 'Simplify' to get results as the service gives them.";
		throw withNote(error as Error, isTool(context) ? '' : otherWay);
	}
}
