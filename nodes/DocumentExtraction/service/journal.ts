/** What has been written in an execution, so that it is not written twice. */
import { settled, type Outcome } from '../http/concurrency';
import { isInDoubt } from './callError';
import type { Client } from './client';

/** What tells a write from others at one position in the input. */
const keyOf = ({ position }: Client, write: string) => JSON.stringify([position, write]);

/** A write that was made, may have been made, or is under way; undefined where it certainly was not made. */
export function recalled(client: Client, write: string): Promise<Outcome<unknown>> | undefined {
	return client.journal.writes.get(keyOf(client, write));
}

/**
 * Makes a write, or what else is done once, unless an earlier try of this execution or another item has
 * made it or is making it: n8n's Retry On Fail runs the whole node again, and two items may ask for the
 * same. Then what was done, or may have been done, is told again.
 * @param isAgain whether to make it again, because its earlier result is no longer of use
 * @throws the write's error; also that of an earlier try whose outcome is unknown
 */
export async function once<T>(
	client: Client,
	write: string,
	make: () => Promise<T>,
	isAgain = false,
): Promise<T> {
	const { writes } = client.journal;
	const key = keyOf(client, write);
	const makeAndForget = async () => {
		const made = await settled(make());
		if (made.error && !isInDoubt(made.error)) writes.delete(key);
		return made;
	};
	const earlier = isAgain ? undefined : writes.get(key);
	const outcome = earlier ?? makeAndForget();
	writes.set(key, outcome);
	const { error, value } = (await outcome) as Outcome<T> & { value: T };
	if (error) throw error;
	return value;
}
