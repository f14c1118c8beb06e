import { pipeline, Transform, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';

/** How often bytes are taken from a slow upload, where its fault does not say. */
const usualTickMs = 100;
/** Small, so that the client's side feels at once that nothing is read. */
const bufferBytes = 16 * 1024;

type Pace = (bytes: Buffer) => AsyncIterable<Buffer>;

/**
 * The same bytes at the pace that the faults of the request want. What is not taken from here
 * is not read from the connection either.
 */
export function atPaceOf(faults: Fault[], source: Readable): Readable {
	return faults.reduce((slower, fault) => {
		const pace =
			fault.type === 'slowUpload'
				? slowly(fault.bytesPerSecond, fault.everyMs)
				: fault.type === 'stallUpload' && stalling(fault.bytes);
		return pace ? paced(slower, pace) : slower;
	}, source);
}

function paced(source: Readable, pace: Pace): Readable {
	const paced = new Transform({
		readableHighWaterMark: bufferBytes,
		writableHighWaterMark: bufferBytes,
		transform(bytes: Buffer, _encoding, done) {
			void (async () => {
				for await (const piece of pace(bytes)) this.push(piece);
				done();
			})();
		},
	});
	// Whoever reads the result learns of a failure.
	return pipeline(source, paced, () => {});
}

function slowly(bytesPerSecond: number, tickMs = usualTickMs): Pace {
	const pieceBytes = Math.max(1, Math.round((bytesPerSecond * tickMs) / 1000));
	let due = performance.now();

	return async function* (bytes) {
		for (let start = 0; start < bytes.length; start += pieceBytes) {
			const piece = bytes.subarray(start, start + pieceBytes);
			// The time that was lost is made up for, but not what the client was late with.
			due = Math.max(due, performance.now() - tickMs) + (piece.length / bytesPerSecond) * 1000;
			await sleep(due - performance.now());
			yield piece;
		}
	};
}

function stalling(afterBytes: number): Pace {
	let seen = 0;

	return async function* (bytes) {
		const before = afterBytes - seen;
		seen += bytes.length;
		yield bytes.subarray(0, before);
		if (seen > afterBytes) await new Promise(() => {});
	};
}
