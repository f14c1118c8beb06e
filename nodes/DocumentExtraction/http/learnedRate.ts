/** The rate at which requests may leave, learned from what the service let through. */

/** A refusal cuts the rate to no less than this share of it, as in TCP: it may have been bad luck. */
const LARGEST_CUT = 0.5;
/** Growth per second: doubling until the second refusal, as the first burst tells little of the rate. */
const FIRST_GROWTH = 1;
const GROWTH = 0.15;
/** In requests per ms: whatever was learned, requests are at most 30 s apart. */
const SLOWEST_RATE = 1 / 30_000;

export class LearnedRate {
	/** In requests per ms; Infinity until the service has shown a limit. */
	perMs = Infinity;
	private growth = FIRST_GROWTH;
	private grownAt = 0;
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

	/**
	 * The service lets requests through again: from now on, the rate is what it let through until now.
	 * @param probedAt when the request left that showed it
	 */
	learn(now: number, probedAt: number) {
		const shown = this.letThrough / (now - this.since);
		const isFirst = this.perMs === Infinity;
		this.growth = isFirst ? FIRST_GROWTH : GROWTH;
		this.perMs = Math.max(SLOWEST_RATE, shown, isFirst ? 0 : LARGEST_CUT * this.perMs);
		this.letThrough = 0;
		this.since = this.grownAt = now;
		// The probe counts: a limit without a burst would refuse another request right after it.
		this.opensAt = probedAt + 1 / this.perMs;
	}

	/** @param areOthersWaiting only a rate that delays requests is known to be allowed, and too low */
	grow(now: number, areOthersWaiting: boolean) {
		const share = Math.min(1, (this.growth * (now - this.grownAt)) / 1000);
		if (areOthersWaiting && now <= this.opensAt) this.perMs *= 1 + share;
		this.grownAt = now;
	}
}
