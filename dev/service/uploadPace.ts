import { pipeline, Transform, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';

/** How often bytes are taken from a slow upload, where its fault does not say. */
const usualTickMs = 100;
/** Small, so that the client's side feels at once that nothing is read. */
const bufferBytes = 16 * 1024;

/**
 * The same bytes at the pace that the faults of the request want. What is not taken from here
 * is not read from the connection either.
 */
export function atPaceOf(faults: Fault[], source: Readable): Readable {
	const slow = faults.find((fault) => fault.type === 'slowUpload');
	const stall = faults.find((fault) => fault.type === 'stallUpload');
	if (!slow && !stall) return source;
	const { bytesPerSecond = Infinity, everyMs: tickMs = usualTickMs } = slow ?? {};
	const pieceBytes = Math.max(1, Math.round((bytesPerSecond * tickMs) / 1000));
	let due = performance.now();
	let left = stall?.bytes ?? Infinity;

	const paced = new Transform({
		readableHighWaterMark: bufferBytes,
		writableHighWaterMark: bufferBytes,
		transform(bytes: Buffer, _encoding, done) {
			void (async () => {
				for (let start = 0; start < bytes.length; start += pieceBytes) {
					const piece = bytes.subarray(start, start + pieceBytes);
					// The time that was lost is made up for, but not what the client was late with.
					due = Math.max(due, performance.now() - tickMs) + (piece.length / bytesPerSecond) * 1000;
					if (slow) await sleep(due - performance.now());
					this.push(piece.subarray(0, left));
					left -= piece.length;
					// From now on nothing is read any more.
					if (left < 0) return;
				}
				done();
			})();
		},
	});
	// Whoever reads the result learns of a failure.
	return pipeline(source, paced, () => {});
}
