/**
 * OpenAPI documents of one service, as different frameworks and authors would print it: each is drawn
 * from a seed, and comes with what its user would have to enter.
 */
import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import { list, object as objectOf, type JsonMap } from './documents';

export interface DrawnReference {
	document: JsonMap;
	/** What is right; undefined where the document does not tell. */
	right: { [detail in ApiDetail]?: string };
}

/** A linear congruential generator: the same numbers for the same seed. */
function numbersFrom(seed: number) {
	let state = seed;
	return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

export function drawReference(seed: number): DrawnReference {
	const random = numbersFrom(seed * 7919 + 1);
	const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)];
	const maybe = (share: number) => random() < share;
	const dialect = pick(['swagger', '3.0', '3.0', '3.1', '3.1']);
	const isSwagger = dialect === 'swagger';
	const style = pick(['inline', 'named', 'named', 'wrapped', 'composed']);
	const prefix = pick(['path', 'server', 'across', 'none']);
	const schemas: JsonMap = {};
	const refTo = (name: string) =>
		isSwagger ? `#/definitions/${name}` : `#/components/schemas/${name}`;
	/** A schema as its author would write it down: in place, by name, or put together. */
	const written = (name: string, schema: JsonMap): JsonMap => {
		if (style === 'inline') return schema;
		const { properties, ...rest } = schema as { properties?: JsonMap };
		if (style === 'composed' && properties && !isSwagger) {
			const [first, ...others] = Object.entries(properties);
			schemas[`${name}Base`] = { ...rest, properties: Object.fromEntries([first]) };
			schemas[name] = {
				allOf: [
					{ $ref: refTo(`${name}Base`) },
					{ type: 'object', properties: Object.fromEntries(others) },
				],
			};
		} else {
			schemas[name] = schema;
		}
		const ref = { $ref: refTo(name) };
		if (style === 'named') return ref;
		return isSwagger
			? { allOf: [ref] }
			: pick<JsonMap>([{ allOf: [ref] }, { oneOf: [ref] }, { anyOf: [ref, { type: 'null' }] }]);
	};
	const text: JsonMap = { type: dialect === '3.1' && maybe(0.3) ? ['string', 'null'] : 'string' };
	const object = (properties: JsonMap, required: string[] = []) =>
		objectOf(properties, required.length > 0 ? { required } : {});

	// What differs by service.
	const fileField = pick(['file', 'files', 'document', 'files[]', 'upload', 'pdf']);
	const idField = pick(['document_id', 'document_id', 'id', 'documentId', 'uuid', 'reference']);
	const envelope = pick(['plain', 'data', 'list', 'documents', 'deep']);
	const method = pick(['POST', 'PUT', 'PATCH']);
	const workflowParameter = pick(['{workflow_id}', '{workflowId}', '{id}', '{wid}']);
	const slash = maybe(0.15) ? '/' : '';
	const workflowPath = pick([
		`/workflows/${workflowParameter}${slash}`,
		`/workflows/${workflowParameter}/metadata${slash}`,
		`/describe/workflow/${workflowParameter}${slash}`,
	]);
	const extraFile = maybe(0.15);
	const otherId = maybe(0.3);
	const alsoDuplicate = maybe(0.3);
	const otherStatus = maybe(0.2);

	const one = written(
		'UploadedDocument',
		object({
			[idField]: { ...text, ...(maybe(0.5) && { format: 'uuid' }) },
			file_name: text,
			created_at: { type: 'string', format: 'date-time' },
			...(otherId && { uploaded_by: written('User', object({ id: text, name: text })) }),
			...(alsoDuplicate && { duplicate_of: written('Duplicate', object({ document_id: text })) }),
			pages: { type: 'integer' },
		}),
	);
	const uploadResponse = {
		plain: one,
		data: written('Envelope', object({ ok: { type: 'boolean' }, data: one })),
		list: list(one),
		documents: written('Uploaded', object({ documents: list(one), count: { type: 'integer' } })),
		deep: object({ result: object({ documents: list(object({ attributes: one })) }) }),
	}[envelope] as JsonMap;

	const fileSchema = (): JsonMap => {
		const plain: JsonMap =
			dialect === '3.1'
				? pick<JsonMap>([
						{ type: 'string', format: 'binary' },
						{ type: 'string', contentMediaType: 'application/octet-stream' },
						{ type: 'string', contentEncoding: 'binary' },
					])
				: { type: 'string', format: 'binary' };
		return pick<JsonMap>([plain, list(plain)]);
	};
	const form: JsonMap = {
		...(maybe(0.5) && { collection_id: text }),
		[fileField]: fileSchema(),
		...(maybe(0.5) && { collection_name: text, tags: list(text) }),
		...(extraFile && { thumbnail: fileSchema() }),
	};

	const body = (schema: JsonMap): JsonMap =>
		isSwagger
			? { parameters: [{ in: 'body', name: 'body', schema }] }
			: {
					requestBody: {
						content: {
							[pick(['application/json', 'application/json; charset=utf-8'])]: { schema },
						},
					},
				};
	const invalid: JsonMap = object({
		detail: list(object({ loc: list(text), msg: text, document_id: text })),
	});
	const answers = (status: string, schema?: JsonMap): JsonMap => {
		const described = (one: JsonMap): JsonMap =>
			isSwagger
				? { description: 'x', schema: one }
				: {
						description: 'x',
						content: {
							'text/csv': { schema: { type: 'string' } },
							[pick(['application/json', '*/*', 'application/hal+json'])]: { schema: one },
						},
					};
		return {
			responses: {
				[status]: schema ? described(schema) : { description: 'x' },
				422: described(invalid),
				default: described(invalid),
			},
		};
	};
	const uploadBody: JsonMap = isSwagger
		? {
				consumes: ['multipart/form-data'],
				parameters: Object.keys(form).map((name) =>
					name === fileField || name === 'thumbnail'
						? { in: 'formData', name, type: 'file' }
						: { in: 'formData', name, type: 'string' },
				),
			}
		: {
				requestBody: {
					content: {
						'multipart/form-data': { schema: written('UploadForm', object(form, [fileField])) },
					},
				},
			};
	const workflow = written(
		'Workflow',
		object({
			id: text,
			...(maybe(0.3) && { workflow: object({ title: text }) }),
			activity: object({ is_extracting: { type: 'boolean' }, extraction_status: text }),
			columns: list(object({ column_id: text, name: text, prompt: text })),
			...(maybe(0.3) && { parent: { $ref: refTo('Workflow') } }),
		}),
	);
	if (!schemas.Workflow) schemas.Workflow = object({ id: text });

	const w = `/workflows/${workflowParameter}`;
	const relative: JsonMap = {
		'/users': { get: answers('200', list(object({ id: text, avatar_url: text }))) },
		'/workflows': {
			get: answers('200', list(workflow)),
			post: { ...body(object({ name: text })), ...answers('201', workflow) },
		},
		[workflowPath]: { get: answers('200', workflow), delete: answers('204') },
		[`${w}/documents`]: {
			get: answers(
				'200',
				object({
					items: list(
						object({
							[idField]: text,
							extraction_status: { type: 'string', enum: ['NEW', 'DONE', 'FAILED'] },
						}),
					),
				}),
			),
			post: { ...uploadBody, ...answers(pick(['200', '201', '202', '2XX']), uploadResponse) },
		},
		[`${w}/documents/confirm`]: {
			[method.toLowerCase()]: { ...body(object({ document_ids: list(text) })), ...answers('200') },
		},
		[`${w}/extract`]: {
			post: {
				...body(object({ document_ids: list(text), force: { type: 'boolean' } })),
				...answers('202'),
			},
		},
		[`${w}/extractions`]: {
			get: answers('200', object({ total: { type: 'integer' }, items: list({}) })),
		},
		[`${w}/upload-urls`]: {
			post: {
				...body(object({ filename: text, size: { type: 'integer' } }, ['filename'])),
				...answers(
					'200',
					object({ upload: object({ url: { type: 'string', format: 'uri' }, document_id: text }) }),
				),
			},
		},
		[`${w}/webhooks`]: {
			post: {
				...body(object({ url: text, is_extracting: { type: 'boolean' } })),
				...answers('201', object({ id: text })),
			},
		},
		[`${w}/exports/{export_id}`]: { get: answers('200', object({ csv_url: text })) },
		...(otherStatus && {
			[`${w}/status`]: { get: answers('200', object({ is_extracting: { type: 'boolean' } })) },
		}),
	};
	const before = { path: '/api/v1', server: '', across: '/v1', none: '' }[prefix] as string;
	const serverPath = { path: '', server: '/api/v1', across: '/api', none: '' }[prefix] as string;
	const paths = {
		...Object.fromEntries(Object.entries(relative).map(([path, item]) => [before + path, item])),
		// Another version of the same, which is not the interface's.
		...(prefix === 'path' && {
			[`/api/v2${w}/documents`]: {
				post: { ...uploadBody, ...answers('200', object({ other_id: text })) },
			},
		}),
	};
	const rest: JsonMap = isSwagger
		? { swagger: '2.0', ...(serverPath && { basePath: serverPath }), definitions: schemas }
		: {
				openapi: dialect === '3.1' ? '3.1.0' : '3.0.3',
				servers: [{ url: `https://api.example.com${serverPath}` }],
				components: { schemas },
				...(dialect === '3.1' && {
					webhooks: {
						done: { post: body(object({ document_id: text, is_extracting: { type: 'boolean' } })) },
					},
				}),
			};
	return {
		document: { ...rest, info: { title: 'Service', version: '1' }, paths },
		right: {
			uploadFileField: fileField,
			documentIdField: idField,
			workflowEndpoint: `GET ${workflowPath.replace(workflowParameter, '{workflow_id}')}`,
			confirmMethod: method,
			uploadUrlEndpoint: 'POST /workflows/{workflow_id}/upload-urls',
			uploadUrlField: 'upload.url',
		},
	};
}
