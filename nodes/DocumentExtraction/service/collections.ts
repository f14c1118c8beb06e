/** The merged PDF of a collection (interface.md §4.9), and files at URLs in responses. */
import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { baseName, shortName } from '../http/redact';
import { header, readFileOrText, type FileStore } from '../http/response';
import type { Client } from './client';
import {
	callService,
	getWithoutKey,
	pathSegment,
	workflowPath,
	type ServiceResponse,
} from './call';

/**
 * Makes one PDF of the PDFs in a collection.
 * @param labelOrder in the form that the account's API reference shows; undefined for the collection's order
 * @returns the file, where the service responds with it, or its JSON
 */
export async function mergeCollection(
	client: Client,
	collectionId: string,
	labelOrder: IDataObject | undefined,
	store: FileStore,
): Promise<ServiceResponse> {
	const collection = pathSegment(collectionId, 'Collection');
	return await callService(client, {
		method: 'POST',
		path: `${workflowPath(client)}/collections/${collection}/merged-document`,
		body: labelOrder === undefined ? undefined : { label_order: labelOrder },
		expects: 'json',
		store,
		changes: 'merge',
	});
}

/**
 * Downloads a file from a URL in a response of the service. The key is sent only to the Base URL's
 * own origin.
 * @throws CallError also where the URL does not lead to a file
 */
export async function fileAtUrl(
	client: Client,
	url: string,
	store: FileStore,
): Promise<IBinaryData> {
	if (new URL(url).origin === new URL(client.account.address).origin) {
		const { file } = await callService(client, { method: 'GET', url, expects: 'file', store });
		return file as IBinaryData;
	}
	return await getWithoutKey<IBinaryData>(client, 'storage', url, async (incoming, transfer) => {
		const { response, file } = await readFileOrText(incoming, transfer, store);
		return file ? { response, success: { value: file } } : { response };
	});
}

/**
 * Stores the file of a response as binary data, named by its Content-Disposition.
 * @param fallbackName the name of a file whose response names none
 * @param onlyType the type of a file whose response does not tell it, where only this one is possible
 */
export function fileStore(
	context: IExecuteFunctions,
	fallbackName: string,
	onlyType?: string,
): FileStore {
	return {
		takesText: onlyType === undefined,
		keep: async (stream, head) => {
			const type = (header(head, 'content-type') ?? '').split(';')[0].trim();
			const name = dispositionName(header(head, 'content-disposition') ?? '') ?? fallbackName;
			const isTold = type !== '' && !/octet-stream|download/i.test(type);
			// Without a type, n8n takes that of the name's extension.
			const otherwise = onlyType ?? (/\.\w+$/.test(name) ? undefined : type);
			return await context.helpers.prepareBinaryData(stream, name, isTold ? type : otherwise);
		},
	};
}

/** The name in a Content-Disposition, without a path: `filename*` (RFC 5987) before `filename`. */
function dispositionName(disposition: string): string | undefined {
	const text = disposition.slice(0, 2_000);
	const extended = /filename\*\s?=\s?utf-8'[^';]*'([^;\s]+)/i.exec(text)?.[1];
	const plain = /filename\s?=\s?(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	const name =
		(extended && percentDecoded(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
	const base = baseName(name ?? '');
	return /^\.*$/.test(base) ? undefined : shortName(base);
}

/** A part of a URL as text; undefined where it cannot be decoded. */
export function percentDecoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
