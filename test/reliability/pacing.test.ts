import type { INodeExecutionData } from 'n8n-workflow';
import { runNode } from '../support/n8n';
import { startService, type Service } from '../support/service';
import type { Profile } from '../support/serviceContract';
import { textFileItems } from './files';

const ALGORITHMS: Array<[string, Profile]> = [
	['a fixed window', 'atlas'],
	['a sliding window', 'borealis'],
	['a token bucket', 'cobalt'],
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

	it('is used to at least nine tenths of what it allows, and every file goes up once', async () => {
		const [limit, windowMs, count] = [50, 1_000, 300];
		const items = await textFileItems(count);
		await service.control.settings({ rate: { limit, windowMs }, latencyMs: 20 });
		// Once before, as in an n8n that has been running for a while.
		await uploadAll(service, await textFileItems(1));
		await service.control.reset();
		await service.control.settings({ rate: { limit, windowMs }, latencyMs: 20 });
		const start = performance.now();

		const run = await uploadAll(service, items);

		const ms = performance.now() - start;
		const { uploads } = await service.control.ledger();
		expect(run.error).toBeUndefined();
		expect(run.output).toHaveLength(count);
		expect(uploads.map(({ fileName }) => fileName).sort()).toEqual(
			items.map((item) => item.binary?.data.fileName).sort(),
		);
		expect(count / limit / (ms / windowMs)).toBeGreaterThanOrEqual(0.9);
	});
});
