import { NodeConnectionTypes, UserError } from 'n8n-workflow';
import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { keepsFilesInJson } from './actions/files/inputFiles';
import { asNodeError, goesOnAfterFailure, type ItemOutcome } from './actions/operation';
import { OPERATIONS, properties, subtitle } from './actions/operations';
import { RefusedRowError } from './actions/results';
import { isTool, reportAttention } from './service/client';
import { asText, redact, sentences } from './http/redact';
import { factsOf, reasonFor } from './messages/words';
import { listSearch, loadOptions } from './methods/lists';

export class DocumentExtraction implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Document Extraction',
		name: 'documentExtraction',
		icon: {
			light: 'file:../../icons/documentExtraction.svg',
			dark: 'file:../../icons/documentExtraction.dark.svg',
		},
		group: [],
		version: 1,
		subtitle,
		description: 'Extract values from documents such as invoices, contracts and forms',
		defaults: { name: 'Document Extraction' },
		// For n8n's AI workflow builder.
		builderHint: {
			searchHint:
				'For values from documents such as invoices, receipts, contracts, forms and scans. One node with resource extraction and operation extractFromFiles does the whole job: it uploads the files of all input items, extracts, waits and returns one item per document, or per row of a table column (option rowsOf). It needs no loop, no Wait node and no other operation of this node before it.',
		},
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentExtractionApi', required: true }],
		properties,
	};

	methods = { loadOptions, listSearch };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[] = [];
		const outcomes = await outcomesOf(this);
		reportAttention(this);
		for (const outcome of outcomes) {
			const pairedItem = { item: outcome.itemIndex };
			if (!outcome.error) {
				// Not with a spread: JavaScript limits the arguments of a call to some 100,000.
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

/** What an agent is told where there is no output: from an empty text it might make up values. */
const NOTHING_FOUND: IDataObject = { message: 'Nothing was found' };

/** What became of each item, in the order of the items; up to the failure, if one ends the run. */
async function outcomesOf(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = OPERATIONS.find((one) => one.resource === resource && one.value === name);
	if (!operation) {
		const error = new UserError(`The node has no operation '${name}' for '${resource}'`);
		return [{ itemIndex: 0, error }];
	}
	try {
		const outcomes = await operation.run(context);
		return outcomes.sort((one, other) => one.itemIndex - other.itemIndex);
	} catch (error) {
		// If a node throws although it continues on fail, n8n passes all items on as if they had succeeded.
		return [...context.getInputData().keys()].map((itemIndex) => ({
			itemIndex,
			error: error as Error,
		}));
	}
}

/**
 * An item that failed keeps its input and its files. For the error output it carries `error` and
 * `message` alone: by these, every n8n version recognizes it and adds the input's JSON
 * (workflow-execute.js), so what a flow needs to go on from there stands in the message. Files that
 * n8n keeps inside the input's JSON come back with that JSON. If the item carried them, n8n would move
 * them into its JSON, and then not recognize it. An agent does not get its input back: it may be long,
 * the agent has it already, and n8n may hand files on to the model.
 */
function failedItem(
	context: IExecuteFunctions,
	outcome: ItemOutcome & { error: Error },
): INodeExecutionData {
	const { itemIndex, error, binary, details = {} } = outcome;
	const input = context.getInputData()[itemIndex];
	const { message, description } = asNodeError(context.getNode(), error, itemIndex);
	const httpCode = factsOf(error)?.statusCode;
	const cause = reasonFor(error);
	// JSON is no HTML, and n8n's table shows a text on one line.
	const advice = sentences(asText(description ?? ''), detailsAsText(details));
	const reason = { error: message, message: advice || message };
	const isRouted = !isTool(context) && context.getNode().onError === 'continueErrorOutput';
	const files = binary ?? input.binary;
	if (isRouted) {
		const { binary: own } = input;
		return { json: reason, binary: keepsFilesInJson(context) ? only(files, own) : files };
	}
	const kept = isTool(context) ? {} : input.json;
	const about = {
		...details,
		httpCode: httpCode?.toString() ?? null,
		...ownFields(kept, ['error', 'message', 'details']),
	};
	const row = cause instanceof RefusedRowError ? cause.row : {};
	const json = { ...kept, ...row, ...reason, details: about };
	return isTool(context) ? { json } : { json, binary: files };
}

/** The input's own fields by these names, which those of the failure replace. */
function ownFields(json: IDataObject, names: string[]): IDataObject {
	const own = names.filter((name) => Object.hasOwn(json, name));
	return own.length > 0 ? { input: Object.fromEntries(own.map((name) => [name, json[name]])) } : {};
}

/** Only the files in fields that the input has as well. */
function only(files: IBinaryKeyData = {}, wanted: IBinaryKeyData = {}): IBinaryKeyData | undefined {
	const left = Object.entries(files).filter(([field]) => field in wanted);
	return left.length > 0 ? Object.fromEntries(left) : undefined;
}

function detailsAsText({ file, documentId, fileHash }: IDataObject): string {
	const name = (file as IDataObject | undefined)?.name;
	return sentences(
		typeof name === 'string' && `File: ${name}.`,
		typeof documentId === 'string' && `Document ID: ${redact(documentId)}.`,
		typeof fileHash === 'string' && `File hash: ${fileHash}.`,
	);
}
