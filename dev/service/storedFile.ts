import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { Line, StoredFile } from './model.ts';
import type { PdfTools } from './pdf.ts';

/** What comes behind it is only counted and hashed, so that a file of any size can come. */
const MOST_BYTES = 50 * 1024 * 1024;
/** Nobody else's requests should wait for a long text: its beginning is enough. */
const MOST_TEXT_BYTES = 1024 * 1024;

/**
 * @param faults of the request that it comes with
 * @throws when the source breaks off
 */
export async function receive(source: Readable, faults: Fault[] = []): Promise<StoredFile> {
	const hash = createHash('sha256');
	const kept: Buffer[] = [];
	let size = 0;
	for await (const chunk of atPaceOf(faults, source)) {
		hash.update(chunk);
		if (size < MOST_BYTES) kept.push(chunk);
		size += chunk.length;
	}
	return { bytes: Buffer.concat(kept), size, sha256: hash.digest('hex') };
}

/** The same bytes at the pace that faults want: what is not taken is not read from the connection either. */
async function* atPaceOf(faults: Fault[], source: Readable): AsyncGenerator<Buffer> {
	const slow = faults.find((fault) => fault.type === 'slowUpload');
	const stall = faults.find((fault) => fault.type === 'stallUpload');
	if (!slow && !stall) return yield* source;
	const { bytesPerSecond = Infinity, everyMs = 100 } = slow ?? {};
	const pieceBytes = Math.max(1, Math.round((bytesPerSecond * everyMs) / 1000));
	let due = performance.now();
	let left = stall?.bytes ?? Infinity;
	for await (const bytes of source as AsyncIterable<Buffer>) {
		for (let start = 0; start < bytes.length; start += pieceBytes) {
			const piece = bytes.subarray(start, start + pieceBytes);
			// The time that was lost is made up for, but not what the client was late with.
			due = Math.max(due, performance.now() - everyMs) + (piece.length / bytesPerSecond) * 1000;
			if (slow) await sleep(due - performance.now());
			yield piece.subarray(0, left);
			left -= piece.length;
			// Nothing is read any more until the connection breaks.
			if (left < 0) await finished(source);
		}
	}
}

export const isPdf = ({ bytes }: StoredFile) => bytes.toString('latin1', 0, 5) === '%PDF-';

/**
 * The text of a PDF or a text file; no lines for anything else.
 * @throws when a PDF is broken
 */
export async function readLines(
	file: StoredFile,
	contentType: string,
	pdfs: PdfTools,
): Promise<Line[]> {
	const { bytes, size } = file;
	if (size > bytes.length) return [];
	if (isPdf(file)) return await pdfs.linesOf(bytes);
	if (!contentType.startsWith('text/')) return [];
	const lines = bytes.toString('utf8', 0, MOST_TEXT_BYTES).split(/\r?\n/);
	return lines.map((line) => line.trim().split(/\t| {2,}/));
}
