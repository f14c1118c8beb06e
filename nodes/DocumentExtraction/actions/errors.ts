import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import type { INode, JsonObject } from 'n8n-workflow';

import { CallError } from '../api/callError';
import { shortened, withoutMarkup } from '../http/redact';

/** In characters. n8n shows it whole, but saves it with the execution and sends it to the editor. */
const LONGEST_DESCRIPTION = 200_000;

/**
 * The one place that makes n8n's errors. n8n replaces a message that happens to contain a code such as
 * EPERM, even inside a word (n8n-workflow, node.error.js): a file's name may, so ours is put back.
 * @param itemIndex the item that the error is shown for; undefined in dropdowns
 */
export function asNodeError(
	node: INode,
	error: Error,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const isOurs = error instanceof CallError || error instanceof UserError;
	const nodeError = toNodeError(node, error, itemIndex);
	return isOurs ? Object.assign(nodeError, { message: error.message }) : nodeError;
}

function toNodeError(node: INode, error: Error, itemIndex: number | undefined) {
	const { message } = error;
	const { description: text } = error as { description?: string | null };
	const description = text ? shortened(withoutMarkup(text), LONGEST_DESCRIPTION) : undefined;
	if (error instanceof CallError) {
		const { statusCode, failure } = error;
		const httpCode = statusCode?.toString();
		return new NodeApiError(node, {}, { message, description, httpCode, itemIndex, failure });
	}
	if (error instanceof UserError) {
		return new NodeOperationError(node, message, { itemIndex, description });
	}
	if (isDefect(error)) {
		return new NodeOperationError(node, 'Something went wrong inside the node', {
			itemIndex,
			description: withoutMarkup(
				`${error.name}: ${message}. Please report this, it should not happen. ${text ?? ''}`,
			),
			failure: { cause: 'node-defect' },
		});
	}
	return new NodeApiError(node, error as Error & JsonObject, { itemIndex });
}

/** What JavaScript itself throws is nobody's mistake but the node's. */
function isDefect(error: Error): boolean {
	return ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'URIError'].includes(
		error.name,
	);
}
