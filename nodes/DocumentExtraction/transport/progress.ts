/** What a run says of itself: lines in n8n's log while it goes on, and counts for a hint at its end. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { isExecution, type Context } from './connection';

const LINE_EVERY_MS = 30_000;

interface Tally {
	/** Requests that were made again, after a failure or a rate limit. */
	repeated: number;
	/** How long extractions were waited for, in ms; waits of one run go on side by side. */
	waitedMs: number;
}

const tallies = new WeakMap<Context, Tally>();

export function tallyOf(context: Context): Tally {
	const tally = tallies.get(context) ?? { repeated: 0, waitedMs: 0 };
	tallies.set(context, tally);
	return tally;
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
	let nextAt = Date.now() + LINE_EVERY_MS;
	return (text) => {
		if (Date.now() < nextAt) return;
		nextAt = Date.now() + LINE_EVERY_MS;
		logProgress(context, text);
	};
}

/** Tells below the output what the run did, and what it had to do more than once. */
export function hintAtCounts(context: IExecuteFunctions, done: string) {
	const { repeated, waitedMs } = tallyOf(context);
	const sentences = [
		done,
		...(waitedMs > 0 ? [`Waited ${seconds(waitedMs)} for the extraction`] : []),
		...(repeated > 0
			? [`Made ${counted(repeated, 'request')} again, after rate limits or brief failures`]
			: []),
	];
	context.addExecutionHints({ message: `${sentences.join('. ')}.`, location: 'outputPane' });
}

export function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

export function seconds(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
