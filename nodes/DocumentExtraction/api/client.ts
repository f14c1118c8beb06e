/** On whose behalf calls are made: the checked credential of an item, and its options. */
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	bearerKey,
	checkedWorkflowId,
	CREDENTIAL_TYPE,
	serviceAddress,
	WORKFLOW_ID_LABEL,
	type DocumentExtractionCredential,
} from './credential';
import { isExecution, runOf, stopSignal, type Context, type Run } from './run';

/** What every call of the service is given. */
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
	/** Ends all waiting: aborted by Stop, the execution's own time limit, or that of a part of the work. */
	readonly stop: AbortSignal | undefined;
	/** Whether the calls are looks, which are repeated anyway and so have little patience. */
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
	// After Stop, no further items are read.
	stopSignal(context)?.throwIfAborted();
	const credential = await context.getCredentials<DocumentExtractionCredential>(
		CREDENTIAL_TYPE,
		itemIndex,
	);
	const options: IDataObject = isExecution(context)
		? context.getNodeParameter('options', itemIndex ?? 0, {})
		: ((context.getCurrentNodeParameter('options') ?? {}) as IDataObject);
	const workflowId = String(options.workflowId ?? '').trim();
	// Only an option that was added can hold an expression, and looking takes n8n some time.
	if (isExecution(context) && 'workflowId' in options) {
		const raw = rawParameter(context, itemIndex ?? 0, 'options.workflowId');
		assertResolvesToValue(WORKFLOW_ID_LABEL, raw, !workflowId, "the credential's workflow");
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

function checkedMaxConcurrency(value: unknown): number {
	const maxConcurrency = Number(value ?? DEFAULT_MAX_CONCURRENCY);
	if (maxConcurrency >= 1) return maxConcurrency;
	throw new UserError("'Max Concurrency' must be a number of at least 1");
}

/** A parameter as it was entered, with its expressions not resolved. */
export function rawParameter(context: IExecuteFunctions, itemIndex: number, name: string): unknown {
	return context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
}

/**
 * Refuses a field whose value is empty although something was entered, where an empty field would
 * mean something else, e.g. all documents.
 * @param raw the parameter before expressions are resolved
 * @param isEmpty whether the resolved value is empty
 * @param meaning what an empty field means
 * @throws UserError naming the field
 */
export function assertResolvesToValue(
	label: string,
	raw: unknown,
	isEmpty: boolean,
	meaning: string,
) {
	if (!isEmpty || String(raw ?? '') === '') return;
	const isExpression = String(raw).startsWith('=');
	throw new UserError(`${isExpression ? 'The expression in ' : ''}'${label}' gives nothing`, {
		description: `An empty field would mean ${meaning}, so the node did not go on. Correct ${isExpression ? 'the expression or the data that it reads' : 'what is entered'}. If you want ${meaning}, clear the field; if only for some items, send those items to a separate node.`,
	});
}
