import {
	detailsIn,
	foundIn,
	jsonBody,
	list,
	multipart,
	object,
	openApi,
	returning,
	swagger,
	type Json,
	type JsonMap,
} from './documents';

const UPLOAD = '/api/v1/workflows/{workflow_id}/documents';
const WORKFLOW = '/api/v1/workflows/{workflow_id}';
const EXTRACTIONS = '/api/v1/workflows/{workflow_id}/extractions';
const BINARY = { type: 'string', format: 'binary' };
const STRING = { type: 'string' };
const URI = { type: 'string', format: 'uri' };

function upload(body: Json, rest: JsonMap = {}): JsonMap {
	return openApi({ [UPLOAD]: { post: multipart(body) } }, rest);
}

function uploadReturning(schema: Json): JsonMap {
	return openApi({ [UPLOAD]: { post: returning(schema) } });
}

describe('Upload File Field', () => {
	it('is the one binary property, with the place where it is declared', () => {
		const { uploadFileField } = detailsIn(upload(object({ note: STRING, document: BINARY })));
		expect(uploadFileField).toEqual({
			found: [
				{
					value: 'document',
					at: '/paths/~1api~1v1~1workflows~1{workflow_id}~1documents/post/requestBody/content/multipart~1form-data/schema/properties/document',
				},
			],
		});
	});

	it.each<[string, Json]>([
		['a list of files', list(BINARY)],
		['a nullable file', { anyOf: [BINARY, { type: 'null' }] }],
		['a media type', { contentMediaType: 'application/pdf' }],
		['an encoding', { type: 'string', contentEncoding: 'binary' }],
		['a type list', { type: ['string', 'null'], format: 'binary' }],
		['a reference', { $ref: '#/components/schemas/File' }],
		['a list of references', list({ $ref: '#/components/schemas/File' })],
	])('is seen in %s', (_, schema) => {
		const document = upload(object({ files: schema, other: STRING }), {
			openapi: '3.1.0',
			components: { schemas: { File: BINARY } },
		});
		expect(foundIn(document, 'uploadFileField')).toEqual(['files']);
	});

	it.each<[string, Json]>([
		['text', STRING],
		['base64 text', { type: 'string', contentEncoding: 'base64' }],
		['a file as base64 text', { contentMediaType: 'image/png', contentEncoding: 'base64' }],
		['JSON in text', { type: 'string', contentMediaType: 'application/json' }],
		['a file inside an object', object({ file: BINARY })],
	])('is not seen in %s', (_, schema) => {
		const document = upload(object({ payload: schema }), { openapi: '3.1.0' });
		expect(foundIn(document, 'uploadFileField')).toEqual([]);
	});

	it('is seen through allOf, and every one is listed where there are several', () => {
		const document = upload({
			allOf: [object({ scan: BINARY }), { $ref: '#/components/schemas/More' }],
		});
		document.components = { schemas: { More: object({ attachment: BINARY }) } };
		const { uploadFileField } = detailsIn(document);
		expect(uploadFileField.found.map(({ value }) => value)).toEqual(['scan', 'attachment']);
		expect(uploadFileField.note).toContain('Choose');
	});

	it('is the formData parameter of type file in Swagger 2.0, by reference too', () => {
		const document = swagger(
			{
				'/workflows/{id}/documents': {
					parameters: [{ name: 'id', in: 'path', type: 'string' }],
					post: {
						parameters: [
							{ name: 'label', in: 'formData', type: 'string' },
							{ $ref: '#/parameters/File' },
						],
					},
				},
			},
			{
				basePath: '/api/v1',
				parameters: { File: { name: 'the_file', in: 'formData', type: 'file' } },
			},
		);
		expect(detailsIn(document).uploadFileField).toEqual({
			found: [{ value: 'the_file', at: '/parameters/File' }],
		});
	});

	it("is the operation's own parameter where the path has one of that name", () => {
		const parameters = (type: string) => [{ name: 'scan', in: 'formData', type }];
		const document = swagger({
			[UPLOAD]: { parameters: parameters('string'), post: { parameters: parameters('file') } },
		});
		expect(detailsIn(document).uploadFileField.found).toEqual([
			{ value: 'scan', at: expect.stringMatching(/\/post\/parameters\/0$/) as string },
		]);
	});

	it('keeps the name as it is, with brackets too', () => {
		expect(foundIn(upload(object({ 'payload[file]': BINARY })), 'uploadFileField')).toEqual([
			'payload[file]',
		]);
	});

	describe('where another field may be the file, too', () => {
		const THUMBNAIL = { thumbnail: BINARY };

		it.each<[string, Json, string[]]>([
			['its name says so', object({ document: STRING, ...THUMBNAIL }), ['thumbnail', 'document']],
			['it may be anything', object({ scan: {}, ...THUMBNAIL }), ['thumbnail', 'scan']],
			[
				'it alone is required',
				object({ payload: STRING, ...THUMBNAIL }, { required: ['payload'] }),
				['thumbnail', 'payload'],
			],
		])('both are listed: %s', (_, body, fields) => {
			const { uploadFileField } = detailsIn(upload(body));
			expect(uploadFileField.found.map(({ value }) => value)).toEqual(fields);
			expect(uploadFileField.note).toMatch(/^Only 'thumbnail' is declared as a file.*Choose/);
		});

		it('a picture of the document is never taken for the document itself', () => {
			const { uploadFileField } = detailsIn(upload(object({ payload: STRING, ...THUMBNAIL })));
			expect(uploadFileField.found.map(({ value }) => value)).toEqual(['thumbnail']);
			expect(uploadFileField.note).toContain('may not be the document itself. Check');
		});

		it('is seen in Swagger 2.0, too', () => {
			const parameters: Json[] = [
				{ name: 'document', in: 'formData', type: 'string', required: true },
				{ name: 'preview_image', in: 'formData', type: 'file' },
			];
			const document = swagger({ [UPLOAD]: { post: { parameters, responses: {} } } });
			expect(foundIn(document, 'uploadFileField')).toEqual(['preview_image', 'document']);
		});

		it.each<[string, Json]>([
			['a name for the file', object({ file_name: STRING, title: STRING, document: BINARY })],
			['a choice', object({ document: BINARY, fileType: { enum: ['a', 'b'] } })],
			['a date', object({ document: BINARY, scan: { type: 'string', format: 'date' } })],
			['the collection', object({ document: BINARY, collection_id: STRING })],
			[
				'required beside the file',
				object({ document: BINARY, kind: STRING }, { required: ['kind', 'document'] }),
			],
		])('is not doubted for %s', (_, body) => {
			const { uploadFileField } = detailsIn(upload(body));
			expect(uploadFileField.found.map(({ value }) => value)).toEqual(['document']);
			expect(uploadFileField.note).toBeUndefined();
		});
	});

	it('is not taken from another endpoint, method or version', () => {
		const file = multipart(object({ file: BINARY }));
		const document = openApi({
			'/api/v1/workflows/{id}/documents': { put: file },
			'/api/v1/workflows/{id}/files': { post: file },
			'/api/v1/documents': { post: file },
			'/api/v1/workflows/{id}/documents/{document_id}': { post: file },
			'/api/v2/workflows/{id}/documents': { post: file },
			'/admin/api/v1/workflows/{id}/documents': { post: file },
		});
		const { uploadFileField } = detailsIn(document);
		expect(uploadFileField.found).toEqual([]);
		expect(uploadFileField.note).toContain('POST /workflows/{…}/documents');
	});
});

describe('where /api/v1 stands', () => {
	const pathItem = { post: multipart(object({ file: BINARY })) };
	const server = (url: string, rest: JsonMap = {}) => ({ servers: [{ url, ...rest }] });

	it.each<[string, string, JsonMap]>([
		['in the path', '/api/v1/workflows/{w}/documents', {}],
		['in the path, with a slash at the end', '/api/v1/workflows/{w}/documents/', {}],
		['in a relative server', '/workflows/{w}/documents', server('/api/v1/')],
		['in an absolute server', '/workflows/{w}/documents', server('https://x.example/api/v1')],
		['in a gateway', '/workflows/{w}/documents', server('https://x.example/gate/api/v1')],
		['in both', '/v1/workflows/{w}/documents', server('https://x.example/api')],
		['twice', '/api/v1/workflows/{w}/documents', server('/api/v1')],
		['nowhere', '/workflows/{w}/documents', {}],
		['nowhere, below a server', '/workflows/{w}/documents', server('https://x.example/docs')],
		[
			'in a variable',
			'/workflows/{w}/documents',
			server('https://{host}/api/{version}', {
				variables: { host: { default: 'x.example' }, version: { default: 'v1' } },
			}),
		],
		['below the path of the Base URL', '/tenant/api/v1/workflows/{w}/documents', {}],
		['with the workflow itself', '/api/v1/workflows/wf_123/documents', {}],
		['with a server of no form', '/workflows/{w}/documents', server('http://[')],
	])('an operation is known with it %s', (_, path, rest) => {
		const about = { baseUrl: 'https://api.example.com/tenant/api/v1/', workflowId: 'wf_123' };
		expect(foundIn(openApi({ [path]: pathItem }, rest), 'uploadFileField', about)).toEqual([
			'file',
		]);
	});

	it('the server on the origin of the Base URL counts, and the nearest list of servers', () => {
		const servers = [{ url: 'https://old.example/api/v2' }, { url: 'https://api.example.com/' }];
		const path = '/workflows/{w}/documents';
		expect(foundIn(openApi({ [path]: pathItem }, { servers }), 'uploadFileField')).toEqual([
			'file',
		]);
		const overridden = { ...pathItem, servers: [{ url: '/api/v2' }] };
		expect(foundIn(openApi({ [path]: overridden }, { servers }), 'uploadFileField')).toEqual([]);
	});

	it('a base path of Swagger 2.0 is one', () => {
		const read = { get: { responses: { 200: { schema: object({ is_extracting: {} }) } } } };
		expect(
			foundIn(swagger({ '/workflows/{w}': read }, { basePath: '/api/v1' }), 'workflowEndpoint'),
		).toEqual(['GET /workflows/{workflow_id}']);
	});
});

describe('Workflow Endpoint', () => {
	const workflow = object({ data: object({ is_extracting: { type: 'boolean' } }) });

	it.each([
		['/api/v1/workflows/{id}', 'GET /workflows/{workflow_id}'],
		['/workflows/{wf}/metadata/', 'GET /workflows/{workflow_id}/metadata'],
		['/describe/workflow/{w}', 'GET /describe/workflow/{workflow_id}'],
		['/state/{workflowId}', 'GET /state/{workflow_id}'],
		['/state/wf_123', 'GET /state/{workflow_id}'],
		['/groups/{id}/workflows/{key}', 'GET /groups/{id}/workflows/{workflow_id}'],
	])('%s is written %s', (path, endpoint) => {
		const { workflowEndpoint } = detailsIn(openApi({ [path]: { get: returning(workflow) } }));
		expect(workflowEndpoint.found.map(({ value }) => value)).toEqual([endpoint]);
	});

	it('leaves a parameter of another name to the user', () => {
		const document = openApi({ '/pipelines/{p}': { get: returning(workflow) } });
		const { workflowEndpoint } = detailsIn(document);
		expect(workflowEndpoint.found).toEqual([]);
		expect(workflowEndpoint.note).toContain(
			'GET /pipelines/{p}. If one of them returns one workflow, enter it with {workflow_id}',
		);
	});

	it.each([
		['post', `${WORKFLOW}/extract`],
		['post', `${WORKFLOW}/documents/{document_id}/extract`],
		['post', `${WORKFLOW}/documents`],
		['get', `${WORKFLOW}/documents`],
		['get', `${WORKFLOW}/extractions`],
		['post', `${WORKFLOW}/documents/confirm`],
		['post', `${WORKFLOW}/collections/{id}/merged-document`],
		['patch', WORKFLOW],
		['put', WORKFLOW],
		['get', '/api/v1/workflows'],
	])('is not %s %s, even if nothing else declares is_extracting', (method, path) => {
		const { workflowEndpoint } = detailsIn(openApi({ [path]: { [method]: returning(workflow) } }));
		expect(workflowEndpoint.found).toEqual([]);
		expect(workflowEndpoint.note).toMatch(/none of these reads|is declared only by/);
		expect(workflowEndpoint.note).not.toContain('Copy');
	});

	it('is to be checked where it is a POST', () => {
		const document = openApi({ [`${WORKFLOW}/state`]: { post: returning(workflow) } });
		const { workflowEndpoint } = detailsIn(document);
		expect(workflowEndpoint.found[0].value).toBe('POST /workflows/{workflow_id}/state');
		expect(workflowEndpoint.note).toContain('Check in its description that it only reads');
	});

	it('takes the workflow from a query that is required', () => {
		const parameters = [{ name: 'workflow_id', in: 'query', required: true }];
		const document = openApi({ '/status': { parameters, get: returning(workflow) } });
		expect(foundIn(document, 'workflowEndpoint')).toEqual([
			'GET /status?workflow_id={workflow_id}',
		]);
	});

	it.each<[string, Json]>([
		['a reference', { $ref: '#/components/schemas/W' }],
		['oneOf', { oneOf: [STRING, { $ref: '#/components/schemas/W' }] }],
		['entries', list({ $ref: '#/components/schemas/W' })],
		['an encoded reference', { $ref: '#/components/schemas/A~1B%20~0C' }],
		['$defs', { $ref: '#/$defs/W' }],
	])('is seen through %s', (_, schema) => {
		const document = openApi(
			{ '/workflows/{id}': { get: returning(schema) } },
			{ components: { schemas: { W: workflow, 'A/B ~C': workflow } }, $defs: { W: workflow } },
		);
		expect(foundIn(document, 'workflowEndpoint')).toEqual(['GET /workflows/{workflow_id}']);
	});

	it('counts what stands beside a reference only since 3.1', () => {
		const document = openApi(
			{ '/workflows/{id}': { get: returning({ $ref: '#/components/schemas/E', ...workflow }) } },
			{ components: { schemas: { E: object({}) } } },
		);
		expect(foundIn(document, 'workflowEndpoint')).toEqual([]);
		expect(foundIn({ ...document, openapi: '3.1.0' }, 'workflowEndpoint')).toHaveLength(1);
	});

	it('is not seen in an error, a request body or a method that cannot be entered', () => {
		const failing = returning(STRING);
		failing.responses = {
			'404': { content: { 'application/json': { schema: workflow } } },
			default: { content: { 'application/json': { schema: workflow } } },
		};
		const document = openApi({
			'/workflows/{id}': { get: failing, delete: returning(workflow) },
			'/workflows': { post: { ...jsonBody(workflow), responses: {} } },
		});
		expect(foundIn(document, 'workflowEndpoint')).toEqual([]);
	});

	it('lists every one where there are several, and prefers none', () => {
		const document = openApi({
			'/workflows': { get: returning(list(workflow)) },
			'/workflows/{id}': { get: returning(workflow), patch: returning(workflow) },
			'/workflows/{id}/activity': { get: returning(workflow), post: returning(workflow) },
		});
		const { workflowEndpoint } = detailsIn(document);
		expect(workflowEndpoint.found.map(({ value }) => value)).toEqual([
			'GET /workflows/{workflow_id}',
			'GET /workflows/{workflow_id}/activity',
			'POST /workflows/{workflow_id}/activity',
		]);
		expect(workflowEndpoint.note).toContain('Choose');
		expect(workflowEndpoint.note).toContain('Check in the description of a POST');
	});
});

describe('Document ID Field', () => {
	it('is document_id wherever the response has it once', () => {
		expect(
			detailsIn(uploadReturning(object({ id: STRING, data: object({ document_id: STRING }) })))
				.documentIdField,
		).toMatchObject({ found: [{ value: 'document_id' }] });
	});

	it('is document_id where the response is one document or a list of them', () => {
		const one = object({ document_id: STRING });
		const response = { anyOf: [one, list(one)] };
		expect(foundIn(uploadReturning(response), 'documentIdField')).toEqual(['document_id']);
		expect(foundIn(uploadReturning(object({ files: response })), 'documentIdField')).toEqual([
			'document_id',
		]);
	});

	it.each(['duplicate_of', 'replaced', 'previousVersion', 'parent', 'copy_of'])(
		'is not document_id within %s, which is another document',
		(other) => {
			const inner = object({ document_id: STRING });
			const alone = detailsIn(uploadReturning(object({ name: STRING, [other]: inner })));
			expect(alone.documentIdField).toEqual({
				found: [],
				note: expect.stringContaining(
					`only as '${other}.document_id', which is probably another document`,
				) as string,
			});
			const beside = detailsIn(uploadReturning(object({ ref_id: STRING, [other]: inner })));
			expect(beside.documentIdField.found.map(({ value }) => value)).toEqual([
				'ref_id',
				`${other}.document_id`,
			]);
			expect(beside.documentIdField.note).toContain('Choose');
		},
	);

	it('is listed with its paths where it stands in several places, nearest to the top first', () => {
		const document = uploadReturning(
			object({
				uploaded: list({ $ref: '#/components/schemas/D' }),
				replaced: { $ref: '#/components/schemas/D' },
			}),
		);
		document.components = { schemas: { D: object({ document_id: STRING }) } };
		expect(foundIn(document, 'documentIdField')).toEqual([
			'replaced.document_id',
			'uploaded[0].document_id',
		]);
	});

	it('is every field whose name says ID where there is no document_id', () => {
		const document = uploadReturning(
			object({
				doc_ref: STRING,
				width: { type: 'integer' },
				valid: STRING,
				isIdle: STRING,
				id: object({ documentId: { type: 'integer' } }),
				file: object({ uuid: { type: 'string', format: 'uuid' }, ids: object({}) }),
			}),
		);
		const { documentIdField } = detailsIn(document);
		expect(documentIdField.found.map(({ value }) => value)).toEqual(['id.documentId', 'file.uuid']);
		expect(documentIdField.note).toContain('may hold an ID');
	});

	it('says what to look for where the response is not described or names no ID', () => {
		const silent = openApi({ [UPLOAD]: { post: multipart(object({ file: BINARY })) } });
		expect(detailsIn(silent).documentIdField).toEqual({
			found: [],
			note: expect.stringContaining('not described') as string,
		});
		expect(detailsIn(uploadReturning(object({ doc_ref: STRING }))).documentIdField).toEqual({
			found: [],
			note: expect.stringContaining('no field for an ID') as string,
		});
	});
});

describe('Finished Statuses', () => {
	function documentList(status: Json): JsonMap {
		const entry = object({ extraction_status: status });
		return openApi({
			[UPLOAD]: { get: returning(object({ items: list(entry) })) },
		});
	}

	it.each<[string, Json, string[]]>([
		['an enum', { type: 'string', enum: ['NEW', 'DONE', null] }, ['NEW', 'DONE']],
		['numbers', { type: 'integer', enum: [0, 2, 9] }, ['0', '2', '9']],
		['constants', { oneOf: [{ const: 'open' }, { const: 'done' }] }, ['open', 'done']],
		['an example', { type: 'string', example: 'done', default: 'open' }, []],
	])('are the values of %s', (_, status, values) => {
		expect(foundIn(documentList(status), 'finishedStatuses')).toEqual(values);
	});

	it('are listed and not chosen, with the place of each', () => {
		const { finishedStatuses } = detailsIn(documentList({ enum: ['queued', 'done'] }));
		expect(finishedStatuses.choose).toContain('Choose all that mean');
		expect(finishedStatuses.found[1].at).toMatch(/\/extraction_status\/enum\/1$/);
	});

	it('are not taken from the workflow', () => {
		const workflow = object({ extraction_status: { enum: ['idle', 'busy'] } });
		const document = openApi({ '/workflows/{id}': { get: returning(workflow) } });
		expect(foundIn(document, 'finishedStatuses')).toEqual([]);
	});
});

describe('Upload URL Endpoint, Body and Field', () => {
	const slot = returning(
		object({ slots: list(object({ put: object({ target: URI }) })) }),
		jsonBody(
			object(
				{
					workflow: STRING,
					collection_name: STRING,
					file_name: STRING,
					bytes: { type: 'integer' },
				},
				{ required: ['file_name', 'bytes'] },
			),
		),
	);

	it('are candidates only, even where there is one', () => {
		const document = openApi({
			[EXTRACTIONS]: { get: returning(object({ file_url: URI })) },
			[`${UPLOAD}/confirm`]: { post: returning(object({ url: URI })) },
			'/workflows/{id}': { get: returning(object({ is_extracting: {}, logo_url: URI })) },
			'/api/v1/sign': { post: slot },
		});
		const { uploadUrlEndpoint, uploadUrlBody, uploadUrlField } = detailsIn(document);
		expect(uploadUrlEndpoint).toEqual({
			found: [{ value: 'POST /sign', at: '/paths/~1api~1v1~1sign/post' }],
			check: expect.stringContaining('a signed URL') as string,
			choose: expect.stringContaining('Choose the one') as string,
		});
		expect(uploadUrlBody.found.map(({ value }) => JSON.parse(value) as unknown)).toEqual([
			{
				workflow: '<string>',
				collection_name: '{collection_name}',
				file_name: '<string>',
				bytes: '<integer>',
			},
		]);
		expect(uploadUrlBody.note).toContain(
			'POST /sign: required: file_name, bytes; optional: workflow, collection_name.',
		);
		expect(uploadUrlField.found.map(({ value }) => value)).toEqual(['slots[0].put.target']);
	});

	it('are all listed where there are several, with the fields of each', () => {
		const document = openApi({
			[EXTRACTIONS]: { get: returning(object({})) },
			'/upload-slots/{workflow_id}': { put: slot },
			'/workflows/{id}/documents/{document_id}': {
				get: returning(object({ downloadUrl: STRING, links: list(URI) })),
			},
		});
		const { uploadUrlEndpoint, uploadUrlField } = detailsIn(document);
		expect(uploadUrlEndpoint.found.map(({ value }) => value)).toEqual([
			'PUT /upload-slots/{workflow_id}',
			'GET /workflows/{workflow_id}/documents/{document_id}',
		]);
		expect(uploadUrlField.found.map(({ value }) => value)).toEqual([
			'slots[0].put.target',
			'downloadUrl',
			'links[0]',
		]);
		expect(uploadUrlField.note).toContain(
			'GET /workflows/{workflow_id}/documents/{document_id}: downloadUrl, links[0].',
		);
	});

	it.each<[string, Json]>([
		['flag', { type: 'boolean' }],
		['has_url', { type: 'boolean' }],
		['security', STRING],
		['url', object({ host: STRING })],
	])('a field %s of schema %j is no address', (name, schema) => {
		const document = openApi({
			[EXTRACTIONS]: { get: returning(object({})) },
			'/things': { post: returning(object({ [name]: schema })) },
		});
		expect(foundIn(document, 'uploadUrlEndpoint')).toEqual([]);
	});

	it('are listed with the headers to upload with, which are empty in most accounts', () => {
		const signed = (rest: JsonMap) =>
			detailsIn(
				openApi({
					[EXTRACTIONS]: { get: returning(object({})) },
					'/api/v1/sign': {
						post: returning(object({ put: object({ url: { type: 'string' }, ...rest }) })),
					},
				}),
			).uploadHeadersField;

		expect(signed({})).toEqual({ found: [] });
		const headers = object({ 'x-ms-blob-type': { type: 'string' } });
		expect(signed({ headers, header: { type: 'string' } })).toEqual({
			found: [{ value: 'put.headers', at: expect.stringMatching(/\/headers$/) as string }],
			check: 'Check in its description that it holds the headers that the upload has to carry.',
		});
	});

	it('are not looked for in a document that has none of the operations of the interface', () => {
		const { uploadUrlEndpoint, uploadUrlBody, uploadUrlField } = detailsIn(
			openApi({ '/workflows/{id}/sign': { post: slot } }),
		);
		for (const { found, note } of [uploadUrlEndpoint, uploadUrlBody, uploadUrlField]) {
			expect(found).toEqual([]);
			expect(note).toContain('look for');
		}
	});
});

describe('Confirm Method and Confirm Body', () => {
	function confirm(schema: Json, method = 'post', rest: JsonMap = {}): JsonMap {
		return openApi({ [`${UPLOAD}/confirm`]: { [method]: jsonBody(schema) } }, rest);
	}

	it.each(['post', 'put', 'patch'])('the method is found: %s', (method) => {
		expect(detailsIn(confirm({}, method)).confirmMethod).toEqual({
			found: [
				{
					value: method.toUpperCase(),
					at: `/paths/~1api~1v1~1workflows~1{workflow_id}~1documents~1confirm/${method}`,
				},
			],
		});
	});

	it('several methods are listed', () => {
		const path = { post: jsonBody({}), put: jsonBody({}), get: returning({}) };
		const { confirmMethod } = detailsIn(openApi({ [`${UPLOAD}/confirm`]: path }));
		expect(confirmMethod.found.map(({ value }) => value)).toEqual(['POST', 'PUT']);
		expect(confirmMethod.note).toContain('Choose');
	});

	it.each<[string, Json, Json]>([
		['document_id', object({ document_id: STRING }), { document_id: '{document_id}' }],
		[
			'a list document_ids',
			object({ document_ids: list(STRING) }),
			{ document_ids: ['{document_id}'] },
		],
		[
			'a list of objects',
			object({ files: list(object({ document_id: STRING, id: STRING })) }),
			{ files: [{ document_id: '{document_id}', id: '<string>' }] },
		],
		[
			'all names that the interface fixes',
			object({ workflow_id: {}, collection_id: {}, collection_name: {}, documentId: {} }),
			{
				workflow_id: '{workflow_id}',
				collection_id: '{collection_id}',
				collection_name: '{collection_name}',
				documentId: '<any>',
			},
		],
		[
			'types',
			object({
				n: { type: 'number' },
				b: { type: 'boolean' },
				o: { type: 'object' },
				l: { type: 'array' },
				t: { type: ['string', 'null'] },
				u: { anyOf: [STRING, { type: 'integer' }, { type: 'null' }] },
				e: { enum: ['a', 'b'] },
				c: { const: 'complete' },
				r: { type: 'string', readOnly: true },
			}),
			{
				n: '<number>',
				b: '<boolean>',
				o: '<object>',
				l: ['<any>'],
				t: '<string>',
				u: '<string or integer>',
				e: '<one of: a, b>',
				c: 'complete',
			},
		],
		['a list as the body', list(STRING), ['<string>']],
		[
			'a nullable reference',
			{ anyOf: [{ $ref: '#/components/schemas/B' }, { type: 'null' }] },
			{ document_id: '{document_id}', inner: '<object>' },
		],
	])('the body is a template of %s', (_, schema, template) => {
		const B = object({ document_id: STRING, inner: { $ref: '#/components/schemas/B' } });
		const document = confirm(schema, 'post', {
			openapi: '3.1.0',
			components: { schemas: { B } },
		});
		expect(JSON.parse(foundIn(document, 'confirmBody')[0])).toEqual(template);
	});

	it('the body comes in each form that the schema offers', () => {
		const document = confirm({
			oneOf: [object({ document_id: STRING }), object({ key: STRING })],
			properties: { force: { type: 'boolean' } },
		});
		expect(foundIn(document, 'confirmBody').map((json) => JSON.parse(json) as unknown)).toEqual([
			{ force: '<boolean>', document_id: '{document_id}' },
			{ force: '<boolean>', key: '<string>' },
		]);
	});

	it('the note tells required from optional, and where {document_id} is still to be written', () => {
		const { confirmBody } = detailsIn(
			confirm(object({ doc_ref: STRING, label: STRING }, { required: ['doc_ref'] })),
		);
		expect(confirmBody.note).toContain('required: doc_ref; optional: label.');
		expect(confirmBody.note).toContain('Write {document_id} where');
	});

	it('the body of Swagger 2.0 is its body parameter', () => {
		const document = swagger({
			'/api/v1/workflows/{w}/documents/confirm': {
				post: { parameters: [{ in: 'body', name: 'x', schema: object({ document_id: STRING }) }] },
			},
		});
		expect(foundIn(document, 'confirmBody')).toEqual(['{"document_id":"{document_id}"}']);
	});
});

describe('Values Field, Column Name Field and Column Value Field', () => {
	const resultsOf = (result: Json) =>
		openApi({ [EXTRACTIONS]: { get: returning(object({ total: {}, items: list(result) })) } });

	it('are the objects and lists of a result, and the fields of its entries', () => {
		const value = object({
			label: STRING,
			content: { anyOf: [STRING, { type: 'number' }] },
			n: {},
		});
		const result = object({
			document_id: STRING,
			score: { type: 'number' },
			output: object({ values: list(value) }),
		});
		const document = resultsOf(result);
		expect(foundIn(document, 'valuesField')).toEqual(['output', 'output.values']);
		expect(foundIn(document, 'columnNameField')).toEqual(['label', 'content', 'n', 'document_id']);
		expect(foundIn(document, 'columnValueField')).toEqual([
			'label',
			'content',
			'n',
			'document_id',
			'score',
			'output',
			'output.values',
		]);
	});

	it('stand deeper, too', () => {
		const result = object({ column: object({ heading: STRING, type: STRING }), value: {} });
		const document = resultsOf(result);
		expect(foundIn(document, 'columnNameField')).toEqual([
			'value',
			'column.heading',
			'column.type',
		]);
	});

	it('say what to look for where a result is not described', () => {
		const document = resultsOf({});
		expect(detailsIn(document).valuesField.found).toEqual([]);
		expect(detailsIn(document).valuesField.note).toContain('Look at a real result');
	});
});
