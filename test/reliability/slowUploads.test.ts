import { binaryItem, type BinaryMode } from '../support/binary';
import { BINARY_MODES } from '../support/profiles';
import { useVirtualService } from '../support/useVirtualService';

const MB = 1_000_000;
const METHODS = ['direct', 'signed'] as const;

const used = useVirtualService({ profile: 'atlas' });

/** A file of so many bytes, at the same time by each method. */
async function upload(size: number, mode: BinaryMode) {
	const uploads = METHODS.map(async (uploadMethod) => {
		const files = { data: { data: Buffer.alloc(size, 'x'), fileName: 'scan.pdf' } };
		return await used.run(
			{ resource: 'document', operation: 'upload', uploadMethod },
			{ items: [await binaryItem({ files, mode })], binaryMode: mode },
		);
	});
	return (await used.time.run(Promise.all(uploads))).map(({ error }) => error);
}

async function expectUploaded(size: number) {
	const { uploads } = await used.control.ledger();
	expect(uploads.map((done) => ({ size: done.size, confirmed: done.confirmed }))).toEqual(
		METHODS.map(() => ({ size, confirmed: true })),
	);
}

it.each(BINARY_MODES)(
	'a file of 8 MB goes up over a line that takes seven minutes: %s',
	async (mode) => {
		const bytesPerSecond = (8 * MB) / (7 * 60);
		await used.control.faults([{ fault: { type: 'slowUpload', bytesPerSecond } }]);

		expect(await upload(8 * MB, mode)).toEqual([undefined, undefined]);

		expect(Math.round(used.time.elapsedMs / 60_000)).toBe(7);
		await expectUploaded(8 * MB);
	},
);

it('one 429 after uploads of seven minutes fails neither them nor what queues behind them', async () => {
	const bytesPerSecond = (8 * MB) / (7 * 60);
	await used.control.faults([
		{ fault: { type: 'slowUpload', bytesPerSecond } },
		{ match: { operation: 'upload', times: 1 }, fault: { type: 'status', status: 429 } },
	]);
	const files = { data: { data: Buffer.alloc(8 * MB, 'x'), fileName: 'scan.pdf' } };
	const item = await binaryItem({ files, mode: 'filesystem' });

	const { error, output } = await used.run(
		{ resource: 'document', operation: 'upload', options: { maxConcurrency: 1 } },
		{ items: [item, item], binaryMode: 'filesystem' },
	);

	expect(error).toBeUndefined();
	expect(output).toHaveLength(2);
	expect(await used.control.requests('upload')).toHaveLength(3);
});

describe('an upload that makes no progress', () => {
	const stall = async (times?: number) => {
		// The service does not notice that a stalled upload is over, and its URL may be used again.
		await used.control.settings({ uploadUrlUses: 100 });
		await used.control.faults(
			(['upload', 'putFile'] as const).map((operation) => ({
				match: { operation, times },
				fault: { type: 'stallUpload', bytes: 1 * MB },
			})),
		);
	};

	it.each(BINARY_MODES)(
		'is cut after a minute, with no doubt about the outcome: %s',
		async (mode) => {
			await stall();

			const [direct, signed] = await upload(4 * MB, mode);

			expect(direct?.message).toBe('The upload to the service stalled');
			expect(signed?.message).toBe('The upload to the storage stalled');
			for (const error of [direct, signed])
				expect(error?.description).not.toContain('outcome is unknown');
		},
	);

	it('is tried again, as its body was not whole', async () => {
		await stall(1);

		expect(await upload(4 * MB, 'filesystem')).toEqual([undefined, undefined]);

		await expectUploaded(4 * MB);
	});
});
