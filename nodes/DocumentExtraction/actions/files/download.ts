/** Include File: the file of a document, from the URL in its results. */
import { UserError } from 'n8n-workflow';
import type {
	IBinaryData,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { ready } from '../../account/account';
import { detailError, howToCorrect } from '../../account/apiDetails';
import { problemOfUrl } from '../../account/credential';
import { fieldsOf, valueIn, valuesIn } from '../../account/fields';
import { hasStatus } from '../../service/callError';
import type { Client } from '../../service/client';
import { fileAtUrl, fileStore, percentDecoded } from '../../service/collections';
import { readResults, type DocumentResults } from '../../service/extractions';
import { settled, settleInOrder, type Outcome } from '../../http/concurrency';
import { baseName, shortName, withoutSignedUrls } from '../../http/redact';
import { failedAfter } from '../../messages/words';
import { asJson } from '../operation';
import { RowMaker, type RowSettings } from '../results';

export const includeFile: INodeProperties = {
	displayName: 'Include File',
	name: 'includeFile',
	type: 'boolean',
	default: false,
	description:
		"Whether to download the file of each document into the binary field 'data' of its item. Needs the line 'File URL Field' in the credential's API Details.",
};

/**
 * The items of documents, each with its document's file if that is wanted; one that fails fails alone.
 * @param settings without rows, an item has a result as the service gives it
 * @returns by document; undefined for those after a failure, if the run does not go on
 */
export async function itemsOfDocuments(
	context: IExecuteFunctions,
	client: Client,
	documents: Array<DocumentResults & { error?: Error }>,
	settings: RowSettings,
	{ hasFiles, goesOn }: { hasFiles: boolean; goesOn: boolean },
): Promise<Array<Outcome<INodeExecutionData[]> | undefined>> {
	const { rows } = settings;
	const maker = rows && (await RowMaker.of(context, client, rows, documents, [settings]));
	return await settleInOrder(documents, client.maxConcurrency, !goesOn, async (document) => {
		const { documentId = null, error } = document;
		if (error) throw error;
		const results = hasFiles ? withoutFileUrls(client, document.results) : document.results;
		const items = maker?.itemsOf(results, { documentId }, settings) ?? results.map(asJson);
		if (!hasFiles) return items.map((json) => ({ json }));
		const binary = { data: await fileOf(context, client, document) };
		return items.map((json) => ({ json, binary }));
	});
}

/** Results in which the URLs of files are hidden: also a document that fails shows its values. */
function withoutFileUrls({ account }: Client, results: unknown[]): unknown[] {
	const field = ready(account.details.fileUrlField);
	const only = new Set(results.flatMap((result) => valuesIn(result, field)));
	return withoutSignedUrls(results, only) as unknown[];
}

/**
 * Downloads the file of a document, with the key only if it is at the Base URL's own origin. A URL that has
 * expired since it was read is read anew once.
 * @throws UserError where the results have no usable URL; CallError
 */
async function fileOf(
	context: IExecuteFunctions,
	client: Client,
	{ documentId, results }: DocumentResults,
): Promise<IBinaryData> {
	const download = async (url: string) => {
		const last = baseName(percentDecoded(new URL(url).pathname) ?? '');
		const name = /\.\w{1,10}$/.test(last) ? last : (documentId ?? 'file');
		return await fileAtUrl(client, url, fileStore(context, shortName(name)));
	};
	const url = urlIn(client, results);
	let downloaded = await settled(download(url));
	const { error } = downloaded;
	// With one of these statuses, storages refuse a URL that has expired.
	if (error && documentId !== undefined && hasStatus(error, 400, 401, 403, 404, 410)) {
		const newUrl = urlIn(client, await readResults(client, { documentId }));
		if (newUrl !== url) downloaded = await settled(download(newUrl));
	}
	if (!downloaded.error) return downloaded.value;
	const where = "The document's file did not arrive from the URL that is under 'File URL Field'.";
	throw failedAfter(downloaded.error, where);
}

/** The first URL in the results of a document, where 'File URL Field' leads to a list of them. */
function urlIn({ account }: Client, results: unknown[]): string {
	if (results.length === 0) {
		throw new UserError('The service has no result of this document yet', {
			description:
				"The URL of a document's file is in its results. Read it again later, with Extraction › Get Many.",
		});
	}
	const field = ready(account.details.fileUrlField);
	const found = results.flatMap((result) => valueIn(result, field) ?? []);
	const url = found.find((value) => typeof value === 'string' && value !== '') ?? '';
	const problem = problemOfUrl(String(url), account.address);
	if (problem === undefined) return String(url);
	throw detailError('fileUrlField', `leads to no usable URL: ${problem}`, {
		description: `The results of the document have: ${fieldsOf(results[0])}. ${howToCorrect('fileUrlField')}`,
	});
}
