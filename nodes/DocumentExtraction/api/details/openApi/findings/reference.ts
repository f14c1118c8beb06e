/** The account's API reference, and which of its operations the interface shows (§4). */
import type { OpenApiDocument } from '../document';
import type { Operation } from '../operations';
import type { SchemaReader } from '../schemas';

export interface Reference {
	document: OpenApiDocument;
	reader: SchemaReader;
	operations: Operation[];
}

/** By method and shape. */
export const UPLOAD = 'POST workflows/{}/documents';
export const LIST_DOCUMENTS = 'GET workflows/{}/documents';
export const LIST_EXTRACTIONS = 'GET workflows/{}/extractions';
const SHOWN = new Set([
	UPLOAD,
	LIST_DOCUMENTS,
	LIST_EXTRACTIONS,
	'POST workflows/{}/extract',
	'POST workflows/{}/documents/{}/extract',
	'POST workflows/{}/collections/{}/merged-document',
]);

/** All operations with this method and shape. */
export function operationsWith({ operations }: Reference, call: string): Operation[] {
	return operations.filter((operation) => callOf(operation) === call);
}

/** Whether the interface shows the operation's path, and its method unless it is a confirmation. */
export function isShown(operation: Operation): boolean {
	return SHOWN.has(callOf(operation)) || isConfirm(operation);
}

/** Confirmations, of which the interface does not show the method. */
export function isConfirm({ shape }: Operation): boolean {
	return shape === 'workflows/{}/documents/confirm';
}

function callOf({ method, shape }: Operation): string {
	return `${method} ${shape}`;
}
