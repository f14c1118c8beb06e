import { buffer } from 'node:stream/consumers';
import { chunksOf, rawPayload } from '../../nodes/DocumentExtraction/http/payload';
import { Transfer } from '../../nodes/DocumentExtraction/http/transfer';
import { streamFrom } from '../../nodes/DocumentExtraction/http/workarounds';

const SIZE = 200_000;

/** The body of a try that uploads a file of this size from a storage that gives so many bytes. */
async function bodyOf(bytes: number) {
	const transfer = new Transfer(undefined);
	const open = async () => streamFrom(chunksOf(Buffer.alloc(bytes)));
	const payload = await rawPayload({ name: 'a.pdf', mimeType: 'a/b', size: SIZE, open })(transfer);
	transfer.end();
	return { payload, sent: buffer(payload.body as never) };
}

describe('a file whose length was told to the service', () => {
	it.each([0, SIZE - 1, SIZE + 1])(
		'fails, and is not whole, when the storage gives %d bytes',
		async (bytes) => {
			const { payload, sent } = await bodyOf(bytes);

			await expect(sent).rejects.toThrow(`n8n's storage gave ${bytes} of ${SIZE} bytes`);
			expect(payload.isWhole()).toBe(false);
		},
	);
});
