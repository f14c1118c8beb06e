/** The same jobs without n8n: what this machine and the service allow. Profile `atlas`, as `core.ts`. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { Agent, FormData, request } from 'undici';
import type { Service } from '../../../test/support/service.ts';
import type { Contender } from '../measure.ts';
import type { UploadKind } from './own.ts';

type Request = NonNullable<Parameters<typeof request>[1]>;

interface Page {
	pages: number;
	items: unknown[];
}

const mimeType = 'application/pdf';
/** As many as the node has in flight at most, unless told otherwise. */
const lanes = 16;

export const undiciAlone = `undici alone, ${lanes} at a time`;

/** @param work throws unless all of it was done */
const timed = (work: () => Promise<void>): Contender => ({
	name: undiciAlone,
	run: async () => {
		const startedAt = performance.now();
		await work();
		return { seconds: (performance.now() - startedAt) / 1000 };
	},
});

function openClient({ url, account }: Service) {
	const dispatcher = new Agent({ connections: lanes });
	const { keys, workflows } = account.environments.test;
	const address = `${url}/api/v1/workflows/${workflows.main.id}`;
	const authorization = `Bearer ${keys.full}`;

	const send = async <T>(target: string, options: Request): Promise<T> => {
		const { statusCode, body } = await request(target, { ...options, dispatcher });
		const text = await body.text();
		if (statusCode >= 300) throw new Error(`The service answered ${statusCode}: ${text}`);
		return (text === '' ? undefined : JSON.parse(text)) as T;
	};
	return {
		/** To any address, without the key. */
		send,
		/** To a path of the workflow. */
		call: async <T>(path: string, options: Request = {}) =>
			await send<T>(`${address}${path}`, {
				...options,
				headers: { authorization, accept: 'application/json', ...options.headers },
			}),
	};
}

/** As the node does: others go only when the response to the first shows that it works. */
async function eachFile<R>(folder: string, atOnce: number, work: (path: string) => Promise<R>) {
	const [first, ...others] = (await readdir(folder)).sort().map((name) => join(folder, name));
	return [await work(first), ...(await pLimit(atOnce).map(others, work))];
}

export function undiciUpload(service: Service, folder: string, kind: UploadKind): Contender {
	const { call, send } = openClient(service);
	const post = async <T>(path: string, json: unknown) =>
		await call<T>(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(json),
		});
	const direct = async (path: string) => {
		const body = new FormData();
		body.set('file', new Blob([await readFile(path)], { type: mimeType }), basename(path));
		await call('/documents', { method: 'POST', body });
	};
	const signed = async (path: string) => {
		const body = await readFile(path);
		const created = await post<{ document_id: string; upload_url: string }>(
			'/documents/upload-urls',
			{ file_name: basename(path), content_type: mimeType, file_size: body.length },
		);
		const headers = { 'content-type': mimeType };
		await send(created.upload_url, { method: 'PUT', headers, body });
		return created.document_id;
	};
	return timed(async () => {
		if (kind === 'direct') {
			await eachFile(folder, lanes, direct);
		} else {
			// As many requests to the service and to its storage: the agent keeps each to its connections.
			const documentIds = await eachFile(folder, 2 * lanes, signed);
			await post('/documents/confirm', { document_ids: documentIds });
		}
	});
}

/** @param rowCount how many the list has */
export function undiciRows(service: Service, rowCount: number): Contender {
	const { call } = openClient(service);
	const readPage = async (page: number) => await call<Page>(`/extractions?page=${page}&limit=200`);
	return timed(async () => {
		const first = await readPage(1);
		const others = Array.from({ length: first.pages - 1 }, (_, index) => index + 2);
		const pages = await pLimit(lanes).map(others, readPage);
		const count = [first, ...pages].reduce((sum, { items }) => sum + items.length, 0);
		if (count !== rowCount) throw new Error(`undici got ${count} rows.`);
	});
}
