/**
 * The same jobs without a node: what this machine and the service allow, by undici, which keeps its
 * connections open, and by n8n's own HTTP helper, which opens one for each request, as for every node.
 * Profile `atlas`, as `core.ts`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IHttpRequestMethods } from 'n8n-workflow';
import pLimit from 'p-limit';
import { Agent, FormData, request, Response } from 'undici';
import type { Service } from '../../../test/support/service.ts';
import { loadNode } from '../../simulate/node.ts';
import type { Contender } from '../measure.ts';
import type { UploadKind } from './own.ts';

interface Options {
	method?: IHttpRequestMethods;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

/** @returns the JSON of the response, if it has any; throws unless the request succeeded */
type Send = (url: string, options: Options) => Promise<unknown>;

interface Page {
	pages: number;
	items: unknown[];
}

const mimeType = 'application/pdf';
/** As many as the node has in flight at most, unless told otherwise. */
const lanes = 16;

const undiciAlone = `undici alone, ${lanes} at a time`;
export const helperAlone = `n8n's HTTP helper alone, ${lanes} at a time`;

function byUndici(): Send {
	const dispatcher = new Agent({ connections: lanes });
	return async (url, { method = 'GET', headers, body: sent }) => {
		const { statusCode, body } = await request(url, { method, headers, body: sent, dispatcher });
		const text = await body.text();
		if (statusCode >= 300) throw new Error(`The service answered ${statusCode}: ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	};
}

function byHelper(): Send {
	const { helpers } = loadNode().executeContext({});
	return async (url, options) => (await helpers.httpRequest({ url, ...options })) as unknown;
}

/** Contenders for one job. @param job given how to send; its result throws unless all of the job was done */
const contenders = (job: (send: Send) => () => Promise<void>): Contender[] =>
	Object.entries({ [undiciAlone]: byUndici, [helperAlone]: byHelper }).map(([name, open]) => {
		const work = job(open());
		const run = async () => {
			const startedAt = performance.now();
			await work();
			return { seconds: (performance.now() - startedAt) / 1000 };
		};
		return { name, run };
	});

/** To a path of the workflow, with the key. */
function callsOf({ url, account }: Service, send: Send) {
	const { keys, workflows } = account.environments.test;
	const address = `${url}/api/v1/workflows/${workflows.main.id}`;
	const ours = { authorization: `Bearer ${keys.full}`, accept: 'application/json' };
	return async (path: string, { headers, ...options }: Options = {}) =>
		await send(`${address}${path}`, { ...options, headers: { ...ours, ...headers } });
}

/** As the node does: others go only when the response to the first shows that it works. */
async function eachFile<R>(folder: string, atOnce: number, work: (path: string) => Promise<R>) {
	const [first, ...others] = (await readdir(folder)).sort().map((name) => join(folder, name));
	return [await work(first), ...(await pLimit(atOnce).map(others, work))];
}

export const uploadsAlone = (service: Service, folder: string, kind: UploadKind) =>
	contenders((send) => {
		const call = callsOf(service, send);
		const post = async (path: string, json: unknown) =>
			await call(path, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(json),
			});
		const direct = async (path: string) => {
			const form = new FormData();
			form.set('file', new Blob([await readFile(path)], { type: mimeType }), basename(path));
			const encoded = new Response(form);
			await call('/documents', {
				method: 'POST',
				headers: { 'content-type': String(encoded.headers.get('content-type')) },
				body: Buffer.from(await encoded.arrayBuffer()),
			});
		};
		const signed = async (path: string) => {
			const body = await readFile(path);
			const file = { file_name: basename(path), content_type: mimeType, file_size: body.length };
			const created = await post('/documents/upload-urls', file);
			const { document_id, upload_url } = created as { document_id: string; upload_url: string };
			await send(upload_url, { method: 'PUT', headers: { 'content-type': mimeType }, body });
			return document_id;
		};
		return async () => {
			if (kind === 'direct') {
				await eachFile(folder, lanes, direct);
			} else {
				// As many requests to the service and to its storage.
				const documentIds = await eachFile(folder, 2 * lanes, signed);
				await post('/documents/confirm', { document_ids: documentIds });
			}
		};
	});

/** @param rowCount how many the list has */
export const rowsAlone = (service: Service, rowCount: number) =>
	contenders((send) => {
		const call = callsOf(service, send);
		const readPage = async (page: number) =>
			(await call(`/extractions?page=${page}&limit=200`)) as Page;
		return async () => {
			const first = await readPage(1);
			const others = Array.from({ length: first.pages - 1 }, (_, index) => index + 2);
			const pages = await pLimit(lanes).map(others, readPage);
			const count = [first, ...pages].reduce((sum, { items }) => sum + items.length, 0);
			if (count !== rowCount) throw new Error(`Of ${rowCount} rows, ${count} came.`);
		};
	});
