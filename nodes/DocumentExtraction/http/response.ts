/** Reads responses, as text or as a file, within limits of size and time; and JSON, with all digits. */
import type { IBinaryData, IN8nHttpFullResponse } from 'n8n-workflow';

import {
	type ByteStream,
	IDLE_LIMIT_MS,
	RESPONSE_LIMIT_MS,
	SLOWEST_BYTES_PER_MS,
	streamFrom,
	type Transfer,
	withoutCrash,
} from './transfer';

/** A response that has been read; the text is empty where its body was stored as a file. */
export interface HttpResponse {
	statusCode: number;
	headers: { [name: string]: string | string[] | undefined };
	text: string;
}

/** In bytes after decompression: a page of 200 results of 250 kB each still fits. */
const LARGEST_TEXT = 50_000_000;
/** In bytes after decompression, as a small response may unpack to any size. */
const LARGEST_FILE = 5_000_000_000;

/** A response that is larger than the node reads or stores. */
export class ResponseTooLargeError extends Error {}

export function header({ headers }: Pick<HttpResponse, 'headers'>, name: string) {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

export function hasSuccessStatus({ statusCode }: Pick<HttpResponse, 'statusCode'>): boolean {
	return statusCode >= 200 && statusCode < 300;
}

export function isWebPage(response: HttpResponse): boolean {
	if (/^<(!doctype html|html)/i.test(response.text.slice(0, 200).trimStart())) return true;
	const isCalledSo = /text\/html|application\/xhtml/i.test(header(response, 'content-type') ?? '');
	// Some servers call everything so, their JSON, too.
	return isCalledSo && parsedJson(response.text) === undefined;
}

/** `Retry-After` in ms, given in seconds or as a date (RFC 9110 §10.2.3). */
export function retryAfterMs(response: HttpResponse): number | undefined {
	const value = header(response, 'retry-after')?.trim();
	if (!value) return undefined;
	// The date is by the service's clock, so it is compared with the service's own time.
	const now = Date.parse(header(response, 'date') ?? '') || Date.now();
	const seconds = Number(value);
	const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** What the response says about the rate limit (interface.md §8). */
export function rateSigns(response: HttpResponse) {
	const remaining = header(response, 'x-ratelimit-remaining');
	return {
		refused: response.statusCode === 429,
		retryAfterMs: retryAfterMs(response),
		// Some servers send -1 for no limit.
		remaining: remaining && /^\d+$/.test(remaining) ? Number(remaining) : undefined,
	};
}

/** The status and headers of a response whose body is still to be read. */
export function headOf({ statusCode, headers }: IN8nHttpFullResponse): HttpResponse {
	return { statusCode, headers: headers as HttpResponse['headers'], text: '' };
}

/**
 * Reads the body of a response as text, in UTF-8.
 * @param transfer ends the reading when bytes stop or arrive too slowly
 * @param largest the most that is read, in bytes
 * @throws ResponseTooLargeError
 */
export async function readResponse(
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
	largest = LARGEST_TEXT,
): Promise<HttpResponse> {
	const head = headOf(incoming);
	const chunks: Buffer[] = [];
	const bytes = watched(incoming.body as ByteStream, transfer, largest);
	for await (const chunk of bytes) chunks.push(chunk);
	return { ...head, text: new TextDecoder().decode(Buffer.concat(chunks)) };
}

/** Where a file is stored, e.g. as n8n's binary data. */
export interface FileStore {
	/** Whether a text may be the file. */
	takesText: boolean;
	keep: (stream: ByteStream, head: HttpResponse) => Promise<IBinaryData>;
}

/** The `fileSize` of an empty file in every version of n8n. */
const EMPTY = '0 B';

/** Stores the file of a response; one that is JSON, a web page or a failure is read as text instead. */
export async function readFileOrText(
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
	store: FileStore,
): Promise<{ response: HttpResponse; file?: IBinaryData }> {
	const head = headOf(incoming);
	const type = header(head, 'content-type') ?? '';
	const isText = /^text\//i.test(type) && !store.takesText;
	const isFile = hasSuccessStatus(head) && type !== '' && !isText && !/json|html/i.test(type);
	if (!isFile) return { response: await readResponse(incoming, transfer) };
	const body = withoutCrash(incoming.body as ByteStream);
	const stream = streamFrom(watched(body, transfer, LARGEST_FILE));
	const file = await transfer.race(store.keep(stream, head));
	return file.fileSize === EMPTY ? { response: head } : { response: head, file };
}

/** The bytes of a response; when they stop, arrive too slowly or are too many, it throws. */
async function* watched(
	stream: ByteStream,
	transfer: Transfer,
	largest: number,
): AsyncGenerator<Buffer> {
	let size = 0;
	const start = transfer.elapsedMs;
	const allowMore = () => {
		const leftMs = IDLE_LIMIT_MS + size / SLOWEST_BYTES_PER_MS - (transfer.elapsedMs - start);
		transfer.allow(Math.min(IDLE_LIMIT_MS, leftMs), 'receiving');
	};
	const destroy = () => stream.destroy(transfer.error());
	transfer.signal.addEventListener('abort', destroy, { once: true });
	allowMore();
	try {
		for await (const chunk of stream as AsyncIterable<Buffer>) {
			size += chunk.length;
			if (size > largest) throw new ResponseTooLargeError(`larger than ${largest / 1_000_000} MB`);
			allowMore();
			yield chunk;
		}
		// A stream that is destroyed without an error ends as if it were complete.
		transfer.signal.throwIfAborted();
		// Storing the bytes may take longer than receiving them did.
		transfer.allow(RESPONSE_LIMIT_MS, 'receiving');
	} finally {
		transfer.signal.removeEventListener('abort', destroy);
		stream.destroy();
	}
}

/**
 * The parsed JSON; undefined where the text is not JSON. A number that JavaScript would round, such as
 * a long ID or amount, becomes a string of its digits: rounded, it would be something else.
 */
export function parsedJson(text: string): unknown {
	try {
		const json: unknown = JSON.parse(text);
		const kept = withRoundedNumbers(text, (number) => `"${number}"`);
		return kept === text ? json : JSON.parse(kept);
	} catch {
		return undefined;
	}
}

/** The first number of a valid JSON text that JavaScript would round; undefined where there is none. */
export function roundedNumberIn(json: string): string | undefined {
	let first: string | undefined;
	withRoundedNumbers(json, (number) => (first ??= number));
	return first;
}

/** An escaped sign, a quotation mark, or a number with as many digits as JavaScript may not keep. */
const SIGN_OR_LONG_NUMBER = /\\[^]|"|(?<![\deE.+-])-?\d[\d.]{15,}(?:[eE][+-]?\d+)?/g;

/** A valid JSON text with each number that JavaScript would round replaced. */
function withRoundedNumbers(json: string, replacement: (number: string) => string): string {
	// Most pages have no such number, and a thousand strings, of which some are signatures full of digits.
	if (!/(?:^|[:[,])\s*-?\d[\d.]{15}/.test(json)) return json;
	let isInString = false;
	return json.replace(SIGN_OR_LONG_NUMBER, (token) => {
		if (token === '"') isInString = !isInString;
		const isNumber = !isInString && token !== '"';
		return isNumber && isRounded(token) ? replacement(token) : token;
	});
}

/** In digits: no program prints a double with more, so a longer number is none. */
const MOST_DIGITS = 100;

/** Whether JavaScript's number, printed with as many digits, is another one. */
function isRounded(number: string): boolean {
	const value = Number(number);
	if (/^-?\d+$/.test(number)) return !Number.isSafeInteger(value);
	const digits = digitsOf(number);
	if (digits.length > MOST_DIGITS) return true;
	return digits !== '' && digitsOf(value.toPrecision(digits.length)) !== digits;
}

/** The digits that count, wherever the point is. */
const digitsOf = (number: string) =>
	number
		.replace(/[eE].*/, '')
		.replace(/\D/g, '')
		.replace(/^0+/, '');
