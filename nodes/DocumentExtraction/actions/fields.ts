/** Fields that several operations share, so that one thing has one name and one text everywhere. */
import { NodeOperationError, updateDisplayOptions } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';

import { inputError } from '../transport/connection';
import { harmless } from '../transport/errors';
import type { CollectionChoice } from '../transport/upload';
import type { WaitLimits } from '../transport/waiting';

/** Shows fields for one operation only. */
export function forOperation(
	resource: string,
	operation: string,
	fields: INodeProperties[],
): INodeProperties[] {
	return updateDisplayOptions({ show: { resource: [resource], operation: [operation] } }, fields);
}

export const documentId: INodeProperties = {
	displayName: 'Document ID',
	name: 'documentId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description: 'The ID that the service gave the document when it was uploaded',
};

export const documentIds: INodeProperties = {
	displayName: 'Document IDs',
	name: 'documentIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.documentId }}',
	description:
		'IDs with commas between them, or an expression that gives a list. Leave it empty to extract all documents of the workflow, or of the collection below.',
};

export const inputDataFieldName: INodeProperties = {
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. attachment_*',
	hint: 'A name, several with commas between them, or a pattern: attachment_* takes all attachments of an email, * takes every file',
	description: "The input item's fields that hold the files. Each file becomes a document.",
};

export const uploadMethod: INodeProperties = {
	displayName: 'Upload Method',
	name: 'uploadMethod',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Signed URL for large files, Direct for the others. Direct for all while the credential has no API Details for signed uploads.',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per file. Made for smaller files.',
		},
		{
			name: 'Signed URL',
			value: 'signed',
			description:
				'The file goes straight to storage and is confirmed afterwards. Made for large files; needs API Details in the credential.',
		},
	],
	default: 'automatic',
	description: 'How files get to the service',
};

/** A collection to place uploads in: interface.md §4.2 takes its ID or its name. */
export const uploadCollection: INodeProperties = {
	displayName: 'Collection',
	name: 'collection',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'Collection to place the documents in, so that related documents stay together. Leave it empty for none.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a collection…',
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
			hint: 'Use the same way, by name or by ID, for all documents of a collection',
		},
	],
};

/** A collection that exists; everywhere but on upload, the interface takes its ID only. */
export const existingCollection: INodeProperties = {
	...uploadCollection,
	description: 'Only documents of this collection. Leave it empty for all.',
	modes: uploadCollection.modes?.filter(({ name }) => name !== 'name'),
};

export const columnIds: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'columnIds',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['options.workflowId'] },
	default: [],
	description:
		'Columns to extract; all if none is chosen. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const force: INodeProperties = {
	displayName: 'Force',
	name: 'force',
	type: 'boolean',
	default: false,
	description:
		'Whether to extract again what is already extracted. This overwrites the results that exist.',
};

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

const maxConcurrency: INodeProperties = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100 },
	default: 16,
	description:
		'The most requests that are under way at a time, to the service and to its storage each. The node starts with 4, goes up to this number while the service keeps up, and slows down by itself when the service limits the rate.',
};

const workflowId: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	default: '',
	description: "Another workflow than the credential's, in the same environment",
};

export const fileFilterOptions: INodeProperties[] = [
	{
		displayName: 'Keep Input Files',
		name: 'keepInputFiles',
		type: 'boolean',
		default: false,
		description: 'Whether to hand each file on with the item that came of it',
	},
	{
		displayName: 'Max File Size',
		name: 'maxSize',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'In kB. Larger files are skipped and reported; 0 for no limit.',
	},
	{
		displayName: 'MIME Types',
		name: 'mimeTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. application/pdf, image/*',
		description: 'Only files of these types are uploaded; the others are skipped and reported',
	},
	{
		displayName: 'Min File Size',
		name: 'minSize',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'In kB. Smaller files, e.g. the logos of email signatures, are skipped and reported.',
	},
	{
		displayName: 'Signed URL From Size',
		name: 'signedFromMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		description:
			"In MB. Upload Method 'Automatic' uploads files of this size and above by signed URL.",
	},
];

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			'In seconds. The extraction itself goes on when the node stops waiting, and can be fetched later.',
	},
	{
		displayName: 'On Timeout',
		name: 'onTimeout',
		type: 'options',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'The item fails, with the IDs and the last status in its message',
			},
			{
				name: 'Return Status',
				value: 'status',
				description: 'The item goes on, with its ID and the last status',
			},
		],
		default: 'fail',
		description: 'What to do with documents that are not finished after Max Wait',
	},
	{
		displayName: 'Settle Time',
		name: 'settleTime',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 3,
		description:
			'In seconds. How long results must stay unchanged, or the workflow idle, before the node takes the extraction as finished.',
	},
];

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

/** The options of an item. The editor checks numbers among them; what an expression gives, nobody does. */
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
		throw inputError(
			context,
			itemIndex,
			`'${displayName}' must be a ${kind} of at least ${minValue}`,
		);
	}
	return settings;
}

/** A text that an item cannot do without; an expression may give nothing, or a number. */
export function requiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	label: string,
): string {
	const text = String(context.getNodeParameter(name, itemIndex) ?? '').trim();
	if (!text) throw inputError(context, itemIndex, `'${label}' is empty`);
	return text;
}

/** How many rows the user wants; Infinity for Return All. */
export function wantedRows(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex)) return Infinity;
	const rows = Number(context.getNodeParameter('limit', itemIndex));
	if (!Number.isInteger(rows) || rows < 1) {
		throw inputError(context, itemIndex, "'Limit' must be a whole number of at least 1");
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
 * A filter of an item. Where nothing was entered, there is none; where an expression gives nothing,
 * the item is refused, because without a filter everything in the workflow would be meant.
 */
export function filterOf(
	context: IExecuteFunctions,
	itemIndex: number,
	label: string,
	{ entered, value }: { entered: unknown; value: unknown },
): string | undefined {
	const text = String(value ?? '').trim();
	if (!text && entered) {
		throw inputError(
			context,
			itemIndex,
			`'${label}' is empty for this item [item ${itemIndex}]`,
			'Its expression gives nothing here, and without it everything in the workflow would be meant. Clear the field if you want that.',
		);
	}
	return text || undefined;
}

/** The ID of the collection that an operation is limited to; undefined for all. */
export function collectionFilter(
	context: IExecuteFunctions,
	itemIndex: number,
): string | undefined {
	const entered = (context.getNode().parameters.collection as IDataObject | undefined)?.value;
	const value = chosenCollection(context, itemIndex).id;
	return filterOf(context, itemIndex, 'Collection', { entered, value });
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
export function jsonField(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	label: string,
): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (!value.trim()) return undefined;
	try {
		return JSON.parse(value);
	} catch {
		throw new NodeOperationError(context.getNode(), `'${label}' is not valid JSON`, {
			itemIndex,
			description: 'Texts and names stand in double quotes, e.g. ["first", "second"].',
		});
	}
}

export function waitLimits({ maxWait = 300, settleTime = 3 }: IDataObject): WaitLimits {
	return { maxWaitMs: Number(maxWait) * 1000, settleMs: Number(settleTime) * 1000 };
}

/**
 * Says that an extraction was not finished in time, and how to go on.
 * @param documentId undefined where the whole workflow was waited for
 * @param status the last `extraction_status`, where one was seen
 */
export function timeoutError(
	context: IExecuteFunctions,
	itemIndex: number,
	{ maxWait = 300 }: IDataObject,
	documentId: string | undefined,
	status: unknown,
): NodeOperationError {
	const what = documentId === undefined ? 'The workflow' : `Document ${documentId}`;
	const orFinished =
		documentId === undefined || status === undefined
			? ''
			: " If that status means that the extraction is over, add it to 'Finished Statuses' in the credential.";
	return new NodeOperationError(
		context.getNode(),
		`The extraction was not finished after ${Number(maxWait)} seconds`,
		{
			itemIndex,
			description: harmless(
				`${what}, last status: ${String(status ?? 'not known')}. The extraction itself goes on: fetch the results later with Extraction › Get Many, or raise 'Max Wait' in the options.${orFinished}`,
			),
		},
	);
}
