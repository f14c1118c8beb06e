/**
 * OpenAPI documents of one service, as different frameworks and authors would print it: each is drawn
 * from a seed, and comes with what its user would have to enter.
 */
import { Randomness } from '../../dev/simulate/randomness';
import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { BASE_URL, jsonBody, list, object, ref, type JsonMap } from './documents';

export interface DrawnReference {
	document: JsonMap;
	/** What is right; undefined where the document does not tell. */
	right: { [detail in ApiDetail]?: string };
}

export function drawReference(seed: number): DrawnReference {
	const random = new Randomness(seed);
	const pick = <T>(choices: T[]): T => random.pick(choices);
	const maybe = (share: number, properties: JsonMap): JsonMap =>
		random.next() < share ? properties : {};

	// What differs by author.
	const dialect = pick(['3.0', '3.1']);
	const style = pick(['inline', 'named', 'named', 'wrapped', 'composed']);
	const [before, server] = pick([
		['/api/v1', ''],
		['', '/api/v1'],
		['/v1', '/api'],
		['', ''],
	]);
	const schemas: JsonMap = {};
	/** A schema as its author would write it down: in place, by name, or put together. */
	const written = (name: string, properties: JsonMap): JsonMap => {
		if (style === 'inline') return object(properties);
		schemas[name] = object(properties);
		if (style === 'composed') {
			const [first, ...others] = Object.entries(properties);
			schemas[`${name}Base`] = object(Object.fromEntries([first]));
			schemas[name] = { allOf: [ref(`${name}Base`), object(Object.fromEntries(others))] };
		}
		const own = ref(name);
		if (style === 'named') return own;
		const wrapped: JsonMap[] = [{ oneOf: [own] }, { anyOf: [own, { type: 'null' }] }];
		return pick([{ allOf: [own] }, ...wrapped]);
	};
	const text = pick<JsonMap>([
		{ type: 'string' },
		...(dialect === '3.1' ? [{ type: ['string', 'null'] }] : []),
	]);
	const content = (types: string[], schema: JsonMap): JsonMap => ({
		content: { [pick(types)]: { schema } },
	});
	const answers = (status: string, schema: JsonMap): JsonMap => {
		const described = (one: JsonMap): JsonMap =>
			content(['application/json', '*/*', 'application/hal+json'], one);
		const invalid = described(object({ detail: list(object({ loc: text, document_id: text })) }));
		return { responses: { [status]: described(schema), 422: invalid, default: invalid } };
	};

	// What differs by service.
	const fileField = pick(['file', 'files', 'document', 'files[]', 'upload', 'pdf']);
	const idField = pick(['document_id', 'document_id', 'id', 'documentId', 'uuid', 'reference']);
	const method = pick(['POST', 'PUT', 'PATCH']);
	const parameter = pick(['{workflow_id}', '{workflowId}', '{id}', '{wid}']);
	const slash = pick(['', '', '', '', '', '/']);
	const w = `/workflows/${parameter}`;
	const workflowPath = pick([w, `${w}/metadata`, `/describe/workflow/${parameter}`]) + slash;

	const one = written('UploadedDocument', {
		[idField]: { ...text, ...maybe(0.5, { format: 'uuid' }) },
		file_name: text,
		created_at: { type: 'string', format: 'date-time' },
		...maybe(0.3, { uploaded_by: written('User', { id: text, name: text }) }),
		...maybe(0.3, { duplicate_of: written('Duplicate', { document_id: text }) }),
		pages: { type: 'integer' },
	});
	const uploaded = pick([
		one,
		written('Envelope', { ok: { type: 'boolean' }, data: one }),
		list(one),
		written('Uploaded', { documents: list(one), count: { type: 'integer' } }),
		object({ result: object({ documents: list(object({ attributes: one })) }) }),
	]);
	const file = (): JsonMap => {
		const binary: JsonMap[] = [
			{ type: 'string', format: 'binary' },
			{ type: 'string', contentMediaType: 'application/octet-stream' },
			{ type: 'string', contentEncoding: 'binary' },
		];
		const plain = dialect === '3.1' ? pick(binary) : binary[0];
		return pick([plain, list(plain)]);
	};
	const form: JsonMap = {
		...maybe(0.5, { collection_id: text }),
		[fileField]: file(),
		...maybe(0.5, { collection_name: text, tags: list(text) }),
		...maybe(0.15, { thumbnail: file() }),
	};
	const uploadBody = {
		requestBody: content(['multipart/form-data'], written('UploadForm', form)),
	};
	schemas.Workflow = object({ id: text });
	const isExtracting = { is_extracting: { type: 'boolean' } };
	const workflow = written('Workflow', {
		id: text,
		...maybe(0.3, { workflow: object({ title: text }) }),
		activity: object({ ...isExtracting, extraction_status: text }),
		columns: list(object({ column_id: text, name: text, prompt: text })),
		...maybe(0.3, { parent: ref('Workflow') }),
	});
	const status = { type: 'string', enum: ['NEW', 'DONE', 'FAILED'] };
	const documents = list(object({ [idField]: text, extraction_status: status }));
	const url = { type: 'string', format: 'uri' };

	const relative: JsonMap = {
		'/workflows': { get: answers('200', list(workflow)), post: answers('201', workflow) },
		[workflowPath]: { get: answers('200', workflow), delete: answers('204', {}) },
		[`${w}/documents`]: {
			get: answers('200', object({ items: documents })),
			post: { ...uploadBody, ...answers(pick(['200', '201', '202', '2XX']), uploaded) },
		},
		[`${w}/documents/confirm`]: {
			[method.toLowerCase()]: {
				...jsonBody(object({ document_ids: list(text) })),
				...answers('200', {}),
			},
		},
		[`${w}/extract`]: {
			post: { ...jsonBody(object({ document_ids: list(text) })), ...answers('202', {}) },
		},
		[`${w}/extractions`]: { get: answers('200', object({ items: list({}) })) },
		[`${w}/upload-urls`]: {
			post: {
				...jsonBody(object({ filename: text, size: { type: 'integer' } })),
				...answers('200', object({ upload: object({ url, document_id: text }) })),
			},
		},
		[`${w}/webhooks`]: {
			post: {
				...jsonBody(object({ url: text, ...isExtracting })),
				...answers('201', object({ id: text })),
			},
		},
		[`${w}/exports/{export_id}`]: { get: answers('200', object({ csv_url: text })) },
		...maybe(0.2, { [`${w}/status`]: { get: answers('200', object(isExtracting)) } }),
	};
	const paths = {
		...Object.fromEntries(Object.entries(relative).map(([path, item]) => [before + path, item])),
		// Another version of the same, which is not the interface's.
		...(before === '/api/v1' && {
			[`/api/v2${w}/documents`]: {
				post: { ...uploadBody, ...answers('200', object({ other_id: text })) },
			},
		}),
	};
	const rest: JsonMap = {
		openapi: `${dialect}.0`,
		servers: [{ url: BASE_URL + server }],
		components: { schemas },
	};
	return {
		document: { ...rest, paths },
		right: {
			uploadFileField: fileField,
			documentIdField: idField,
			workflowEndpoint: `GET ${workflowPath.replace(parameter, '{workflow_id}')}`,
			confirmMethod: method,
			uploadUrlEndpoint: 'POST /workflows/{workflow_id}/upload-urls',
			uploadUrlField: 'upload.url',
		},
	};
}
