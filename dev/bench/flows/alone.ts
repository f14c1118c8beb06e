/**
 * The same jobs without a node: what this machine and the service allow, by undici, which keeps its
 * connections open, and by n8n's own HTTP helper, which opens one for each request, as for every node.
 * Profile `atlas`, as `core.ts`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import type { IHttpRequestMethods } from 'n8n-workflow';
import type { Service } from '../../../test/support/service.ts';
import { ServiceClient } from '../../../test/support/serviceClient.ts';
import type { Exchange } from '../../../test/support/serviceControl.ts';
import { loadNode } from '../../simulate/node.ts';
import type { Contender } from '../measure.ts';
import type { UploadKind } from './own.ts';

const mimeType = 'application/pdf';
/** As many as the node has in flight at most, unless told otherwise. */
const lanes = 16;

const undiciAlone = `undici alone, ${lanes} at a time`;
export const helperAlone = `n8n's HTTP helper alone, ${lanes} at a time`;

function byHelper(): Exchange {
	const { helpers } = loadNode().executeContext({});
	return async (url, { method, ...options }) => {
		const response = (await helpers.httpRequest({
			...options,
			url,
			method: method as IHttpRequestMethods,
			returnFullResponse: true,
			encoding: 'arraybuffer',
		})) as { statusCode: number; headers: Record<string, string>; body: Buffer };
		return { status: response.statusCode, headers: response.headers, bytes: response.body };
	};
}

/** Contenders for one job, which throws unless all of it was done. */
const contenders = (
	service: Service,
	job: (client: ServiceClient, send: Exchange) => Promise<void>,
): Contender[] =>
	Object.entries({ [undiciAlone]: service.exchange, [helperAlone]: byHelper() }).map(
		([name, exchange]) => {
			const send: Exchange = async (...request) => {
				const response = await exchange(...request);
				if (response.status < 300) return response;
				throw new Error(`The service answered ${response.status}: ${String(response.bytes)}`);
			};
			const client = new ServiceClient({ ...service, exchange: send });
			const run = async () => {
				const startedAt = performance.now();
				await job(client, send);
				return (performance.now() - startedAt) / 1000;
			};
			return { name, run };
		},
	);

/** As the node does: others go only when the response to the first shows that it works. */
async function eachFile<R>(folder: string, atOnce: number, work: (path: string) => Promise<R>) {
	const [first, ...others] = (await readdir(folder)).sort().map((name) => join(folder, name));
	return [await work(first), ...(await pLimit(atOnce).map(others, work))];
}

export const uploadsAlone = (service: Service, folder: string, kind: UploadKind) =>
	contenders(service, async (client) => {
		if (kind === 'direct') {
			await eachFile(folder, lanes, async (path) => {
				await client.upload({ bytes: await readFile(path), fileName: basename(path) });
			});
			return;
		}
		// As many requests to the service and to its storage.
		const documentIds = await eachFile(folder, 2 * lanes, async (path) => {
			const data = await readFile(path);
			return await client.storedId({ data, fileName: basename(path), mimeType });
		});
		const body = { document_ids: documentIds };
		await client.api('POST', client.at('/documents/confirm'), { body });
	});

/** @param rowCount how many the list has */
export const rowsAlone = (service: Service, rowCount: number) =>
	contenders(service, async (client, send) => {
		const headers = { authorization: `Bearer ${client.environment.keys.full}` };
		const readPage = async (page: number) => {
			const url = `${service.url}/api/v1${client.at(`/extractions?page=${page}&limit=200`)}`;
			const { bytes } = await send(url, { headers });
			return JSON.parse(String(bytes)) as { pages: number; items: unknown[] };
		};
		const first = await readPage(1);
		const others = Array.from({ length: first.pages - 1 }, (_, index) => index + 2);
		const pages = await pLimit(lanes).map(others, readPage);
		const count = [first, ...pages].reduce((sum, { items }) => sum + items.length, 0);
		if (count !== rowCount) throw new Error(`Of ${rowCount} rows, ${count} came.`);
	});
