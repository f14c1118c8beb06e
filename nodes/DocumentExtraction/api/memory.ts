/**
 * n8n's Retry On Fail runs the whole node again within one execution, with the same execute data. The
 * outcomes of writes are remembered by that data, so that no write is done a second time.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { settled, type Outcome } from '../http/concurrency';
import { isInDoubt } from './callError';
import type { Client } from './client';
import { isExecution, isTool } from './run';

/** Identifies a write within one try. A list of parts, as joined parts of different writes may be equal. */
export type WriteKey = ReadonlyArray<string | number | WriteKey>;

/** By execution, and then by their keys as JSON. */
const writes = new WeakMap<object, Map<string, Outcome<unknown>>>();

function writesOf(context: IExecuteFunctions): Map<string, Outcome<unknown>> {
	// All tool calls of an agent share the agent's execute data; the arguments belong to one call.
	const execution = isTool(context) ? context.getInputData()[0].json : context.getExecuteData();
	const before = writes.get(execution) ?? new Map<string, Outcome<unknown>>();
	writes.set(execution, before);
	return before;
}

/** The outcome of a write in an earlier try of this execution; undefined where it certainly was not done. */
export function recall(client: Client, key: WriteKey): Outcome<unknown> | undefined {
	if (!isExecution(client.context)) return undefined;
	return writesOf(client.context).get(JSON.stringify(key));
}

/** Remembers a write that was done, or may have been done. */
export function remember(client: Client, key: WriteKey, outcome: Outcome<unknown>) {
	const isKnownUndone = outcome.error && !isInDoubt(outcome.error);
	if (isKnownUndone || !isExecution(client.context)) return;
	writesOf(client.context).set(JSON.stringify(key), outcome);
}

/**
 * Does a write, unless an earlier try of this execution has done it; then its value is returned.
 * @throws the write's error; also that of an earlier try whose outcome is unknown
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
