import { NodeConnectionTypes, UserError } from 'n8n-workflow';
import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { fields, operations } from './actions';
import { builderHint } from './actions/builderHint';
import { asNodeError } from './actions/errors';
import { keepsFilesInJson } from './actions/itemFiles';
import { RunStoppedError, type ItemOperation, type Outcome } from './actions/operation';
import { maxConcurrencyOf } from './actions/parameters';
import { goesOnAfterFailure, NOTHING_FOUND } from './actions/tool';
import { CallError } from './api/errors/callError';
import { sentences } from './api/sentences';
import { isTool } from './api/run';
import { settleInOrder } from './http/concurrency';
import { loadOptions } from './methods/loadOptions';
import { listSearch } from './methods/listSearch';

export class DocumentExtraction implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Document Extraction',
		name: 'documentExtraction',
		icon: {
			light: 'file:../../icons/documentExtraction.svg',
			dark: 'file:../../icons/documentExtraction.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter.resource }}: {{ $parameter.operation.replace("getAll", "getMany").replace(/[A-Z]/g, " $&").toLowerCase() }}',
		description: 'Extract values from documents such as invoices, contracts and forms',
		defaults: { name: 'Document Extraction' },
		builderHint,
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentExtractionApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				// n8n lists actions in this order; Check Setup, which comes first in use, does so here.
				options: [
					{
						name: 'Workflow',
						value: 'workflow',
						description:
							"Read the extraction service's workflow, wait for it, or check the credential",
					},
					{
						name: 'Extraction',
						value: 'extraction',
						description: 'Get values from files, or from uploaded documents',
					},
					{
						name: 'Document',
						value: 'document',
						description: 'Upload files without extracting them yet, or list documents',
					},
					{
						name: 'Collection',
						value: 'collection',
						description: 'Merge the PDFs of a group of related documents',
					},
				],
				default: 'extraction',
			},
			...fields,
		],
	};

	methods = { loadOptions, listSearch };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[] = [];
		for (const outcome of await outcomesOf(this)) {
			const pairedItem = { item: outcome.itemIndex };
			if (!outcome.error) {
				// Not all as arguments of one call: JavaScript takes some 100,000.
				for (const item of outcome.items) output.push({ pairedItem, ...item });
			} else if (goesOnAfterFailure(this)) {
				output.push({ ...failedItem(this, outcome), pairedItem });
			} else {
				throw asNodeError(this.getNode(), outcome.error, outcome.itemIndex);
			}
		}
		if (isTool(this) && output.length === 0) {
			output.push({ json: NOTHING_FOUND, pairedItem: { item: 0 } });
		}
		return [output];
	}
}

/** What became of each item, in the order of the items; after a failure that ends the run, up to it. */
async function outcomesOf(context: IExecuteFunctions): Promise<Outcome[]> {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations[resource]?.[name];
	if (!operation) {
		const error = new UserError(`The node has no operation '${name}' for '${resource}'`);
		return [{ itemIndex: 0, error }];
	}
	if (!('executeRun' in operation)) return await outcomesOfEach(context, operation);
	try {
		return await operation.executeRun(context);
	} catch (error) {
		if (error instanceof RunStoppedError) {
			return [{ itemIndex: error.itemIndex, error: error.reason }];
		}
		// n8n hands all items on unmarked when a node throws although it continues on fail.
		return [...context.getInputData().keys()].map((itemIndex) => ({
			itemIndex,
			error: error as Error,
		}));
	}
}

async function outcomesOfEach(
	context: IExecuteFunctions,
	operation: ItemOperation,
): Promise<Outcome[]> {
	const itemIndexes = [...context.getInputData().keys()];
	const lanes = itemIndexes.reduce(
		(most, itemIndex) => Math.max(most, maxConcurrencyOf(context, itemIndex)),
		1,
	);
	const settled = await settleInOrder(
		itemIndexes,
		lanes,
		!context.continueOnFail(),
		async (itemIndex) => await operation.execute(context, itemIndex),
	);
	return settled.flatMap((result, itemIndex): Outcome[] => {
		if (result === undefined) return [];
		if (result.error) return [{ itemIndex, error: result.error }];
		const { value } = result;
		return Array.isArray(value) ? [{ itemIndex, items: value }] : value.outcomes;
	});
}

/**
 * An item that failed keeps its input and its files. For the error output it carries `error` and
 * `message` alone: by just these, in every n8n version, it is recognized and gets the input's JSON
 * back (workflow-execute.js). What a flow needs to go on from there stands in the message. Where n8n
 * keeps files inside the JSON, they come back with it: put beside it, n8n would move them into the JSON
 * first, and not recognize the item any more. An agent does not get its input back: it may be long, and the agent
 * has it already.
 */
function failedItem(
	context: IExecuteFunctions,
	outcome: Outcome & { error: Error },
): INodeExecutionData {
	const { itemIndex, error, binary, details = {} } = outcome;
	const input = context.getInputData()[itemIndex];
	const { message, description } = asNodeError(context.getNode(), error, itemIndex);
	const httpCode = error instanceof CallError ? error.statusCode : undefined;
	const advice = sentences(description ?? '', detailsAsText(details));
	const reason = { error: message, message: advice || message };
	const isRouted = context.getNode().onError === 'continueErrorOutput';
	const files = binary ?? input.binary;
	if (isRouted) {
		const { binary: own } = input;
		return { json: reason, binary: keepsFilesInJson(context) ? only(files, own) : files };
	}
	const kept = isTool(context) ? {} : input.json;
	return {
		json: { ...kept, ...reason, details: { ...details, httpCode: httpCode?.toString() ?? null } },
		binary: files,
	};
}

function only(files: IBinaryKeyData = {}, wanted: IBinaryKeyData = {}): IBinaryKeyData | undefined {
	const left = Object.entries(files).filter(([field]) => field in wanted);
	return left.length > 0 ? Object.fromEntries(left) : undefined;
}

function detailsAsText({ file, documentId }: IDataObject): string {
	const name = (file as IDataObject | undefined)?.name;
	return sentences(
		typeof name === 'string' && `File: ${name}.`,
		typeof documentId === 'string' && `Document ID: ${documentId}.`,
	);
}
