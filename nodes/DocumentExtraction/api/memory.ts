/**
 * n8n's Retry On Fail runs the whole node again within one execution, with the same execute data. What
 * a write has done, or may have done, is remembered there, so that it is not done a second time.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { settled, type Settled } from '../http/concurrency';
import { CallError } from './callError';
import type { Client } from './client';
import { isExecution, isTool } from './run';

/**
 * What tells a write from all others of one try, part by part: glued together, the parts of two
 * different writes may read the same.
 */
export type WriteKey = ReadonlyArray<string | number | WriteKey>;

/** By their keys as JSON. */
const writes = new WeakMap<object, Map<string, Settled<unknown>>>();

/**
 * What lives as long as the tries of one execution. All calls of an agent's tools share the agent's
 * execute data; there it is the arguments of the one call.
 */
function ownerOfWrites(context: IExecuteFunctions): object {
	return isTool(context) ? context.getInputData()[0].json : context.getExecuteData();
}

function writesOf(context: IExecuteFunctions): Map<string, Settled<unknown>> {
	const execution = ownerOfWrites(context);
	const before = writes.get(execution) ?? new Map<string, Settled<unknown>>();
	writes.set(execution, before);
	return before;
}

/** What became of a write in an earlier try of this execution; undefined where there was none, or it certainly failed. */
export function recall(client: Client, key: WriteKey): Settled<unknown> | undefined {
	if (!isExecution(client.context)) return undefined;
	return writesOf(client.context).get(JSON.stringify(key));
}

/** Remembers what became of a write: that it was done, or that nobody knows whether it was. */
export function remember(client: Client, key: WriteKey, outcome: Settled<unknown>) {
	const isKnownUndone =
		outcome.error && !(outcome.error instanceof CallError && outcome.error.isOutcomeUnknown);
	if (isKnownUndone || !isExecution(client.context)) return;
	writesOf(client.context).set(JSON.stringify(key), outcome);
}

/**
 * Does a write, unless an earlier try of this execution has done it: then it gives what came of it.
 * One whose outcome is unknown fails again with the same words in place of being done again.
 */
export async function once<T>(client: Client, key: WriteKey, write: () => Promise<T>): Promise<T> {
	const before = recall(client, key);
	if (before?.error) throw before.error;
	if (before) return before.value as T;
	const outcome = await settled(write());
	remember(client, key, outcome);
	if (outcome.error) throw outcome.error;
	return outcome.value;
}
