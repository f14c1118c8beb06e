/** Parameters that several operations share. Their readers check values, which may come from expressions. */
import { UserError } from 'n8n-workflow';
import type {
	GenericValue,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';

import { accountOf } from '../account/account';
import { isOuter } from '../account/fields';
import {
	checkedWorkflowId,
	CREDENTIAL_TYPE,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from '../account/credential';
import {
	DEFAULT_MAX_CONCURRENCY,
	isExecution,
	runOf,
	stopSignal,
	WHOLE_RUN,
	type Client,
	type Context,
} from '../service/client';
import { sentences } from '../http/redact';
import type { CollectionChoice } from '../service/upload';
import { unquoted } from '../account/parse';
import { parsedJson } from '../http/response';

const maxConcurrency: INodeProperties = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100 },
	default: DEFAULT_MAX_CONCURRENCY,
	description:
		'How many requests this execution may send to the service at once. Lower it if others also need the service.',
};

const workflowId: INodeProperties = {
	displayName: WORKFLOW_ID_LABEL,
	name: 'workflowId',
	type: 'string',
	default: '',
	description:
		'The ID of another workflow at the extraction service, to use instead of the one in the credential. It must be in the same environment.',
};

/** The collection of options that ends every operation's fields. */
export function options(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...own, maxConcurrency, workflowId].sort((a, b) =>
			a.displayName.localeCompare(b.displayName),
		) as INodeProperties[] & INodePropertyCollection[],
	};
}

/**
 * Checks the credential, before any request; its fields may hold expressions, and differ by item. An
 * operation's options may name another workflow and another Max Concurrency.
 * @throws UserError naming the field that is wrong
 */
export async function createClient(context: Context, itemIndex?: number): Promise<Client> {
	// After Stop, no further items are read.
	stopSignal(context)?.throwIfAborted();
	const credential = await context.getCredentials<DocumentExtractionCredential>(
		CREDENTIAL_TYPE,
		itemIndex,
	);
	const options: IDataObject = isExecution(context)
		? context.getNodeParameter('options', itemIndex ?? 0, {})
		: ((context.getCurrentNodeParameter('options') ?? {}) as IDataObject);
	const { maxConcurrency: most = DEFAULT_MAX_CONCURRENCY } = options;
	const own = isExecution(context)
		? fieldValue(context, itemIndex ?? 0, optionOf(workflowId), idFrom, "the credential's workflow")
		: idFrom(options.workflowId, WORKFLOW_ID_LABEL);
	const checkedId = checkedWorkflowId(own || credential.workflowId, `'${WORKFLOW_ID_LABEL}'`);
	if (checkedId === context.getWorkflow().id) {
		throw new UserError(`'${WORKFLOW_ID_LABEL}' is the ID of this workflow in n8n`, {
			description: `Open the ${own ? "node's options" : 'credential'} and enter the ID from the workflow's page in your account at the extraction service instead.`,
		});
	}
	const content = JSON.stringify(credential);
	const { journals } = runOf(context);
	const journal = journals.get(content) ?? {
		account: accountOf(credential),
		writes: new Map(),
		hasFoundIds: false,
		workingDetails: new Set(),
	};
	journals.set(content, journal);
	return {
		context,
		writer: itemIndex === undefined ? WHOLE_RUN : `item ${itemIndex + 1}`,
		account: journal.account,
		workflowId: checkedId,
		maxConcurrency: Number(checkedValue(maxConcurrency, most)),
		stop: stopSignal(context),
		journal,
	};
}

/**
 * The value of a field, as its type wants it: an expression may give a boolean or a number as text, and the
 * text "false" is no yes. Nothing is no number, and not 0.
 * @throws UserError naming the field, where the value is none of its type
 */
function checkedValue(
	{ displayName, type, typeOptions = {}, options: choices = [] }: INodeProperties,
	value: unknown,
): GenericValue {
	if (type === 'boolean') {
		const text = String(value).trim().toLowerCase();
		if (['true', '1'].includes(text)) return true;
		if (['false', '0'].includes(text)) return false;
		throw new UserError(`'${displayName}' must be true or false`);
	}
	if (type === 'number') {
		const { minValue: least = 0, maxValue: most = Infinity, numberPrecision } = typeOptions;
		const isWhole = numberPrecision === 0;
		const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
		const number = isGiven ? Number(value) : NaN;
		const isRight = number >= least && number <= most && (!isWhole || Number.isInteger(number));
		if (isRight) return number;
		const kind = isWhole ? 'whole number' : 'number';
		const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
		throw new UserError(`'${displayName}' must be a ${kind} ${range}`);
	}
	const values = choices.flatMap((choice) => ('value' in choice ? [choice.value] : []));
	if (type !== 'options' || values.includes(value as string)) return value as GenericValue;
	throw new UserError(`'${displayName}' must be one of: ${values.join(', ')}`);
}

/** @throws UserError naming the field, where its value is no boolean */
export function booleanField(
	context: IExecuteFunctions,
	itemIndex: number,
	field: INodeProperties,
): boolean {
	const value = context.getNodeParameter(field.name, itemIndex, field.default);
	return checkedValue(field, value) === true;
}

/**
 * The options of an item.
 * @param own those whose numbers, booleans and choices are checked
 * @throws UserError naming the option
 */
export function checkedOptions(
	context: IExecuteFunctions,
	itemIndex: number,
	own: INodeProperties[],
): IDataObject {
	const settings = { ...context.getNodeParameter('options', itemIndex, {}) };
	for (const field of own) {
		const { name } = field;
		if (settings[name] !== undefined) settings[name] = checkedValue(field, settings[name]);
	}
	return settings;
}

/** How many items to begin at a time. An invalid value is reported when the item's client is made. */
export function maxConcurrencyOf(context: IExecuteFunctions): number {
	try {
		const value = context.getNodeParameter('options.maxConcurrency', 0, DEFAULT_MAX_CONCURRENCY);
		return Math.max(1, Number(value) || DEFAULT_MAX_CONCURRENCY);
	} catch {
		return DEFAULT_MAX_CONCURRENCY;
	}
}

/** A collection to place uploads in: interface.md §4.2 takes its ID or its name. */
export const uploadCollection: INodeProperties = {
	displayName: 'Collection',
	name: 'collection',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'Optional: a collection to add the documents to',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchCollections', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f',
		},
		{
			displayName: 'By Name',
			name: 'name',
			type: 'string',
			placeholder: 'e.g. Loan file 4711',
			hint: 'A new name may create a collection. For the same collection, do not mix By Name with From List or By ID.',
		},
	],
};

/** A collection that exists; everywhere but on upload, the interface takes its ID only. */
export const existingCollection: INodeProperties = {
	...uploadCollection,
	description: 'Optional: only documents in this collection',
	modes: uploadCollection.modes?.filter(({ name }) => name !== 'name'),
};

/** A workflow that was not made in the editor may hold an ID, or an expression that gives one. */
function locatorOf(parameter: unknown): { mode?: unknown; value: unknown } {
	// Not isResourceLocatorValue: it requires __rl, which workflows written by hand may lack.
	const isLocator = isOuter(parameter) && 'value' in parameter;
	return isLocator ? parameter : { mode: 'id', value: parameter };
}

type Field = Pick<INodeProperties, 'name' | 'displayName'>;

/** A field of the options, for `fieldValue`. */
export const optionOf = ({ name, displayName }: Field): Field => {
	return { name: `options.${name}`, displayName };
};

/**
 * What a field gives.
 * @param whenEmpty what an empty field means; undefined where it must not be empty
 * @throws UserError where it must not be empty, where something was entered that gives nothing, e.g. an
 * expression by mistake, or where `read` refuses it
 */
export function fieldValue<T extends { length: number }>(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName: label }: Field,
	read: (value: unknown, label: string) => T,
	whenEmpty?: string,
): T {
	const value = read(locatorOf(context.getNodeParameter(name, itemIndex, '')).value, label);
	if (value.length > 0) return value;
	const entered: unknown = context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	const raw = String(locatorOf(entered).value ?? '');
	if (raw === '' && whenEmpty !== undefined) return value;
	const isExpression = raw.startsWith('=');
	if (!isExpression && whenEmpty === undefined) throw new UserError(`'${label}' is empty`);
	throw new UserError(`${isExpression ? 'The expression in ' : ''}'${label}' gives nothing`, {
		description: sentences(
			isExpression &&
				'Open the expression and look at what it gives: it, or an earlier step, is wrong.',
			whenEmpty !== undefined &&
				`If you want ${whenEmpty}, ${isExpression ? 'switch the field to Fixed and clear it' : 'clear the field'}.`,
		),
	});
}

/**
 * The collection that documents are to be placed in, by ID or by name; empty for none.
 * @param field where it is not at the top of the panel
 */
export function chosenCollection(
	context: IExecuteFunctions,
	itemIndex: number,
	field: Field = uploadCollection,
): CollectionChoice {
	const { mode } = locatorOf(context.getNodeParameter(field.name, itemIndex, ''));
	const read = mode === 'name' ? textFrom : idFrom;
	const text = fieldValue(context, itemIndex, field, read, 'no collection');
	if (!text) return {};
	return mode === 'name' ? { name: text } : { id: text };
}

/**
 * The ID of the collection that an operation is about.
 * @param whenEmpty as for `fieldValue`
 * @throws UserError also where a name is left from an operation that takes one
 */
export function collectionId(
	context: IExecuteFunctions,
	itemIndex: number,
	whenEmpty?: string,
): string {
	const { mode, value } = locatorOf(context.getNodeParameter('collection', itemIndex, ''));
	if (mode === 'name' && textFrom(value, 'Collection') !== '') {
		throw new UserError("'Collection' must be chosen by ID here", {
			description:
				"The service takes a collection's name only with uploads. Choose the collection 'From List', or 'By ID' and enter its ID.",
		});
	}
	return fieldValue(context, itemIndex, existingCollection, idFrom, whenEmpty);
}

/** The size of a file that somebody else uploads. */
export const fileSize: INodeProperties = {
	displayName: 'File Size (Bytes)',
	name: 'fileSize',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'Sent if the body in the credential contains {file_size}',
};

export const documentIds: INodeProperties = {
	displayName: 'Document IDs',
	name: 'documentIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description:
		'IDs separated by commas, or an expression that returns a list. Leave empty to extract all documents in the workflow, or in the collection below.',
};

export const columnIds: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'columnIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['options.workflowId'] },
	default: [],
	description:
		'The columns to extract. Leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The columns that an extraction is limited to; empty for all. */
export function chosenColumns(context: IExecuteFunctions, itemIndex: number): string[] {
	return fieldValue(context, itemIndex, optionOf(columnIds), idsFrom, 'all columns');
}

export const returnAll: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

export const limit: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

/** The most rows to return; Infinity for Return All. */
export function wantedRows(context: IExecuteFunctions, itemIndex: number): number {
	if (booleanField(context, itemIndex, returnAll)) return Infinity;
	const whole = { ...limit, typeOptions: { ...limit.typeOptions, numberPrecision: 0 } };
	return Number(checkedValue(whole, context.getNodeParameter(limit.name, itemIndex)));
}

/**
 * The value of a JSON parameter; undefined where it is empty.
 * @throws UserError where it is not JSON
 */
export function jsonField(value: unknown, label: string): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (!value.trim()) return undefined;
	const json = parsedJson(value);
	if (json !== undefined) return json;
	throw new UserError(`'${label}' is not valid JSON`, {
		description: 'Put texts and names in double quotes, e.g. ["first", "second"].',
	});
}

/** What n8n turns an object into if there is other text beside its expression. */
export const OBJECT_AS_TEXT = '[object Object]';

/**
 * A text without space around it; empty for nothing.
 * @param label of the field
 * @throws UserError for what is no text: it would be sent as `[object Object]`; also for a number that
 * JavaScript has rounded: as an ID, it would name something else
 */
export function textFrom(value: unknown, label: string): string {
	if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		throw new UserError(`'${label}' is a number with more digits than n8n keeps`, {
			description: `Its last digits are lost already: ${value} may be the ID of something else. Put it in double quotes where it comes from.`,
		});
	}
	const text = isOuter(value) ? OBJECT_AS_TEXT : String(value ?? '');
	if (!text.includes(OBJECT_AS_TEXT)) return text.trim();
	throw new UserError(`'${label}' gives an object or a list, not text`, {
		description:
			'Enter the field inside it that contains the text: {{ $json.documentId }}, for example, in place of {{ $json }}.',
	});
}

/**
 * The entries of a list, as JSON too, or of a text that is split; without quotation marks and empty ones.
 * @param split how a text that is no JSON list is split
 */
export function listFrom(
	value: unknown,
	label: string,
	split: (text: string) => string[],
): string[] {
	const list = Array.isArray(value) ? (value as unknown[]) : listIn(textFrom(value, label), split);
	return list.map((entry) => unquoted(textFrom(entry, label))).filter(Boolean);
}

const atCommas = (text: string) => text.split(',');

/** Agents give lists as text. */
function listIn(text: string, split: (text: string) => string[]): unknown[] {
	const isList = text.startsWith('[') && text.endsWith(']');
	const json = isList || text.startsWith('{') ? parsedJson(text) : undefined;
	if (json !== undefined) return [json].flat();
	return split(isList ? text.slice(1, -1) : text);
}

/** IDs, each once: separated by commas, or a list. */
export function idsFrom(value: unknown, label: string): string[] {
	return [...new Set(listFrom(value, label, atCommas))];
}

/** The one ID that a field takes, which may hold commas itself; empty for nothing. */
export function idFrom(value: unknown, label: string): string {
	const ids = listFrom(value, label, (text) => [text]);
	if (ids.length <= 1) return ids[0] ?? '';
	throw new UserError(`'${label}' takes one ID, but got ${ids.length}`, {
		description: 'For several IDs, give this node one input item per ID.',
	});
}
