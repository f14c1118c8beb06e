/**
 * One try of a request: its time limits, as a transfer may take as long as bytes move, and how its streams
 * and its signal get to n8n and Node.js, which looks alarming, and is right.
 */
import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { onAbort, orAborted } from './concurrency';

/** The longest time in which no byte moves, in ms. */
export const IDLE_LIMIT_MS = 60_000;
/** How long the service may take to respond once it has the whole request, in ms. */
export const RESPONSE_LIMIT_MS = 300_000;
/**
 * The slowest line that is supported: 0.25 Mbit/s. It bounds the time of a body whose progress is not
 * visible; a response that arrives more slowly is given up.
 */
export const SLOWEST_BYTES_PER_MS = 31.25;

/** How often a transfer is checked, in ms; time limits are accurate to this. */
const TICK_MS = 5_000;

type TransferPhase = 'sending' | 'responding' | 'receiving';

/** A request that took longer than it was allowed to. */
export class TimeLimitError extends Error {
	constructor(
		readonly phase: TransferPhase,
		/** In ms. */
		readonly limitMs: number,
	) {
		super(`No progress for ${Math.round(limitMs / 1000)} seconds while ${phase}`);
	}
}

/** One try of a request: its signal is aborted by Stop, or when the try takes longer than allowed. */
export class Transfer {
	private readonly controller = new AbortController();
	private readonly unsubscribe: () => void;
	private ticks = 0;
	private limit: { phase: TransferPhase; ms: number } = { phase: 'responding', ms: Infinity };
	private allowedUntil = Infinity;
	private hasEnded = false;

	/** @param patienceMs how long the transfer may take altogether, even if bytes move */
	constructor(
		stop: AbortSignal | undefined,
		private readonly patienceMs = Infinity,
	) {
		stop?.throwIfAborted();
		this.unsubscribe = onAbort(stop, () => this.controller.abort(stop?.reason));
		this.awaitTick();
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** How long the transfer has been under way, in ms, to the tick. */
	get elapsedMs(): number {
		return this.ticks * TICK_MS;
	}

	/** Sets the time limit, in ms from now, that holds until the next call. */
	allow(ms: number, phase: TransferPhase) {
		this.limit = { phase, ms };
		// The current tick may end at once.
		this.allowedUntil = this.elapsedMs + TICK_MS + ms;
	}

	/** What ended the transfer: a TimeLimitError or the reason of Stop; undefined while nothing has. */
	error(): Error | undefined {
		return this.signal.aborted ? (this.signal.reason as Error) : undefined;
	}

	/**
	 * Waits for n8n's own storage, which heeds neither Stop nor time limits.
	 * @param letGo releases a result that comes after the transfer has ended
	 */
	async race<T>(work: Promise<T>, letGo: (late: T) => void = () => {}): Promise<T> {
		work.then(
			(late) => this.signal.aborted && letGo(late),
			() => undefined,
		);
		return await orAborted(work, this.signal);
	}

	/** Releases the timer and the listeners. */
	end() {
		this.hasEnded = true;
		this.unsubscribe();
	}

	/** Its timer keeps no process alive and does not depend on the time of day. */
	private awaitTick() {
		AbortSignal.timeout(TICK_MS).addEventListener('abort', () => this.onTick(), { once: true });
	}

	private onTick() {
		if (this.hasEnded) return;
		this.awaitTick();
		this.ticks++;
		const { phase, ms } = this.limit;
		const end = (limit: TimeLimitError) => this.controller.abort(limit);
		if (this.elapsedMs > this.allowedUntil) end(new TimeLimitError(phase, ms));
		if (this.elapsedMs >= this.patienceMs) end(new TimeLimitError('responding', this.patienceMs));
	}
}

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
