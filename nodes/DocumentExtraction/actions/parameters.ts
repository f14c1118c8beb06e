/** Readers of the node's parameters: the editor checks what is typed, but nobody what an expression gives. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { assertResolvesToValue, DEFAULT_MAX_CONCURRENCY, rawParameter } from '../api/client';
import type { CollectionChoice } from '../api/upload';
import { parsedJson, roundedIntegerIn } from '../http/json';
import { columnIds } from './fields/documents';
import { DEFAULT_MAX_WAIT_S, DEFAULT_SETTLE_S } from './fields/waiting';

/**
 * The options of an item, the numbers among them checked.
 * @throws UserError naming the option
 */
export function optionsOf(
	context: IExecuteFunctions,
	itemIndex: number,
	...own: INodeProperties[]
): IDataObject {
	const settings = context.getNodeParameter('options', itemIndex, {});
	for (const { displayName, name, type, typeOptions = {} } of own) {
		if (type !== 'number' || settings[name] === undefined) continue;
		const { minValue = 0, numberPrecision } = typeOptions;
		const value = Number(settings[name]);
		const isWhole = numberPrecision !== 0 || Number.isInteger(value);
		if (value >= minValue && isWhole) continue;
		const kind = numberPrecision === 0 ? 'whole number' : 'number';
		throw new UserError(`'${displayName}' must be a ${kind} of at least ${minValue}`);
	}
	return settings;
}

/** How many requests at a time an item allows; of a value that is none, its client tells. */
export function maxConcurrencyOf(context: IExecuteFunctions, itemIndex: number): number {
	try {
		const value = context.getNodeParameter('options.maxConcurrency', itemIndex, undefined);
		return Number(value ?? DEFAULT_MAX_CONCURRENCY) || DEFAULT_MAX_CONCURRENCY;
	} catch {
		return DEFAULT_MAX_CONCURRENCY;
	}
}

/**
 * A text that an item cannot do without.
 * @throws UserError where an expression gives nothing
 */
export function requiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	label: string,
): string {
	const text = String(context.getNodeParameter(name, itemIndex) ?? '').trim();
	if (!text) throw new UserError(`'${label}' is empty`);
	return text;
}

/** How many rows the user wants; Infinity for Return All. */
export function wantedRows(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex)) return Infinity;
	const rows = Number(context.getNodeParameter('limit', itemIndex));
	if (!Number.isInteger(rows) || rows < 1) {
		throw new UserError("'Limit' must be a whole number of at least 1");
	}
	return rows;
}

/** Where no editor made the workflow, the parameter may be an ID, or an expression that gives one. */
function locatorOf(parameter: unknown): { mode?: unknown; value: unknown } {
	// isResourceLocatorValue asks for __rl, which those who write workflows by hand leave out.
	const isLocator = parameter !== null && typeof parameter === 'object' && 'value' in parameter;
	return isLocator ? parameter : { mode: 'id', value: parameter };
}

function collectionOf(context: IExecuteFunctions, itemIndex: number): CollectionChoice {
	const { mode, value } = locatorOf(context.getNodeParameter('collection', itemIndex, ''));
	const text = String(value ?? '').trim();
	if (!text) return {};
	return mode === 'name' ? { name: text } : { id: text };
}

function assertCollectionMeant(
	context: IExecuteFunctions,
	itemIndex: number,
	{ id, name }: CollectionChoice,
	meaning: string,
) {
	const { value } = locatorOf(rawParameter(context, itemIndex, 'collection'));
	assertResolvesToValue('Collection', value, id === undefined && name === undefined, meaning);
}

/** The collection that documents are to be placed in, by ID or by name; empty for none. */
export function chosenCollection(context: IExecuteFunctions, itemIndex: number): CollectionChoice {
	const collection = collectionOf(context, itemIndex);
	assertCollectionMeant(context, itemIndex, collection, 'no collection');
	return collection;
}

/**
 * The ID of a collection that exists; undefined where none was chosen.
 * @throws UserError where a name is left from an operation that takes one
 */
export function existingCollectionId(
	context: IExecuteFunctions,
	itemIndex: number,
): string | undefined {
	const { id, name } = collectionOf(context, itemIndex);
	if (name === undefined) return id;
	throw new UserError("'Collection' must be chosen by ID here", {
		description:
			"The service takes a collection's name only with uploads. Choose the collection 'From List', or 'By ID' and enter its ID.",
	});
}

const EVERYTHING = 'everything in the workflow';

/** The document that an operation is limited to; undefined for all. */
export function documentFilter(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const field = 'documentIdFilter';
	const id = String(context.getNodeParameter(field, itemIndex) ?? '').trim();
	assertResolvesToValue('Document ID', rawParameter(context, itemIndex, field), !id, EVERYTHING);
	return id || undefined;
}

/** The ID of the collection that an operation is limited to; undefined for all. */
export function collectionFilter(
	context: IExecuteFunctions,
	itemIndex: number,
): string | undefined {
	const id = existingCollectionId(context, itemIndex);
	assertCollectionMeant(context, itemIndex, { id }, EVERYTHING);
	return id;
}

/** The documents that an operation is limited to; empty for all. */
export function documentIdsFilter(context: IExecuteFunctions, itemIndex: number): string[] {
	const field = 'documentIds';
	const ids = idList(context, itemIndex, field);
	assertResolvesToValue(
		'Document IDs',
		rawParameter(context, itemIndex, field),
		ids.length === 0,
		EVERYTHING,
	);
	return ids;
}

/** The columns that an extraction is limited to; empty for all. */
export function columnIdsFilter(context: IExecuteFunctions, itemIndex: number): string[] {
	const field = `options.${columnIds.name}`;
	const ids = idList(context, itemIndex, field);
	const { displayName } = columnIds;
	assertResolvesToValue(
		displayName,
		rawParameter(context, itemIndex, field),
		ids.length === 0,
		'all columns',
	);
	return ids;
}

/** IDs from a comma-separated text or from a list that an expression gives, each once. */
export function idList(context: IExecuteFunctions, itemIndex: number, field: string): string[] {
	const value: unknown = context.getNodeParameter(field, itemIndex, '');
	const ids = (Array.isArray(value) ? value : String(value ?? '').split(','))
		.map((id) => String(id ?? '').trim())
		.filter(Boolean);
	return [...new Set(ids)];
}

/** A JSON field of the panel; undefined where it is empty. */
export function jsonField(value: unknown, label: string): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (!value.trim()) return undefined;
	const json = parsedJson(value);
	if (json !== undefined) {
		assertKeepsDigits(value, label);
		return json;
	}
	throw new UserError(`'${label}' is not valid JSON`, {
		description: 'Put texts and names in double quotes, e.g. ["first", "second"].',
	});
}

/** Sent as another number, an ID would be another one; as a text it is for the user to decide. */
function assertKeepsDigits(json: string, label: string) {
	const integer = roundedIntegerIn(json);
	if (integer === undefined) return;
	throw new UserError(
		`'${label}' holds ${integer}, a number with more digits than can be sent. Put it in double quotes`,
	);
}

export function waitLimits({
	maxWait = DEFAULT_MAX_WAIT_S,
	settleTime = DEFAULT_SETTLE_S,
}: IDataObject) {
	return { maxWaitMs: Number(maxWait) * 1000, settleMs: Number(settleTime) * 1000 };
}
