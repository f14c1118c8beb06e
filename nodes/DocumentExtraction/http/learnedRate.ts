/**
 * The rate at which requests may leave, learned from what the service let through. As in TCP, it grows
 * by the same amount for each request that is let through, and a refusal cuts it (AIMD, RFC 5681).
 */

/** A refusal cuts the rate to no less than this share of it: it may have been bad luck. */
const LARGEST_CUT = 0.65;
/** In requests per ms; much until the second refusal (slow start), as the first burst tells little. */
const FIRST_GROWTH = 1 / 1000;
const GROWTH = 0.25 / 1000;
/** In requests per ms: whatever was learned, requests are at most 30 s apart. */
const SLOWEST_RATE = 1 / 30_000;

export class LearnedRate {
	/** In requests per ms; Infinity until the service has shown a limit. */
	perMs = Infinity;
	private growth = FIRST_GROWTH;
	/** When the rate lets the next request leave. */
	opensAt = 0;
	/** How many requests left and were not refused, and since when. */
	letThrough = 0;
	since = performance.now();

	/** Two requests may leave at once, as timers may be late. */
	onDeparture(now: number) {
		this.letThrough++;
		const interval = 1 / this.perMs;
		this.opensAt = Math.max(this.opensAt, now - 2 * interval) + interval;
	}

	/** A request that left at `probedAt` was let through again: the rate is what was until now. */
	learn(now: number, probedAt: number) {
		const isFirst = this.perMs === Infinity;
		const least = isFirst ? 0 : LARGEST_CUT * this.perMs;
		this.growth = isFirst ? FIRST_GROWTH : GROWTH;
		this.perMs = Math.max(SLOWEST_RATE, least, this.letThrough / Math.max(1, now - this.since));
		this.letThrough = 0;
		this.since = now;
		// The probe counts: a limit without a burst would refuse another request right after it.
		this.opensAt = probedAt + 1 / this.perMs;
	}

	/** Only a rate that delays those who wait is known to be allowed, and may be too low. */
	onAllowed(now: number, isAnybodyWaiting: boolean) {
		if (isAnybodyWaiting && now <= this.opensAt) this.perMs += this.growth;
	}
}
