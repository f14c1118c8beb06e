/** Reading responses: as little as it takes, within limits of size and time, before anybody trusts them. */
import type { IN8nHttpFullResponse } from 'n8n-workflow';

import type { ByteStream } from './streams';
import type { RateSigns } from './limiter';
import { IDLE_LIMIT_MS, RESPONSE_LIMIT_MS, SLOWEST_BYTES_PER_MS, type Transfer } from './transfer';

/** A response that has been read; the text is empty where its body was kept as a file. */
export interface HttpResponse {
	statusCode: number;
	headers: { [name: string]: string | string[] | undefined };
	text: string;
}

/**
 * The most that is read of a response that is not a file, in bytes after decompression: a page of 200
 * results of 250 kB each still fits.
 */
const LARGEST_TEXT = 50_000_000;
/** The most that is kept of a file, in bytes after decompression: a small response may become any size. */
export const LARGEST_FILE = 5_000_000_000;
/** Of a failure only the beginning is of use, in bytes. */
const LARGEST_FAILURE_TEXT = 1_000_000;

/** A response that is larger than anything that the node is willing to hold. */
export class ResponseTooLargeError extends Error {}

export function header({ headers }: Pick<HttpResponse, 'headers'>, name: string) {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

export function hasSuccessStatus({ statusCode }: Pick<HttpResponse, 'statusCode'>): boolean {
	return statusCode >= 200 && statusCode < 300;
}

export function isWebPage(response: HttpResponse): boolean {
	return (
		/text\/html|application\/xhtml/i.test(header(response, 'content-type') ?? '') ||
		/^\s{0,100}<(!doctype html|html)/i.test(response.text.slice(0, 200))
	);
}

/** `Retry-After` in ms, given in seconds or as a date (RFC 9110 §10.2.3). */
export function retryAfterMs(response: HttpResponse): number | undefined {
	const value = header(response, 'retry-after')?.trim();
	if (!value) return undefined;
	// A date is the service's, so that its own clock tells how far off it is.
	const now = Date.parse(header(response, 'date') ?? '') || Date.now();
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** What a response says about the rate limit (interface.md §8). */
export function rateSigns(response: HttpResponse): RateSigns {
	const remaining = header(response, 'x-ratelimit-remaining')?.trim() ?? '';
	return {
		refused: response.statusCode === 429,
		retryAfterMs: retryAfterMs(response),
		remaining: /^\d+$/.test(remaining) ? Number(remaining) : undefined,
	};
}

/** The status and headers of a response whose body is still to be read. */
export function headOf({ statusCode, headers }: IN8nHttpFullResponse): HttpResponse {
	return { statusCode, headers: headers as HttpResponse['headers'], text: '' };
}

/**
 * Reads the body of a response as text, in the character set that it declares.
 * @param transfer ends the reading when the line stalls or drips
 * @param largest the most that is read of a success, in bytes
 * @throws ResponseTooLargeError for a success that is larger; of a failure the rest is left
 */
export async function readResponse(
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
	largest = LARGEST_TEXT,
): Promise<HttpResponse> {
	const head = headOf(incoming);
	const isSuccess = hasSuccessStatus(head);
	const stream = watched(incoming.body as ByteStream, transfer, isSuccess ? largest : Infinity);
	const chunks: Buffer[] = [];
	let size = 0;
	// Leaving the loop early lets go of the stream, and so of its connection.
	for await (const chunk of stream) {
		chunks.push(chunk);
		size += chunk.length;
		if (!isSuccess && size >= LARGEST_FAILURE_TEXT) break;
	}
	return { ...head, text: decoded(head, Buffer.concat(chunks)) };
}

/** The bytes of a response, watched: a stream that stalls or drips ends with an error. */
export async function* watched(
	stream: ByteStream,
	transfer: Transfer,
	largest = Infinity,
): AsyncGenerator<Buffer> {
	let size = 0;
	const start = transfer.elapsedMs();
	const allowMore = () => {
		const leftMs = IDLE_LIMIT_MS + size / SLOWEST_BYTES_PER_MS - (transfer.elapsedMs() - start);
		transfer.allow(Math.min(IDLE_LIMIT_MS, leftMs), 'receiving');
	};
	const letGo = () => stream.destroy(transfer.error());
	transfer.signal.addEventListener('abort', letGo, { once: true });
	allowMore();
	try {
		for await (const chunk of stream as AsyncIterable<Buffer>) {
			size += chunk.length;
			if (size > largest) throw new ResponseTooLargeError(`larger than ${largest / 1_000_000} MB`);
			allowMore();
			yield chunk;
		}
		// A stream that was destroyed without an error ends as if it were whole.
		transfer.signal.throwIfAborted();
		// Whoever keeps the bytes may need more time than they took to come.
		transfer.allow(RESPONSE_LIMIT_MS, 'receiving');
	} finally {
		transfer.signal.removeEventListener('abort', letGo);
		stream.destroy();
	}
}

/** Proxies' pages are not always UTF-8. */
function decoded(head: HttpResponse, bytes: Buffer): string {
	const type = header(head, 'content-type') ?? '';
	const charset = /charset\s{0,9}=\s{0,9}"?([\w-]+)/i.exec(type)?.[1];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return bytes.toString('utf8');
	}
}
