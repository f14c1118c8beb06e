/** Files that come from the service, streamed to wherever n8n keeps binary data. */
import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { Connection } from './connection';
import { apiError, header, type CallNature } from './errors';
import {
	callService,
	exchange,
	failedJudgement,
	OWN_JUDGEMENT,
	readFile,
	type StoreFile,
} from './request';
import { stopSignal } from './stop';

/**
 * Stores the file of an answer as binary data, under the name of its Content-Disposition.
 * @param fallbackName the name where the answer gives none
 */
export function fileStore(context: IExecuteFunctions, fallbackName: string): StoreFile {
	return async (stream, headers) => {
		const answer = { statusCode: 200, headers, text: '' };
		return await context.helpers.prepareBinaryData(
			stream as Parameters<typeof context.helpers.prepareBinaryData>[0],
			dispositionName(header(answer, 'content-disposition') ?? '') ?? fallbackName,
			(header(answer, 'content-type') ?? '').split(';')[0].trim(),
		);
	};
}

/**
 * Downloads a file from a URL that an answer of the service names. The key goes along only to the
 * Base URL's own origin.
 */
export async function downloadFile(
	context: IExecuteFunctions,
	connection: Connection,
	url: string,
	store: StoreFile,
): Promise<IBinaryData> {
	const { origin } = new URL(url);
	const file =
		origin === new URL(connection.address).origin
			? (await callService(context, connection, { method: 'GET', url, answer: 'json', store })).file
			: await downloadElsewhere(context, connection, url, store);
	if (file) return file;
	throw apiError(context, connection, {
		message: 'The download URL of the answer does not lead to a file',
		description: "It gives JSON. Check 'Download URL Field' in the options.",
	});
}

async function downloadElsewhere(
	context: IExecuteFunctions,
	connection: Connection,
	url: string,
	store: StoreFile,
): Promise<IBinaryData> {
	const nature: CallNature = { isWrite: false, peer: 'storage' };
	return await exchange<IBinaryData>(context, connection, nature, new URL(url).origin, {
		payload: async () => ({ body: undefined, headers: {} }),
		send: async () =>
			(await context.helpers.httpRequest({
				method: 'GET',
				url,
				encoding: 'stream',
				abortSignal: stopSignal(context),
				...OWN_JUDGEMENT,
			})) as IN8nHttpFullResponse,
		judge: async (response) => {
			const { answer, file } = await readFile(response, store);
			return file ? { result: file } : failedJudgement(context, connection, nature, answer);
		},
	});
}

/** `filename*` (RFC 5987) before `filename`, without any path. */
export function dispositionName(disposition: string): string | undefined {
	const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
	const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
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
