import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** A Node.js stream of bytes, as n8n hands it out and takes it; n8n Cloud forbids importing `stream`. */
export type FileStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/**
 * The bytes of a stream on their way through a generator. Until somebody reads it, Node.js hands an
 * error of the source to nobody, which ends the process: so it is read from the start.
 */
export function composed(
	source: FileStream,
	work: (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): FileStream {
	const stream = source.compose(work) as FileStream;
	stream.on('error', () => undefined);
	stream.read(0);
	return stream;
}

/** In bytes, as Node.js reads files. */
const CHUNK = 64 * 1024;

/** Bytes at hand as a stream, so that it shows while they are sent. No node can make one but from a hash. */
export function streamOf(bytes: Buffer): FileStream {
	return composed(createHash('sha256').end(), async function* (hash) {
		for await (const digest of hash) void digest;
		for (let start = 0; start < bytes.length; start += CHUNK) {
			yield bytes.subarray(start, start + CHUNK);
		}
	});
}
