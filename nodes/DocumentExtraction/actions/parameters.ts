/** Readers of the node's parameters: the editor checks what is typed, but nobody what an expression gives. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY } from '../api/client';
import type { CollectionChoice } from '../api/upload';
import type { WaitLimits } from '../api/waiting/poll';
import { parsedJson } from '../http/response';
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

/** The collection that was chosen, by whichever mode; empty for none. */
export function chosenCollection(context: IExecuteFunctions, itemIndex: number): CollectionChoice {
	const { mode, value } = context.getNodeParameter('collection', itemIndex, {
		mode: 'list',
		value: '',
	}) as { mode: string; value: unknown };
	const text = String(value ?? '').trim();
	if (!text) return {};
	return mode === 'name' ? { name: text } : { id: text };
}

/**
 * Refuses an item for which an expression gives nothing, where nothing would mean everything.
 * @param entered what stands in the field before expressions are resolved
 */
function assertMeant(label: string, entered: unknown, isEmpty: boolean) {
	if (!isEmpty || !entered) return;
	throw new UserError(`'${label}' is empty for this item`, {
		description:
			'Its expression gives nothing here, and an empty field means everything in the workflow. Clear the field if you want that.',
	});
}

/** The document that an operation is limited to; undefined for all. */
export function documentFilter(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const name = 'documentIdFilter';
	const id = String(context.getNodeParameter(name, itemIndex) ?? '').trim();
	assertMeant('Document ID', context.getNode().parameters[name], !id);
	return id || undefined;
}

/** The ID of the collection that an operation is limited to; undefined for all. */
export function collectionFilter(
	context: IExecuteFunctions,
	itemIndex: number,
): string | undefined {
	const { id } = chosenCollection(context, itemIndex);
	const entered = context.getNode().parameters.collection as IDataObject | undefined;
	assertMeant('Collection', entered?.value, !id);
	return id;
}

/** The documents that an operation is limited to; empty for all. */
export function documentIdsFilter(context: IExecuteFunctions, itemIndex: number): string[] {
	const ids = idList(context, itemIndex, 'documentIds');
	assertMeant('Document IDs', context.getNode().parameters.documentIds, ids.length === 0);
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
	if (json !== undefined) return json;
	throw new UserError(`'${label}' is not valid JSON`, {
		description: 'Put texts and names in double quotes, e.g. ["first", "second"].',
	});
}

export function waitLimits({
	maxWait = DEFAULT_MAX_WAIT_S,
	settleTime = DEFAULT_SETTLE_S,
}: IDataObject): WaitLimits {
	return { maxWaitMs: Number(maxWait) * 1000, settleMs: Number(settleTime) * 1000 };
}
