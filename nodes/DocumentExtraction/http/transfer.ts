/** Time limits of a request: a transfer may take as long as bytes move. */
import { onAbort, pause } from './concurrency';

/** The longest time in which no byte moves, in ms. */
export const IDLE_LIMIT_MS = 60_000;
/** How long the service may take to respond once it has the whole request, in ms. */
export const RESPONSE_LIMIT_MS = 300_000;
/**
 * The slowest line that is supported: 0.25 Mbit/s. It bounds the time of a body whose progress is not
 * visible; a response that arrives more slowly is given up.
 */
export const SLOWEST_BYTES_PER_MS = 31.25;

/** How often transfers are checked, in ms; time limits are accurate to this. */
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

const transfers = new Set<Transfer>();
let ticker: AbortSignal | undefined;

/** One timer for all transfers, which keeps no process alive and does not depend on the time of day. */
function startTicking() {
	if (ticker || transfers.size === 0) return;
	ticker = AbortSignal.timeout(TICK_MS);
	ticker.addEventListener('abort', onTick, { once: true });
}

function onTick() {
	ticker = undefined;
	for (const transfer of transfers) transfer.tick();
	startTicking();
}

/** One try of a request: its signal is aborted by Stop, or when the try takes longer than allowed. */
export class Transfer {
	private readonly controller = new AbortController();
	private ending?: AbortController;
	private ticks = 0;
	private allowedUntil = Infinity;
	private limit: { ms: number; phase: TransferPhase } = { ms: Infinity, phase: 'responding' };
	private readonly unsubscribe: () => void;

	constructor(stop: AbortSignal | undefined) {
		stop?.throwIfAborted();
		this.unsubscribe = onAbort(stop, () => this.controller.abort(stop?.reason));
		transfers.add(this);
		startTicking();
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** How long the transfer has been under way, in ms, to the tick. */
	elapsedMs(): number {
		return this.ticks * TICK_MS;
	}

	/** Sets the time limit, in ms from now, that holds until the next call. */
	allow(ms: number, phase: TransferPhase) {
		this.limit = { ms, phase };
		// The current tick may end at once.
		this.allowedUntil = this.ticks + 1 + ms / TICK_MS;
	}

	/** Ends the transfer after this time, in ms, even if bytes move. */
	endAfter(ms: number) {
		this.ending = new AbortController();
		pause(ms, this.ending.signal).then(
			() => this.controller.abort(new TimeLimitError('responding', ms)),
			() => undefined,
		);
	}

	/** What ended the transfer: a TimeLimitError or the reason of Stop; undefined while nothing has. */
	error(): Error | undefined {
		return this.signal.aborted ? (this.signal.reason as Error) : undefined;
	}

	tick() {
		this.ticks++;
		if (this.ticks <= this.allowedUntil) return;
		this.controller.abort(new TimeLimitError(this.limit.phase, this.limit.ms));
	}

	/**
	 * Waits for n8n's own storage, which heeds neither Stop nor time limits.
	 * @param letGo releases a result that comes after the transfer has ended
	 */
	async race<T>(work: Promise<T>, letGo: (late: T) => void = () => {}): Promise<T> {
		let isOver = false;
		const ended = new Promise<never>((_, reject) => {
			const end = () => {
				isOver = true;
				reject(this.error());
			};
			if (this.signal.aborted) end();
			else this.signal.addEventListener('abort', end, { once: true });
		});
		work.then(
			(value) => isOver && letGo(value),
			() => undefined,
		);
		return await Promise.race([work, ended]);
	}

	/** Releases the timer and the listeners. */
	end() {
		this.ending?.abort();
		transfers.delete(this);
		this.unsubscribe();
	}
}
