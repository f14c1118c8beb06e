/** On whose behalf calls are made: the client, the run of the node, and what was done so far. */
import type { IBinaryData, IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import type { Account } from '../account/account';
import type { ApiDetail } from '../account/apiDetails';
import type { Outcome } from '../http/concurrency';
import { asHtml } from '../http/redact';

export type Context = IExecuteFunctions | ILoadOptionsFunctions;

/** What every call of the service is given. */
export interface Client {
	readonly context: Context;
	/** Who writes, e.g. `item 2, data`: equal writes of one writer are one write, those of two are two. */
	readonly writer: string;
	readonly account: Account;
	readonly workflowId: string;
	/** The most requests that this execution has in flight; of uploads, `mostUploads` are begun. */
	readonly maxConcurrency: number;
	/** Ends all waiting: aborted by Stop, the execution's own time limit, or that of a part of the work. */
	readonly stop: AbortSignal | undefined;
	/** For looks, which are repeated anyway: how long each waits for a response, in ms. */
	readonly patienceMs?: number;
	readonly journal: Journal;
}

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

/** One run of the node. */
export interface Run {
	/** By the content of the credential, which may differ by item. */
	journals: Map<string, Journal>;
	/** How long the run waited for extractions, in ms; its waits run concurrently. */
	waitedMs: number;
	/** The files in n8n's storage that may be uploaded, by their IDs; read when the first one is asked for. */
	storedFiles?: ReadonlyMap<string, IBinaryData>;
	/** Whether the node is used as the tool of an agent, for which n8n has a second node type. */
	isTool: boolean;
	/** What hints were shown about: several items may cause the same one. */
	hints: Set<string>;
	/** How many files and documents somebody should look at, by the words for what they are. */
	attention: Map<string, number>;
}

export const DEFAULT_MAX_CONCURRENCY = 16;

/** How long a look waits for a response at first, in ms. */
export const LOOK_PATIENCE_MS = 10_000;

const LOG_EVERY_MS = 30_000;

/** The most uploads under way: while some files are read, or wait for their upload URL, others are sent. */
export function mostUploads({ maxConcurrency }: Pick<Client, 'maxConcurrency'>): number {
	return 2 * maxConcurrency - 1;
}

/** The writer of what is about no single item, or about a document that several items may name. */
export const WHOLE_RUN = 'all items';

export function forWholeRun(client: Client): Client {
	return { ...client, writer: WHOLE_RUN };
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
	const run: Run = {
		journals: journalsOf.get(execution) ?? new Map(),
		waitedMs: 0,
		isTool,
		hints: new Set(),
		attention: new Map(),
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

/** Counts files and documents that somebody should look at. */
export function needsAttention(context: Context, what: string, count = 1) {
	const { attention } = runOf(context);
	if (count > 0) attention.set(what, count + (attention.get(what) ?? 0));
}

/** Says once, at the end of a run, how many need attention. */
export function reportAttention(context: Context) {
	const counts = [...runOf(context).attention].map(([what, count]) => `${count} ${what}`);
	if (counts.length === 0) return;
	const text = `Needs attention: ${counts.join(', ')}.`;
	addHint(context, text);
	logProgress(context, text);
}
