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
import { mapInOrder, settled, settleInOrder, type Outcome } from '../../http/concurrency';
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
import { confidenceSettings, minConfidence } from '../results';
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

/** What one item asks for. */
interface Order {
	itemIndex: number;
	client: Client;
	documentIds: string[];
	request: Omit<ExtractionRequest, 'documentIds'>;
	wait: boolean;
	settings: IDataObject;
	confidence: ReturnType<typeof confidenceSettings>;
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
	fields: [
		documentIds,
		existingCollection,
		waitField,
		options(calls, columnIds, documentsPerCall, force, includeFile, minConfidence, ...waitOptions),
	],
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
	const settings = checkedOptions(context, itemIndex, [
		documentsPerCall,
		force,
		includeFile,
		...waitOptions,
	]);
	const request = {
		collectionId: collectionId(context, itemIndex, 'all collections'),
		columnIds: chosenColumns(context, itemIndex),
		force: settings.force === true,
	};
	const wait = booleanField(context, itemIndex, waitField);
	const areNamed = ids.length > 0;
	if (wait) assertCanWait(client, { areNamed, areOverwritten: request.force });
	const confidence = confidenceSettings(context, client, itemIndex);
	if (settings.includeFile === true) ready(client.account.details.fileUrlField);
	const label = settings.includeFile === true ? includeFile.displayName : confidence?.label;
	if (label && (!wait || !areNamed)) {
		throw new UserError(`'${label}' needs 'Document IDs', and 'Wait Until Extracted' switched on`);
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
		confidence,
	};
}

/**
 * Starts the extraction that several items ask for together and, if the user wants that, waits for what
 * was started.
 * @returns an outcome per document, or one for the workflow
 * @throws CallError where it was not started for all, and the node does not continue on fail
 */
async function extractGroup(context: IExecuteFunctions, orders: Order[]): Promise<ItemOutcome[]> {
	const documentIds = [...new Set(orders.flatMap((order) => order.documentIds))];
	const [{ client, request, wait, settings }] = orders;
	const before = wait
		? await lookBeforeStart(client, documentIds, request.force ?? false)
		: undefined;
	const size = Number(settings.documentsPerCall ?? DEFAULT_DOCUMENTS_PER_CALL);
	const starts = await startExtraction(client, { ...request, documentIds }, size);
	const errorOf = new Map(documentIds.map((id, index) => [id, starts[index].error]));
	const started = documentIds.filter((id) => !errorOf.get(id));
	const failure = starts.find(({ error }) => error)?.error;
	if (failure && (!context.continueOnFail() || documentIds.length === 0)) {
		throw failedAfter(failure, started.length > 0 ? `Already started for: ${fewOf(started)}.` : '');
	}
	if (documentIds.length === 0) {
		const waited = before && (await waitFor(client, [], before, request.columnIds, settings));
		return outcomesFor(orders, undefined, waited?.[0]);
	}
	const waited =
		before && started.length > 0
			? await waitFor(client, started, before, request.columnIds, settings)
			: [];
	const waitedOf = new Map(waited.map((one) => [one.id, one]));
	const finished = waited.filter((one) => one.state.finished && !one.failure);
	const ids = finished.map(({ id }) => id);
	const readOf = await readFinished(context, orders[0], ids);
	const ownersOf = new Map<string, Order[]>(documentIds.map((id) => [id, []]));
	for (const owner of orders) for (const id of owner.documentIds) ownersOf.get(id)?.push(owner);
	return [...ownersOf].flatMap(([id, owners]): ItemOutcome[] => {
		const error = errorOf.get(id);
		return error
			? owners.map(({ itemIndex }) => ({ itemIndex, error, details: { documentId: id } }))
			: outcomesFor(owners, id, waitedOf.get(id), readOf.get(id));
	});
}

/** Reads the documents whose extraction is over, for the options Include File and Min Confidence. */
async function readFinished(
	context: IExecuteFunctions,
	{ client, settings, confidence }: Order,
	ids: string[],
): Promise<Map<string, Outcome<INodeExecutionData[]> | undefined>> {
	const hasFiles = settings.includeFile === true;
	if (!hasFiles && !confidence) return new Map();
	const documents = await mapInOrder(ids, client.maxConcurrency, async (documentId) => {
		const { value: results = [], error } = await settled(readResults(client, { documentId }));
		return { documentId, results, error };
	});
	const fields = confidence && ready(client.account.rows);
	const wanted = { fields, selected: undefined, table: '', required: [], confidence };
	const how = { hasFiles, goesOn: true };
	const made = await settled(itemsOfDocuments(context, client, documents, wanted, how));
	return new Map(ids.map((id, index) => [id, made.error ? made : made.value[index]]));
}

/**
 * One output item for all input items that asked for the same, or an error for each of them.
 * @param documentId undefined where the whole workflow is extracted
 * @param waited undefined where the user does not want to wait
 * @param read undefined where nothing was to be read
 */
function outcomesFor(
	owners: Order[],
	documentId: string | undefined,
	waited?: Awaited,
	read?: Outcome<INodeExecutionData[]>,
): ItemOutcome[] {
	const [{ itemIndex, client }] = owners;
	const json: IDataObject = {
		...(documentId !== undefined && { documentId }),
		workflowId: client.workflowId,
		started: true,
		...waited?.state,
	};
	const failed = read?.error && failedAfter(read.error, 'The extraction was started, and is over.');
	const error = waited?.failure ?? failed;
	if (error) {
		return owners.map((owner) => ({ itemIndex: owner.itemIndex, error, details: json }));
	}
	const pairedItem = owners.map((owner) => ({ item: owner.itemIndex }));
	const binary = read?.value?.[0].binary;
	const item = {
		json,
		...(binary && { binary }),
		...(pairedItem.length > 1 && { pairedItem }),
	};
	return [{ itemIndex, items: [item] }];
}
