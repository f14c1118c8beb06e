/** What an operation is, how it goes through its items, and what becomes of each: output items or an error. */
import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	JsonObject,
} from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, isTool, type Client } from '../service/client';
import { isObject } from '../account/fields';
import { settleInOrder } from '../http/concurrency';
import { asHtml, shortened, withoutMarkup } from '../http/redact';
import { factsOf, reasonFor, wordsOf } from '../messages/words';
import { maxConcurrencyOf } from './parameters';

/** Everything about an operation: the panel, n8n's list of actions and tests derive from it. */
export interface Operation {
	resource: 'workflow' | 'extraction' | 'document' | 'collection';
	/** In the panel. */
	name: string;
	/** As users' workflows hold it: it never changes. */
	value: string;
	description: string;
	/** In n8n's list of actions, which does not show the resource. */
	action: string;
	builderHint?: INodePropertyOptions['builderHint'];
	/** The output fields that the editor offers to later nodes; raw for the service's own JSON. */
	output: { [field: string]: OutputField } | 'raw';
	fields: INodeProperties[];
	/**
	 * @returns outcomes in any order: their items tell where each belongs
	 * @throws what concerns all items; the failure of one item is an outcome
	 */
	run(context: IExecuteFunctions): Promise<ItemOutcome[]>;
}

/** A field of an output item, as JSON Schema. */
export interface OutputField {
	type: string | string[];
	properties?: { [field: string]: OutputField };
}

/** What became of an input item, or of one of its files. */
export type ItemOutcome =
	| { itemIndex: number; items: INodeExecutionData[]; error?: undefined }
	| {
			itemIndex: number;
			error: Error;
			/** The files that failed, where the rest of the item's files did not. */
			binary?: IBinaryKeyData;
			/** What a flow needs to go on from here, e.g. the ID of a document that is uploaded. */
			details?: IDataObject;
	  };

/**
 * Runs an operation that treats each item alone.
 * @param work returns the output items, or outcomes where some of them may fail
 */
export function forEachItem(
	work: (
		context: IExecuteFunctions,
		itemIndex: number,
	) => Promise<INodeExecutionData[] | { outcomes: ItemOutcome[] }>,
): Operation['run'] {
	return async (context) => {
		const workOn = async (itemIndex: number): Promise<ItemOutcome[]> => {
			const result = await work(context, itemIndex);
			return Array.isArray(result) ? [{ itemIndex, items: result }] : result.outcomes;
		};
		const { values, failed } = await itemByItem(context, workOn, maxConcurrencyOf(context));
		return [...values.flat(), ...failed];
	};
}

/**
 * Looks at every item; after a failure no further ones, unless the node continues on fail.
 * @param work throws where the item fails
 * @returns what it gives for the other items, and the outcomes of those that failed
 */
export async function itemByItem<T>(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<T>,
	concurrency = DEFAULT_MAX_CONCURRENCY,
): Promise<{ values: T[]; failed: ItemOutcome[] }> {
	const itemIndexes = [...context.getInputData().keys()];
	const stops = !context.continueOnFail();
	const settled = await settleInOrder(itemIndexes, concurrency, stops, work);
	return {
		values: settled.flatMap((result) => (result && !result.error ? [result.value] : [])),
		failed: settled.flatMap((result, itemIndex) =>
			result?.error ? [{ itemIndex, error: result.error }] : [],
		),
	};
}

/**
 * Entries in groups that may share a call: those with the same workflow, credential and further key.
 * Groups are in the order of their first entries.
 */
export function grouped<T>(
	entries: T[],
	keyOf: (entry: T) => [Client, ...others: unknown[]],
): T[][] {
	const groups = new Map<string, T[]>();
	for (const entry of entries) {
		const [{ account, workflowId }, ...others] = keyOf(entry);
		const key = JSON.stringify([account.credential, workflowId, ...others]);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return [...groups.values()];
}

/**
 * Whether a failed item becomes output. It does for an agent: when an error is thrown, some versions of
 * n8n show the agent only its message, or nothing, and others stop. It always sees output items whole.
 */
export function goesOnAfterFailure(context: IExecuteFunctions): boolean {
	if (context.continueOnFail()) return true;
	return isTool(context) && context.getNode().onError !== 'stopWorkflow';
}

/** What JavaScript itself throws is a bug of the node. */
const DEFECTS = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'URIError'];

/** In characters: n8n saves it with the execution and sends it to the editor. */
const LONGEST_DESCRIPTION = 200_000;

/**
 * An error as one of n8n's, which are made here only. n8n replaces a message that contains a code such
 * as EPERM, even inside a word (n8n-workflow, node.error.js): a file's name may, so it is set again.
 * @param itemIndex the item that the error is shown for; undefined in dropdowns
 */
export function asNodeError(
	node: INode,
	error: Error,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const { message, description: text } = wordsOf(error);
	const description = text ? shortened(asHtml(text), LONGEST_DESCRIPTION) : undefined;
	const reason = reasonFor(error);
	const facts = factsOf(error);
	if (facts) {
		const httpCode = facts.statusCode?.toString();
		const options = { message, description, httpCode, itemIndex };
		// The stack of the call itself names what was called, and for which item and file.
		return Object.assign(new NodeApiError(node, {}, options), { message, stack: reason.stack });
	}
	if (reason instanceof UserError) {
		const nodeError = new NodeOperationError(node, message, { itemIndex, description });
		return Object.assign(nodeError, { message });
	}
	if (DEFECTS.includes(reason.name)) {
		return new NodeOperationError(node, 'Something went wrong inside the node', {
			itemIndex,
			description: withoutMarkup(
				`${reason.name}: ${message}. Please report this at https://github.com/n8n-nodes-document-extraction/n8n-nodes-document-extraction/issues. ${text}`,
			),
		});
	}
	return new NodeApiError(node, reason as Error & JsonObject, { itemIndex, description });
}

/** A value of the service as an item's JSON, which must be an object: n8n fails on anything else. */
export function asJson(value: unknown): IDataObject {
	return (isObject(value) ? value : { value }) as IDataObject;
}

/** The most files or documents that a hint names. */
export const MOST_NAMED = 5;
