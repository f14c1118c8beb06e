import { NodeOperationError, UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import {
	bearerKey,
	checkedWorkflowId,
	CREDENTIAL_TYPE,
	serviceAddress,
	type DocumentExtractionCredential,
} from '../api/credential';
import { withoutMarkup } from './errors';

export type Context = IExecuteFunctions | ILoadOptionsFunctions;

/** What every call needs to know: for which item it is made, where it goes and on whose behalf. */
export interface Connection {
	credential: DocumentExtractionCredential;
	/** Base URL without a trailing `/` or `/api/v1`. */
	address: string;
	workflowId: string;
	/** The input item that errors name; undefined in dropdowns. */
	itemIndex: number | undefined;
	/** The most requests in flight at a time, for this credential in this process. */
	maxConcurrency: number;
}

export const DEFAULT_MAX_CONCURRENCY = 16;

export function isExecution(context: Context): context is IExecuteFunctions {
	return 'getInputData' in context;
}

/** Reads the credential; its fields may hold expressions, and differ by item. */
export async function readCredential(
	context: Context,
	itemIndex?: number,
): Promise<DocumentExtractionCredential> {
	return await context.getCredentials<DocumentExtractionCredential>(CREDENTIAL_TYPE, itemIndex);
}

/**
 * Checks the credential, before any request. An operation's options may name another workflow and
 * another Max Concurrency.
 * @param reading what stands in for the item's own credential, which n8n takes its time to read
 * @throws NodeOperationError naming the field of the credential that is wrong
 */
export async function connect(
	context: Context,
	itemIndex?: number,
	reading: Promise<DocumentExtractionCredential> = readCredential(context, itemIndex),
): Promise<Connection> {
	const credential = await reading;
	const options = (
		isExecution(context)
			? context.getNodeParameter('options', itemIndex ?? 0, {})
			: (context.getCurrentNodeParameter('options') ?? {})
	) as IDataObject;
	return explained(context, itemIndex, () => {
		const apiKey = bearerKey(credential);
		const workflowId = checkedWorkflowId(
			options.workflowId || credential.workflowId,
			"'Workflow ID'",
		);
		const maxConcurrency = Number(options.maxConcurrency ?? DEFAULT_MAX_CONCURRENCY);
		if (!(maxConcurrency >= 1)) {
			throw new UserError("'Max Concurrency' must be a number of at least 1");
		}
		return {
			credential: { ...credential, apiKey },
			address: serviceAddress(credential),
			workflowId,
			itemIndex,
			maxConcurrency,
		};
	});
}

/** How many requests at a time an item allows; of a value that is none, its connection tells. */
export function requestsAtATime(context: IExecuteFunctions, itemIndex: number): number {
	try {
		const value = context.getNodeParameter('options.maxConcurrency', itemIndex, undefined);
		return Number(value ?? DEFAULT_MAX_CONCURRENCY) || DEFAULT_MAX_CONCURRENCY;
	} catch {
		return DEFAULT_MAX_CONCURRENCY;
	}
}

/** An error about what the user entered: nothing was sent. */
export function inputError(
	context: Context,
	itemIndex: number | undefined,
	message: string,
	description?: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, {
		itemIndex,
		description: description === undefined ? undefined : withoutMarkup(description),
	});
}

/** Runs a check of the user's settings; its UserError becomes the node's error for the item. */
export function explained<T>(context: Context, itemIndex: number | undefined, check: () => T): T {
	try {
		return check();
	} catch (error) {
		throw inputError(
			context,
			itemIndex,
			(error as Error).message,
			error instanceof UserError ? (error.extra?.description as string | undefined) : undefined,
		);
	}
}
