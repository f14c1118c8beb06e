import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { composed, streamOf } from '../../nodes/DocumentExtraction/http/compose';

async function* asItIs(source: AsyncIterable<Buffer>) {
	yield* source;
}

describe('a composed stream', () => {
	it('keeps an error that comes before anybody reads for whoever reads', async () => {
		const source = new PassThrough();
		const stream = composed(source, asItIs);
		source.destroy(new Error('cut off'));
		for (let turn = 0; turn < 10; turn++) await nextTurn();

		await expect(buffer(stream)).rejects.toThrow('cut off');
	});

	it('gives the bytes of its source', async () => {
		const source = new PassThrough();
		source.end(Buffer.alloc(300_000, 'a'));

		expect((await buffer(composed(source, asItIs))).length).toBe(300_000);
	});

	it.each([0, 1, 65_536, 65_537, 1_000_000])('is made of %d bytes at hand', async (size) => {
		const bytes = Buffer.alloc(size, 'abc');

		expect((await buffer(streamOf(bytes))).equals(bytes)).toBe(true);
	});
});
