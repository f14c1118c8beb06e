import { setTimeout as sleep } from 'node:timers/promises';
import { FormData, Response, type BodyInit } from 'undici';
import { valueOf } from '../../dev/service/answers';
import type { TestFile } from './files';
import type { Service } from './service';

type Account = Service['account'];
type Environment = Account['environments']['test'];
type Workflow = Environment['workflows']['main'];

export interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	bytes: Buffer;
	text: string;
	/** undefined where the body is not JSON. */
	json: unknown;
}

export interface ApiRequest {
	/** null: without a key. */
	key?: string | null;
	headers?: Record<string, string>;
	/** FormData and text as they are, anything else as JSON. */
	body?: unknown;
}

interface UploadedFile {
	bytes: Buffer | string;
	fileName?: string;
	contentType?: string;
}

export type Placeholders = Record<string, string | number | undefined>;

/** A client that knows a profile only by what its users copy from the API reference. */
export class ServiceClient {
	readonly account: Account;
	readonly environment: Environment;
	readonly workflow: Workflow;
	/** What the service named for its last upload URL. */
	uploadHeaders: Record<string, string> = {};

	constructor(private readonly service: Service) {
		this.account = service.account;
		this.environment = this.account.environments.test;
		this.workflow = this.environment.workflows.main;
	}

	/** Path relative to the version prefix, or a whole address. */
	async api(method: string, path: string, { key, headers, body }: ApiRequest = {}) {
		const secret = key === undefined ? this.environment.keys.full : key;
		const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof FormData);

		return await this.send(/^https?:/.test(path) ? path : `${this.service.url}/api/v1${path}`, {
			method,
			headers: {
				...(secret !== null && { authorization: `Bearer ${secret}` }),
				...(isJson && { 'content-type': 'application/json' }),
				...headers,
			},
			body: isJson ? JSON.stringify(body) : (body as string | FormData | undefined),
		});
	}

	async send(url: string, options: { method: string } & Record<string, unknown>): Promise<Answer> {
		const { status, headers, bytes } = await this.service.exchange(url, await encoded(options));
		const text = bytes.toString('utf8');
		return { status, headers, bytes, text, json: parsed(text) };
	}

	/** A path of the main workflow. */
	at(path: string, { id } = this.workflow) {
		return `/workflows/${encodeURIComponent(id)}${path}`;
	}

	async upload(file: UploadedFile, fields: Record<string, string> = {}) {
		const form = new FormData();
		form.append(
			this.account.apiDetails.uploadFileField,
			new Blob([file.bytes], { type: file.contentType ?? 'application/pdf' }),
			file.fileName ?? 'file.pdf',
		);
		for (const [name, value] of Object.entries(fields)) form.append(name, value);
		return await this.api('POST', this.at('/documents'), { body: form });
	}

	async uploadedId(file: UploadedFile, fields?: Record<string, string>) {
		return this.documentId(await this.upload(file, fields));
	}

	async createUploadUrl(values: Placeholders) {
		const { uploadUrlEndpoint, uploadUrlBody } = this.account.apiDetails;
		const answer = await this.atEndpoint(uploadUrlEndpoint, values, uploadUrlBody);
		const { url, headers } = uploadIn(answer.json, this.account.apiDetails);
		this.uploadHeaders = headers;
		return { answer, url };
	}

	/** A file that is at the storage, and not confirmed. */
	async storedId({ data, fileName, mimeType }: TestFile) {
		const { answer, url } = await this.createUploadUrl({
			file_name: fileName,
			content_type: mimeType,
			file_size: data.length,
		});
		await this.put(url, data, { 'content-type': mimeType });
		return this.documentId(answer);
	}

	async put(url: string, bytes: Buffer | string, headers: Record<string, string> = {}) {
		return await this.send(url, {
			method: 'PUT',
			headers: { 'content-type': 'application/pdf', ...this.uploadHeaders, ...headers },
			body: bytes,
		});
	}

	async confirm(documentId: string) {
		const { confirmMethod, confirmBody } = this.account.apiDetails;
		return await this.api(confirmMethod, this.at('/documents/confirm'), {
			body: fill(JSON.parse(confirmBody), { document_id: documentId }),
		});
	}

	async describeWorkflow() {
		return await this.atEndpoint(this.account.apiDetails.workflowEndpoint);
	}

	private async atEndpoint(endpoint: string, values: Placeholders = {}, template = '') {
		const all = { workflow_id: this.workflow.id, ...values };
		const { method, path, body } = requestAt(endpoint, all, template);
		return await this.api(method, path, { body });
	}

	/** The results of one document once they are there. */
	async resultsOf(documentId: string) {
		let items: unknown[] = [];
		await until(async () => {
			({ items } = await this.resultsPage({ document_id: documentId }));
			return items.length > 0;
		});
		return items;
	}

	async resultsPage(query: Record<string, string | number> = {}) {
		const search = new URLSearchParams(query as Record<string, string>);
		const { json } = await this.api('GET', this.at(`/extractions?${search}`));
		return json as { total: number; page: number; limit: number; pages: number; items: unknown[] };
	}

	documentId({ json }: Answer) {
		return documentIdIn(json, this.account.apiDetails.documentIdField);
	}
}

/** Asks again and again; a test that waits in vain ends by its own timeout. */
export async function until(isSo: () => Promise<boolean>) {
	while (!(await isSo())) await sleep(20);
}

/** A form becomes bytes and its header. */
async function encoded({ method, headers, body }: { method: string } & Record<string, unknown>) {
	const whole = new Response((body ?? null) as BodyInit | null);
	const type = body instanceof FormData ? whole.headers.get('content-type') : null;
	return {
		method,
		headers: { ...(headers as Record<string, string>), ...(type && { 'content-type': type }) },
		body: Buffer.from(await whole.arrayBuffer()),
	};
}

function parsed(text: string): unknown {
	try {
		return valueOf(text);
	} catch {
		return undefined;
	}
}

/** The value at a dot path such as `a.b[0].c`. */
export function at(value: unknown, path: string): unknown {
	return path
		.split(/[.[\]]+/)
		.filter(Boolean)
		.reduce<unknown>(
			(inner, step) => (inner as Record<string, unknown> | undefined)?.[step],
			value,
		);
}

/** By the API Detail Document ID Field: a dot path, or a name. */
export const documentIdIn = (answer: unknown, field: string) =>
	String(field.includes('.') ? at(answer, field) : find(answer, field));

/** The first value of a property of this name, wherever it stands. */
export function find(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	if (name in value) return (value as Record<string, unknown>)[name];
	return Object.values(value)
		.map((inner) => find(inner, name))
		.find((found) => found !== undefined);
}

/** A request as the API reference describes it, e.g. `GET /workflows/{workflow_id}`. */
export function requestAt(endpoint: string, values: Placeholders, template: string) {
	const [method, path] = endpoint.split(' ');
	return {
		method,
		path: path.replace(/\{(\w+)\}/g, (_, name: string) => {
			return encodeURIComponent(String(values[name]));
		}),
		body: template ? fill(JSON.parse(template), values) : undefined,
	};
}

/** Where the answer to a request for an upload URL says that the file goes, and by which headers. */
export function uploadIn(answer: unknown, details: Account['apiDetails']) {
	const { uploadUrlField, uploadHeadersField } = details;
	const headers = uploadHeadersField ? at(answer, uploadHeadersField) : {};
	return { url: String(at(answer, uploadUrlField)), headers: headers as Record<string, string> };
}

export function fill(template: unknown, values: Placeholders): unknown {
	if (typeof template === 'string') {
		const [, name] = /^\{(\w+)\}$/.exec(template) ?? [];
		return name ? values[name] : template;
	}
	if (Array.isArray(template)) return template.map((entry) => fill(entry, values));
	if (typeof template === 'object' && template !== null) {
		return Object.fromEntries(
			Object.entries(template).map(([name, entry]) => [name, fill(entry, values)]),
		);
	}
	return template;
}
