/** Bodies of requests: large files are streamed from where n8n keeps them. */
import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import {
	type ByteStream,
	IDLE_LIMIT_MS,
	RESPONSE_LIMIT_MS,
	SLOWEST_BYTES_PER_MS,
	streamFrom,
	type Transfer,
	withoutCrash,
} from './transfer';

/** The bytes of a file, and what a request says about them. */
export type FileContent = {
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
	/** Given where it is wanted: filled with the SHA-256 of the bytes, in hex, once all have been sent. */
	hash?: { sha256?: string };
} & (
	| { bytes: Buffer }
	/** Opens a new stream of the bytes each time. */
	| { bytes?: undefined; open: () => Promise<ByteStream> }
);

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

/**
 * By default n8n closes a connection as soon as the response has begun. If the service refuses a
 * streamed body before it has read all of it, that would lose the reason (EPIPE).
 */
const STREAMED = { Connection: 'keep-alive' };

/** A body in memory, or none. Its progress is not visible, so its time limit grows with its size. */
function wholePayload(
	transfer: Transfer,
	body: Payload['body'],
	headers: IDataObject = {},
	size = 0,
): Payload {
	transfer.allow(RESPONSE_LIMIT_MS + size / SLOWEST_BYTES_PER_MS, 'responding');
	return { body, headers, isWhole: () => true, discard: () => {} };
}

/** No body, which the service distinguishes from an empty one. */
export const noPayload: PayloadFactory = async (transfer) => wholePayload(transfer, undefined);

/** A JSON body, as text, because n8n does not send an empty object or list. */
export function jsonPayload(json: unknown): PayloadFactory {
	const headers = { 'Content-Type': 'application/json' };
	return async (transfer) => wholePayload(transfer, JSON.stringify(json), headers);
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
			value === undefined ? [] : [part(`name="${quoted(name)}"`), '\r\n', value, '\r\n'],
		),
		part(`name="${quoted(fileField)}"; filename="${quoted(file.name)}"`),
		`Content-Type: ${file.mimeType}\r\n\r\n`,
	].join('');
	const type = `multipart/form-data; boundary=${boundary}`;
	return async (transfer) => await framed(transfer, file, head, `\r\n--${boundary}--\r\n`, type);
}

/** A file between a head and a tail, with a Content-Length, as S3 and others refuse chunked bodies. */
async function framed(
	transfer: Transfer,
	file: FileContent,
	before: string,
	after: string,
	type: string,
): Promise<Payload> {
	const [head, tail] = [Buffer.from(before), Buffer.from(after)];
	const size = head.length + (file.bytes?.length ?? file.size) + tail.length;
	const headers = { 'Content-Type': type, 'Content-Length': size };
	const hash = file.hash && createHash('sha256');
	const hashed = (bytes: Buffer, isLast: boolean) => {
		hash?.update(bytes);
		if (file.hash && isLast) file.hash.sha256 = hash?.copy().digest('hex');
	};
	if (file.bytes) {
		hashed(file.bytes, true);
		return wholePayload(transfer, Buffer.concat([head, file.bytes, tail]), headers, size);
	}
	transfer.allow(IDLE_LIMIT_MS, 'sending');
	const stream = withoutCrash(await transfer.race(file.open(), (late) => late.destroy()));
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
				hashed(chunk, isWhole);
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
		headers: { ...headers, ...STREAMED },
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
function quoted(name: string): string {
	return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

/**
 * The SHA-256 of a file, in hex, before it is sent.
 * @param stop ends the reading of a large file
 */
export async function hashOf(file: FileContent, stop?: AbortSignal): Promise<string> {
	const hash = createHash('sha256');
	if (file.bytes) return hash.update(file.bytes).digest('hex');
	for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) {
		stop?.throwIfAborted();
		hash.update(chunk);
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
