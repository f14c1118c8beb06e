import { getEventListeners } from 'node:events';
import { sleep } from 'n8n-workflow';
import {
	backoffMs,
	limiterFor,
	LimitTooLong,
	RateLimiter,
} from '../../nodes/DocumentExtraction/http/limiter';
import { rateSigns } from '../../nodes/DocumentExtraction/http/response';
import { executionOf } from './executionOf';
import { held, requestsOf, settled } from './requestsOf';
import { sleepModule } from '../support/sleepModule';
import { useVirtualTime } from './useVirtualTime';

const used = useVirtualTime();

const OK = { isSuccess: true };
const refused = (retryAfterMs?: number) => ({ refused: true, retryAfterMs });

describe('requests in flight', () => {
	it.each([
		{ what: 'double from four to sixteen', signs: OK, counts: [4, 8, 16, 16, 16] },
		{ what: 'stay four while they fail', signs: { isSuccess: false }, counts: [4, 4, 4] },
	])('$what', async ({ signs, counts }) => {
		const { open, beginMany, answer } = requestsOf();
		await beginMany(200);
		for (const count of counts) {
			expect(open).toHaveLength(count);
			await answer(signs);
		}
	});

	it('are followed by repeats first, otherwise in the order in which they came', async () => {
		const { begin, answerOne, names } = requestsOf();
		for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await begin(name);
		for (const name of ['repeat 1', 'repeat 2']) await begin(name, { isRepeat: true });
		await answerOne('a', {});
		expect(names()).toEqual(['b', 'c', 'd', 'repeat 1']);
		await answerOne('repeat 1', OK);
		expect(names()).toEqual(['b', 'c', 'd', 'repeat 2', 'e']);
	});
});

describe('a 429', () => {
	it('holds everybody, lets one try after Retry-After, then all go on', async () => {
		const { open, beginMany, answer, answerOne } = requestsOf();
		await beginMany(100);
		await answerOne('0', refused(5000));
		await used.time.pass(10);
		// These left before it, and tell nothing of the time after it.
		await answer();
		await used.time.pass(4980);
		expect(open).toHaveLength(0);
		await used.time.pass(1200);
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
		expect(backoffMs(40_000, 1)).toBe(40_100);
		jest.spyOn(Math, 'random').mockReturnValue(0);
		expect(backoffMs(0, 5)).toBe(0);
	});

	it('with Retry-After holds everybody, even if its request left before the last hold', async () => {
		const { open, begin, answerOne, names } = requestsOf();
		for (const name of ['upload', 'look']) await begin(name);
		await answerOne('look', refused(1000));
		await used.time.pass(60_000);
		await begin('waits');
		await answerOne('waits', OK);
		await answerOne('upload', refused(120_000));
		await begin('upload again', { isRepeat: true });
		await begin('other', { owner: {} });
		await used.time.pass(119_900);
		expect(open).toHaveLength(0);
		await used.time.pass(300);
		expect(names()).toEqual(['upload again', 'other']);
	});

	it('in a row for however long fails nobody while others are still in flight', async () => {
		const { failures, begin, answerOne } = requestsOf();
		for (const name of ['upload', 'refused']) await begin(name);
		for (let passedMs = 0; passedMs <= 1_800_000; passedMs += 31_000) {
			await answerOne('refused', refused());
			await begin('refused', { isRepeat: true });
			await used.time.pass(31_000);
		}
		expect(failures).toEqual([]);
	});

	it('is expected when little remains: it pauses first', async () => {
		const { open, beginMany, answerOne } = requestsOf();
		await beginMany(100);
		await answerOne('0', { ...OK, remaining: 3 });
		expect(open).toHaveLength(3);
		await used.time.pass(150);
		expect(open).toHaveLength(4);
	});

	it('with a Retry-After that is too long fails who comes in the next five minutes', async () => {
		const { open, failures, beginMany, answer } = await held(3_600_000);
		await used.time.pass(200_000);
		await beginMany(1);
		expect(failures).toMatchObject([{ retryAfterMs: 3_600_000 }]);
		// The service may change its mind: then somebody may ask.
		await used.time.pass(100_200);
		await beginMany(3);
		expect(open).toHaveLength(1);
		await answer();
		await used.time.pass(60_000);
		expect(open).toHaveLength(2);
	});
});

describe('a probe', () => {
	/** Requests of which one has left as the probe, after a hold. */
	async function probing() {
		const requests = await held(100);
		await used.time.pass(300);
		await requests.beginMany(5);
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

	it('that stalls lets another one try after five seconds, and all go on when that succeeds', async () => {
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
	it('ends a wait at once, takes nobody else along, and leaves no listener behind', async () => {
		const limiter = new RateLimiter();
		const { failed, failures, begin, answer, names } = requestsOf(limiter);
		const { signal, stop } = stoppable();
		await begin('in flight', { maxConcurrency: 1 });
		await begin('stopped', { maxConcurrency: 1, signal });
		await begin('stopped, too', { maxConcurrency: 2, signal });
		await begin('goes on', { maxConcurrency: 2 });
		await stop();
		await begin('comes too late', { signal });
		expect(failed).toEqual(['stopped', 'comes too late']);
		expect(failures).toEqual(failed.map(() => signal.reason as Error));
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
		// The second one's turn came before it heard of the stop.
		expect(names()).toEqual(['in flight', 'stopped, too']);
		await answer();
		expect(names()).toEqual(['goes on']);
		await answer();
		await used.time.pass(1);
		expect(limiter.quietMs).toBe(1);
	});

	it('leaves no timer behind that takes longer than a second', async () => {
		const { begin, failed } = await held(300_000);
		const { signal, stop } = stoppable();
		await begin('refused again', { isRepeat: true, signal });
		await stop();
		const start = used.time.elapsedMs;
		await used.time.settle(300_000);
		expect(failed).toEqual(['refused again']);
		expect(used.time.elapsedMs - start).toBeLessThanOrEqual(1000);
	});

	function stoppable() {
		const controller = new AbortController();
		const stop = async () => {
			controller.abort(new Error('Stop'));
			await settled();
		};
		return { signal: controller.signal, stop };
	}
});

describe('nobody is forgotten', () => {
	it('when the time of day is set back', async () => {
		const { open, beginMany, answer } = await held(1000);
		await beginMany(9);
		used.time.adjustTimeOfDay(-Date.now());
		await used.time.pass(1200);
		await answer();
		await used.time.pass(10_000);
		expect(open.length).toBeGreaterThan(1);
	});

	// As in a worker that is replaced: breaks, stalls and refusals in any order.
	it.each([
		{ timers: 'in time', takesMs: (ms: number) => ms },
		{ timers: 'early', takesMs: (ms: number) => ms * 0.9 },
		{ timers: 'late', takesMs: (ms: number) => ms + 300 },
	])('in chaos with timers that are $timers', async ({ takesMs }) => {
		const module = sleepModule();
		const { sleep: realSleep } = module;
		jest
			.spyOn(module, 'sleep')
			.mockImplementation(async (ms, signal) => await realSleep(takesMs(ms), signal));
		const limiter = new RateLimiter();
		let mostSilentMs = 0;
		let lastAt = performance.now();
		const respond = async () => {
			mostSilentMs = Math.max(mostSilentMs, performance.now() - lastAt);
			lastAt = performance.now();
			await sleep(Math.random() < 0.02 ? 30_000 : 100 * Math.random());
			if (Math.random() < 0.05) throw new Error('broken');
			if (Math.random() < 0.2) return refused();
			return Math.random() < 0.1 ? {} : OK;
		};
		const work = Array.from({ length: 30 }, async (_, index) => {
			await sleep(Math.random() * 10_000);
			const { counts, requests } = executionOf(limiter, respond, 1 + (index % 4));
			const failures = await requests(30);
			expect(failures.filter((failure) => failure instanceof LimitTooLong)).toEqual([]);
			expect(counts.most).toBeLessThanOrEqual(1 + (index % 4));
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

	it('forgets what nobody has used for a minute, and none in use or whose hold lasts', async () => {
		const [unused, inUse, isHeld] = ['unused', 'in use', 'held'].map(limiterFor);
		await held(300_000, isHeld);
		const { beginMany, answer } = requestsOf(inUse);
		await beginMany(1);
		await used.time.pass(59_000);
		expect(limiterFor('unused')).toBe(unused);
		await used.time.pass(300_000);
		expect(limiterFor('in use')).toBe(inUse);
		expect(limiterFor('held')).toBe(isHeld);
		expect(limiterFor('unused')).not.toBe(unused);
		await answer();
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
