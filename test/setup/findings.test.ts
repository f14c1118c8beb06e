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

const URI = { type: 'string', format: 'uri' };

const upload = (schema: Json, rest: JsonMap = {}) =>
	openApi({ [UPLOAD]: { post: multipart(schema) } }, rest);
const uploadReturning = (schema: Json, rest: JsonMap = {}) =>
	openApi({ [UPLOAD]: { post: returning(schema) } }, rest);

/** What differs by style and framework stands in drawnReferences.ts. */

describe('Upload File Field', () => {
	it.each<[string, Json]>([
		['a nullable file', { anyOf: [BINARY, { type: 'null' }] }],
		['a list of references', list(ref('File'))],
	])('is fixed as the one that is %s', (_, schema) => {
		const document = upload(object({ 'scan[file]': schema, note: STRING }), {
			openapi: '3.1.0',
			components: { schemas: { File: BINARY } },
		});
		expect(said(document, 'uploadFileField')).toMatchObject({ fixed: ['scan[file]'] });
	});

	it.each<[string, Json]>([
		['base64 text', { type: 'string', contentEncoding: 'base64' }],
		['a file as base64 text', { contentMediaType: 'image/png', contentEncoding: 'base64' }],
		['JSON in text', { type: 'string', contentMediaType: 'application/json' }],
	])('is to be chosen where there is only %s', (_, schema) => {
		const form = object({ payload: schema, collection_id: STRING, kind: { enum: ['a', 'b'] } });
		expect(said(upload(form), 'uploadFileField')).toMatchObject({
			fixed: [],
			possible: ['payload'],
		});
	});

	it('is to be chosen where there are several files', () => {
		const form = { allOf: [object({ scan: BINARY }), object({ preview: BINARY })] };
		expect(said(upload(form), 'uploadFileField')).toMatchObject({
			fixed: [],
			possible: ['scan', 'preview'],
		});
	});

	it('is not taken from another endpoint, method or version', () => {
		const file = multipart(object({ file: BINARY }));
		const document = openApi({
			'/api/v1/workflows/{id}/documents': { put: file },
			'/api/v1/workflows/{id}/files': { post: file },
			'/api/v1/workflows/{id}/documents/{document_id}': { post: file },
			'/api/v2/workflows/{id}/documents': { post: file },
			'/admin/api/v1/workflows/{id}/documents': { post: file },
		});
		expect(said(document, 'uploadFileField')).toEqual({ fixed: [], possible: [], notes: [] });
	});
});

describe('an operation is known', () => {
	const pathItem = { post: multipart(object({ file: BINARY })) };
	const server = (url: string) => ({ servers: [{ url }] });

	it.each<[string, string, JsonMap]>([
		['with a slash at the end', '/api/v1/workflows/{w}/documents/', {}],
		['with /api/v1 in a relative server', '/workflows/{w}/documents', server('/api/v1/')],
		['in a gateway', '/workflows/{w}/documents', server('https://x.example/gate/api/v1')],
		['with it twice', '/api/v1/workflows/{w}/documents', server('/api/v1')],
		['without it', '/workflows/{w}/documents', server('https://x.example/docs')],
		['below the path of the Base URL', '/tenant/api/v1/workflows/{w}/documents', {}],
		['with a server of no form', '/workflows/{w}/documents', server('http://[')],
	])('%s', (_, path, rest) => {
		const document = openApi({ [path]: pathItem }, rest);
		const baseUrl = 'https://api.example.com/tenant/api/v1/';
		expect(said(document, 'uploadFileField', baseUrl).fixed).toEqual(['file']);
	});

	it('as that of another version', () => {
		const document = openApi({ '/workflows/{w}/documents': pathItem }, server('/api/v2'));
		expect(said(document, 'uploadFileField').fixed).toEqual([]);
	});
});

describe('Workflow Endpoint', () => {
	const workflow = object({ data: object({ is_extracting: { type: 'boolean' } }) });

	it.each([
		['/workflows/{wf}/metadata/', 'GET /workflows/{workflow_id}/metadata/'],
		['/state/{workflowId}', 'GET /state/{workflow_id}'],
	])('%s is written %s', (path, endpoint) => {
		const document = openApi({ [path]: { get: returning(workflow) } });
		expect(said(document, 'workflowEndpoint').fixed).toEqual([endpoint]);
	});

	it.each<[string, JsonMap]>([
		['a POST', { [`${WORKFLOW}/state`]: { post: returning(workflow) } }],
		['another parameter', { '/groups/{g}/workflows/{w}': { get: returning(workflow) } }],
		[
			'several',
			{ [WORKFLOW]: { get: returning(workflow) }, [`${WORKFLOW}/x`]: { get: returning(workflow) } },
		],
	])('is to be chosen: %s', (_, paths) => {
		const { fixed, possible } = said(openApi(paths), 'workflowEndpoint');
		expect([fixed, possible]).toEqual([[], expect.any(Array)]);
		expect(possible.length).toBeGreaterThan(0);
	});

	it.each<[string, JsonMap]>([
		['of the interface', { [UPLOAD]: { get: returning(workflow), post: returning(workflow) } }],
		['that lists workflows', { '/api/v1/workflows': { get: returning(list(workflow)) } }],
		[
			'that lists states',
			{ [`${WORKFLOW}/log`]: { get: returning(object({ items: list(workflow) })) } },
		],
		['that changes it', { [WORKFLOW]: { patch: returning(workflow), put: returning(workflow) } }],
		['that takes it', { [WORKFLOW]: { post: { ...jsonBody(workflow), responses: {} } } }],
		[
			'that fails with it',
			{
				[WORKFLOW]: {
					get: {
						responses: { default: { content: { 'application/json': { schema: workflow } } } },
					},
				},
			},
		],
	])('is none %s', (_, paths) => {
		expect(said(openApi(paths), 'workflowEndpoint')).toMatchObject({ fixed: [], possible: [] });
	});
});

describe('Document ID Field', () => {
	it('is a path where the same name stands in several places', () => {
		const one = object({ document_id: STRING });
		const schema = object({ created: list(one), skipped: list(one) });
		expect(said(uploadReturning(schema), 'documentIdField')).toMatchObject({
			fixed: [],
			possible: ['created[0].document_id', 'skipped[0].document_id'],
		});
	});

	it('is to be chosen where there is no document_id, IDs first, by bare names where they lead there', () => {
		const schema = object({
			data: object({ name: STRING, uuid: STRING, at: { type: 'string', format: 'date-time' } }),
			user: object({ uuid: STRING, key: STRING }),
			duplicate_of: object({ document_id: STRING }),
			workflow_id: STRING,
		});
		expect(said(uploadReturning(schema), 'documentIdField')).toMatchObject({
			fixed: [],
			possible: ['data.uuid', 'user.uuid', 'name', 'key'],
		});
	});
});

it('statuses are those that the list of documents declares, and are for the user to choose', () => {
	const lists = (status: Json) =>
		openApi({
			[UPLOAD]: { get: returning(object({ items: list(object({ extraction_status: status })) })) },
		});
	const possible = (status: Json) => said(lists(status), 'finishedStatuses').possible;

	expect(possible({ type: 'string', enum: ['NEW', 'DONE', null] })).toEqual(['NEW', 'DONE']);
	expect(possible({ type: 'integer', enum: [0, 2] })).toEqual(['0', '2']);
	expect(possible({ oneOf: [{ const: 'open' }, { const: 'done' }] })).toEqual(['open', 'done']);
	expect(possible({ type: 'string', example: 'done' })).toEqual([]);
});

describe('signed uploads', () => {
	const body = object({ name: STRING, bytes: { type: 'integer' }, id: { readOnly: true } });
	const slot = returning(
		object({ slots: list(object({ put: object({ target: URI, headers: object({}) }) })) }),
		jsonBody(body),
	);

	it('are to be chosen, even where one endpoint returns a URL', () => {
		const document = openApi({
			[`${WORKFLOW}/extractions`]: { get: returning(object({ file_url: URI })) },
			[CONFIRM]: { post: returning(object({ url: URI })) },
			'/api/v1/things/{id}': {
				get: returning(object({ links: list(URI), has_url: { type: 'boolean' } })),
			},
			'/api/v1/sign': { post: slot },
		});
		expect(said(document, 'uploadUrlEndpoint')).toMatchObject({
			fixed: [],
			possible: ['POST /sign', 'GET /things/{id}'],
		});
		expect(said(document, 'uploadUrlField').possible).toEqual(['slots[0].put.target', 'links[0]']);
		expect(said(document, 'uploadHeadersField').possible).toEqual(['slots[0].put.headers']);
		expect(said(document, 'uploadUrlBody')).toEqual({
			fixed: [],
			possible: [],
			notes: ['POST /sign takes: {"name":"<string>","bytes":"<integer>"}'],
		});
	});

	it('are not looked for in a document that has none of the operations of the interface', () => {
		expect(said(openApi({ '/sign': { post: slot } }), 'uploadUrlEndpoint').possible).toEqual([]);
	});

	it('are confirmed by the one method of the path that the interface shows', () => {
		const confirm = (...methods: string[]) =>
			openApi({
				[CONFIRM]: Object.fromEntries(methods.map((one) => [one, jsonBody({})])),
			});
		expect(said(confirm('put', 'get'), 'confirmMethod').fixed).toEqual(['PUT']);
		expect(said(confirm('post', 'put'), 'confirmMethod')).toMatchObject({
			fixed: [],
			possible: ['POST', 'PUT'],
		});
	});

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
		const document = openApi(
			{ [CONFIRM]: { post: jsonBody(schema) } },
			{ components: { schemas: { Self } } },
		);
		const [note] = said(document, 'confirmBody').notes;
		expect(JSON.parse(note.split(' takes: ')[1])).toEqual(printed);
	});
});
