import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { connect, inputError, type Connection } from '../../transport/connection';
import { withNote, withoutMarkup } from '../../transport/errors';
import { startExtraction, type ExtractionRequest } from '../../transport/extractions';
import {
	assertCanWaitForDocuments,
	waitForDocuments,
	waitForWorkflow,
} from '../../transport/waiting';
import { assertCanReadWorkflow } from '../../transport/workflow';
import {
	collectionFilter,
	existingCollection,
	columnIds,
	documentIds,
	force,
	forOperation,
	idList,
	options,
	optionsOf,
	timeoutError,
	waitLimits,
	waitOptions,
} from '../fields';
import type { Outcome } from '../operation';
import { grouped } from '../uploads';

const documentsPerCall: INodeProperties = {
	displayName: 'Documents per Call',
	name: 'documentsPerCall',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1000,
	description: 'More documents than this are extracted by several calls',
};

export const description = forOperation('extraction', 'extractDocuments', [
	documentIds,
	existingCollection,
	force,
	{
		displayName: 'Calls',
		name: 'calls',
		type: 'options',
		options: [
			{
				name: 'Once for All Items',
				value: 'once',
				description: 'The document IDs of all items are collected and extracted together',
			},
			{
				name: 'Once per Item',
				value: 'perItem',
				description: 'Each item starts an extraction of its own',
			},
		],
		default: 'once',
		description: 'How many extractions to start for several input items',
	},
	{
		displayName: 'Wait Until Extracted',
		name: 'wait',
		type: 'boolean',
		default: false,
		description: 'Whether to wait until the extraction is over before the flow goes on',
	},
	options(columnIds, documentsPerCall, ...waitOptions),
]);

/** What one item asks for. */
interface Order {
	itemIndex: number;
	connection: Connection;
	documents: string[];
	request: ExtractionRequest;
	wait: boolean;
	settings: IDataObject;
	/** Orders with the same key share a call. */
	key: unknown;
}

export async function executeRun(context: IExecuteFunctions): Promise<Outcome[]> {
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
	for (const group of grouped(orders, ({ connection, key }) => [connection, key])) {
		try {
			for (const outcome of await extractGroup(context, group)) outcomes.push(outcome);
		} catch (error) {
			outcomes.push(...group.map(({ itemIndex }) => ({ itemIndex, error: error as Error })));
			if (!context.continueOnFail()) break;
		}
	}
	return outcomes.sort((a, b) => a.itemIndex - b.itemIndex);
}

async function orderOf(context: IExecuteFunctions, itemIndex: number): Promise<Order> {
	const connection = await connect(context, itemIndex);
	const documents = idList(context, itemIndex, 'documentIds');
	if (documents.length === 0 && context.getNode().parameters.documentIds) {
		throw inputError(
			context,
			itemIndex,
			`'Document IDs' is empty for this item [item ${itemIndex}]`,
			'Its expression gives nothing here. Nothing was extracted, because no ID would mean all documents of the workflow. Clear the field if you want that.',
		);
	}
	const settings = optionsOf(context, itemIndex, documentsPerCall, ...waitOptions);
	const request = {
		collectionId: collectionFilter(context, itemIndex),
		columnIds: idList(context, itemIndex, 'options.columnIds'),
		force: context.getNodeParameter('force', itemIndex) as boolean,
	};
	const wait = context.getNodeParameter('wait', itemIndex) as boolean;
	if (wait && documents.length > 0) assertCanWaitForDocuments(context, connection, request.force);
	else if (wait) assertCanReadWorkflow(context, connection);
	const isShared = context.getNodeParameter('calls', itemIndex) === 'once';
	return {
		itemIndex,
		connection,
		documents,
		request,
		wait,
		settings,
		key: isShared ? [request, wait, settings, documents.length > 0] : itemIndex,
	};
}

/** Starts the extraction that several items ask for together: an outcome per document, or one for all. */
async function extractGroup(context: IExecuteFunctions, orders: Order[]): Promise<Outcome[]> {
	const [{ itemIndex, connection, request, wait, settings }] = orders;
	const documents = [...new Set(orders.flatMap((order) => order.documents))];
	const size = Number(settings.documentsPerCall ?? 1000);
	for (const [index, documentIds] of chunks(documents, size).entries()) {
		try {
			await startExtraction(context, connection, { ...request, documentIds });
		} catch (error) {
			const before = documents.slice(0, index * size).join(', ');
			throw before ? withNote(error, `Started before: ${withoutMarkup(before)}.`) : error;
		}
	}
	const started = { workflowId: connection.workflowId, started: true };
	const limits = waitLimits(settings);
	if (documents.length === 0) {
		const seen = wait ? await afterStart(waitForWorkflow(context, connection, limits)) : undefined;
		return ownedBy(orders, outcomeOf(context, itemIndex, settings, started, seen));
	}
	const waited = wait
		? await afterStart(waitForDocuments(context, connection, documents, false, limits))
		: undefined;
	const ownersOf = new Map<string, Order[]>(documents.map((documentId) => [documentId, []]));
	for (const order of orders) {
		for (const documentId of order.documents) ownersOf.get(documentId)?.push(order);
	}
	return documents.flatMap((documentId) => {
		const owners = ownersOf.get(documentId) ?? orders;
		const seen = waited && {
			isFinished: waited.finished.has(documentId),
			status: waited.statuses.get(documentId),
		};
		const about = { documentId, ...started };
		return ownedBy(owners, outcomeOf(context, owners[0].itemIndex, settings, about, seen));
	});
}

/** One item for all that asked for the same, or a failure for each of them. */
function ownedBy(owners: Order[], outcome: Outcome): Outcome[] {
	if (outcome.error) return owners.map(({ itemIndex }) => ({ ...outcome, itemIndex }));
	if (owners.length > 1) {
		outcome.items[0].pairedItem = owners.map(({ itemIndex }) => ({ item: itemIndex }));
	}
	return [outcome];
}

/** Waiting may fail though the extraction goes on. */
async function afterStart<T>(waiting: Promise<T>): Promise<T> {
	try {
		return await waiting;
	} catch (error) {
		throw withNote(error, 'The extraction is started; only waiting for it failed.');
	}
}

/** An item for what was started and, if that was waited for, for how it stands now. */
function outcomeOf(
	context: IExecuteFunctions,
	itemIndex: number,
	settings: IDataObject,
	started: IDataObject,
	seen: { isFinished: boolean; status: unknown } | undefined,
): Outcome {
	if (!seen) return { itemIndex, items: [{ json: started }] };
	const status = (seen.status ?? null) as IDataObject;
	if (seen.isFinished || settings.onTimeout === 'status') {
		const json = { ...started, finished: seen.isFinished, extractionStatus: status };
		return { itemIndex, items: [{ json }] };
	}
	return {
		itemIndex,
		error: timeoutError(context, itemIndex, settings, started.documentId as string, status),
		details: started,
	};
}

/** Lists of at most `size` entries; one empty list where there is no entry. */
function chunks(entries: string[], size: number): string[][] {
	const count = Math.max(1, Math.ceil(entries.length / size));
	return Array.from({ length: count }, (_, index) =>
		entries.slice(index * size, (index + 1) * size),
	);
}
