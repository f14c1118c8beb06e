import { binaryItem, type BinaryMode } from '../support/binary';
import { BINARY_MODES } from '../support/profiles';
import { useVirtualService } from '../support/useVirtualService';

const MB = 1_000_000;
const METHODS = ['direct', 'signed'] as const;
const LARGE = 4 * MB;
const IN_SEVEN_MINUTES = { type: 'slowUpload', bytesPerSecond: LARGE / (7 * 60) } as const;

const used = useVirtualService({ profile: 'atlas' });

const largeFile = async (mode: BinaryMode) =>
	await binaryItem({
		files: { data: { data: Buffer.alloc(LARGE, 'x'), fileName: 'scan.pdf' } },
		mode,
	});

/** A large file, at the same time by each method. */
async function upload(mode: BinaryMode) {
	const uploads = METHODS.map(
		async (uploadMethod) =>
			await used.run(
				{ resource: 'document', operation: 'upload', uploadMethod },
				{ items: [await largeFile(mode)], binaryMode: mode },
			),
	);
	return (await used.time.run(Promise.all(uploads))).map(({ error }) => error);
}

async function expectUploaded() {
	const { uploads } = await used.control.ledger();
	expect(uploads).toMatchObject(METHODS.map(() => ({ size: LARGE, confirmed: true })));
}

it.each(BINARY_MODES)('a file goes up over a line that takes seven minutes: %s', async (mode) => {
	await used.control.faults([{ fault: IN_SEVEN_MINUTES }]);

	expect(await upload(mode)).toEqual([undefined, undefined]);

	expect(Math.round(used.time.elapsedMs / 60_000)).toBe(7);
	await expectUploaded();
});

it('one 429 after uploads of seven minutes fails neither them nor what queues behind them', async () => {
	await used.control.faults([{ fault: IN_SEVEN_MINUTES }]);
	await used.fault('upload', { type: 'status', status: 429 }, { times: 1 });
	const item = await largeFile('filesystem');

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
		for (const operation of ['upload', 'putFile'] as const) {
			await used.fault(operation, { type: 'stallUpload', bytes: 1 * MB }, { times });
		}
	};

	it.each(BINARY_MODES)(
		'is cut after a minute, with no doubt about the outcome: %s',
		async (mode) => {
			await stall();

			const errors = await upload(mode);

			expect(errors.map((error) => error?.message)).toEqual([
				'The upload to the service stalled',
				'The upload to the storage stalled',
			]);
			for (const error of errors) expect(error?.description).not.toContain('outcome is unknown');
		},
	);

	it('is tried again, as its body was not whole', async () => {
		await stall(1);

		expect(await upload('filesystem')).toEqual([undefined, undefined]);

		await expectUploaded();
	});
});
