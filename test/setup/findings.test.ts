import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import {
	BINARY,
	CONFIRM,
	jsonBody,
	list,
	multipart,
	object,
	openApi,
	ref,
	returning,
	said,
	STRING,
	UPLOAD,
	WORKFLOW,
	type Json,
	type JsonMap,
} from './documents';

/** What differs by style and framework stands in drawnReferences.ts. */

const URI = { type: 'string', format: 'uri' };

const upload = (schema: Json, rest: JsonMap = {}) =>
	openApi({ [UPLOAD]: { post: multipart(schema) } }, rest);
const uploadReturning = (schema: Json) => openApi({ [UPLOAD]: { post: returning(schema) } });

/** What a document lets the user choose from, if anything. */
const offers = (
	detail: ApiDetail,
	rows: Array<[what: string, document: JsonMap, ...values: string[]]>,
) =>
	it.each(rows)('%s', (_, document, ...possible) => {
		expect(said(document, detail)).toMatchObject({ fixed: [], possible });
	});

describe('Upload File Field', () => {
	const IMAGE = { contentMediaType: 'image/png' };
	const form = multipart(object({ file: BINARY }));
	const [scan, preview] = [object({ scan: BINARY }), object({ preview: BINARY })];
	const text = (payload: Json) =>
		upload(object({ payload, collection_id: STRING, kind: { enum: ['a', 'b'] } }));

	offers('uploadFileField', [
		['may be base64 text', text({ ...STRING, contentEncoding: 'base64' }), 'payload'],
		['may be a file as text', text({ ...IMAGE, contentEncoding: 'base64' }), 'payload'],
		['may be JSON', text({ ...STRING, contentMediaType: 'application/json' }), 'payload'],
		['may be one of several files', upload({ allOf: [scan, preview] }), 'scan', 'preview'],
		[
			'is not taken from another endpoint, method or version',
			openApi({
				'/api/v1/workflows/{id}/documents': { put: form },
				'/api/v1/workflows/{id}/files': { post: form },
				'/api/v1/workflows/{id}/documents/{document_id}': { post: form },
				'/api/v2/workflows/{id}/documents': { post: form },
				'/admin/api/v1/workflows/{id}/documents': { post: form },
			}),
		],
	]);

	const server = (url: string) => ({ servers: [{ url }] });

	it.each<[string, string, JsonMap, string[]?]>([
		['with a slash at the end', '/api/v1/workflows/{w}/documents/', {}],
		['in a gateway', '/workflows/{w}/documents', server('https://x.example/gate/api/v1')],
		['with it twice', '/api/v1/workflows/{w}/documents', server('/api/v1')],
		['without it', '/workflows/{w}/documents', server('https://x.example/docs')],
		['below the path of the Base URL', '/tenant/api/v1/workflows/{w}/documents', {}],
		['with a server of no form', '/workflows/{w}/documents', server('http://[')],
		['but not as that of another version', '/workflows/{w}/documents', server('/api/v2'), []],
	])('is known %s', (_, path, rest, fields = ['file']) => {
		const document = openApi({ [path]: { post: form } }, rest);
		const baseUrl = 'https://api.example.com/tenant/api/v1/';
		expect(said(document, 'uploadFileField', baseUrl).fixed).toEqual(fields);
	});
});

describe('Workflow Endpoint', () => {
	const workflow = object({ data: object({ is_extracting: { type: 'boolean' } }) });
	const ANSWER = returning(workflow);
	const FAILURE = {
		responses: { default: { content: { 'application/json': { schema: workflow } } } },
	};
	const WORKFLOWS = returning(list(workflow));
	const LOG = returning(object({ items: list(workflow) }));

	offers('workflowEndpoint', [
		[
			'may be a POST',
			openApi({ [`${WORKFLOW}/state`]: { post: ANSWER } }),
			'POST /workflows/{workflow_id}/state',
		],
		[
			'may have another parameter',
			openApi({ '/groups/{g}/workflows/{w}': { get: ANSWER } }),
			'GET /groups/{g}/workflows/{workflow_id}',
		],
		[
			'is to be chosen where there are several',
			openApi({ [WORKFLOW]: { get: ANSWER }, [`${WORKFLOW}/x`]: { get: ANSWER } }),
			'GET /workflows/{workflow_id}',
			'GET /workflows/{workflow_id}/x',
		],
		['is none of the interface', openApi({ [UPLOAD]: { get: ANSWER, post: ANSWER } })],
		['is none that lists workflows', openApi({ '/api/v1/workflows': { get: WORKFLOWS } })],
		['is none that lists states', openApi({ [`${WORKFLOW}/log`]: { get: LOG } })],
		['is none that changes it', openApi({ [WORKFLOW]: { patch: ANSWER, put: ANSWER } })],
		['is none that takes it', openApi({ [WORKFLOW]: { post: jsonBody(workflow) } })],
		['is none that fails with it', openApi({ [WORKFLOW]: { get: FAILURE } })],
	]);
});

describe('Document ID Field', () => {
	const one = object({ document_id: STRING });

	offers('documentIdField', [
		[
			'is a path where the same name stands in several places',
			uploadReturning(object({ created: list(one), skipped: list(one) })),
			'created[0].document_id',
			'skipped[0].document_id',
		],
		[
			'is to be chosen where document_id is not nearest, IDs first, by bare names where they lead there',
			uploadReturning(
				object({
					data: object({ name: STRING, uuid: STRING, at: { ...STRING, format: 'date-time' } }),
					user: object({ uuid: STRING, key: STRING }),
					duplicate_of: one,
					workflow_id: STRING,
				}),
			),
			...['data.uuid', 'user.uuid', 'document_id', 'name', 'key'],
		],
	]);
});

describe('Finished Statuses', () => {
	const listing = (extraction_status: Json) =>
		openApi({
			[UPLOAD]: { get: returning(object({ items: list(object({ extraction_status })) })) },
		});

	offers('finishedStatuses', [
		['are chosen of those declared', listing({ enum: ['NEW', null] }), 'NEW'],
		['may be numbers', listing({ type: 'integer', enum: [0, 2] }), '0', '2'],
		['may be constants', listing({ oneOf: [{ const: 'a' }, { const: 'b' }] }), 'a', 'b'],
		['are not taken from examples', listing({ ...STRING, example: 'done' })],
	]);
});

describe('signed uploads', () => {
	const body = object({ name: STRING, bytes: { type: 'integer' }, id: { readOnly: true } });
	const slot = returning(
		object({ slots: list(object({ put: object({ target: URI, headers: object({}) }) })) }),
		jsonBody(body),
	);
	const document = openApi({
		[`${WORKFLOW}/extractions`]: { get: returning(object({ file_url: URI })) },
		[CONFIRM]: { post: returning(object({ url: URI })) },
		'/api/v1/things/{id}': {
			get: returning(object({ links: list(URI), has_url: { type: 'boolean' } })),
		},
		'/api/v1/sign': { post: slot },
	});

	it.each<[ApiDetail, possible: string[], notes: string[]]>([
		['uploadUrlEndpoint', ['POST /sign', 'GET /things/{id}'], []],
		['uploadUrlField', ['slots[0].put.target', 'links[0]'], []],
		['uploadHeadersField', ['slots[0].put.headers'], []],
		[
			'uploadUrlBody',
			[],
			[
				'Enter the body that follows. In place of each <…>, put a value or a placeholder: {file_name}, {content_type}, {file_size}, {workflow_id}, {collection_id}, {collection_name} or, in Confirm Body, {document_id}. Body of POST /sign: {"name":"<string>","bytes":"<integer>"}',
			],
		],
	])('%s is to be chosen, even where one endpoint returns a URL', (detail, possible, notes) => {
		expect(said(document, detail)).toEqual({ fixed: [], possible, notes });
	});

	offers('uploadUrlEndpoint', [
		['are not looked for in the document of another service', openApi({ '/sign': { post: slot } })],
	]);

	const confirm = (schema: Json, ...methods: string[]) =>
		openApi({ [CONFIRM]: Object.fromEntries(methods.map((one) => [one, jsonBody(schema)])) });

	offers('confirmMethod', [
		['are confirmed by one of several', confirm({}, 'post', 'put', 'get'), 'POST', 'PUT'],
	]);

	it.each<[string, Json, Json]>([
		['a list', list(object({ document_id: STRING })), [{ document_id: '<string>' }]],
		[
			'a choice',
			{ oneOf: [object({ a: STRING }), object({ b: { enum: ['x', 'y'] } })] },
			{ a: '<string>', b: '<one of: x, y>' },
		],
		['what contains itself', ref('Self'), { id: '<string>', inner: '<object>' }],
		['nothing known', {}, '<any>'],
	])('have a body that is printed: %s', (_, schema, printed) => {
		const Self = object({ id: STRING, inner: ref('Self') });
		const components = { schemas: { Self } };
		const [note] = said({ ...confirm(schema, 'post'), components }, 'confirmBody').notes;
		expect(JSON.parse(note.split(/ Body of \S+ \S+: /)[1])).toEqual(printed);
	});
});
