/**
 * What must not be done twice in an execution: files that were uploaded, documents that were confirmed or
 * whose extraction was started, merges. n8n's Retry On Fail runs the whole node again within one execution,
 * and two items may ask for the same: then what was done, or may have been done, is told again.
 */
import { settled, type Outcome } from '../http/concurrency';
import { isInDoubt } from './callError';
import type { Client } from './client';
import type { Write } from './run';

/** @param write tells it from others at one position in the input */
const keyOf = ({ position }: Client, write: string) => JSON.stringify([position, write]);

/** A write that is under way, was made, or may have been made; undefined where it certainly was not. */
export function recalled(client: Client, write: string): Write | undefined {
	return client.journal.writes.get(keyOf(client, write));
}

/**
 * Records a write that is under way, and forgets it if it turns out not to have been made.
 * @returns the write; only one caller should wait for it, as then its stack names that caller
 */
export function recordWrite(client: Client, write: string, outcome: Write): Write {
	const { writes } = client.journal;
	const key = keyOf(client, write);
	const kept = async () => {
		const made = await outcome;
		const isUndone = !made || (made.error && !isInDoubt(made.error));
		if (isUndone) writes.delete(key);
		return made;
	};
	const recorded = kept();
	writes.set(key, recorded);
	return recorded;
}

/**
 * Makes a write, or what else is done once, unless an earlier try or another item of this execution has
 * made it or is making it; then its value is returned.
 * @param isAgain whether to make it again, because its earlier result is no longer of use
 * @throws the write's error; also that of an earlier try whose outcome is unknown
 */
export async function once<T>(
	client: Client,
	write: string,
	make: () => Promise<T>,
	isAgain = false,
): Promise<T> {
	const earlier = isAgain ? undefined : recalled(client, write);
	const outcome = await (earlier ?? recordWrite(client, write, settled(make())));
	const { error, value } = outcome as Outcome<T> & { value: T };
	if (error) throw error;
	return value;
}
