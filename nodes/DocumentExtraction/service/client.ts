/** On whose behalf calls are made, and what has been written on its behalf, so that it is not done twice. */
import type { Account } from '../account/account';
import { settled, type Outcome } from '../http/concurrency';
import { isInDoubt } from './callError';
import type { Context, Journal, Run } from './run';

/** What every call of the service is given. */
export interface Client {
	readonly context: Context;
	/**
	 * On whose behalf it writes: an item's, a file's, or the whole run's (`forWholeRun`). Equal writes on
	 * behalf of two of them are two writes.
	 */
	readonly position: ReadonlyArray<number | string>;
	readonly account: Account;
	readonly workflowId: string;
	/** The most requests that this execution has in flight to the service; uploads may be more, see `mostUploads`. */
	readonly maxConcurrency: number;
	/** Ends all waiting: aborted by Stop, the execution's own time limit, or that of a part of the work. */
	readonly stop: AbortSignal | undefined;
	/** For looks, which are repeated anyway: how long each waits for a response, in ms; uploads wait far longer. */
	readonly patienceMs?: number;
	readonly run: Run;
	readonly journal: Journal;
}

export const DEFAULT_MAX_CONCURRENCY = 16;

/** How long a look waits for a response at first, in ms. */
export const LOOK_PATIENCE_MS = 10_000;

/** The most uploads under way: while some files are read, or wait for their upload URL, others are sent. */
export function mostUploads({ maxConcurrency }: Pick<Client, 'maxConcurrency'>): number {
	return 2 * maxConcurrency - 1;
}

/** The client for writes that are about a document, whichever items name it: equal ones are one write. */
export function forWholeRun(client: Client): Client {
	return { ...client, position: [] };
}

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
