import { sleep } from 'n8n-workflow';
import { fixedWindow, slidingWindow, tokenBucket, type Verdict } from '../../dev/service/rateLimit';
import { RateLimiter, type RateSigns } from '../../nodes/DocumentExtraction/http/limiter';
import { executionOf, mean } from './executionOf';
import { useVirtualTime } from './useVirtualTime';

const used = useVirtualTime();

/** A simulated limit: what it allows, what it says remains, and when more is allowed. */
interface Limit {
	take(now: number): Omit<Verdict, 'remaining'> & { remaining?: number };
	/** An allowed request is done. */
	release?(): void;
}

interface Situation {
	newLimit: () => Limit;
	latencyMs: number;
	count: number;
	/** Their limiters know nothing of each other. */
	processes?: number;
	/** Under a limit on requests in flight. */
	mostInFlight?: number;
}

/** How long all requests take, if each leaves as soon as the limit lets it, in ms. */
function bestMs({ newLimit, latencyMs, count, processes = 1, mostInFlight }: Situation) {
	const limit = newLimit();
	let now = 0;
	for (let left = count; left > 0; ) {
		const { allowed, waitMs } = limit.take(now);
		limit.release?.();
		if (allowed) left--;
		else now += Math.max(0.01, waitMs);
	}
	const lanes = mostInFlight ?? 16 * processes;
	return Math.max(now + latencyMs, (count / lanes) * latencyMs);
}

/** Repeats all requests until each is allowed. @param isTold what remains, and for how long to wait */
async function measure(situation: Situation, isTold: boolean) {
	const { newLimit, latencyMs, count, processes = 1 } = situation;
	const limit = newLimit();
	const respond = async (): Promise<RateSigns> => {
		await sleep(latencyMs * 0.2 * (1 + Math.random()));
		const { allowed, remaining, waitMs } = limit.take(Date.now());
		await sleep(allowed ? latencyMs * 0.8 * (0.8 + 0.4 * Math.random()) : 5);
		if (allowed) limit.release?.();
		const retryAfterMs = allowed ? undefined : Math.max(1, Math.ceil(waitMs / 1000)) * 1000;
		return { refused: !allowed, isSuccess: allowed, ...(isTold && { remaining, retryAfterMs }) };
	};
	const executions = Array.from({ length: processes }, () =>
		executionOf(new RateLimiter(), respond),
	);
	const start = performance.now();
	const requests = Array.from(
		{ length: count },
		async (_, index) => await executions[index % processes].request(),
	);
	await used.time.run(Promise.all(requests));
	const sent = executions.reduce((sum, { counts }) => sum + counts.sent, 0);
	return {
		share: bestMs(situation) / (performance.now() - start),
		refused: (sent - count) / count,
	};
}

/** Which share of the best use requests make of the limit in these situations, and how many are refused. */
async function measureAll(situations: Situation[]) {
	const found = [];
	for (const situation of situations) {
		for (const isTold of [true, false]) found.push(await measure(situation, isTold));
	}
	const shares = found.map(({ share }) => share);
	return {
		share: mean(shares),
		leastShare: Math.min(...shares),
		refused: mean(found.map(({ refused }) => refused)),
	};
}

/** Requests that take a moment. */
const SHORT = [
	{ limit: 50, windowMs: 1000, count: 300 },
	{ limit: 10, windowMs: 1000, count: 150 },
	{ limit: 60, windowMs: 60_000, count: 150 },
	{ limit: 100, windowMs: 10_000, count: 400 },
].flatMap((rate) => [
	{ ...rate, latencyMs: 400, processes: 1 },
	{ ...rate, latencyMs: 200, processes: 3 },
]);

/** Requests that take one to six minutes. */
const LONG = [5, 10].flatMap((limit) =>
	[60_000, 180_000, 360_000].map((latencyMs) => {
		return { limit, windowMs: 60_000, count: 15 * limit, latencyMs, processes: 1 };
	}),
);

describe.each(Object.entries({ fixedWindow, slidingWindow, tokenBucket }))(
	'%s',
	(_, createLimit) => {
		it.each([
			{ by: 'short requests', all: SHORT, share: 0.65, leastShare: 0.2, refused: 0.2 },
			{ by: 'requests of minutes', all: LONG, share: 0.6, leastShare: 0.4, refused: 1 },
		])('is made good use of by $by', async ({ all, ...bounds }) => {
			const { share, leastShare, refused } = await measureAll(
				all.map((situation) => {
					const { limit, windowMs } = situation;
					return { ...situation, newLimit: () => createLimit(limit, windowMs) };
				}),
			);
			expect(share).toBeGreaterThan(bounds.share);
			expect(leastShare).toBeGreaterThan(bounds.leastShare);
			expect(refused).toBeLessThan(bounds.refused);
		});
	},
);

/** So many requests in flight at a time, whatever the rate; says nothing of what remains. */
function limitInFlight(limit: number): Limit {
	let current = 0;
	return {
		take() {
			const allowed = current < limit;
			if (allowed) current++;
			return { allowed, waitMs: 0 };
		},
		release: () => void current--,
	};
}

it('a limit on the number of requests in flight is made good use of', async () => {
	const situation = { newLimit: () => limitInFlight(4), count: 300, mostInFlight: 4 };
	const latencies = [50, 200, 800];
	const { share, refused } = await measureAll(
		latencies.map((latencyMs) => ({ ...situation, latencyMs })),
	);
	expect(share).toBeGreaterThan(0.45);
	expect(refused).toBeLessThan(0.15);
});
