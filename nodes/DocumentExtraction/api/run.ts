/** What a run of the node says of itself: counts for a hint at its end, and lines in n8n's log meanwhile. */
import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { withoutMarkup } from '../http/redact';
import type { ApiDetail } from './details/apiDetails';

export type Context = IExecuteFunctions | ILoadOptionsFunctions;

const LINE_EVERY_MS = 30_000;

export interface Run {
	/** Requests that were made again, after a failure or a rate limit. */
	retries: number;
	/** Whether a request was answered by the service or the storage, by the key of its limiter. */
	wereReached: Map<string, boolean>;
	/** How long extractions were waited for, in ms; waits of one run go on side by side. */
	waitedMs: number;
	/** API Details with which a request has succeeded: they are not to blame for a later failure. */
	workingDetails: Set<ApiDetail>;
	/** Whether the node is the tool of an agent: n8n lists it a second time for that, under another name. */
	isTool: boolean;
	/** The hints shown already: several items of a run may have the same to say. */
	hints: Set<string>;
}

const runs = new WeakMap<Context, Run>();

export function runOf(context: Context): Run {
	const run = runs.get(context) ?? {
		retries: 0,
		wereReached: new Map(),
		waitedMs: 0,
		workingDetails: new Set(),
		// n8n copies the node with all its parameters for each time that it is asked.
		isTool: context.getNode().type.endsWith('.documentExtractionTool'),
		hints: new Set(),
	};
	runs.set(context, run);
	return run;
}

export function isExecution(context: Context): context is IExecuteFunctions {
	return 'getInputData' in context;
}

export function isTool(context: Context): boolean {
	return runOf(context).isTool;
}

/** The signal that n8n raises after Stop and at the execution's own time limit; undefined in dropdowns. */
export function stopSignal(context: Context): AbortSignal | undefined {
	return isExecution(context) ? context.getExecutionCancelSignal() : undefined;
}

/** For those who run workflows unattended: what the node is doing now. */
export function logProgress(context: Context, text: string) {
	if (!isExecution(context)) return;
	context.logger.info(`Document Extraction: ${text}`, {
		nodeName: context.getNode().name,
		executionId: context.getExecutionId(),
	});
}

/** Logs at most one line every half a minute, however often there is news. */
export function occasionalLog(context: Context): (text: string) => void {
	let nextAt = performance.now() + LINE_EVERY_MS;
	return (text) => {
		if (performance.now() < nextAt) return;
		nextAt = performance.now() + LINE_EVERY_MS;
		logProgress(context, text);
	};
}

/** Shows a hint above the output, once; n8n renders it as HTML. */
export function addHint(context: Context, message: string) {
	const { hints } = runOf(context);
	if (!isExecution(context) || hints.has(message)) return;
	hints.add(message);
	context.addExecutionHints({ message: withoutMarkup(message), location: 'outputPane' });
}

/** Says above the output what the run did, and what it had to do more than once. */
export function hintAtCounts(context: IExecuteFunctions, done: string) {
	const { retries, waitedMs } = runOf(context);
	const sentences = [
		done,
		...(waitedMs > 0 ? [`Waited ${seconds(waitedMs)} for the extraction`] : []),
		...(retries > 0
			? [`Retried ${counted(retries, 'request')} after rate limits or brief failures`]
			: []),
	];
	addHint(context, `${sentences.join('. ')}.`);
}

export function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** The first of some names for a message, with the rest counted. */
export function fewOf(names: string[], most: number): string {
	const rest = names.length - most;
	return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function seconds(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
