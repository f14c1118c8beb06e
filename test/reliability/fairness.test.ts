import fc from 'fast-check';
import { sleep } from 'n8n-workflow';
import { LimitTooLong, RateLimiter } from '../../nodes/DocumentExtraction/http/limiter';
import { requestsOf, settled } from './requestsOf';
import { useVirtualTime } from './useVirtualTime';

const used = useVirtualTime();

interface Execution {
	maxConcurrency?: number;
	/** How long the service takes, in ms. */
	ms: number;
	/** How long it takes to refuse, in ms. */
	refusedMs?: number;
	isRefused?: () => boolean;
	retryAfterMs?: number;
}

/** An execution; its requests are repeated for five minutes, as the node does. */
function executionOf(limiter: RateLimiter, execution: Execution) {
	const { maxConcurrency = 16, ms, refusedMs = 20, retryAfterMs } = execution;
	const { isRefused = () => false } = execution;
	const owner = {};
	const counts = { sent: 0, inFlight: 0, most: 0 };
	const signs = () =>
		isRefused() ? { refused: true, retryAfterMs } : { refused: false, isSuccess: true };

	/** @returns how long it took, in ms */
	async function request(takesMs = ms): Promise<number> {
		const startedAt = performance.now();
		for (let isRepeat = false; ; isRepeat = true) {
			const isAllowed = await limiter.run({ owner, maxConcurrency, isRepeat }, async () => {
				counts.sent++;
				counts.most = Math.max(counts.most, ++counts.inFlight);
				const said = signs();
				await sleep(said.refused ? refusedMs : takesMs);
				counts.inFlight--;
				return { result: !said.refused, signs: said };
			});
			const tookMs = performance.now() - startedAt;
			if (isAllowed) return tookMs;
		}
	}

	return {
		counts,
		owner,
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

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('an everyday request beside another execution', () => {
	const refusesMost = () => Math.random() < 0.9;
	/** Half of them are refused at their end. */
	const refusedLate = (ms: number, retryAfterMs?: number): Execution => {
		return { ms, refusedMs: ms, isRefused: () => Math.random() < 0.5, retryAfterMs };
	};
	const slow = { mean: 1000, worst: 5000 };
	const refused = { mean: 10_000, worst: 40_000 };
	const refusedLong = { mean: 10_000, worst: 70_000 };
	const SITUATIONS: Array<[string, Execution, number, { mean: number; worst: number }]> = [
		['60 uploads of 30 s', { ms: 30_000 }, 60, slow],
		['200 uploads of 30 s, 64 at a time', { ms: 30_000, maxConcurrency: 64 }, 200, slow],
		['3000 requests of 0.5 s, 64 at a time', { ms: 500, maxConcurrency: 64 }, 3000, slow],
		['4 uploads of 60 s, in a fresh process', { ms: 60_000, maxConcurrency: 4 }, 4, slow],
		['30 uploads of six minutes', { ms: 360_000 }, 30, slow],
		['uploads of a minute, half refused at their end', refusedLate(60_000), 60, refused],
		['uploads of six minutes, half refused at their end', refusedLate(360_000), 60, refused],
		['uploads of a minute, half refused for 20 s', refusedLate(60_000, 20_000), 60, refusedLong],
		['an endpoint that refuses everything', { ms: 100, isRefused: () => true }, 8, refused],
		['an endpoint that refuses 9 of 10', { ms: 100, isRefused: refusesMost }, 200, refused],
	];

	/** Ten requests, a second apart; more of them beside requests that take minutes. */
	async function everyday(limiter: RateLimiter, busyMs: number): Promise<number[]> {
		const { request } = executionOf(limiter, { ms: 100 });
		const [count, distanceMs] = busyMs < 60_000 ? [10, 1000] : [60, 20_000];
		const times: number[] = [];
		await sleep(20_000);
		for (let number = 0; number < count; number++) {
			times.push(await request());
			await sleep(distanceMs);
		}
		return times;
	}

	it.each(SITUATIONS)('with %s', async (_, busy, count, goal) => {
		const runs: number[][] = [];
		for (let run = 0; run < 4; run++) {
			const limiter = new RateLimiter();
			void executionOf(limiter, busy).requests(count);
			runs.push(await used.time.run(everyday(limiter, busy.ms)));
		}
		expect(mean(runs.map(mean))).toBeLessThan(goal.mean);
		expect(mean(runs.map((times) => Math.max(...times)))).toBeLessThan(goal.worst);
	});

	it('with one execution after the other that is told to come back in an hour, and slow uploads', async () => {
		const limiter = new RateLimiter();
		for (let number = 0; number < 3; number++) {
			void executionOf(limiter, { ms: 60_000, maxConcurrency: 1 }).requests(100);
		}
		const refuses = { ms: 100, isRefused: () => true, retryAfterMs: 3_600_000 };
		void (async () => {
			for (let number = 0; number < 20; number++) {
				await sleep(4_000);
				await executionOf(limiter, refuses).requests(1);
			}
		})();
		const times = await used.time.run(everyday(limiter, 100));
		expect(mean(times)).toBeLessThan(slow.mean);
		expect(Math.max(...times)).toBeLessThan(slow.worst);
	});
});

describe('slots', () => {
	it('are there for an execution that has nothing in flight, whatever the others hold', async () => {
		const limiter = new RateLimiter();
		void executionOf(limiter, { ms: 3_600_000, maxConcurrency: 64 }).requests(200);
		await used.time.pass(1000);
		const others = Array.from({ length: 10 }, () => executionOf(limiter, { ms: 3_600_000 }));
		for (const other of others) void other.requests(16);
		await used.time.pass(1000);
		expect(others.map(({ counts }) => counts.inFlight)).toEqual(others.map(() => 1));
	});

	it('are shared: Max Concurrency 64 takes nothing from those with 16', async () => {
		const limiter = new RateLimiter();
		const large = executionOf(limiter, { ms: 30_000, maxConcurrency: 64 });
		void large.requests(10_000);
		await used.time.pass(300_000);
		expect(large.counts.inFlight).toBe(64);
		const small = executionOf(limiter, { ms: 30_000 });
		void small.requests(1000);
		await used.time.pass(120_000);
		expect(small.counts.inFlight).toBe(16);
		expect(large.counts.inFlight).toBeGreaterThan(40);
	});

	it('beyond the common ones are taken one after the other, so that a limit shows in time', async () => {
		const limiter = new RateLimiter();
		const many = Array.from({ length: 100 }, () => executionOf(limiter, { ms: 3_600_000 }));
		for (const one of many) void one.requests(1);
		await settled();
		const inFlight = () => many.reduce((sum, { counts }) => sum + counts.inFlight, 0);
		expect(inFlight()).toBe(4);
		await used.time.pass(1000);
		expect(inFlight()).toBeLessThan(30);
		await used.time.pass(9000);
		expect(inFlight()).toBe(100);
	});

	it('wait for nobody for long, whatever executions ask for', async () => {
		const execution = fc.record({
			beginsMs: fc.integer({ min: 0, max: 20_000 }),
			count: fc.integer({ min: 1, max: 30 }),
			ms: fc.integer({ min: 1, max: 60_000 }),
			maxConcurrency: fc.integer({ min: 1, max: 64 }),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(execution, { minLength: 1, maxLength: 25 }), async (all) => {
				const limiter = new RateLimiter();
				const work = all.map(async ({ beginsMs, count, ms, maxConcurrency }) => {
					const { counts, request, requests } = executionOf(limiter, { ms, maxConcurrency });
					await sleep(beginsMs);
					const waitedMs = (await request()) - ms;
					expect(await requests(count)).toEqual([]);
					expect(counts.most).toBeLessThanOrEqual(maxConcurrency);
					return waitedMs;
				});
				await used.time.run(Promise.all(work));
				// One after the other, 50 ms apart, if all begin at once.
				for (const waitedMs of await Promise.all(work)) {
					expect(waitedMs).toBeLessThanOrEqual(50 * all.length + 50);
				}
				await used.time.pass(1);
				expect(limiter.quietMs).toBeGreaterThan(0);
			}),
			{ seed: 1, numRuns: 20 },
		);
	});
});

describe('after a 429', () => {
	const OK = { isSuccess: true };
	const refused = (retryAfterMs: number) => ({ refused: true, retryAfterMs });
	const [first, second, third] = [{ first: 1 }, { second: 1 }, { third: 1 }];

	it('the probe is of an execution that was not refused; then the one that was tries, one at a time', async () => {
		const { begin, answer, names } = requestsOf(new RateLimiter());
		await begin('refused', { owner: first });
		await answer(refused(1000));
		await begin('refused again', { owner: first, isRepeat: true });
		await begin('also waits', { owner: first });
		await begin('other', { owner: second });
		await used.time.pass(1200);
		expect(names()).toEqual(['other']);
		await answer(OK);
		await used.time.pass(1200);
		expect(names()).toEqual(['refused again']);
	});

	it('an execution with nothing in flight is the first to try', async () => {
		const { begin, answerOne, names } = requestsOf(new RateLimiter());
		await begin('uploads', { owner: second });
		await begin('refused', { owner: first });
		await answerOne('refused', refused(1000));
		await begin('refused again', { owner: first, isRepeat: true });
		await begin('uploads more', { owner: second });
		await begin('new', { owner: third });
		await used.time.pass(1200);
		expect(names()).toEqual(['uploads', 'new']);
	});

	it('a Retry-After that is too long fails the execution that was told, and another one finds out', async () => {
		const { begin, answer, failed, failures, names } = requestsOf(new RateLimiter());
		await begin('refused', { owner: first });
		for (const name of ['waits', 'waits too']) await begin(name, { owner: first });
		await answer(refused(3_600_000));
		await begin('comes later', { owner: first });
		await begin('other', { owner: second });
		await begin('third', { owner: third });
		await used.time.pass(1100);
		expect(failed).toEqual(['comes later']);
		expect(failures[0]).toBeInstanceOf(LimitTooLong);
		expect(names()).toEqual(['other']);
		await answer(OK);
		await used.time.pass(5000);
		expect(names()).toEqual(['third']);
	});

	it('only the executions that were refused for five minutes fail', async () => {
		const limiter = new RateLimiter();
		const exhausted = executionOf(limiter, { ms: 100, isRefused: () => true });
		const other = executionOf(limiter, { ms: 100 });
		const failures = exhausted.requests(20);
		const times: number[] = [];
		await used.time.run(
			(async () => {
				for (let number = 0; number < 400; number++) {
					await sleep(1000);
					times.push(await other.request());
				}
			})(),
		);
		expect(times).toHaveLength(400);
		expect(mean(times)).toBeLessThan(2000);
		expect(await failures).toHaveLength(20);
		// It is held back alone after some refusals, for longer each time.
		expect(exhausted.counts.sent).toBeLessThan(100);
	});
});
