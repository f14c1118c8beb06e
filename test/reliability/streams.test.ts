import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunksOf } from '../../nodes/DocumentExtraction/http/payload';
import { streamFrom, withoutCrash } from '../../nodes/DocumentExtraction/http/workarounds';

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

	it('gives the bytes of another stream', async () => {
		const source = new PassThrough();
		source.end(Buffer.alloc(300_000, 'a'));

		expect((await buffer(streamFrom(asItIs(withoutCrash(source))))).length).toBe(300_000);
	});

	it.each([0, 1, 65_536, 65_537, 1_000_000])('is made of %d bytes at hand', async (size) => {
		const bytes = Buffer.alloc(size, 'abc');

		expect((await buffer(streamFrom(chunksOf(bytes)))).equals(bytes)).toBe(true);
	});
});
