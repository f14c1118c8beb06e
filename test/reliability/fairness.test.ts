import { sleep } from 'n8n-workflow';
import { RateLimiter, type RateSigns } from '../../nodes/DocumentExtraction/http/limiter';
import { executionOf, mean } from './executionOf';
import { requestsOf, settled } from './requestsOf';
import { useVirtualTime } from './useVirtualTime';

const used = useVirtualTime();

const OK = { isSuccess: true };

/** A service that answers each request after so long, in ms. */
const takes = (ms: number) => async (): Promise<RateSigns> => {
	await sleep(ms);
	return OK;
};

/** A service that refuses a share of the requests. */
const refuses =
	(share: number, ms: number, retryAfterMs?: number) => async (): Promise<RateSigns> => {
		const refused = Math.random() < share;
		await sleep(ms);
		return refused ? { refused, retryAfterMs } : OK;
	};

const requests =
	(count: number, respond: ReturnType<typeof takes>, maxConcurrency?: number) =>
	(limiter: RateLimiter) =>
		void executionOf(limiter, respond, maxConcurrency).requests(count);

/** Beside slow uploads, one execution after the other is told to come back in an hour. */
function toldToComeBack(limiter: RateLimiter) {
	for (let number = 0; number < 3; number++) requests(100, takes(60_000), 1)(limiter);
	for (let number = 1; number <= 20; number++) {
		void sleep(number * 4000).then(() => requests(1, refuses(1, 20, 3_600_000))(limiter));
	}
}

describe('an everyday request is served in time', () => {
	const MINUTE = 60_000;
	const soon = { meanMs: 1000, worstMs: 5000 };
	const mostlySoon = { meanMs: 1000, worstMs: 40_000 };
	const later = { meanMs: 10_000, worstMs: 40_000 };

	/** How long ten requests take, a second apart, and fifty more, 20 s apart, in ms. */
	async function everyday(limiter: RateLimiter): Promise<number[]> {
		const { request } = executionOf(limiter, takes(100));
		const times: number[] = [];
		await sleep(20_000);
		for (let number = 1; number <= 60; number++) {
			times.push(await request());
			await sleep(number < 10 ? 1000 : 20_000);
		}
		return times;
	}

	it.each([
		{ beside: '200 uploads of 30 s', begin: requests(200, takes(30_000), 64), goal: soon },
		{ beside: 'uploads of six minutes', begin: requests(30, takes(6 * MINUTE)), goal: soon },
		{ beside: 'those told to come back in an hour', begin: toldToComeBack, goal: mostlySoon },
		{ beside: 'an endpoint that refuses all', begin: requests(8, refuses(1, 20)), goal: later },
		{ beside: 'one that refuses 9 of 10', begin: requests(200, refuses(0.9, 20)), goal: later },
		{ beside: 'uploads half refused', begin: requests(60, refuses(0.5, MINUTE)), goal: later },
	])('beside $beside', async ({ begin, goal }) => {
		const runs: number[][] = [];
		for (let run = 0; run < 4; run++) {
			const limiter = new RateLimiter();
			begin(limiter);
			runs.push(await used.time.run(everyday(limiter)));
		}
		expect(mean(runs.flatMap((times) => times.slice(0, 10)))).toBeLessThan(goal.meanMs);
		expect(mean(runs.flat())).toBeLessThan(goal.meanMs);
		expect(mean(runs.map((times) => Math.max(...times)))).toBeLessThan(goal.worstMs);
	});
});

describe('slots', () => {
	const HOUR = 3_600_000;

	it('are shared: Max Concurrency 64 takes nothing from those with 16', async () => {
		const limiter = new RateLimiter();
		const large = executionOf(limiter, takes(30_000), 64);
		void large.requests(10_000);
		await used.time.pass(300_000);
		expect(large.counts.inFlight).toBe(64);
		const small = executionOf(limiter, takes(30_000));
		void small.requests(1000);
		await used.time.pass(120_000);
		expect(small.counts.inFlight).toBe(16);
		expect(large.counts.inFlight).toBeGreaterThan(40);
	});

	it('beyond the common ones are taken one after the other, so that a limit shows in time', async () => {
		const limiter = new RateLimiter();
		const many = Array.from({ length: 100 }, () => executionOf(limiter, takes(HOUR)));
		for (const one of many) void one.requests(1);
		await settled();
		const inFlight = () => many.reduce((sum, { counts }) => sum + counts.inFlight, 0);
		expect(inFlight()).toBe(4);
		await used.time.pass(1000);
		expect(inFlight()).toBeLessThan(30);
		await used.time.pass(9000);
		expect(inFlight()).toBe(100);
	});
});

describe('after a 429', () => {
	const refused = (retryAfterMs: number) => ({ refused: true, retryAfterMs });
	const [first, second, third] = [{ first: 1 }, { second: 1 }, { third: 1 }];

	it('one that was not refused tries first; then the one that was, one at a time', async () => {
		const { begin, answer, names } = requestsOf();
		await begin('refused', { owner: first });
		await answer(refused(1000));
		await begin('refused again', { owner: first, isRepeat: true });
		await begin('also waits', { owner: first });
		await begin('other', { owner: second });
		await used.time.pass(1200);
		expect(names()).toEqual(['other']);
		await answer();
		await used.time.pass(1200);
		expect(names()).toEqual(['refused again']);
		// Refused while others are let through, it is held for longer than they; nobody else wakes it.
		jest.spyOn(Math, 'random').mockReturnValue(1);
		await answer({ refused: true });
		await used.time.pass(1900);
		expect(names()).toEqual([]);
		await used.time.pass(60_000);
		expect(names()).toEqual(['also waits']);
	});

	it('an execution with nothing in flight is the first to try', async () => {
		const { begin, answerOne, names } = requestsOf();
		await begin('uploads', { owner: second });
		await begin('refused', { owner: first });
		await answerOne('refused', refused(1000));
		await begin('refused again', { owner: first, isRepeat: true });
		await begin('uploads more', { owner: second });
		await begin('new', { owner: third });
		await used.time.pass(1200);
		expect(names()).toEqual(['uploads', 'new']);
	});

	it('only the executions that were refused for five minutes fail', async () => {
		const limiter = new RateLimiter();
		const exhausted = executionOf(limiter, refuses(1, 20));
		const other = executionOf(limiter, takes(100));
		const failures = exhausted.requests(20);
		const times: number[] = [];
		for (let number = 0; number < 400; number++) {
			await used.time.pass(1000);
			times.push(await used.time.run(other.request()));
		}
		expect(mean(times)).toBeLessThan(2000);
		expect(await failures).toHaveLength(20);
		// It is held back alone after some refusals, for longer each time.
		expect(exhausted.counts.sent).toBeLessThan(100);
	});
});
