import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

import {
	bearerKey,
	checkedWorkflowId,
	CREDENTIAL_TYPE,
	serviceAddress,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from './credential';
import { assertMeant, entered } from './meant';
import { isExecution, runOf, stopSignal, type Context, type Run } from './run';

/** What every call needs to know: for which item it is made, where it goes and on whose behalf. */
export interface Client {
	readonly context: Context;
	/** The input item; undefined in dropdowns. */
	readonly itemIndex: number | undefined;
	readonly credential: DocumentExtractionCredential;
	/** Base URL without a trailing `/` or `/api/v1`. */
	readonly address: string;
	readonly workflowId: string;
	/** The most requests that this execution has in flight, to the service and to its storage each. */
	readonly maxConcurrency: number;
	/** Ends whatever waits: Stop, the execution's own time limit, or that of a part of the work. */
	readonly stop: AbortSignal | undefined;
	/** Whether it only looks whether something is over, and will look again: it is given up soon. */
	readonly isLook?: boolean;
	readonly run: Run;
}

export const DEFAULT_MAX_CONCURRENCY = 16;

/**
 * Checks the credential, before any request; its fields may hold expressions, and differ by item. An
 * operation's options may name another workflow and another Max Concurrency.
 * @throws UserError naming the field that is wrong
 */
export async function createClient(context: Context, itemIndex?: number): Promise<Client> {
	// Nothing is read for an item any more after Stop.
	stopSignal(context)?.throwIfAborted();
	const credential = await context.getCredentials<DocumentExtractionCredential>(
		CREDENTIAL_TYPE,
		itemIndex,
	);
	const options = optionsOf(context, itemIndex ?? 0);
	const workflowId = String(options.workflowId ?? '').trim();
	// An option that was not added holds no expression, and n8n takes its time to look.
	if (isExecution(context) && 'workflowId' in options) {
		const field = entered(context, itemIndex ?? 0, 'options.workflowId');
		assertMeant(WORKFLOW_ID_LABEL, field, !workflowId, "the credential's workflow");
	}
	return {
		context,
		itemIndex,
		credential: { ...credential, apiKey: bearerKey(credential) },
		address: serviceAddress(credential),
		workflowId: checkedWorkflowId(workflowId || credential.workflowId, `'${WORKFLOW_ID_LABEL}'`),
		maxConcurrency: checkedMaxConcurrency(options.maxConcurrency),
		stop: stopSignal(context),
		run: runOf(context),
	};
}

function optionsOf(context: Context, itemIndex: number): IDataObject {
	return isExecution(context)
		? context.getNodeParameter('options', itemIndex, {})
		: ((context.getCurrentNodeParameter('options') ?? {}) as IDataObject);
}

function checkedMaxConcurrency(value: unknown): number {
	const maxConcurrency = Number(value ?? DEFAULT_MAX_CONCURRENCY);
	if (maxConcurrency >= 1) return maxConcurrency;
	throw new UserError("'Max Concurrency' must be a number of at least 1");
}
