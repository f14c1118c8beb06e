/** Files that come with a response, streamed to wherever n8n keeps binary data. */
import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { streamFrom, withoutCrash, type ByteStream } from '../http/streams';
import {
	hasSuccessStatus,
	header,
	headOf,
	LARGEST_FILE,
	readResponse,
	watched,
	type HttpResponse,
} from '../http/response';
import type { Transfer } from '../http/transfer';

export type StoreFile = (stream: ByteStream, head: HttpResponse) => Promise<IBinaryData>;

/** How every n8n version gives the size of a file without any bytes, which is no file. */
const EMPTY = '0 B';

/**
 * Stores the file of a response as binary data, under the name of its Content-Disposition.
 * @param fallbackName the name where the response gives none
 */
export function fileStore(context: IExecuteFunctions, fallbackName: string): StoreFile {
	return async (stream, head) =>
		await context.helpers.prepareBinaryData(
			stream,
			dispositionName(header(head, 'content-disposition') ?? '') ?? fallbackName,
			(header(head, 'content-type') ?? '').split(';')[0].trim(),
		);
}

/** Keeps a file; a response that speaks of a file or of a failure is read as text instead. */
export async function readFileOrText(
	incoming: IN8nHttpFullResponse,
	transfer: Transfer,
	store: StoreFile,
): Promise<{ response: HttpResponse; file?: IBinaryData }> {
	const head = headOf(incoming);
	const type = header(head, 'content-type') ?? '';
	const isFile = hasSuccessStatus(head) && type !== '' && !/json|html|^text\//i.test(type);
	if (!isFile) return { response: await readResponse(incoming, transfer) };
	const body = withoutCrash(incoming.body as ByteStream);
	const stream = streamFrom(watched(body, transfer, LARGEST_FILE));
	const file = await transfer.race(store(stream, head));
	return file.fileSize === EMPTY ? { response: head } : { response: head, file };
}

/** `filename*` (RFC 5987) before `filename`, without any path. */
function dispositionName(disposition: string): string | undefined {
	const text = disposition.slice(0, 2_000);
	const extended = /filename\*\s?=\s?utf-8'[^';]*'([^;\s]+)/i.exec(text)?.[1];
	const plain = /filename\s?=\s?(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	const name = (extended && decoded(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
	const base = name
		?.split(/[/\\]/)
		.pop()
		?.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return base && !/^\.+$/.test(base) ? base : undefined;
}

function decoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
