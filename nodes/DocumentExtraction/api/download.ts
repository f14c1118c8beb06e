import type { IBinaryData } from 'n8n-workflow';

import { readFileOrText, type StoreFile } from '../http/response';
import { CallError } from './callError';
import type { Client } from './client';
import { callService, getWithoutKey } from './service';

/**
 * Downloads a file from a URL that a response of the service names. The key goes along only to the
 * Base URL's own origin.
 * @throws CallError where there is no file
 */
export async function downloadFile(
	client: Client,
	url: string,
	store: StoreFile,
): Promise<IBinaryData> {
	const isOwnOrigin = new URL(url).origin === new URL(client.address).origin;
	const file = isOwnOrigin
		? (await callService(client, { method: 'GET', url, expects: 'json', store })).file
		: await getWithoutKey<IBinaryData>(client, 'storage', url, async (incoming, transfer) => {
				const read = await readFileOrText(incoming, transfer, store);
				return read.file
					? { response: read.response, success: { value: read.file } }
					: { response: read.response };
			});
	if (file) return file;
	throw new CallError({
		message: 'The download URL in the response does not lead to a file',
		description: "It returns JSON. Check 'Download URL Field' in the options.",
	});
}
