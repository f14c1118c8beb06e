import type { Fault } from '../../dev/service/faults';
import { atlas } from '../../dev/service/profiles/atlas';
import { borealis } from '../../dev/service/profiles/borealis';
import { linkedMerge } from '../../dev/service/profiles/variants';
import { BINARY_MODES, binaryItem, type BinaryMode } from '../support/binary';
import { pdfOfWidths } from '../support/files';
import { useVirtualService } from '../support/useService';

const MB = 1_000_000;
const DRIP: Fault = { type: 'drip', everyMs: 4_000 };

describe('an upload', () => {
	const used = useVirtualService({ profile: 'atlas' });
	const METHODS = ['direct', 'signed'] as const;
	const SIZE = 4 * MB;

	/** A large file, at the same time by each method. */
	async function upload(binaryMode: BinaryMode) {
		const data = { data: Buffer.alloc(SIZE, 'x'), fileName: 'scan.pdf' };
		const items = [await binaryItem({ files: { data }, mode: binaryMode })];
		const uploads = METHODS.map(
			async (uploadMethod) =>
				await used.run(
					{ resource: 'document', operation: 'upload', options: { uploadMethod } },
					{ items, binaryMode },
				),
		);
		return (await used.time.run(Promise.all(uploads))).map(({ error }) => error);
	}

	async function expectUploaded() {
		const { uploads } = await used.control.ledger();
		expect(uploads).toMatchObject(METHODS.map(() => ({ size: SIZE, confirmed: true })));
	}

	it.each(BINARY_MODES)('goes over a line that takes seven minutes: %s', async (mode) => {
		const fault: Fault = { type: 'slowUpload', bytesPerSecond: SIZE / (7 * 60) };
		await used.control.faults([{ fault }]);

		expect(await upload(mode)).toEqual([undefined, undefined]);

		expect(Math.round(used.time.elapsedMs / 60_000)).toBe(7);
		await expectUploaded();
	});

	const stall = async (times?: number) => {
		// The service does not notice that a stalled upload is over, and its URL may be used again.
		await used.control.settings({ uploadUrlUses: 100 });
		for (const operation of ['upload', 'putFile'] as const) {
			await used.fault(operation, { type: 'stallUpload', bytes: 1 * MB }, { times });
		}
	};

	it.each(BINARY_MODES)('that stalls is cut, and its outcome is certain: %s', async (mode) => {
		await stall();

		const errors = await upload(mode);

		expect(errors.map((error) => error?.message)).toEqual([
			'The upload to the service stalled',
			'The upload to the storage stalled',
		]);
		for (const error of errors) expect(error?.description).not.toContain('outcome is unknown');
	});

	it('that stalls is tried again, as its body was not whole', async () => {
		await stall(1);

		expect(await upload('filesystem')).toEqual([undefined, undefined]);

		await expectUploaded();
	});
});

describe('a response that stalls', () => {
	const used = useVirtualService({ profile: 'atlas' });

	it.each<[what: string, fault: Fault]>([
		['headers and no more', { type: 'stallMidBody' }],
		['half of the body and no more', { type: 'stallMidBody', bytes: 500 }],
		['a drip', DRIP],
	])('is asked for again, and fails when it stays so: %s', async (_, fault) => {
		const list = async () =>
			await used.run({ resource: 'extraction', operation: 'getAll', returnAll: true });
		await used.control.seed({ documents: 40 });
		await used.fault('getExtractions', fault, { times: 1 });
		const { error, output } = await list();
		expect(await used.control.requests('getExtractions')).toHaveLength(2);
		await used.fault('getExtractions', fault);
		const stalled = await list();

		expect(error).toBeUndefined();
		expect(output).toHaveLength(40);
		expect(stalled.error?.message).toBe('The response of the service stalled');
	});
});

describe.each([
	{ profile: atlas, operation: 'merge', peer: 'service' },
	{ profile: { ...atlas, merge: linkedMerge }, operation: 'downloadMerged', peer: 'service' },
	{ profile: borealis, operation: 'downloadMerged', peer: 'storage' },
] as const)('the merged PDF, by $operation from the $peer', ({ profile, operation, peer }) => {
	const used = useVirtualService({ profile });

	it.each<[string, Fault]>([
		['stalls in the middle', { type: 'stallMidBody', bytes: 100 }],
		['drips', DRIP],
	])('that %s is let go of', async (_, fault) => {
		const [{ id }] = used.client.workflow.collections;
		await used.client.uploadedId({ bytes: await pdfOfWidths(100) }, { collection_id: id });
		await used.fault(operation, fault);

		const { error } = await used.run(
			{
				resource: 'collection',
				operation: 'merge',
				collection: { __rl: true, mode: 'id', value: id },
				options: { downloadUrlField: profile.merge.urlField },
			},
			{ binaryMode: 'filesystem' },
		);

		expect(error?.message).toBe(`The response of the ${peer} stalled`);
		expect(error?.description).toContain(
			operation === 'merge' ? 'The outcome is unknown' : 'but its PDF did not arrive',
		);
	});
});
