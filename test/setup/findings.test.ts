import type { ApiDetail } from '../../nodes/DocumentExtraction/account/apiDetails';
import {
	BINARY,
	CONFIRM,
	findingsOf,
	list,
	multipart,
	object,
	openApi,
	returning,
	said,
	STRING,
	UPLOAD,
	WORKFLOW,
	type Json,
	type JsonMap,
} from './documents';

/** What differs by author stands in drawnReferences.test.ts. */

const URI = { type: 'string', format: 'uri' };

/** What a document lets the user choose from, if anything. */
const offers = (
	detail: ApiDetail,
	rows: Array<[what: string, document: JsonMap, ...values: string[]]>,
) =>
	it.each(rows)('%s', (_, document, ...possible) => {
		expect(said(document, detail)).toEqual({ fixed: [], possible });
	});

describe('Upload File Field', () => {
	const form = multipart(object({ file: BINARY }));
	const two = { allOf: [object({ scan: BINARY }), object({ preview: BINARY })] };

	offers('uploadFileField', [
		[
			'is a choice of several files',
			openApi({ [UPLOAD]: { post: multipart(two) } }),
			'scan',
			'preview',
		],
		[
			'is no text, such as a file in base64',
			openApi({
				[UPLOAD]: {
					post: multipart(
						object({
							file: { ...STRING, contentMediaType: 'image/png', contentEncoding: 'base64' },
						}),
					),
				},
			}),
		],
		[
			'is not taken from another endpoint, method or version',
			openApi({
				'/api/v1/workflows/{id}/documents': { put: form },
				'/api/v1/workflows/{id}/files': { post: form },
				'/api/v1/workflows/{id}/documents/{document_id}': { post: form },
				'/api/v2/workflows/{id}/documents': { post: form },
			}),
		],
	]);

	const server = (url: string) => ({ servers: [{ url }] });

	it.each<[string, string, JsonMap, string[]?]>([
		['with a slash at the end', '/api/v1/workflows/{w}/documents/', {}],
		['in a gateway', '/workflows/{w}/documents', server('https://x.example/gate/api/v1')],
		['with it twice', '/api/v1/workflows/{w}/documents', server('/api/v1')],
		['across both', '/v1/workflows/{w}/documents', server('/api')],
		['without it', '/workflows/{w}/documents', server('https://x.example/docs')],
		['below a path', '/tenant/api/v1/workflows/{w}/documents', {}],
		['with a server of no form', '/workflows/{w}/documents', server('http://[')],
		['but not as that of another version', '/workflows/{w}/documents', server('/api/v2'), []],
	])('is known %s', (_, path, rest, fields = ['file']) => {
		const document = openApi({ [path]: { post: form } }, rest);
		expect(said(document, 'uploadFileField').fixed).toEqual(fields);
	});
});

describe('Workflow Endpoint', () => {
	const workflow = object({ data: object({ is_extracting: { type: 'boolean' } }) });
	const ANSWER = returning(workflow);
	const FAILURE = {
		responses: { default: { content: { 'application/json': { schema: workflow } } } },
	};

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
		[
			'is none that lists states',
			openApi({ [`${WORKFLOW}/log`]: { get: returning(object({ items: list(workflow) })) } }),
		],
		['is none that changes it', openApi({ [WORKFLOW]: { patch: ANSWER, put: ANSWER } })],
		['is none that fails with it', openApi({ [WORKFLOW]: { get: FAILURE } })],
	]);
});

describe('Document ID Field', () => {
	const one = object({ document_id: STRING });
	const uploadReturning = (schema: Json) => openApi({ [UPLOAD]: { post: returning(schema) } });

	offers('documentIdField', [
		[
			'is a path where the same name stands in several places',
			uploadReturning(object({ created: list(one), skipped: list(one) })),
			'created[0].document_id',
			'skipped[0].document_id',
		],
		[
			'is not certain where another ID is nearer to the top: this one may be another document',
			uploadReturning(object({ id: STRING, linked: one })),
			'id',
			'document_id',
		],
		[
			'is not certain where another object has an ID, too',
			uploadReturning(object({ document: object({ id: STRING }), conflict: one })),
			'id',
			'document_id',
		],
		[
			'is to be chosen where there is no document_id: IDs first, by bare names where they lead there',
			uploadReturning(
				object({
					data: object({ name: STRING, uuid: STRING, at: { ...STRING, format: 'date-time' } }),
					user: object({ uuid: STRING, key: STRING }),
					workflow_id: STRING,
				}),
			),
			...['data.uuid', 'user.uuid', 'name', 'key'],
		],
	]);

	it('is certain where the same object has other IDs', () => {
		const response = object({
			ok: { type: 'boolean' },
			data: object({ id: STRING, document_id: STRING }),
		});
		expect(said(uploadReturning(response), 'documentIdField').fixed).toEqual(['document_id']);
	});
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
	const slot = returning(
		object({ slots: list(object({ put: object({ target: URI, headers: object({}) }) })) }),
	);
	const document = openApi({
		[`${WORKFLOW}/extractions`]: { get: returning(object({ file_url: URI })) },
		[CONFIRM]: { post: returning(object({ url: URI })), put: {} },
		'/api/v1/things/{id}': {
			get: returning(object({ links: list(URI), has_url: { type: 'boolean' } })),
		},
		'/api/v1/sign': { post: slot },
	});

	it.each<[ApiDetail, possible: string[]]>([
		['uploadUrlEndpoint', ['POST /sign', 'GET /things/{id}']],
		['uploadUrlField', ['slots[0].put.target', 'links[0]']],
		['uploadHeadersField', ['slots[0].put.headers']],
		['confirmMethod', ['POST', 'PUT']],
	])('%s is to be chosen, even where one endpoint returns a URL', (detail, possible) => {
		expect(said(document, detail)).toEqual({ fixed: [], possible });
	});
});

it('the document of another service says nothing', () => {
	const document = {
		openapi: '3.1.0',
		paths: { '/api/v1/sign': { post: returning(object({ url: URI })) } },
	};
	expect(findingsOf(document)).toEqual([]);
});
