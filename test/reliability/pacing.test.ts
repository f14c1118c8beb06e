import type { INodeExecutionData } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { Pace, type RateSigns } from '../../nodes/DocumentExtraction/transport/pacing';
import {
	fixedWindow,
	slidingWindow,
	tokenBucket,
	type CreateRateLimiter,
} from '../../dev/service/rateLimit';
import { runNode } from '../support/n8n';
import { startService, type Service } from '../support/service';
import type { Profile } from '../support/serviceContract';
import { textFileItems } from './files';
import { VirtualClock } from './virtualClock';

const ALGORITHMS: Array<[string, Profile, CreateRateLimiter]> = [
	['a fixed window', 'atlas', fixedWindow],
	['a sliding window', 'borealis', slidingWindow],
	['a token bucket', 'cobalt', tokenBucket],
];

const UPLOADS = { resource: 'document', operation: 'upload' };

const uploadAll = async (service: Service, items: INodeExecutionData[]) =>
	await runNode({ credential: service.credential(), parameters: UPLOADS, items });

describe.each(ALGORITHMS)('a service that limits the rate by %s', (_, profile) => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ profile, discardFiles: true });
	});

	afterAll(async () => await service.stop());

	it('loses nothing and does nothing twice in a storm of refusals', async () => {
		const count = 30;
		await service.control.reset();
		await service.control.settings({ rate: { limit: 20, windowMs: 500 }, maxInFlight: 3 });
		await service.control.faults([
			{ match: { operation: 'upload', probability: 0.2 }, fault: { type: 'status', status: 429 } },
		]);

		const items = await textFileItems(count);
		// Two executions at a time share what the service allows.
		const runs = await Promise.all([
			uploadAll(service, items.slice(0, count / 2)),
			uploadAll(service, items.slice(count / 2)),
		]);

		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined]);
		const { uploads } = await service.control.ledger();
		expect(uploads.map(({ fileName }) => fileName).sort()).toEqual(
			items.map((item) => item.binary?.data.fileName).sort(),
		);
		expect(runs.flatMap(({ output }) => output.map(({ json }) => json.documentId)).sort()).toEqual(
			uploads.map(({ documentId }) => documentId).sort(),
		);
	}, 60_000);
});

it('extracts as many single documents at a time as Max Concurrency allows', async () => {
	const service = await startService();
	const extractAll = async (count: number) => {
		const { documentIds } = await service.control.seed({ documents: count });
		const { error } = await runNode({
			credential: service.credential(),
			parameters: {
				resource: 'extraction',
				operation: 'extractOne',
				documentId: '={{ $json.id }}',
				options: { body: '{"force": true}', maxConcurrency: 40 },
			},
			items: documentIds.map((id) => ({ json: { id } })),
		});
		expect(error).toBeUndefined();
		return documentIds;
	};
	await extractAll(100);
	await service.control.faults([
		{ match: { operation: 'extractOne', times: 20 }, fault: { type: 'delay', ms: 1_500 } },
	]);

	const documentIds = await extractAll(40);

	const { extractions } = await service.control.ledger();
	const order = extractions.slice(100).flatMap((extraction) => extraction.documentIds);
	expect(order).toHaveLength(40);
	// Twenty that dawdle hold nobody up.
	expect(order.slice(0, 20).sort()).toEqual(documentIds.slice(20).sort());
	await service.stop();
});

describe.each(ALGORITHMS)('a rate that is limited by %s', (_, _profile, createLimiter) => {
	const [LIMIT, WINDOW_MS, COUNT, LATENCY_MS, ARRIVAL_MS, STALL_MS] = [50, 1_000, 300, 50, 20, 100];

	type Answer = { result: boolean; signs: RateSigns };

	/** The share of the allowed rate that runs of many requests made use of, and how many were refused. */
	async function use(
		clock: VirtualClock,
		{ processes = 1, lost = 0, stalls = 0, windowBefore = 0, count = COUNT, runs = 1 },
	) {
		const paces = Array.from({ length: processes }, () => new Pace());
		let limiter = createLimiter(LIMIT, windowBefore);
		let refused = 0;
		let stalledUntil = 0;
		const freeRequest = async (): Promise<Answer> => {
			await clock.sleep(LATENCY_MS);
			return { result: true, signs: { isSuccess: true } };
		};
		const limitedRequest = async (): Promise<Answer> => {
			await clock.sleep(ARRIVAL_MS * Math.random());
			if (Math.random() < stalls) stalledUntil = Date.now() + STALL_MS * Math.random();
			await clock.sleep(stalledUntil - Date.now());
			const { allowed, remaining, waitMs } = limiter.take(Date.now());
			await clock.sleep(LATENCY_MS + ARRIVAL_MS * Math.random());
			if (!allowed) refused++;
			if (Math.random() < lost) return { result: false, signs: {} };
			const retryAfterMs = allowed ? undefined : Math.max(1, Math.ceil(waitMs / 1000)) * 1000;
			const signs = {
				refused: !allowed,
				isSuccess: allowed,
				limit: LIMIT,
				remaining,
				retryAfterMs,
			};
			return { result: allowed, signs };
		};
		const requestAll = async (count: number, request: () => Promise<Answer>) => {
			const untilAllowed = async (pace: Pace) => {
				let isRepeat = false;
				while (!(await pace.run({ maxConcurrency: 16, isRepeat }, request))) isRepeat = true;
			};
			const all = Array.from({ length: count }, (_each, index) => paces[index % processes]);
			await clock.run(Promise.all(all.map(untilAllowed)));
		};
		// What was allowed a minute ago says nothing of the limit.
		await requestAll(LIMIT, freeRequest);
		await clock.run(clock.sleep(60_000));
		if (windowBefore > 0) await requestAll(COUNT, limitedRequest);
		refused = 0;
		let tookMs = 0;
		for (let run = 0; run < runs; run++) {
			limiter = createLimiter(LIMIT, WINDOW_MS);
			const start = Date.now();
			await requestAll(count, limitedRequest);
			tookMs += Date.now() - start;
			await clock.run(clock.sleep(2 * WINDOW_MS));
		}
		return { share: (runs * count) / LIMIT / (tookMs / WINDOW_MS), refused };
	}

	async function usesOf(
		runs: number,
		circumstances: Parameters<typeof use>[1],
		clock = new VirtualClock(),
	) {
		const uses: Array<Awaited<ReturnType<typeof use>>> = [];
		try {
			for (let run = 0; run < runs; run++) uses.push(await use(clock, circumstances));
		} finally {
			clock.stop();
		}
		return uses;
	}

	/** The node's jitter is random: what counts is the usual run, not an unlucky one. */
	async function usualUse(circumstances: Parameters<typeof use>[1]) {
		const uses = await usesOf(10, circumstances);
		const median = (values: number[]) =>
			values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
		return {
			share: median(uses.map(({ share }) => share)),
			refused: median(uses.map(({ refused }) => refused)),
		};
	}

	it('is used nearly whole, with hardly a refusal', async () => {
		const { share, refused } = await usualUse({});

		expect(share).toBeGreaterThanOrEqual(0.93);
		expect(refused).toBeLessThanOrEqual(1);
	});

	it('is used to the end however time passes between two looks at the clock', async () => {
		for (const { share } of await usesOf(20, {}, new VirtualClock(0.2))) {
			expect(share).toBeGreaterThan(0.5);
		}
	});

	it('is used nearly whole, run after run, where the service falters now and then', async () => {
		const { share } = await usualUse({ stalls: 0.01, runs: 12 });

		expect(share).toBeGreaterThanOrEqual(0.93);
	});

	it('is kept to when answers get lost on the way', async () => {
		const { refused } = await usualUse({ lost: 0.1 });

		expect(refused).toBeLessThanOrEqual(COUNT / 50);
	});

	it('is learned again when it comes back sooner than before', async () => {
		const { share } = await usualUse({ windowBefore: 2 * WINDOW_MS, count: 10 * COUNT });

		expect(share).toBeGreaterThanOrEqual(0.75);
	});

	it.each([2, 4])('is used by %i processes that know nothing of each other', async (processes) => {
		const { share, refused } = await usualUse({ processes });

		expect(share).toBeGreaterThanOrEqual(0.6);
		expect(refused).toBeLessThanOrEqual(COUNT / 2);
	});
});

describe('the pace that all calls with one key share', () => {
	const MAX = 16;

	/** Requests that stay in flight until the test answers them. */
	function requestsOf(pace: Pace) {
		const open: Array<(signs: RateSigns) => void> = [];
		return {
			open,
			begin: async (count: number) => {
				for (let number = 0; number < count; number++) {
					void pace.run({ maxConcurrency: MAX, isRepeat: false }, async () => {
						const signs = await new Promise<RateSigns>((resolve) => open.push(resolve));
						return { result: undefined, signs };
					});
				}
				await new Promise(setImmediate);
			},
			/** Answers all that are in flight, and lets the next ones leave. */
			answer: async (signs: RateSigns = { isSuccess: true }) => {
				for (const resolve of open.splice(0)) resolve(signs);
				await new Promise(setImmediate);
			},
		};
	}

	it('starts with four requests in flight and goes up to Max Concurrency', async () => {
		const { open, begin, answer } = requestsOf(new Pace());
		await begin(200);
		const inFlight: number[] = [];
		for (let round = 0; round < 5; round++) {
			inFlight.push(open.length);
			await answer();
		}
		expect(inFlight).toEqual([4, 8, 16, 16, 16]);
	});

	it('does not grow while requests fail', async () => {
		const { open, begin, answer } = requestsOf(new Pace());
		await begin(20);
		await answer({ isSuccess: false });
		expect(open).toHaveLength(4);
	});

	it('holds everything after a 429, tries with one request, goes on with half as many', async () => {
		const { open, begin, answer } = requestsOf(new Pace());
		await begin(100);
		await answer();
		await answer();
		expect(open).toHaveLength(16);

		await answer({ refused: true, retryAfterMs: 100 });
		expect(open).toHaveLength(0);
		await delay(60);
		expect(open).toHaveLength(0);
		await delay(250);
		expect(open).toHaveLength(1);
		await answer();
		expect(open).toHaveLength(8);
	});

	it('slows down before the limit is used up', async () => {
		const { open, begin, answer } = requestsOf(new Pace());
		await begin(100);
		await answer({ isSuccess: true, limit: 50, remaining: 5 });
		// Two are kept back to find out, without a refusal, when more is allowed.
		expect(open).toHaveLength(3);
		await answer({ isSuccess: true, limit: 50, remaining: 2 });
		expect(open).toHaveLength(0);
	});

	it('is not shortened by answers to requests that left before the hold', async () => {
		const { open, begin, answer } = requestsOf(new Pace());
		await begin(100);
		const [first, ...others] = open.splice(0);
		first({ refused: true, retryAfterMs: 300 });
		await delay(10);
		for (const resolve of others) resolve({ isSuccess: true, limit: 50, remaining: 0 });
		await delay(100);
		expect(open).toHaveLength(0);
		await delay(500);
		expect(open).toHaveLength(1);
		await answer();
	});

	it('lets another request try when Stop ended the one that tried', async () => {
		const pace = new Pace();
		const { open, begin, answer } = requestsOf(pace);
		await begin(1);
		await answer({ refused: true, retryAfterMs: 0 });
		let press = () => {};
		const stopped = pace.run(
			{ maxConcurrency: MAX, isRepeat: false },
			async () =>
				await new Promise<never>((_, reject) => (press = () => reject(new Error('Stop')))),
		);
		await begin(10);
		await delay(150);
		expect(open).toHaveLength(0);
		press();
		await expect(stopped).rejects.toThrow('Stop');
		await delay(50);
		expect(open).toHaveLength(1);
		await answer();
		expect(open).toHaveLength(2);
	});

	it('goes on when the last answer says nothing of the limit', async () => {
		const { open, begin } = requestsOf(new Pace());
		await begin(100);
		const [last, ...others] = open.splice(0);
		for (const resolve of others) resolve({ isSuccess: true, limit: 50, remaining: 1 });
		await delay(10);
		last({ isSuccess: false });
		await delay(1_300);
		expect(open).toHaveLength(1);
	});
});
