/** Identical reads of several executions: while one of them waits for its turn, the others wait with it. */
import { orAborted, settled } from './concurrency';
import { RequestError } from './failure';
import { makeRequest, type HttpRequest, type RequestOptions } from './request';

interface Queued {
	response: Promise<unknown>;
	/** Those who wait for it, who are told when it leaves. */
	onSent: Array<RequestOptions['onSent']>;
}

const queued = new Map<string, Queued>();

/**
 * Like `makeRequest`, but asks once for what several want who all wait for their turn. A request that
 * has left is joined by nobody: its response may be older than what the next one wants to know.
 * @param key the same for requests whose responses are the same
 * @param copy of a response, for each that joined
 */
export async function makeSharedRequest<T>(
	key: string,
	options: RequestOptions,
	request: HttpRequest<T>,
	copy: (value: T) => T,
): Promise<T> {
	for (let other = queued.get(key); other; other = queued.get(key)) {
		other.onSent.push(options.onSent);
		const outcome = await settled(orAborted(other.response as Promise<T>, options.stop));
		options.stop?.throwIfAborted();
		if (!outcome.error) return copy(outcome.value);
		// Otherwise it was stopped with its own execution.
		if (outcome.error instanceof RequestError) throw outcome.error;
	}
	const onSent = [options.onSent];
	const leave = () => {
		if (queued.get(key)?.onSent === onSent) queued.delete(key);
	};
	const tellAll = () => {
		leave();
		for (const tell of onSent) tell?.();
	};
	const response = makeRequest({ ...options, onSent: tellAll }, request);
	queued.set(key, { response, onSent });
	return await response.finally(leave);
}
