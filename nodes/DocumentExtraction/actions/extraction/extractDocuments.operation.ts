import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { createClient, type Client } from '../../api/client';
import {
	DEFAULT_DOCUMENTS_PER_CALL,
	startExtraction,
	type ExtractionRequest,
} from '../../api/extractions';
import { once } from '../../api/journal';
import { waitForExtraction, type Waited } from '../../waiting/wait';
import { assertCanWait, lookBeforeStart } from '../../waiting/sign';
import { settleInOrder } from '../../http/concurrency';
import { fewOf } from '../../api/sentences';
import { failedAfter } from '../../messages/words';
import { grouped, type Operation, type Outcome } from '../operation';
import {
	checkedOptions,
	collectionFilter,
	columnIds,
	columnIdsFilter,
	documentIds,
	documentIdsFilter,
	existingCollection,
	options,
} from '../parameters';
import {
	doubtField,
	hintAtDoubts,
	lastStatus,
	unfinishedError,
	waitLimits,
	waitOptions,
} from '../waiting';

const documentsPerCall: INodeProperties = {
	displayName: 'Documents per Call',
	name: 'documentsPerCall',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: DEFAULT_DOCUMENTS_PER_CALL,
	description: 'More documents are split into several calls',
};

/** What one item asks for. */
interface Order {
	itemIndex: number;
	client: Client;
	documentIds: string[];
	request: Omit<ExtractionRequest, 'documentIds'>;
	wait: boolean;
	settings: IDataObject;
	/** Orders with the same key share a call. */
	key: unknown;
}

export const extractDocuments: Operation = {
	resource: 'extraction',
	name: 'Extract Documents',
	value: 'extractDocuments',
	description: 'Start the extraction of uploaded documents; Get Many then returns the values',
	action: 'Extract documents uploaded earlier',
	builderHint: {
		propertyHint:
			'Only for documents that are at the service already, e.g. after document upload. Returns document IDs and no values: read these with operation getAll.',
	},
	uses: ['waiting'],
	output: {
		documentId: { type: 'string' },
		workflowId: { type: 'string' },
		started: { type: 'boolean' },
	},
	fields: [
		documentIds,
		existingCollection,
		{
			displayName: 'Force',
			name: 'force',
			type: 'boolean',
			default: false,
			description:
				'Whether to extract columns again that already have results. This overwrites them.',
		},
		{
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
			description: 'Whether to start one extraction for all input items, or one per item',
		},
		{
			displayName: 'Wait Until Extracted',
			name: 'wait',
			type: 'boolean',
			default: false,
			description:
				"Whether to wait until the extraction is finished before the workflow continues. Without Document IDs, this needs 'Workflow Endpoint' in the credential.",
		},
		options(columnIds, documentsPerCall, ...waitOptions),
	],
	async run(context) {
		const outcomes: Outcome[] = [];
		const orders: Order[] = [];
		for (const itemIndex of context.getInputData().keys()) {
			try {
				orders.push(await orderOf(context, itemIndex));
			} catch (error) {
				outcomes.push({ itemIndex, error: error as Error });
			}
		}
		if (outcomes.length > 0 && !context.continueOnFail()) return outcomes;
		const groups = grouped(orders, ({ client, key }) => [client, key]);
		const concurrency = orders.reduce(
			(most, { client }) => Math.max(most, client.maxConcurrency),
			1,
		);
		const results = await settleInOrder(
			groups,
			concurrency,
			!context.continueOnFail(),
			async (group) => await extractGroup(context, group),
		);
		for (const [index, result] of results.entries()) {
			if (!result) continue;
			const { error } = result;
			const found = error
				? groups[index].map(({ itemIndex }) => ({ itemIndex, error }))
				: result.value;
			// Not with a spread: JavaScript limits the arguments of a call to some 100,000.
			for (const outcome of found) outcomes.push(outcome);
		}
		return outcomes.sort((a, b) => a.itemIndex - b.itemIndex);
	},
};

async function orderOf(context: IExecuteFunctions, itemIndex: number): Promise<Order> {
	const client = await createClient(context, itemIndex);
	const documentIds = documentIdsFilter(context, itemIndex);
	const settings = checkedOptions(context, itemIndex, [documentsPerCall, ...waitOptions]);
	const request = {
		collectionId: collectionFilter(context, itemIndex),
		columnIds: columnIdsFilter(context, itemIndex),
		force: context.getNodeParameter('force', itemIndex) as boolean,
	};
	const wait = context.getNodeParameter('wait', itemIndex) as boolean;
	const areNamed = documentIds.length > 0;
	if (wait) assertCanWait(client, { areNamed, areOverwritten: request.force });
	const isShared = context.getNodeParameter('calls', itemIndex) === 'once';
	const key = isShared ? [request, wait, settings, areNamed] : itemIndex;
	return { itemIndex, client, documentIds, request, wait, settings, key };
}

/** Starts the extraction that several items ask for together: an outcome per document, or one for the workflow. */
async function extractGroup(context: IExecuteFunctions, orders: Order[]): Promise<Outcome[]> {
	const documentIds = [...new Set(orders.flatMap((order) => order.documentIds))];
	const [order] = orders;
	const waited = await startAndWait(order, documentIds);
	if (documentIds.length === 0) {
		hintAtDoubts(context, waited, (id) => `workflow ${id}`);
		return outcomesFor(orders, undefined, waited[0]);
	}
	hintAtDoubts(context, waited);
	const ownersOf = new Map<string, Order[]>(documentIds.map((documentId) => [documentId, []]));
	for (const owner of orders) {
		for (const documentId of owner.documentIds) ownersOf.get(documentId)?.push(owner);
	}
	return [...ownersOf].flatMap(([documentId, owners], index) =>
		outcomesFor(owners, documentId, waited[index]),
	);
}

/** Starts an extraction and, if the user wants that, waits for it. */
async function startAndWait(order: Order, documentIds: string[]): Promise<Waited[]> {
	const { client, request, wait, settings } = order;
	const look = async () => await lookBeforeStart(client, documentIds, request.force ?? false);
	// Only before the first start: a later try would take new results for old ones.
	const before = wait ? await once(client, 'look before the start', look) : undefined;
	const size = Number(settings.documentsPerCall ?? DEFAULT_DOCUMENTS_PER_CALL);
	const outcomes = await startExtraction(client, { ...request, documentIds }, size);
	const failed = outcomes.find(({ error }) => error);
	if (failed?.error) {
		const started = documentIds.filter((_, index) => !outcomes[index].error);
		const note = started.length > 0 ? `Started before: ${fewOf(started)}.` : '';
		throw failedAfter(failed.error, note);
	}
	if (!before) return [];
	const { columnIds } = request;
	return await waitForExtraction(client, documentIds, before, columnIds, waitLimits(settings));
}

/**
 * One output item for all input items that asked for the same, or an error for each of them.
 * @param documentId undefined where the whole workflow is extracted
 * @param waited undefined where the user does not want to wait
 */
function outcomesFor(
	owners: Order[],
	documentId: string | undefined,
	waited: Waited | undefined,
): Outcome[] {
	const [{ itemIndex, client, settings }] = owners;
	const json: IDataObject = {
		...(documentId !== undefined && { documentId }),
		workflowId: client.workflowId,
		started: true,
		...(waited && {
			finished: waited.verdict.isFinished,
			extractionStatus: lastStatus(waited),
			...doubtField(waited.verdict),
		}),
	};
	const failure = waited && unfinishedError(client, settings, waited, documentId);
	const error =
		failure && failure === waited.error
			? failedAfter(failure, 'The extraction was started; only waiting for it failed.')
			: failure;
	if (error) return owners.map((owner) => ({ itemIndex: owner.itemIndex, error, details: json }));
	const pairedItem = owners.map((owner) => ({ item: owner.itemIndex }));
	return [{ itemIndex, items: [{ json, ...(pairedItem.length > 1 ? { pairedItem } : {}) }] }];
}
