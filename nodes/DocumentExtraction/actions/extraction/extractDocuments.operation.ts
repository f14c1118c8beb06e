import { UserError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { ready } from '../../account/account';
import type { Client } from '../../service/client';
import {
	DEFAULT_DOCUMENTS_PER_CALL,
	readResults,
	startExtraction,
	type ExtractionRequest,
} from '../../service/extractions';
import { assertCanWait, lookBeforeStart } from '../../waiting/verdict';
import { mapInOrder, settled, settleInOrder } from '../../http/concurrency';
import { fewOf } from '../../http/redact';
import { failedAfter } from '../../messages/words';
import { includeFile, itemsOfDocuments } from '../files/download';
import { grouped, itemByItem, type Operation, type ItemOutcome } from '../operation';
import {
	booleanField,
	checkedOptions,
	chosenColumns,
	collectionId,
	columnIds,
	createClient,
	documentIds,
	existingCollection,
	fieldValue,
	idsFrom,
	maxConcurrencyOf,
	options,
} from '../parameters';
import { minConfidence, NO_ROWS, rowSettings, type RowSettings } from '../results';
import { waitFor, waitOptions, type Awaited } from '../waiting';

const calls: INodeProperties = {
	displayName: 'Calls',
	name: 'calls',
	type: 'options',
	options: [
		{
			name: 'Once for All Items',
			value: 'once',
			description: 'Extract the documents of all items together',
		},
		{
			name: 'Once per Item',
			value: 'perItem',
			description: 'Start an extraction for each item',
		},
	],
	default: 'once',
	description: 'Whether items with equal settings share an extraction, or each has its own',
};

const force: INodeProperties = {
	displayName: 'Force',
	name: 'force',
	type: 'boolean',
	default: false,
	description:
		'Whether to extract columns again even if they already have results. The old results are overwritten.',
};

const waitField: INodeProperties = {
	displayName: 'Wait Until Extracted',
	name: 'wait',
	type: 'boolean',
	default: false,
	description:
		"Whether to wait until the extraction is finished before the next node runs. Without Document IDs, this needs 'Workflow Endpoint' in the credential. With Document IDs, if Force is on or a document already has results, it needs 'Finished Statuses' or 'Workflow Endpoint'. If nothing is left to extract, only 'Finished Statuses' with Document IDs can be relied on to end the wait before Max Wait.",
};

const documentsPerCall: INodeProperties = {
	displayName: 'Documents per Call',
	name: 'documentsPerCall',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: DEFAULT_DOCUMENTS_PER_CALL,
	description: 'Max number of documents in one call. More documents go into several calls.',
};

const ownOptions = [
	calls,
	columnIds,
	documentsPerCall,
	force,
	includeFile,
	minConfidence,
	...waitOptions,
];

/** What one item asks for. */
interface Order {
	itemIndex: number;
	client: Client;
	documentIds: string[];
	request: Omit<ExtractionRequest, 'documentIds'>;
	wait: boolean;
	settings: IDataObject;
	/** Where results are read. */
	rowSettings?: RowSettings;
}

export const extractDocuments: Operation = {
	resource: 'extraction',
	name: 'Extract Documents',
	value: 'extractDocuments',
	description: 'Start the extraction of uploaded documents; later, Get Many returns the values',
	action: 'Extract documents uploaded earlier',
	builderHint: {
		propertyHint:
			'Only for documents that are at the service already, e.g. after document upload. Returns document IDs and no values. Set wait to true, and read the values with resource extraction, operation getAll.',
	},
	output: {
		documentId: { type: 'string' },
		workflowId: { type: 'string' },
		started: { type: 'boolean' },
	},
	fields: [documentIds, existingCollection, waitField, options(...ownOptions)],
	async run(context) {
		const { values: orders, failed: invalid } = await itemByItem(
			context,
			async (itemIndex) => await orderOf(context, itemIndex),
		);
		const stops = !context.continueOnFail();
		if (invalid.length > 0 && stops) return invalid;
		const groups = grouped(orders, ({ client }) => [client, client.writer]);
		const extract = async (group: Order[]) => await extractGroup(context, group);
		const results = await settleInOrder(groups, maxConcurrencyOf(context), stops, extract);
		const found = results.flatMap((result, index): ItemOutcome[] => {
			if (!result) return [];
			const { error } = result;
			return error ? groups[index].map(({ itemIndex }) => ({ itemIndex, error })) : result.value;
		});
		return [...invalid, ...found];
	},
};

async function orderOf(context: IExecuteFunctions, itemIndex: number): Promise<Order> {
	const client = await createClient(context, itemIndex);
	const ids = fieldValue(context, itemIndex, documentIds, idsFrom, 'all documents');
	const settings = checkedOptions(context, itemIndex, ownOptions);
	const request = {
		collectionId: collectionId(context, itemIndex, 'all collections'),
		columnIds: chosenColumns(context, itemIndex),
		force: settings.force === true,
	};
	const wait = booleanField(context, itemIndex, waitField);
	const areNamed = ids.length > 0;
	if (wait) assertCanWait(client, { areNamed, areOverwritten: request.force });
	const hasFiles = settings.includeFile === true;
	if (hasFiles) ready(client.account.details.fileUrlField);
	const isCompared = settings.minConfidence !== undefined;
	const reading = hasFiles ? includeFile : isCompared && minConfidence;
	const own = isCompared ? rowSettings(context, client, itemIndex) : NO_ROWS;
	if (reading && (!wait || !areNamed)) {
		throw new UserError(
			`'${reading.displayName}' needs 'Document IDs', and 'Wait Until Extracted' switched on`,
		);
	}
	const isShared = (settings.calls ?? calls.default) === 'once';
	// A shared call belongs to no single item, as other items may be valid in a later try: it is known by its content.
	const shared = JSON.stringify([request, wait, settings, areNamed]);
	const writer = isShared ? `items with ${shared}` : client.writer;
	return {
		itemIndex,
		client: { ...client, writer },
		documentIds: ids,
		request,
		wait,
		settings,
		rowSettings: reading ? own : undefined,
	};
}

/** A document, or the workflow where no documents are named; the items that ask for it; what became of it. */
interface Target {
	id?: string;
	owners: Order[];
	error?: Error;
	waited?: Awaited;
	items?: INodeExecutionData[];
}

function targetsOf(orders: Order[]): Target[] {
	const targets = new Map<string | undefined, Target>();
	for (const order of orders) {
		for (const id of order.documentIds.length > 0 ? order.documentIds : [undefined]) {
			const target = targets.get(id) ?? { id, owners: [] };
			target.owners.push(order);
			targets.set(id, target);
		}
	}
	return [...targets.values()];
}

const idsOf = (targets: Target[]) => targets.flatMap(({ id }) => id ?? []);

/**
 * Starts the extraction that several items ask for together and, if the user wants that, waits for what
 * was started.
 * @returns an outcome per document, or one for the workflow
 * @throws CallError where it was not started for all, and the node does not continue on fail
 */
async function extractGroup(context: IExecuteFunctions, orders: Order[]): Promise<ItemOutcome[]> {
	const [{ client, request, wait, settings }] = orders;
	const targets = targetsOf(orders);
	const before = wait
		? await lookBeforeStart(client, idsOf(targets), request.force ?? false)
		: undefined;
	const size = Number(settings.documentsPerCall ?? DEFAULT_DOCUMENTS_PER_CALL);
	const starts = await startExtraction(client, { ...request, documentIds: idsOf(targets) }, size);
	for (const [index, { error }] of starts.entries()) targets[index].error = error;
	const started = targets.filter(({ error }) => !error);
	const failure = targets.find(({ error }) => error)?.error;
	if (failure && !context.continueOnFail()) {
		const ids = idsOf(started);
		throw failedAfter(failure, ids.length > 0 ? `Already started for: ${fewOf(ids)}.` : '');
	}
	if (before && started.length > 0) {
		const waited = await waitFor(client, idsOf(started), before, request.columnIds, settings);
		for (const [index, one] of waited.entries()) started[index].waited = one;
		for (const target of started) target.error = target.waited?.failure;
	}
	const finished = started.filter(({ waited, error }) => waited?.state.finished && !error);
	await readFinished(context, orders[0], finished);
	return targets.flatMap(outcomesFor);
}

/** Reads the documents whose extraction is over, for the options Include File and Min Confidence. */
async function readFinished(
	context: IExecuteFunctions,
	{ client, settings, rowSettings: own }: Order,
	targets: Target[],
) {
	if (!own) return;
	const documents = await mapInOrder(idsOf(targets), client.maxConcurrency, async (documentId) => {
		const { value: results = [], error } = await settled(readResults(client, { documentId }));
		return { documentId, results, error };
	});
	const how = { hasFiles: settings.includeFile === true, goesOn: true };
	const made = await settled(itemsOfDocuments(context, client, documents, own, how));
	for (const [index, target] of targets.entries()) {
		const one = made.error ? made : made.value[index];
		target.items = one?.value;
		target.error = one?.error && failedAfter(one.error, 'The extraction was started, and is over.');
	}
}

/** One output item for all input items that asked for the same, or an error for each of them. */
function outcomesFor({ id, owners, error, waited, items }: Target): ItemOutcome[] {
	const [{ itemIndex, client }] = owners;
	const document = id === undefined ? {} : { documentId: id };
	const json: IDataObject = {
		...document,
		workflowId: client.workflowId,
		started: true,
		...waited?.state,
	};
	if (error) {
		const details = waited ? json : document;
		return owners.map((owner) => ({ itemIndex: owner.itemIndex, error, details }));
	}
	const pairedItem = owners.map((owner) => ({ item: owner.itemIndex }));
	const binary = items?.[0].binary;
	const item = {
		json,
		...(binary && { binary }),
		...(pairedItem.length > 1 && { pairedItem }),
	};
	return [{ itemIndex, items: [item] }];
}
