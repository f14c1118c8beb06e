import { sha256, type TestFile } from '../support/files';
import type { Service } from '../support/service';
import {
	documentIdIn,
	fill,
	requestAt,
	uploadIn,
	type Placeholders,
} from '../support/serviceClient';
import type { Operation } from '../../dev/service/operations';
import type { LoggedRequest } from '../../dev/service/requestLog';

interface Content {
	query?: Record<string, string>;
	body?: unknown;
}

const FORM = 'multipart/form-data; boundary=…';

/**
 * All of a request that the service may act on, as it saw it. Boundaries of forms are random, and
 * their length with them.
 */
export function onTheWire({ headers, ...logged }: LoggedRequest) {
	const { server, operation, method, path, query, body } = logged;
	const contentType = headers['content-type']?.replace(/; boundary=.+$/, '; boundary=…') ?? null;
	const length = headers['content-length'] ?? '';
	const known = contentType === FORM ? 'of the form' : Number(length);
	return {
		server,
		operation,
		method,
		path,
		query,
		authorization: headers.authorization ?? null,
		contentType,
		contentLength: /^\d+$/.test(length) ? known : null,
		transferEncoding: headers['transfer-encoding'] ?? null,
		body,
	};
}

export type WireRequest = ReturnType<typeof onTheWire>;

/** Requests of a run leave concurrently: their order is nobody's business. */
export const inAnyOrder = (requests: WireRequest[]) =>
	requests.map((request) => JSON.stringify(request)).sort();

/** Waiting asks the same again and again; how often depends on the time it takes. */
export function withoutRepeatedReads(requests: WireRequest[]): WireRequest[] {
	const reads: Operation[] = ['getWorkflow', 'getDocuments', 'getExtractions'];
	const seen = new Set<string>();
	return requests.filter((request) => {
		const text = JSON.stringify(request);
		const isRepeated = reads.includes(request.operation) && seen.has(text);
		seen.add(text);
		return !isRepeated;
	});
}

/** The rows of a document list as the service answered it: the outermost list in the answer. */
export function documentRows(answer: unknown): unknown[] {
	if (Array.isArray(answer)) return answer as unknown[];
	if (answer === null || typeof answer !== 'object') return [];
	return Object.values(answer)
		.map(documentRows)
		.reduce((longest, rows) => (rows.length > longest.length ? rows : longest), []);
}

/**
 * The requests that a user would expect who knows the interface and, for what it leaves open, the
 * account's API reference: nothing here knows a profile but by its API Details.
 */
export class ApiReference {
	constructor(
		private readonly service: Service,
		readonly workflow = service.account.environments.test.workflows.main,
	) {}

	get details() {
		return this.service.account.apiDetails;
	}

	getWorkflow(): WireRequest {
		return this.atEndpoint('getWorkflow', this.details.workflowEndpoint);
	}

	upload({ fileName, mimeType, data }: TestFile, collection: Placeholders = {}): WireRequest {
		const fields = Object.entries(collection).map(([name, value]) => ({ name, value }));
		const file = {
			name: this.details.uploadFileField,
			fileName,
			contentType: mimeType,
			size: data.length,
			sha256: sha256(data),
		};
		return {
			...this.inWorkflow('upload', 'POST', '/documents'),
			contentType: FORM,
			contentLength: 'of the form',
			body: { parts: [...fields, file] },
		};
	}

	createUploadUrl({ fileName, mimeType, data }: TestFile, collection: Placeholders = {}) {
		const { uploadUrlEndpoint, uploadUrlBody } = this.details;
		const file = { file_name: fileName, content_type: mimeType, file_size: data.length };
		const values = { ...file, ...collection };
		return this.atEndpoint('createUploadUrl', uploadUrlEndpoint, values, uploadUrlBody);
	}

	/** @param answer what the service answered to the request for the upload URL */
	putFile({ mimeType, data }: TestFile, answer: unknown): WireRequest {
		const { pathname, searchParams } = new URL(this.uploadIn(answer).url);
		return {
			server: 'storage',
			operation: 'putFile',
			method: 'PUT',
			path: pathname,
			query: Object.fromEntries(searchParams),
			authorization: null,
			contentType: mimeType,
			contentLength: data.length,
			transferEncoding: null,
			body: { size: data.length, sha256: sha256(data) },
		};
	}

	/** One request where the body has a list to repeat, else one per document. */
	confirm(documentIds: string[]): WireRequest[] {
		const template = JSON.parse(this.details.confirmBody) as Record<string, unknown>;
		const [name, entries] =
			Object.entries(template).find(([, value]) => Array.isArray(value)) ?? [];
		const filled = documentIds.map((id) =>
			fill(name ? (entries as unknown[])[0] : template, { document_id: id }),
		);
		const bodies = name ? [{ ...template, [name]: filled }] : filled;
		return bodies.map((body) =>
			this.inWorkflow('confirm', this.details.confirmMethod, '/documents/confirm', { body }),
		);
	}

	extractBulk(body?: object): WireRequest {
		return this.inWorkflow('extractBulk', 'POST', '/extract', { body });
	}

	extractOne(documentId: string, body?: object): WireRequest {
		const document = encodeURIComponent(documentId);
		return this.inWorkflow('extractOne', 'POST', `/documents/${document}/extract`, { body });
	}

	getExtractions(query: Record<string, string>): WireRequest {
		return this.inWorkflow('getExtractions', 'GET', '/extractions', { query });
	}

	getDocuments(query: Record<string, string> = {}): WireRequest {
		return this.inWorkflow('getDocuments', 'GET', '/documents', { query });
	}

	/** The reference itself, which is read without the key. */
	getOpenApi(url: string): WireRequest {
		const request = this.api('getOpenApi', 'GET', '');
		return { ...request, path: new URL(url).pathname, authorization: null };
	}

	merge(collectionId: string, body?: object): WireRequest {
		const collection = encodeURIComponent(collectionId);
		return this.inWorkflow('merge', 'POST', `/collections/${collection}/merged-document`, { body });
	}

	documentIdIn(answer: unknown): string {
		return documentIdIn(answer, this.details.documentIdField);
	}

	uploadIn(answer: unknown) {
		return uploadIn(answer, this.details);
	}

	private atEndpoint(
		operation: Operation,
		endpoint: string,
		values: Placeholders = {},
		template = '',
	) {
		const all = { workflow_id: this.workflow.id, ...values };
		const { method, path, body } = requestAt(endpoint, all, template);
		return this.api(operation, method, path, { body });
	}

	private inWorkflow(operation: Operation, method: string, path: string, content?: Content) {
		const workflow = encodeURIComponent(this.workflow.id);
		return this.api(operation, method, `/workflows/${workflow}${path}`, content);
	}

	private api(
		operation: Operation,
		method: string,
		path: string,
		{ query = {}, body }: Content = {},
	): WireRequest {
		const json = body === undefined ? undefined : JSON.stringify(body);
		const emptyLength = method === 'GET' ? null : 0;
		return {
			server: 'api',
			operation,
			method,
			path: `/api/v1${path}`,
			query,
			authorization: `Bearer ${this.service.account.environments.test.keys.full}`,
			contentType: json === undefined ? null : 'application/json',
			contentLength: json === undefined ? emptyLength : Buffer.byteLength(json),
			transferEncoding: null,
			body: json === undefined ? null : JSON.parse(json),
		};
	}
}
