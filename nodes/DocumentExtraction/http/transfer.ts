/**
 * One try of a request: its time limits, as a transfer may take as long as bytes move; its body, as large
 * files are streamed from where n8n keeps them; and how its streams and its signal get to n8n and Node.js,
 * which looks alarming, and is right.
 */
import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { onAbort, orAborted } from './concurrency';

/** The longest time in which no byte moves, in ms. */
export const IDLE_LIMIT_MS = 60_000;
/** How long the service may take to respond once it has the whole request, in ms. */
export const RESPONSE_LIMIT_MS = 300_000;
/** The slowest line that is supported: 0.25 Mbit/s. A response that arrives more slowly is given up. */
export const SLOWEST_BYTES_PER_MS = 31.25;

/** How often a transfer is checked, in ms; time limits are accurate to this. */
const CHECK_EVERY_MS = 5_000;

type TransferPhase = 'sending' | 'responding' | 'receiving';

/** A request that took longer than it was allowed to. */
export class TimeLimitError extends Error {
	constructor(
		readonly phase: TransferPhase,
		/** In ms. */
		readonly limitMs: number,
	) {
		super(`No progress for ${Math.round(limitMs / 1000)} seconds while ${phase}`);
	}
}

/** One try of a request: its signal is aborted by Stop, or when the try takes longer than allowed. */
export class Transfer {
	private readonly controller = new AbortController();
	private readonly unsubscribe: () => void;
	private ticks = 0;
	private limit: { phase: TransferPhase; ms: number } = { phase: 'responding', ms: Infinity };
	private allowedUntil = Infinity;
	private hasEnded = false;

	/** @param patienceMs how long the transfer may take altogether, even if bytes move */
	constructor(
		stop: AbortSignal | undefined,
		private readonly patienceMs = Infinity,
	) {
		stop?.throwIfAborted();
		this.unsubscribe = onAbort(stop, () => this.controller.abort(stop?.reason));
		this.awaitTick();
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** How long the transfer has been under way, in ms, to the tick. */
	get elapsedMs(): number {
		return this.ticks * CHECK_EVERY_MS;
	}

	/** Sets the time limit, in ms from now, that holds until the next call. */
	allow(ms: number, phase: TransferPhase) {
		this.limit = { phase, ms };
		// The current tick may end at once.
		this.allowedUntil = this.elapsedMs + CHECK_EVERY_MS + ms;
	}

	/** What ended the transfer: a TimeLimitError or the reason of Stop; undefined while nothing has. */
	error(): Error | undefined {
		return this.signal.aborted ? (this.signal.reason as Error) : undefined;
	}

	/**
	 * Waits for n8n's own storage, which heeds neither Stop nor time limits.
	 * @param letGo releases a result that comes after the transfer has ended
	 */
	async race<T>(work: Promise<T>, letGo: (late: T) => void = () => {}): Promise<T> {
		work.then(
			(late) => this.signal.aborted && letGo(late),
			() => undefined,
		);
		return await orAborted(work, this.signal);
	}

	/** Releases the timer and the listeners. */
	end() {
		this.hasEnded = true;
		this.unsubscribe();
	}

	/** Its timer keeps no process alive and does not depend on the time of day. */
	private awaitTick() {
		AbortSignal.timeout(CHECK_EVERY_MS).addEventListener('abort', () => this.onTick(), {
			once: true,
		});
	}

	private onTick() {
		if (this.hasEnded) return;
		this.awaitTick();
		this.ticks++;
		const { phase, ms } = this.limit;
		const end = (limit: TimeLimitError) => this.controller.abort(limit);
		if (this.elapsedMs > this.allowedUntil) end(new TimeLimitError(phase, ms));
		if (this.elapsedMs >= this.patienceMs) end(new TimeLimitError('responding', this.patienceMs));
	}
}

/** A Node.js stream, as n8n's helpers return and accept it. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/**
 * A stream of these bytes. n8n Cloud forbids a node to import `stream`, but a hash is a stream too:
 * `flatMap` replaces its only chunk by the bytes. `compose` would do as well, but loses some errors,
 * and an error that nobody handles ends the process.
 */
export function streamFrom(bytes: AsyncIterable<Buffer>): ByteStream {
	return withoutCrash(
		createHash('sha256')
			.end()
			.flatMap(() => bytes),
	);
}

/** Keeps an error of a stream that nobody reads yet from ending the process; its reader still gets it. */
export function withoutCrash<S extends ByteStream>(stream: S): S {
	return stream.on('error', () => undefined);
}

/**
 * The context of an execution, with a signal of its own in place of Stop. n8n's helper that attaches the
 * credential replaces the `abortSignal` of a request by the signal of the context that it is called
 * with: a request's time limit would not end it.
 */
export function withSignal<C extends object>(context: C, signal: AbortSignal): C {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as C;
}

/** The bytes of a file, and what a request says about them. */
export interface FileContent {
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	/** Opens a new stream of the bytes each time. */
	open: () => Promise<ByteStream>;
}

/** The body of one try. */
export interface Payload {
	body: IHttpRequestOptions['body'];
	headers: IDataObject;
	/**
	 * Whether the last bytes of the file were handed over. Without them the service cannot have processed
	 * the request, and a success is none.
	 */
	isWhole: () => boolean;
	/** Releases what the body holds, e.g. an open file. */
	discard: () => void;
}

/** Makes the body for one try and sets the time limit of its transfer. */
export type PayloadFactory = (transfer: Transfer) => Promise<Payload>;

/** No body, which the service distinguishes from an empty one. */
export const noPayload: PayloadFactory = async (transfer) => wholePayload(transfer, undefined);

/** A JSON body, as text, because n8n does not send an empty object or list. */
export function jsonPayload(json: unknown): PayloadFactory {
	const headers = { 'Content-Type': 'application/json' };
	return async (transfer) => wholePayload(transfer, JSON.stringify(json), headers);
}

function wholePayload(transfer: Transfer, body: Payload['body'], headers = {}): Payload {
	transfer.allow(RESPONSE_LIMIT_MS, 'responding');
	return { body, headers, isWhole: () => true, discard: () => {} };
}

/** A file as the body of a PUT. */
export function rawPayload(file: FileContent): PayloadFactory {
	return async (transfer) => await framed(transfer, file, '', '', file.mimeType);
}

/** A file and text fields as multipart/form-data with a known length (RFC 7578). */
export function multipartPayload(
	file: FileContent,
	fileField: string,
	fields: { [name: string]: string | undefined },
): PayloadFactory {
	const boundary = `----n8n${randomUUID()}`;
	const part = (disposition: string) =>
		`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
	const head = [
		...Object.entries(fields).flatMap(([name, value]) =>
			value === undefined ? [] : [part(`name="${inHeader(name)}"`), '\r\n', value, '\r\n'],
		),
		part(`name="${inHeader(fileField)}"; filename="${inHeader(file.name)}"`),
		`Content-Type: ${file.mimeType}\r\n\r\n`,
	].join('');
	const type = `multipart/form-data; boundary=${boundary}`;
	return async (transfer) => await framed(transfer, file, head, `\r\n--${boundary}--\r\n`, type);
}

/** In bytes: one chunk of a stream, which would hold a smaller file whole as well, but costs more CPU. */
const LARGEST_AT_ONCE = 64 * 1024;

/** A file between a head and a tail, with a Content-Length, as S3 and others refuse chunked bodies. */
async function framed(
	transfer: Transfer,
	file: FileContent,
	before: string,
	after: string,
	type: string,
): Promise<Payload> {
	const [head, tail] = [Buffer.from(before), Buffer.from(after)];
	transfer.allow(IDLE_LIMIT_MS, 'sending');
	const stream = withoutCrash(await transfer.race(file.open(), (late) => late.destroy()));
	const size = head.length + file.size + tail.length;
	const headers = { 'Content-Type': type, 'Content-Length': size };
	if (file.size <= LARGEST_AT_ONCE) {
		const chunks = (await transfer.race(stream.toArray())) as Buffer[];
		const bytes = Buffer.concat([head, ...chunks, tail]);
		if (bytes.length !== size) throw incomplete(bytes.length - size + file.size, file.size);
		return wholePayload(transfer, bytes, headers);
	}
	let isWhole = false;
	const body = streamFrom(
		(async function* () {
			transfer.allow(IDLE_LIMIT_MS, 'sending');
			if (head.length > 0) yield head;
			let read = 0;
			for await (const chunk of stream as AsyncIterable<Buffer>) {
				transfer.allow(IDLE_LIMIT_MS, 'sending');
				read += chunk.length;
				// Before they leave: the response to them may be faster than what follows here.
				isWhole = read === file.size;
				yield chunk;
			}
			// The Content-Length is wrong now: the service would wait for bytes that do not come.
			if (read !== file.size) throw incomplete(read, file.size);
			transfer.allow(RESPONSE_LIMIT_MS, 'responding');
			if (tail.length > 0) yield tail;
		})(),
	);
	return {
		body: body as IDataObject & ByteStream,
		headers: {
			...headers,
			// By default n8n closes a connection as soon as the response has begun. If the service refuses
			// a body before it has read all of it, that would lose the reason (EPIPE).
			Connection: 'keep-alive',
		},
		isWhole: () => isWhole,
		discard: () => {
			body.destroy();
			stream.destroy();
		},
	};
}

/** The error, with the system's code for a disk that cannot be read. */
const incomplete = (read: number, size: number) =>
	Object.assign(new Error(`only ${read} of the file's ${size} bytes could be read`), {
		code: 'EIO',
	});

/** Escapes a name in a multipart header as browsers do (HTML Living Standard, multipart/form-data). */
function inHeader(name: string): string {
	return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

/**
 * The SHA-256 of a file, in hex.
 * @param stop ends the reading, also where n8n's storage stalls
 */
export async function hashOf(file: FileContent, stop?: AbortSignal): Promise<string> {
	const hash = createHash('sha256');
	const transfer = new Transfer(stop);
	try {
		const opening = transfer.race(file.open(), (late) => late.destroy());
		const stream = withoutCrash(await opening);
		transfer.signal.addEventListener('abort', () => stream.destroy(transfer.error()));
		for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
	} finally {
		transfer.end();
	}
	return hash.digest('hex');
}

/** In bytes, as Node.js reads files. */
const CHUNK = 64 * 1024;

/** A buffer in chunks. */
export async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
	for (let start = 0; start < bytes.length; start += CHUNK) {
		yield bytes.subarray(start, start + CHUNK);
	}
}
