/** Time limits of a request: a transfer may take as long as it moves, and no longer. */
import { pause } from './pause';
import { whenRaised } from './stop';

/** A transfer that has not moved a byte for so long is dead, in ms. */
export const IDLE_LIMIT_MS = 60_000;
/** How long the service may take to respond to a request that it has whole, in ms. */
export const RESPONSE_LIMIT_MS = 300_000;
/**
 * The slowest line that works: 0.25 Mbit/s. Where nobody sees bytes move, it bounds the time that a
 * number of them may take; and what comes more slowly is a drip.
 */
export const SLOWEST_BYTES_PER_MS = 31.25;

/** How often transfers are looked after, in ms. Limits are kept to so much. */
const TICK_MS = 5_000;

export type TransferPhase = 'sending' | 'responding' | 'receiving';

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

/** One timer for all transfers. It holds no process up, and no clock that is set back moves it. */
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

/** One try of a request: its signal is raised by Stop, or when it takes longer than allowed. */
export class Transfer {
	private readonly controller = new AbortController();

	private ending?: AbortController;

	private ticks = 0;

	private allowedUntil = Infinity;

	private limit: { ms: number; phase: TransferPhase } = { ms: Infinity, phase: 'responding' };

	private readonly forgetStop: () => void;

	constructor(stop: AbortSignal | undefined) {
		stop?.throwIfAborted();
		this.forgetStop = whenRaised(stop, () => this.controller.abort(stop?.reason));
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

	/** From now on the transfer has so long, in ms, until this is called again. */
	allow(ms: number, phase: TransferPhase) {
		this.limit = { ms, phase };
		// The tick under way may be over at once.
		this.allowedUntil = this.ticks + 1 + ms / TICK_MS;
	}

	/** Ends the transfer after so long, in ms, whether it moves or not. */
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
	 * Waits for n8n's own storage, which knows neither Stop nor limits.
	 * @param letGo of what comes too late
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

	/** Nothing is left of the transfer afterwards. */
	end() {
		this.ending?.abort();
		transfers.delete(this);
		this.forgetStop();
	}
}
