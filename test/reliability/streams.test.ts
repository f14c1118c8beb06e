import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
	chunksOf,
	hashOf,
	rawPayload,
	streamFrom,
	Transfer,
	withoutCrash,
} from '../../nodes/DocumentExtraction/http/transfer';

async function* asItIs(source: AsyncIterable<Buffer>) {
	yield* source;
}

describe('a stream made of bytes', () => {
	it('keeps an error that comes before anybody reads for whoever reads', async () => {
		const source = new PassThrough();
		const stream = streamFrom(asItIs(withoutCrash(source)));
		source.destroy(new Error('cut off'));
		for (let turn = 0; turn < 10; turn++) await nextTurn();

		await expect(buffer(stream)).rejects.toThrow('cut off');
	});

	it('is let go of at any time', async () => {
		for (let reads = 0; reads < 8; reads++) {
			const stream = streamFrom(chunksOf(Buffer.alloc(500_000)));
			const outer = streamFrom(asItIs(stream));
			const reading = outer.iterator({ destroyOnReturn: false });
			for (let read = 0; read < reads; read++) await reading.next();
			outer.destroy();
			stream.destroy();
			for (let turn = 0; turn < 5; turn++) await nextTurn();

			expect(outer.destroyed).toBe(true);
		}
	});
});

const SIZE = 200_000;

it.each([0, SIZE - 1, SIZE + 1])(
	'a file fails, and is not whole, when the storage gives other than its length: %d bytes',
	async (bytes) => {
		const open = async () => streamFrom(chunksOf(Buffer.alloc(bytes)));
		const transfer = new Transfer(undefined);
		const file = { name: 'a.pdf', mimeType: 'a/b', size: SIZE, open };

		const payload = await rawPayload(file)(transfer);
		const sent = buffer(payload.body as never);

		await expect(sent).rejects.toThrow(`only ${bytes} of the file's ${SIZE} bytes could be read`);
		expect(payload.isWhole()).toBe(false);
		transfer.end();
	},
);

it('a hash ends with Stop, though the storage gives no more of the file', async () => {
	const stop = new AbortController();
	const stalled = new PassThrough();
	stalled.write('a part');
	const file = { name: 'a', mimeType: 'b', size: 9, open: async () => Promise.resolve(stalled) };
	const hashing = hashOf(file, stop.signal);
	await nextTurn();
	stop.abort(new Error('Stop was pressed'));

	await expect(hashing).rejects.toThrow('Stop was pressed');
	expect(stalled.destroyed).toBe(true);
});

it('a file that the storage opens only after Stop is closed again', async () => {
	const stop = new AbortController();
	const late = new PassThrough();
	let give: (stream: PassThrough) => void = () => {};
	const opened = new Promise<PassThrough>((resolve) => (give = resolve));
	const hashing = hashOf(
		{ name: 'a', mimeType: 'b', size: 9, open: async () => await opened },
		stop.signal,
	);
	stop.abort(new Error('Stop was pressed'));
	await expect(hashing).rejects.toThrow('Stop was pressed');
	give(late);
	await nextTurn();

	expect(late.destroyed).toBe(true);
});
