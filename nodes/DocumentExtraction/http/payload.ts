/** Bodies of requests that carry a file: large ones are streamed from where n8n keeps them. */
import { randomUUID } from 'crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { streamFrom, withoutCrash, type ByteStream } from './streams';
import { IDLE_LIMIT_MS, RESPONSE_LIMIT_MS, SLOWEST_BYTES_PER_MS, type Transfer } from './transfer';

/** The bytes of a file, with what a request has to say of them. */
export type FileContent = {
	name: string;
	mimeType: string;
	/** In bytes. */
	size: number;
} & (
	| {
			/** Gives the bytes from where n8n keeps them outside the item, anew each time. */
			open: () => Promise<ByteStream>;
	  }
	| {
			open?: undefined;
			/** Writes the bytes, which n8n has at hand, into a buffer. */
			writeTo: (target: Buffer, offset: number) => void;
	  }
);

/** n8n's storage gave another number of bytes than it said the file has. */
class IncompleteFileError extends Error {
	/** As the system reports a disk that does not give what it holds. */
	readonly code = 'EIO';

	constructor(read: number, size: number) {
		super(`n8n's storage gave ${read} of ${size} bytes`);
	}
}

/** The body of one try. */
export interface Payload {
	body: IHttpRequestOptions['body'];
	headers: IDataObject;
	/** Whether the last bytes were handed over: without them, nothing can have been done with the body. */
	isWhole: () => boolean;
	/** Lets go of what the body holds, e.g. an open file. */
	discard: () => void;
}

/** Makes the body for one try and tells its transfer how long it may take. */
export type PayloadFactory = (transfer: Transfer) => Promise<Payload>;

/**
 * n8n closes a connection as soon as its response is there. A service that answers before it has read
 * a streamed body, to refuse it, would be cut off and its reason lost (EPIPE).
 */
const STREAMED = { Connection: 'keep-alive' };

/** A body that is at hand, or none. n8n shows no progress of it: the limit grows with its size. */
export function wholePayload(
	transfer: Transfer,
	body: Payload['body'],
	headers: IDataObject = {},
	size = 0,
): Payload {
	transfer.allow(RESPONSE_LIMIT_MS + size / SLOWEST_BYTES_PER_MS, 'responding');
	return { body, headers, isWhole: () => true, discard: () => {} };
}

/** A JSON body, as text: n8n does not send an object or list that is empty. */
export function jsonPayload(transfer: Transfer, json: unknown): Payload {
	return wholePayload(transfer, JSON.stringify(json), { 'Content-Type': 'application/json' });
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

/** A file between what goes before and after it, with a length: S3 and its likes refuse chunked bodies. */
async function framed(
	transfer: Transfer,
	file: FileContent,
	before: string,
	after: string,
	type: string,
): Promise<Payload> {
	const [head, tail] = [Buffer.from(before), Buffer.from(after)];
	const size = head.length + file.size + tail.length;
	const headers = { 'Content-Type': type, 'Content-Length': size };
	if (!file.open) {
		const body = Buffer.alloc(size);
		head.copy(body);
		file.writeTo(body, head.length);
		tail.copy(body, size - tail.length);
		return wholePayload(transfer, body, headers, size);
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
				yield chunk;
			}
			// The service would wait in vain for what is missing of the length that it was told.
			if (read !== file.size) throw new IncompleteFileError(read, file.size);
			isWhole = true;
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

/** As browsers escape names in multipart headers (HTML Living Standard, multipart/form-data encoding). */
function quoted(name: string): string {
	return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
