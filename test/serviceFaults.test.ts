import { request } from 'undici';
import { beginRequest } from './support/rawRequest';
import { until } from './support/serviceClient';
import { useRealService } from './support/useRealService';
import { useVirtualService } from './support/useVirtualService';

/** Of most faults the node's tests show that they happen: they count tries, or read the ledger. */
describe.each([
	['atlas', 'application/json; charset=utf-8', /^\d+$/],
	['borealis', 'application/json; charset=utf-8', / GMT$/],
	['cobalt', 'text/plain', /^undefined$/],
] as const)('a rate limit, as %s', (profile, contentType, retryAfter) => {
	const used = useVirtualService({ profile, rate: { limit: 5, windowMs: 3000 } });

	const read = async (key?: string) =>
		await used.client.api('GET', used.client.at('/extractions'), { key });

	it('counts down for each key, refuses, and lets through again', async () => {
		const answers = [];
		for (let i = 0; i < 7; i++) answers.push(await read());
		const refused = answers[6];

		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
		const remaining = answers.map(({ headers }) => headers['x-ratelimit-remaining']);
		expect(remaining).toEqual(['4', '3', '2', '1', '0', '0', '0']);
		expect(refused.headers['content-type']).toBe(contentType);
		expect(String(refused.headers['retry-after'])).toMatch(retryAfter);
		expect((await read(used.client.environment.keys.readOnly)).status).toBe(200);
		await used.time.pass(3_000);
		expect((await read()).status).toBe(200);
	});
});

describe('the simulated service under faults', () => {
	const used = useVirtualService({ profile: 'atlas' });

	it('does nothing for a client that leaves during an answer that stands in for the work', async () => {
		await used.client.upload({ bytes: 'a file' });
		await used.fault('extractBulk', { type: 'huge', bytes: 50_000_000 });
		const url = `${used.service.url}/api/v1${used.client.at('/extract')}`;
		const { request: leaving, answer } = beginRequest(url, 'POST', {
			authorization: `Bearer ${used.client.environment.keys.full}`,
		});
		leaving.end();
		const response = await used.time.run(answer);
		response.on('error', () => {}).destroy();
		await used.time.pass(1_000);

		expect(response.statusCode).toBe(500);
		expect((await used.control.ledger()).extractions).toEqual([]);
	});

	it('happens by chance, and the same way again with the same seed', async () => {
		const run = async (seed: number) => {
			await used.control.clearFaults();
			await used.control.seedFaults(seed);
			await used.fault('getExtractions', { type: 'status', status: 500 }, { probability: 0.4 });
			const statuses = [];
			for (let i = 0; i < 100; i++) {
				statuses.push((await used.client.api('GET', used.client.at('/extractions'))).status);
			}
			return statuses;
		};
		const first = await run(1);

		expect(await run(1)).toEqual(first);
		expect(await run(2)).not.toEqual(first);
		const failed = first.filter((status) => status === 500).length;
		expect(failed).toBeGreaterThan(20);
		expect(failed).toBeLessThan(60);
	});
});

describe('the simulated service on real connections', () => {
	const used = useRealService({ profile: 'atlas' });

	it('breaks all of them, those that stall too, and goes on', async () => {
		await used.control.faults([{ fault: { type: 'stallBefore' } }]);
		const waiting = Promise.all(
			[`${used.service.url}/api/v1/x`, `${used.service.storageUrl}/file`].map(
				async (url) => await request(url).catch((error: Error) => error.message),
			),
		);
		await until(async () => (await used.control.requests()).length === 2);

		await used.control.cutConnections();

		expect(await waiting).toEqual(['other side closed', 'other side closed']);
		await used.control.clearFaults();
		expect((await used.client.describeWorkflow()).status).toBe(200);
	});
});
