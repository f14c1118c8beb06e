/** Files that come with a response, streamed to wherever n8n keeps binary data. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { baseName } from '../http/redact';
import { header, type StoreFile } from '../http/response';

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

/** `filename*` (RFC 5987) before `filename`, without any path. */
function dispositionName(disposition: string): string | undefined {
	const text = disposition.slice(0, 2_000);
	const extended = /filename\*\s?=\s?utf-8'[^';]*'([^;\s]+)/i.exec(text)?.[1];
	const plain = /filename\s?=\s?(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	const name = (extended && decoded(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
	const base = baseName(name ?? '');
	return /^\.*$/.test(base) ? undefined : base;
}

function decoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
