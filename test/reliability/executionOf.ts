import type { RateLimiter, RateSigns } from '../../nodes/DocumentExtraction/http/limiter';

/** An execution whose requests are repeated for as long as the limiter lets them. */
export function executionOf(
	limiter: RateLimiter,
	respond: () => Promise<RateSigns>,
	maxConcurrency = 16,
) {
	const owner = {};
	const counts = { sent: 0, inFlight: 0, most: 0 };

	/** @returns how long it took, in ms */
	async function request(): Promise<number> {
		const startedAt = performance.now();
		for (let isRepeat = false; ; isRepeat = true) {
			const isAllowed = await limiter.run({ owner, maxConcurrency, isRepeat }, async () => {
				counts.sent++;
				counts.most = Math.max(counts.most, ++counts.inFlight);
				const signs = await respond().finally(() => counts.inFlight--);
				return { result: !signs.refused, signs };
			});
			if (isAllowed) return performance.now() - startedAt;
		}
	}

	return {
		counts,
		request,
		/** Makes so many requests, at most `maxConcurrency` at a time, and gives the failures. */
		requests: async (count: number) => {
			const failures: unknown[] = [];
			let left = count;
			const lane = async () => {
				while (left-- > 0) await request().catch((error: unknown) => failures.push(error));
			};
			await Promise.all(Array.from({ length: maxConcurrency }, lane));
			return failures;
		},
	};
}

export const mean = (values: number[]) =>
	values.reduce((sum, value) => sum + value, 0) / values.length;
