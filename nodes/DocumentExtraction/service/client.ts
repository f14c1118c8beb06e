/** On whose behalf calls are made. */
import type { Account } from '../account/account';
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
