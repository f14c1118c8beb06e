/** One run of the node: its context, what it has seen and done, and what it tells the user in hints and log lines. */
import type { IBinaryData, IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import type { Account } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import type { Outcome } from '../http/concurrency';
import { asHtml } from '../http/redact';

export type Context = IExecuteFunctions | ILoadOptionsFunctions;

const LOG_EVERY_MS = 30_000;

/** What an execution has done with an account, for later tries of the node too. */
export interface Journal {
	account: Account;
	/** What must not be done twice: what was done, may have been done, or is under way; see `once`. */
	writes: Map<string, Promise<Outcome<unknown>>>;
	/** Whether the response to an upload had a document ID, so that 'Document ID Field' is right. */
	hasFoundIds: boolean;
	/** API Details with which a request has succeeded, so that they are not the reason of a later failure. */
	workingDetails: Set<ApiDetail>;
}

export interface Run {
	/** By the content of the credential, which may differ by item. */
	journals: Map<string, Journal>;
	/** Whether n8n has run the node before in this execution, for Retry On Fail. */
	isRetry: boolean;
	/** How often requests were retried, after a failure or a rate limit. */
	retries: number;
	/** How long the run waited for extractions, in ms; its waits run concurrently. */
	waitedMs: number;
	/** The IDs of the documents that the run waits for. */
	waitedFor: Set<string>;
	/** The files in n8n's storage that may be uploaded, by their IDs; read when the first one is asked for. */
	storedFiles?: ReadonlyMap<string, IBinaryData>;
	/** Whether the node is used as the tool of an agent, for which n8n has a second node type. */
	isTool: boolean;
	/** What hints were shown about: several items may cause the same one. */
	hints: Set<string>;
	/** How many files and documents somebody should look at. */
	attention: {
		leftOut: number;
		doubtful: number;
		belowMinConfidence: number;
		withoutResults: number;
	};
}

const runs = new WeakMap<Context, Run>();
/** By what the tries of one execution share. */
const journalsOf = new WeakMap<object, Run['journals']>();

export function runOf(context: Context): Run {
	const known = runs.get(context);
	if (known) return known;
	// Determined once, as `getNode` copies the node with all its parameters.
	const isTool = context.getNode().type.endsWith('.documentExtractionTool');
	const execution = executionOf(context, isTool);
	const earlier = journalsOf.get(execution);
	const run: Run = {
		journals: earlier ?? new Map(),
		isRetry: earlier !== undefined,
		retries: 0,
		waitedMs: 0,
		waitedFor: new Set(),
		isTool,
		hints: new Set(),
		attention: { leftOut: 0, doubtful: 0, belowMinConfidence: 0, withoutResults: 0 },
	};
	runs.set(context, run);
	journalsOf.set(execution, run.journals);
	return run;
}

/** An object that stays the same when n8n runs the node again in one execution. */
function executionOf(context: Context, isTool: boolean): object {
	if (!isExecution(context)) return context;
	// All tool calls of an agent share the agent's execute data; the arguments belong to one call.
	return isTool ? context.getInputData()[0].json : context.getExecuteData();
}

export function isExecution(context: Context): context is IExecuteFunctions {
	return 'getInputData' in context;
}

export function isTool(context: Context): boolean {
	return runOf(context).isTool;
}

/** The signal that n8n aborts after Stop and at the execution's time limit; undefined in dropdowns. */
export function stopSignal(context: Context): AbortSignal | undefined {
	return isExecution(context) ? context.getExecutionCancelSignal() : undefined;
}

/** Logs what the node is doing, for those who run workflows unattended. */
export function logProgress(context: Context, text: string) {
	if (!isExecution(context)) return;
	context.logger.info(`Document Extraction: ${text}`, {
		nodeName: context.getNode().name,
		executionId: context.getExecutionId(),
	});
}

/** Logs at most one line every half minute, however often it is called. */
export function occasionalLog(context: Context): (text: string) => void {
	let nextAt = performance.now() + LOG_EVERY_MS;
	return (text) => {
		if (performance.now() < nextAt) return;
		nextAt = performance.now() + LOG_EVERY_MS;
		logProgress(context, text);
	};
}

/**
 * Shows a hint above the output, once; n8n renders it as HTML.
 * @param subject what no second hint is shown about; by default, the message itself
 */
export function addHint(context: Context, message: string, subject = message) {
	const { hints } = runOf(context);
	if (!isExecution(context) || hints.has(subject)) return;
	hints.add(subject);
	context.addExecutionHints({ message: asHtml(message), location: 'outputPane' });
}

/** Says once, at the end of a run, how many files and documents somebody should look at. */
export function reportAttention(context: Context) {
	const { leftOut, doubtful, belowMinConfidence, withoutResults } = runOf(context).attention;
	const counts = [
		leftOut > 0 && `${leftOut} left out`,
		doubtful > 0 && `${doubtful} may be incomplete`,
		belowMinConfidence > 0 && `${belowMinConfidence} below Min Confidence`,
		withoutResults > 0 && `${withoutResults} without results`,
	].filter(Boolean);
	if (counts.length === 0) return;
	const text = `Needs attention: ${counts.join(', ')}.`;
	addHint(context, text);
	logProgress(context, text);
}
