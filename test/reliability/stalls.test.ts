import type { Fault } from '../../dev/service/faults';
import { pdfOfWidths } from '../support/files';
import type { Profile } from '../support/serviceContract';
import { useVirtualService } from '../support/useVirtualService';

const LIST = { resource: 'extraction', operation: 'getAll', returnAll: true, simple: false };

const STALLS: Array<[what: string, fault: Fault]> = [
	['headers and no more', { type: 'stallMidBody' }],
	['half of the body and no more', { type: 'stallMidBody', bytes: 500 }],
	['a drip', { type: 'drip', everyMs: 4_000 }],
];

describe('a response that stalls', () => {
	const used = useVirtualService({ profile: 'atlas' });
	beforeEach(async () => await used.control.seed({ documents: 40 }));

	const list = async (fault: Fault, times?: number) => {
		await used.fault('getExtractions', fault, { times });
		return await used.run(LIST);
	};

	it.each(STALLS)('is let go of, and asked for again: %s', async (_, fault) => {
		const { error, output } = await list(fault, 1);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(40);
		expect(await used.control.requests('getExtractions')).toHaveLength(2);
	});

	it.each(STALLS)('fails with its limit when it stays so: %s', async (_, fault) => {
		const { error } = await list(fault);

		expect(error?.message).toBe('The response of the service stalled');
	});

	// Five minutes are over then, and no try begins after them.
	it('is waited for once, if nothing comes at all', async () => {
		const { error } = await list({ type: 'stallBefore' });

		expect(error?.message).toBe('The service did not respond in time');
		expect(await used.control.requests('getExtractions')).toHaveLength(1);
	});

	it('holds nobody else up when it is the first after a 429', async () => {
		const runs = 5;
		await used.control.faults([
			{ match: { times: runs }, fault: { type: 'status', status: 429 } },
			{ match: { times: 1 }, fault: { type: 'stallBefore' } },
		]);
		const ended: Array<string | number> = [];

		await used.time.run(
			Promise.all(
				Array.from({ length: runs }, async () => {
					const { error, output } = await used.run(LIST);
					ended.push(error?.message ?? output.length);
				}),
			),
		);

		expect(ended).toEqual([40, 40, 40, 40, 'The service did not respond in time']);
	});
});

describe.each<[Profile, 'merge' | 'downloadMerged', string, string]>([
	['atlas', 'merge', '', 'service'],
	['cobalt', 'downloadMerged', 'payload.download.url', 'service'],
	['borealis', 'downloadMerged', 'href', 'storage'],
])('the merged PDF (%s, %s)', (profile, operation, downloadUrlField, peer) => {
	const used = useVirtualService({ profile });

	it.each<[string, Fault]>([
		['that stalls in the middle', { type: 'stallMidBody', bytes: 100 }],
		['that drips', { type: 'drip', everyMs: 4_000 }],
	])('%s is let go of', async (_, fault) => {
		const [{ id }] = used.client.workflow.collections;
		await used.client.uploadedId({ bytes: await pdfOfWidths(100) }, { collection_id: id });
		await used.fault(operation, fault);

		const { error } = await used.run(
			{
				resource: 'collection',
				operation: 'merge',
				collection: { __rl: true, mode: 'id', value: id },
				options: { downloadUrlField },
			},
			{ binaryMode: 'filesystem' },
		);

		expect(error?.message).toBe(`The response of the ${peer} stalled`);
		expect(error?.description).toContain(
			operation === 'merge' ? 'The outcome is unknown' : 'but its PDF did not arrive',
		);
	});
});
