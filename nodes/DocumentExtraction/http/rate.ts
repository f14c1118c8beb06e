/** The rate at which requests may leave, learned from what the service let through. */

/** A little below what was let through, as some of that was saved up before. */
const MARGIN = 0.95;
/** One unlucky refusal cuts the rate to no less than this share of it, as in CUBIC. */
const LARGEST_CUT = 0.7;
/** The first rate was found out by doubling, and may be twice what is allowed. */
const FIRST_CUT = 0.5;
/** Growth per second: doubling until the second refusal, because the first burst tells little of the rate. */
const FIRST_GROWTH = 1;
/** After that by a few percent, more with every second up to three times as much, as limits do change. */
const GROWTH = 0.06;
const GROWTH_DOUBLES_MS = 5000;
const GROWTH_CAP = 3;
/** In requests per ms: whatever was learned, two requests are no further apart than 30 s. */
const SLOWEST_RATE = 1 / 30_000;

export class LearnedRate {
	/** In requests per ms; Infinity until the service has shown a limit. */
	private perMs = Infinity;
	private isFirst = true;
	/** When the rate lets the next request leave. */
	opensAt = 0;
	private grownAt = 0;
	/** How many requests the service let through, and since when. */
	allowed = 0;
	private since: number | undefined;

	get isKnown(): boolean {
		return this.perMs < Infinity;
	}

	/** A request leaves. Two may leave at once, where timers are late. */
	depart(now: number) {
		this.since ??= now;
		const interval = 1 / this.perMs;
		this.opensAt = Math.max(this.opensAt, now - 2 * interval) + interval;
	}

	/**
	 * The service allows requests again: what it let through up to now is the rate to go on at.
	 * @param probedAt when the request left that found it out
	 */
	learn(now: number, probedAt: number) {
		const letThrough = this.allowed / (now - (this.since ?? now));
		const cut = this.isFirst ? FIRST_CUT : LARGEST_CUT;
		const least = this.isKnown ? cut * this.perMs : 0;
		this.isFirst = !this.isKnown;
		this.perMs = Math.max(SLOWEST_RATE, least, MARGIN * letThrough);
		this.allowed = 0;
		this.since = this.grownAt = now;
		// The probe was one of them: a limit without a burst would refuse another right after it.
		this.opensAt = probedAt + 1 / this.perMs;
	}

	/** @param areOthersWaiting only a rate that holds requests back has shown that it is allowed, and too low */
	grow(now: number, areOthersWaiting: boolean) {
		const age = 1 + (now - (this.since ?? now)) / GROWTH_DOUBLES_MS;
		const perSecond = this.isFirst ? FIRST_GROWTH : GROWTH * Math.min(GROWTH_CAP, age);
		const isInTheWay = areOthersWaiting && now <= this.opensAt;
		if (isInTheWay) this.perMs *= 1 + Math.min(1, (perSecond * (now - this.grownAt)) / 1000);
		this.grownAt = now;
	}
}
