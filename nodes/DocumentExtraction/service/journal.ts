/**
 * What is done once in an execution. n8n's Retry On Fail runs the whole node again within one execution: a
 * write that an earlier try has made, or may have made, is not made again, nor what was read before it.
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

/** Records a write that is under way, and forgets it if it turns out not to have been made. */
export function recordWrite(client: Client, write: string, outcome: Write) {
	const { writes } = client.journal;
	writes.set(keyOf(client, write), outcome);
	void outcome.then((made) => {
		const isUndone = !made || (made.error && !isInDoubt(made.error));
		if (isUndone) writes.delete(keyOf(client, write));
	});
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
	if (isAgain || !recalled(client, write)) recordWrite(client, write, settled(make()));
	const { error, value } = (await recalled(client, write)) as Outcome<T> & { value: T };
	if (error) throw error;
	return value;
}
