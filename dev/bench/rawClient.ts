/** The same jobs without n8n: what this machine and the service allow at a given concurrency. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { Agent, FormData, request, type Dispatcher } from 'undici';
import type { Service } from '../../test/support/service.ts';

interface Page {
	pages: number;
	items: unknown[];
}

const mimeType = 'application/pdf';

const inLanes = async <T, R>(entries: T[], lanes: number, work: (entry: T) => Promise<R>) =>
	await pLimit(lanes).map(entries, work);

/** As the node does, for its users' sake: others go only when the first one's response has shown that it works. */
async function firstAlone<T, R>(entries: T[], lanes: number, work: (entry: T) => Promise<R>) {
	const [first, ...others] = entries;
	return [await work(first), ...(await inLanes(others, lanes, work))];
}

const filesOf = async (folder: string) =>
	(await readdir(folder)).sort().map((name) => join(folder, name));

/** Knows the profile `atlas`, which the benchmarks run against. */
export function openRawClient(service: Service, lanes: number) {
	const dispatcher = new Agent({ connections: lanes });
	const { keys, workflows } = service.account.environments.test;
	const address = `${service.url}/api/v1/workflows/${workflows.main.id}`;
	const headers = { authorization: `Bearer ${keys.full}`, accept: 'application/json' };

	const answered = async ({ statusCode, body }: Dispatcher.ResponseData): Promise<unknown> => {
		const text = await body.text();
		if (statusCode >= 300) throw new Error(`The service answered ${statusCode}: ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	};
	const post = async (path: string, json: unknown) =>
		await answered(
			await request(`${address}${path}`, {
				method: 'POST',
				headers: { ...headers, 'content-type': 'application/json' },
				body: JSON.stringify(json),
				dispatcher,
			}),
		);
	const readPage = async (page: number) =>
		(await answered(
			await request(`${address}/extractions?page=${page}&limit=200`, { headers, dispatcher }),
		)) as Page;

	return {
		uploadDirect: async (folder: string) => {
			await firstAlone(await filesOf(folder), lanes, async (path) => {
				const body = new FormData();
				body.set('file', new Blob([await readFile(path)], { type: mimeType }), basename(path));
				await answered(
					await request(`${address}/documents`, { method: 'POST', headers, body, dispatcher }),
				);
			});
		},

		uploadSigned: async (folder: string) => {
			// As many requests to the service and to its storage: the agent keeps each to its connections.
			const documentIds = await firstAlone(await filesOf(folder), 2 * lanes, async (path) => {
				const content = await readFile(path);
				const { document_id: documentId, upload_url: url } = (await post('/documents/upload-urls', {
					file_name: basename(path),
					content_type: mimeType,
					file_size: content.length,
				})) as { document_id: string; upload_url: string };
				await answered(
					await request(url, {
						method: 'PUT',
						headers: { 'content-type': mimeType },
						body: content,
						dispatcher,
					}),
				);
				return documentId;
			});
			await post('/documents/confirm', { document_ids: documentIds });
		},

		readRows: async () => {
			const first = await readPage(1);
			const others = Array.from({ length: first.pages - 1 }, (_, index) => index + 2);
			const pages = await inLanes(others, lanes, readPage);
			return [first, ...pages].flatMap(({ items }) => items);
		},

		close: async () => await dispatcher.close(),
	};
}
