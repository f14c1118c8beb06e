/** The same jobs without n8n: what this machine and the service allow at a given concurrency. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { Agent, FormData, request } from 'undici';
import type { Service } from '../../test/support/service.ts';
import type { Contender } from './measure.ts';

interface Page {
	pages: number;
	items: unknown[];
}

type Request = NonNullable<Parameters<typeof request>[1]>;

const mimeType = 'application/pdf';
/** As many as the node has in flight at most, unless told otherwise. */
const lanes = 16;

export const undiciAlone = `undici alone, ${lanes} at a time`;

/** @param work throws unless all of it was done */
export const rawContender = (work: () => Promise<unknown>): Contender => ({
	name: undiciAlone,
	run: async () => {
		const startedAt = performance.now();
		await work();
		return { seconds: (performance.now() - startedAt) / 1000 };
	},
});

/** As the node does, for its users' sake: others go only when the first one's response has shown that it works. */
async function eachFile<R>(folder: string, atOnce: number, send: (path: string) => Promise<R>) {
	const [first, ...others] = (await readdir(folder)).sort().map((name) => join(folder, name));
	return [await send(first), ...(await pLimit(atOnce).map(others, send))];
}

/** Knows the profile `atlas`, which the benchmarks run against. */
export function openRawClient(service: Service) {
	const dispatcher = new Agent({ connections: lanes });
	const { keys, workflows } = service.account.environments.test;
	const address = `${service.url}/api/v1/workflows/${workflows.main.id}`;
	const authorization = `Bearer ${keys.full}`;

	async function answered<T>(url: string, options: Request): Promise<T> {
		const { statusCode, body } = await request(url, { ...options, dispatcher });
		const text = await body.text();
		if (statusCode >= 300) throw new Error(`The service answered ${statusCode}: ${text}`);
		return (text === '' ? undefined : JSON.parse(text)) as T;
	}
	const call = async <T>(path: string, options: Request = {}) =>
		await answered<T>(`${address}${path}`, {
			...options,
			headers: { authorization, accept: 'application/json', ...options.headers },
		});
	const post = async <T>(path: string, json: unknown) =>
		await call<T>(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(json),
		});
	const readPage = async (page: number) => await call<Page>(`/extractions?page=${page}&limit=200`);

	return {
		direct: async (folder: string) => {
			await eachFile(folder, lanes, async (path) => {
				const body = new FormData();
				body.set('file', new Blob([await readFile(path)], { type: mimeType }), basename(path));
				await call('/documents', { method: 'POST', body });
			});
		},

		signed: async (folder: string) => {
			// As many requests to the service and to its storage: the agent keeps each to its connections.
			const documentIds = await eachFile(folder, 2 * lanes, async (path) => {
				const body = await readFile(path);
				const created = await post<{ document_id: string; upload_url: string }>(
					'/documents/upload-urls',
					{ file_name: basename(path), content_type: mimeType, file_size: body.length },
				);
				const headers = { 'content-type': mimeType };
				await answered(created.upload_url, { method: 'PUT', headers, body });
				return created.document_id;
			});
			await post('/documents/confirm', { document_ids: documentIds });
		},

		readRows: async () => {
			const first = await readPage(1);
			const others = Array.from({ length: first.pages - 1 }, (_, index) => index + 2);
			const pages = await pLimit(lanes).map(others, readPage);
			return [first, ...pages].flatMap(({ items }) => items);
		},

		close: async () => await dispatcher.close(),
	};
}
