/** The account's API reference, and which of its operations the interface shows (§4). */
import { CONFIRM_SHAPE, SHOWN_CALLS } from '../../shownCalls';
import type { OpenApiDocument } from '../document';
import type { Operation } from '../operations';
import type { SchemaReader } from '../schemas';

export interface Reference {
	document: OpenApiDocument;
	reader: SchemaReader;
	operations: Operation[];
}

/** All operations with this method and shape. */
export function operationsWith({ operations }: Reference, call: string): Operation[] {
	return operations.filter((operation) => callOf(operation) === call);
}

/** Whether the interface shows the operation's path, and its method unless it is a confirmation. */
export function isShown(operation: Operation): boolean {
	return SHOWN_CALLS.has(callOf(operation)) || isConfirm(operation);
}

/** Confirmations, of which the interface does not show the method. */
export function isConfirm({ shape }: Operation): boolean {
	return shape === CONFIRM_SHAPE;
}

function callOf({ method, shape }: Operation): string {
	return `${method} ${shape}`;
}
