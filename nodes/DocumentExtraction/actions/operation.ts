import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Purpose } from '../api/details/apiDetails';
import { isTool } from '../api/run';
import { settleInOrder } from '../http/concurrency';
import { maxConcurrencyOf } from './parameters';

/** Everything about an operation: the panel, n8n's list of actions, readiness and tests derive from it. */
export interface Operation {
	resource: 'workflow' | 'extraction' | 'document' | 'collection';
	/** In the panel. */
	name: string;
	/** In users' workflows, where it never changes. */
	value: string;
	description: string;
	/** In n8n's list of actions, where it stands without the resource. */
	action: string;
	builderHint?: INodePropertyOptions['builderHint'];
	/** What it uses API Details for, by each way in which it can be used; none where all is shown. */
	uses: Purpose[];
	/** The fields that the editor offers to later nodes, by name; or the items are the service's own JSON. */
	output: { [field: string]: OutputField } | 'raw';
	fields: INodeProperties[];
	/**
	 * @param operations all that the node has
	 * @throws RunStoppedError, or what concerns the whole run; what concerns an item is an outcome
	 */
	run(context: IExecuteFunctions, operations: Operation[]): Promise<Outcome[]>;
}

/** A field of an output item, as JSON Schema. */
export interface OutputField {
	type: string | string[];
	properties?: { [field: string]: OutputField };
}

/** What became of an input item, or of one of its files. */
export type Outcome =
	| { itemIndex: number; items: INodeExecutionData[]; error?: undefined }
	| {
			itemIndex: number;
			error: Error;
			/** The files that failed, where the rest of the item's files did not. */
			binary?: IBinaryKeyData;
			/** What a flow needs to go on from here, e.g. the ID of a document that is uploaded. */
			details?: IDataObject;
	  };

/** Ends a run at once, because one item failed and the node does not continue on fail. */
export class RunStoppedError extends Error {
	constructor(
		readonly itemIndex: number,
		readonly reason: Error,
	) {
		super(reason.message);
	}
}

/**
 * Runs an operation that works on one item, without knowledge of the others.
 * @param work gives the output items, or outcomes where one output item may fail without the others
 */
export function forEachItem(
	work: (
		context: IExecuteFunctions,
		itemIndex: number,
		operations: Operation[],
	) => Promise<INodeExecutionData[] | { outcomes: Outcome[] }>,
): Operation['run'] {
	return async (context, operations) => {
		const itemIndexes = [...context.getInputData().keys()];
		const lanes = itemIndexes.reduce(
			(most, itemIndex) => Math.max(most, maxConcurrencyOf(context, itemIndex)),
			1,
		);
		const settled = await settleInOrder(
			itemIndexes,
			lanes,
			!context.continueOnFail(),
			async (itemIndex) => await work(context, itemIndex, operations),
		);
		return settled.flatMap((result, itemIndex): Outcome[] => {
			if (result === undefined) return [];
			if (result.error) return [{ itemIndex, error: result.error }];
			const { value } = result;
			return Array.isArray(value) ? [{ itemIndex, items: value }] : value.outcomes;
		});
	};
}

/**
 * Whether a failed item goes on. Of an error that is thrown an agent reads the message alone, nothing
 * at all, or it is stopped, by its version and n8n's; an item it reads whole in each of them.
 */
export function goesOnAfterFailure(context: IExecuteFunctions): boolean {
	if (context.continueOnFail()) return true;
	return isTool(context) && context.getNode().onError !== 'stopWorkflow';
}

/** A value of the service as an item's JSON, which must be an object: n8n fails on anything else. */
export function asJson(value: unknown): IDataObject {
	const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
	return (isObject ? value : { value }) as IDataObject;
}
