/**
 * The journal of an execution's writes. n8n's Retry On Fail runs the whole node again within one
 * execution: a write that an earlier try has made, or may have made, is not made a second time.
 */
import { settled, type Outcome } from '../http/concurrency';
import { isInDoubt } from './callError';
import type { Client } from './client';

/** @param write tells it from others at one position in the input */
function keyOf({ position }: Client, write: string): string {
	return JSON.stringify([position, write]);
}

/** The outcome of a write in an earlier try of this execution; undefined where it certainly was not made. */
export function recalled(client: Client, write: string): Outcome<unknown> | undefined {
	return client.run.journal.outcomes.get(keyOf(client, write));
}

/** Records a write that was made, or may have been made. */
export function recordWrite(client: Client, write: string, outcome: Outcome<unknown>) {
	const isKnownUndone = outcome.error && !isInDoubt(outcome.error);
	if (!isKnownUndone) client.run.journal.outcomes.set(keyOf(client, write), outcome);
}

/**
 * Makes a write, unless an earlier try of this execution has made it; then its value is returned.
 * @param isAgain whether it is made all the same, as what it gave is of no use any more
 * @throws the write's error; also that of an earlier try whose outcome is unknown
 */
export async function once<T>(
	client: Client,
	write: string,
	make: () => Promise<T>,
	isAgain = false,
): Promise<T> {
	const before = isAgain ? undefined : recalled(client, write);
	const outcome = before ?? (await settled(make()));
	recordWrite(client, write, outcome);
	if (outcome.error) throw outcome.error;
	return outcome.value as T;
}
