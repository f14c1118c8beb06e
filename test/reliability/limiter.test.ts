import { getEventListeners } from 'node:events';
import { sleep } from 'n8n-workflow';
import {
	backoffMs,
	limiterFor,
	RateLimiter,
	type RateSigns,
} from '../../nodes/DocumentExtraction/http/limiter';
import { rateSigns } from '../../nodes/DocumentExtraction/http/response';
import { Randomness } from '../../dev/simulate/randomness';
import { LIMITS, type Limit, type LimitKind } from './limits';
import { EXECUTION, held, requestsOf, settled } from './requestsOf';
import { sleepModule } from '../support/sleepModule';
import { useVirtualTime } from './useVirtualTime';

const used = useVirtualTime();

const OK = { isSuccess: true };

describe('how many requests are in flight', () => {
	it('starts with four and doubles up to sixteen', async () => {
		const { open, beginMany, answer } = requestsOf(new RateLimiter());
		await beginMany(200);
		const counts: number[] = [];
		for (let round = 0; round < 5; round++) {
			counts.push(open.length);
			await answer();
		}
		expect(counts).toEqual([4, 8, 16, 16, 16]);
	});

	it('does not grow while requests fail', async () => {
		const { open, beginMany, answer } = requestsOf(new RateLimiter());
		await beginMany(20);
		await answer({ isSuccess: false });
		expect(open).toHaveLength(4);
	});
});

it('callers that share a limiter are served repeats first, otherwise in their order', async () => {
	const { begin, answerOne, names } = requestsOf(new RateLimiter());
	for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await begin(name);
	for (const name of ['repeat 1', 'repeat 2']) await begin(name, { isRepeat: true });
	await answerOne('a', {});
	expect(names()).toEqual(['b', 'c', 'd', 'repeat 1']);
	await answerOne('repeat 1', OK);
	expect(names()).toEqual(['b', 'c', 'd', 'repeat 2', 'e']);
});

describe('a 429', () => {
	it('holds everybody, lets one try after Retry-After, then all go on', async () => {
		const { open, beginMany, answer } = requestsOf(new RateLimiter());
		await beginMany(100);
		await used.time.pass(1000);
		await answer();
		await used.time.pass(1000);
		await answer({ refused: true, retryAfterMs: 5000 });
		await used.time.pass(4990);
		expect(open).toHaveLength(0);
		await used.time.pass(200);
		expect(open).toHaveLength(1);
		await used.time.pass(1000);
		expect(open).toHaveLength(1);
		await answer();
		await used.time.pass(10_000);
		expect(open.length).toBeGreaterThan(2);
	});

	it('without Retry-After is held for up to 1 s, 2 s, 4 s … 30 s, with full jitter', () => {
		jest.spyOn(Math, 'random').mockReturnValue(1);
		expect([1, 2, 3, 4, 5, 6, 60].map((failures) => backoffMs(0, failures))).toEqual([
			1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
		]);
		jest.spyOn(Math, 'random').mockReturnValue(0);
		expect(backoffMs(0, 5)).toBe(0);
	});

	it('is not forgotten because of responses to requests that left before it', async () => {
		const { open, beginMany, answer, answerOne } = requestsOf(new RateLimiter());
		await beginMany(100);
		await answerOne('0', { refused: true, retryAfterMs: 3000 });
		await used.time.pass(10);
		await answer();
		await used.time.pass(2900);
		expect(open).toHaveLength(0);
		await used.time.pass(200);
		expect(open).toHaveLength(1);
	});

	it('with Retry-After holds everybody, even if its request left before the last hold', async () => {
		const { open, begin, answerOne, names } = requestsOf(new RateLimiter());
		await begin('upload');
		await begin('look');
		await answerOne('look', { refused: true, retryAfterMs: 1000 });
		await used.time.pass(60_000);
		await begin('waits');
		await answerOne('waits', OK);
		await answerOne('upload', { refused: true, retryAfterMs: 120_000 });
		await begin('upload again', { isRepeat: true });
		await begin('other', { owner: {} });
		await used.time.pass(119_900);
		expect(open).toHaveLength(0);
		await used.time.pass(300);
		expect(names()).toEqual(['upload again', 'other']);
	});

	it('in a row for however long fails nobody while others are still in flight', async () => {
		const { failures, begin, answerOne } = requestsOf(new RateLimiter());
		for (const name of ['upload', 'refused']) await begin(name);
		for (let passedMs = 0; passedMs <= 1_800_000; passedMs += 31_000) {
			await answerOne('refused', { refused: true });
			await begin('refused', { isRepeat: true });
			await used.time.pass(31_000);
		}
		expect(failures).toEqual([]);
	});

	it('again after an upload of six minutes fails nobody: the execution was not held for that long', async () => {
		const { open, failures, begin, answer } = requestsOf(new RateLimiter());
		for (const name of ['upload', 'waits']) await begin(name, { maxConcurrency: 1 });
		for (let times = 0; times < 3; times++) {
			await used.time.pass(360_000);
			await answer({ refused: true, retryAfterMs: 1000 });
			await begin('upload again', { maxConcurrency: 1, isRepeat: true });
			await used.time.pass(10_000);
		}
		expect(failures).toEqual([]);
		expect(open).toHaveLength(1);
	});

	it('is expected when little remains: it pauses first', async () => {
		const { open, beginMany, answerOne } = requestsOf(new RateLimiter());
		await beginMany(100);
		await answerOne('0', { ...OK, remaining: 3 });
		expect(open).toHaveLength(3);
		await used.time.pass(150);
		expect(open).toHaveLength(4);
	});

	it('with a Retry-After that is too long fails who comes while it lasts, and nobody afterwards', async () => {
		const { open, failures, beginMany, answer } = await held(new RateLimiter(), 3_600_000);
		await used.time.pass(200_000);
		await beginMany(1);
		expect(failures).toMatchObject([{ retryAfterMs: 3_600_000 }]);
		// The service may change its mind: every five minutes somebody may ask.
		await used.time.pass(100_200);
		await beginMany(3);
		expect(open).toHaveLength(1);
		await answer();
		await used.time.pass(60_000);
		expect(open).toHaveLength(2);
	});
});

describe('a probe', () => {
	/** A limiter whose hold is over, with so many in the queue that one of them leaves as the probe. */
	async function probing(waiting = 5) {
		const requests = await held(new RateLimiter(), 100);
		await used.time.pass(300);
		await requests.beginMany(waiting);
		expect(requests.open).toHaveLength(1);
		return requests;
	}

	it('that breaks lets the next one try at once', async () => {
		const { open, failures } = await probing();
		open.splice(0)[0].fail(new Error('Stop'));
		await settled();
		expect(failures).toEqual([new Error('Stop')]);
		expect(open).toHaveLength(1);
	});

	it('that stalls lets another one try after five seconds, and another', async () => {
		const { open } = await probing();
		await used.time.pass(4900);
		expect(open).toHaveLength(1);
		await used.time.pass(200);
		expect(open).toHaveLength(2);
		open[1].answer(OK);
		await used.time.pass(60_000);
		expect(open).toHaveLength(5);
	});

	it('that fails for another reason than the limit ends the hold', async () => {
		const { open, answer } = await probing();
		await answer({ isSuccess: false });
		await used.time.pass(1000);
		expect(open.length).toBeGreaterThan(1);
	});
});

describe('Stop', () => {
	it('ends a wait at once, whoever else waits, and leaves no listener behind', async () => {
		const limiter = new RateLimiter();
		const { open, failures, begin, beginMany, answer } = requestsOf(limiter);
		const stop = new AbortController();
		const reason = new Error('Stop');
		await beginMany(4);
		await begin('stopped', { signal: stop.signal });
		await begin('goes on');
		stop.abort(reason);
		await settled();
		expect(failures).toEqual([reason]);
		expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
		await answer();
		expect(open.map(({ name }) => name)).toEqual(['goes on']);
		await answer();
		await used.time.pass(1);
		expect(limiter.quietMs).toBe(1);
	});

	it('of one that is first in line takes nobody else of its execution along', async () => {
		const { begin, names, answer } = requestsOf(new RateLimiter());
		const stop = new AbortController();
		await begin('in flight', { maxConcurrency: 1 });
		await begin('stopped', { maxConcurrency: 1, signal: stop.signal });
		await begin('stopped, too', { maxConcurrency: 2, signal: stop.signal });
		await begin('goes on', { maxConcurrency: 2 });
		stop.abort(new Error('Stop'));
		await settled();
		await answer();
		expect(names()).toEqual(['goes on']);
	});

	it('leaves no timer behind that takes longer than a second', async () => {
		const { begin, failed } = await held(new RateLimiter(), 300_000);
		const stop = new AbortController();
		await begin('refused again', { isRepeat: true, signal: stop.signal });
		stop.abort(new Error('Stop'));
		const start = used.time.elapsedMs;
		await used.time.settle(300_000);
		expect(failed).toEqual(['refused again']);
		expect(used.time.elapsedMs - start).toBeLessThanOrEqual(1000);
	});
});

describe('nobody is forgotten', () => {
	it.each([
		['timers are early', (ms: number) => ms * 0.9],
		['timers are late', (ms: number) => ms + 300],
	])('when %s', async (_, takes) => {
		const module = sleepModule();
		const realSleep = module.sleep;
		jest.spyOn(module, 'sleep').mockImplementation(async (ms) => await realSleep(takes(ms)));
		const { open, answer } = await held(new RateLimiter(), 2000, 40);
		await used.time.pass(3000);
		expect(open).toHaveLength(1);
		let left = 36;
		while (left > 0) {
			left -= open.length;
			await answer();
			await used.time.pass(5000);
		}
		expect(left).toBe(0);
	});

	it('when two executions that were refused are let through at the same moment', async () => {
		const { open, begin, beginMany, answer } = requestsOf(new RateLimiter());
		for (const owner of [{ first: 1 }, { second: 1 }]) {
			await begin('refused', { owner });
			await used.time.pass(2000);
			await answer({ refused: true });
			await begin('refused again', { owner, isRepeat: true });
		}
		await used.time.pass(10_000);
		expect(open).toHaveLength(2);
		await answer();
		await beginMany(2);
		await used.time.pass(60_000);
		expect(open).toHaveLength(2);
	});

	it('when the time of day is set back', async () => {
		const { open, answer } = await held(new RateLimiter(), 1000, 10);
		used.time.adjustTimeOfDay(-Date.now());
		await used.time.pass(1200);
		await answer();
		await used.time.pass(10_000);
		expect(open.length).toBeGreaterThan(1);
	});

	// What happens in a worker that is replaced: stops, breaks, stalls and refusals in any order.
	it.each([1, 2, 3, 4])('in chaos %i', async (seed) => {
		const chance = new Randomness(seed);
		jest.spyOn(Math, 'random').mockImplementation(() => chance.next());
		const limiter = new RateLimiter();
		const owners = Array.from({ length: 10 }, (_, index) => ({ index }));
		let mostSilentMs = 0;
		let lastAt = performance.now();
		const work = Array.from({ length: 300 }, async (_, index) => {
			await sleep(Math.random() * 10_000);
			const controller = new AbortController();
			if (Math.random() < 0.2) {
				void sleep(Math.random() * 20_000).then(() => controller.abort(new Error('Stop')));
			}
			const { signal } = controller;
			const caller = {
				owner: owners[index % 10],
				maxConcurrency: 1 + (index % 4),
				isRepeat: false,
			};
			for (let isDone = false; !isDone; caller.isRepeat = true) {
				const attempt = limiter.run({ ...caller, signal }, async () => {
					mostSilentMs = Math.max(mostSilentMs, performance.now() - lastAt);
					lastAt = performance.now();
					await sleep(Math.random() < 0.02 ? 30_000 : 100 * Math.random(), signal);
					if (Math.random() < 0.05) throw new Error('broken');
					if (Math.random() < 0.2) return { result: false, signs: { refused: true } };
					return { result: true, signs: Math.random() < 0.1 ? undefined : OK };
				});
				isDone = await attempt.catch(() => true);
			}
		});
		await used.time.run(Promise.all(work));
		await used.time.pass(1);
		expect(limiter.quietMs).toBe(1);
		// Six refusals in a row hold everybody for a minute at most, together with slow probes.
		expect(mostSilentMs).toBeLessThan(100_000);
	});
});

describe('limiterFor', () => {
	it('keeps no key as text', () => {
		const kept = jest.spyOn(Map.prototype, 'set');
		limiterFor('secret-key');
		expect(kept.mock.calls.flat().join()).not.toContain('secret-key');
		expect(kept).toHaveBeenCalled();
		kept.mockRestore();
	});

	it('forgets what nobody has used for a minute, and none that is in use', async () => {
		const [unused, inUse] = [limiterFor('unused'), limiterFor('in use')];
		const { beginMany, answer } = requestsOf(inUse);
		await beginMany(1);
		await used.time.pass(60_001);
		expect(limiterFor('in use')).toBe(inUse);
		expect(limiterFor('unused')).not.toBe(unused);
		await answer();
	});

	it('forgets none while its hold lasts', async () => {
		const limiter = limiterFor('held');
		await held(limiter, 300_000);
		await used.time.pass(359_000);
		expect(limiterFor('held')).toBe(limiter);
	});
});

it.each([
	{ remaining: '-1', expected: undefined },
	{ remaining: 'unlimited', expected: undefined },
	{ remaining: '0', expected: 0 },
	{ remaining: '12', expected: 12 },
])('X-RateLimit-Remaining: $remaining', ({ remaining, expected }) => {
	const headers = { 'x-ratelimit-remaining': remaining };
	expect(rateSigns({ statusCode: 200, headers, text: '' }).remaining).toBe(expected);
});

interface Situation {
	kind: LimitKind;
	limit: number;
	windowMs: number;
	latencyMs: number;
	count: number;
	processes: number;
	/** Whether responses say how many requests remain, and how long to wait. */
	isTold: boolean;
}

/** Sends all requests through limiters that know nothing of each other, until each is allowed. */
async function measure({ kind, limit, windowMs, latencyMs, count, processes, isTold }: Situation) {
	const service: Limit = LIMITS[kind](limit, windowMs);
	const limiters = Array.from({ length: processes }, () => new RateLimiter());
	let refused = 0;
	const request = async () => {
		await sleep(latencyMs * 0.2 * (1 + Math.random()));
		const { allowed, remaining, waitMs } = service.take(Date.now());
		await sleep(allowed ? latencyMs * 0.8 * (0.8 + 0.4 * Math.random()) : 5);
		if (allowed) service.release?.();
		else refused++;
		const signs: RateSigns = { refused: !allowed, isSuccess: allowed };
		if (isTold && remaining !== undefined) Object.assign(signs, { limit, remaining });
		if (isTold && !allowed) signs.retryAfterMs = Math.max(1, Math.ceil(waitMs / 1000)) * 1000;
		return { result: allowed, signs };
	};
	const start = performance.now();
	const untilAllowed = async (limiter: RateLimiter) => {
		const caller = { owner: EXECUTION, maxConcurrency: 16, isRepeat: false };
		while (!(await limiter.run(caller, request))) caller.isRepeat = true;
	};
	await used.time.run(
		Promise.all(
			Array.from({ length: count }, (_, index) => untilAllowed(limiters[index % processes])),
		),
	);
	const tookMs = performance.now() - start;
	const burst = kind === 'smallBucket' ? limit / 5 : limit;
	const bestByRate: Partial<Record<LimitKind, number>> = {
		tokenBucket: ((count - burst) * windowMs) / limit,
		smallBucket: ((count - burst) * windowMs) / limit,
		inFlight: (count / limit) * latencyMs,
	};
	const byWindow = Math.floor((count - 1) / limit) * windowMs;
	const best = Math.max(
		(bestByRate[kind] ?? byWindow) + latencyMs,
		(count / (16 * processes)) * latencyMs,
	);
	return { share: best / tookMs, refused: refused / count };
}

describe('whatever the limit is, requests make good use of it', () => {
	const RATES = [
		{ limit: 50, windowMs: 1000, count: 300 },
		{ limit: 10, windowMs: 1000, count: 150 },
		{ limit: 60, windowMs: 60_000, count: 150 },
		{ limit: 100, windowMs: 10_000, count: 400 },
	];
	const RATE_LIMITS = (Object.keys(LIMITS) as LimitKind[]).filter((kind) => kind !== 'inFlight');
	const PACES = [
		{ latencyMs: 400, processes: 1 },
		{ latencyMs: 200, processes: 3 },
	];
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

	/** In each situation, whatever the service says of its limit. */
	async function measureAll(situations: Array<Omit<Situation, 'isTold'>>) {
		const found = [];
		for (const situation of situations) {
			for (const isTold of [true, false]) found.push(await measure({ ...situation, isTold }));
		}
		const shares = found.map(({ share }) => share);
		return {
			share: mean(shares),
			leastShare: Math.min(...shares),
			refused: mean(found.map(({ refused }) => refused)),
		};
	}

	it.each(RATE_LIMITS)('%s, with requests of one to six minutes', async (kind) => {
		const situations = [5, 10].flatMap((limit) =>
			[60_000, 180_000, 360_000].map((latencyMs) => {
				return { kind, limit, windowMs: 60_000, count: 15 * limit, latencyMs, processes: 1 };
			}),
		);
		const { share, leastShare, refused } = await measureAll(situations);
		expect(share).toBeGreaterThan(0.6);
		expect(leastShare).toBeGreaterThan(0.4);
		expect(refused).toBeLessThan(1);
	});

	it.each(RATE_LIMITS)('%s', async (kind) => {
		const situations = RATES.flatMap((rate) => PACES.map((pace) => ({ kind, ...rate, ...pace })));
		const { share, leastShare, refused } = await measureAll(situations);
		expect(share).toBeGreaterThan(0.65);
		expect(leastShare).toBeGreaterThan(0.2);
		expect(refused).toBeLessThan(0.2);
	});

	it('one request at a time, without any burst', async () => {
		const limit = { kind: 'smallBucket', limit: 5, windowMs: 1000, count: 100 } as const;
		const { leastShare } = await measureAll([{ ...limit, latencyMs: 20, processes: 1 }]);
		expect(leastShare).toBeGreaterThan(0.4);
	});

	it('a number of requests in flight', async () => {
		const limit = { kind: 'inFlight', limit: 4, windowMs: 0, count: 300, processes: 1 } as const;
		const latencies = [50, 200, 800];
		const { share, refused } = await measureAll(
			latencies.map((latencyMs) => ({ ...limit, latencyMs })),
		);
		expect(share).toBeGreaterThan(0.45);
		expect(refused).toBeLessThan(0.15);
	});
});
