import { sleep } from 'n8n-workflow';
const [FIRST_HOLD_MS, LONGEST_HOLD_MS, SOFT_HOLD_MS] = [1000, 30_000, 100];
const [MARGIN, BETA, FAST, SLOW] = [0.95, 0.8, 1, 0.05];
export const LONGEST_RETRY_AFTER_MS = 300_000;
export class RateLimitTooLongError extends Error {
	constructor(readonly retryAfterMs: number) {
		super('too long');
	}
}
export interface RateSigns {
	refused?: boolean;
	isSuccess?: boolean;
	retryAfterMs?: number;
	limit?: number;
	remaining?: number;
}
export const backoffMs = (attempt: number) =>
	Math.random() * Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (attempt - 1));
interface Caller {
	owner?: object;
	maxConcurrency: number;
	isRepeat: boolean;
	signal?: AbortSignal;
}
export class RateLimiter {
	concurrency = 4;
	inFlight = 0;
	queue: Array<{ maxConcurrency: number; go: () => void }> = [];
	heldUntil = 0;
	holds = 0;
	isProbing = false;
	wakesAt = Infinity;
	rate = Infinity;
	growth = FAST;
	nextAt = 0;
	grownAt = 0;
	allowed = 0;
	since?: number;
	refusals = 0;
	refusedSince = 0;
	async run<T>(
		{ maxConcurrency, isRepeat, signal }: Caller,
		request: () => Promise<{ result: T; signs?: RateSigns }>,
	): Promise<T> {
		signal?.throwIfAborted();
		await new Promise<void>((go, reject) => {
			const e = { maxConcurrency, go };
			signal?.addEventListener(
				'abort',
				() => {
					this.queue = this.queue.filter((x) => x !== e);
					reject(signal.reason as Error);
				},
				{ once: true },
			);
			this.queue[isRepeat ? 'unshift' : 'push'](e);
			this.startNext();
		});
		const holds = this.holds;
		let signs: RateSigns = {};
		try {
			const answer = await request();
			signs = answer.signs ?? {};
			return answer.result;
		} finally {
			this.inFlight--;
			if (signs.isSuccess) this.allowed++;
			if (holds === this.holds) this.learn(signs, maxConcurrency);
			this.startNext();
		}
	}
	isIdle() {
		return true;
	}
	refusedForMs() {
		return this.refusals > 0 ? performance.now() - this.refusedSince : 0;
	}
	isOpen(now: number) {
		return (
			now >= this.heldUntil &&
			(this.isProbing
				? this.inFlight === 0
				: now >= this.nextAt && this.inFlight < Math.floor(this.concurrency))
		);
	}
	startNext() {
		const now = performance.now();
		while (this.queue.length > 0 && this.isOpen(now)) {
			const [next] = this.queue;
			if (this.inFlight >= next.maxConcurrency) break;
			this.queue.shift();
			this.inFlight++;
			this.since ??= now;
			if (this.rate < Infinity)
				this.nextAt = Math.max(this.nextAt, now - 2000 / this.rate) + 1000 / this.rate;
			next.go();
		}
		const at = Math.max(this.heldUntil, this.nextAt);
		if (this.queue.length === 0 || at <= now || at >= this.wakesAt) return;
		this.wakesAt = at;
		void sleep(at - now).then(() => {
			if (this.wakesAt === at) this.wakesAt = Infinity;
			this.startNext();
		});
	}
	learn({ refused, isSuccess, retryAfterMs, remaining }: RateSigns, maxConcurrency: number) {
		const now = performance.now();
		if (refused) {
			if (this.refusals === 0) this.refusedSince = now;
			this.refusals++;
			this.concurrency = Math.max(1, this.concurrency / 2);
			return this.hold(
				retryAfterMs === undefined ? backoffMs(this.refusals) : retryAfterMs + Math.random() * 100,
			);
		}
		if (!isSuccess) return;
		if (this.isProbing) this.goOn(now);
		this.concurrency = Math.min(
			maxConcurrency,
			this.concurrency + (this.rate < Infinity ? 1 / this.concurrency : 1),
		);
		if (this.rate < Infinity) {
			this.rate *= 1 + (this.growth * (now - this.grownAt)) / 1000;
			this.grownAt = now;
		} else if (remaining !== undefined && remaining <= this.inFlight) this.hold(SOFT_HOLD_MS);
	}
	goOn(now: number) {
		const wasPaced = this.rate < Infinity;
		const letThrough = (1000 * this.allowed) / (now - (this.since ?? 0));
		this.growth = wasPaced ? SLOW : FAST;
		this.rate = Math.max(0.01, MARGIN * letThrough, wasPaced ? BETA * this.rate : 0);
		this.isProbing = false;
		this.refusals = 0;
		this.since = this.grownAt = this.nextAt = now;
		this.allowed = 0;
	}
	hold(ms: number) {
		this.holds++;
		this.heldUntil = performance.now() + ms;
		this.isProbing = true;
	}
}
const all = new Map<string, RateLimiter>();
export function limiterFor(key: string) {
	const l = all.get(key) ?? new RateLimiter();
	all.set(key, l);
	return l;
}
