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
const FORM = multipart(object({ file: BINARY }));
const TWO_FILES = multipart({ allOf: [object({ scan: BINARY }), object({ preview: BINARY })] });
const STATE = object({ data: object({ is_extracting: { type: 'boolean' } }) });
const READ = returning(STATE);
const ONE = object({ document_id: STRING });

const uploadReturning = (properties: JsonMap) =>
	openApi({ [UPLOAD]: { post: returning(object(properties)) } });
const listing = (extraction_status: Json) =>
	openApi({
		[UPLOAD]: { get: returning(object({ items: list(object({ extraction_status })) })) },
	});

it.each<[detail: ApiDetail, title: string, document: JsonMap, ...possible: string[]]>([
	[
		'uploadFileField',
		'several files',
		openApi({ [UPLOAD]: { post: TWO_FILES } }),
		'scan',
		'preview',
	],
	[
		'uploadFileField',
		'another endpoint, method or version',
		openApi({
			'/api/v1/workflows/{id}/documents': { put: FORM },
			'/api/v1/workflows/{id}/documents/{document_id}': { post: FORM },
			'/api/v2/workflows/{id}/documents': { post: FORM },
		}),
	],
	[
		'workflowEndpoint',
		'a POST, which may change something',
		openApi({ [`${WORKFLOW}/state`]: { post: READ } }),
		'POST /workflows/{workflow_id}/state',
	],
	[
		'workflowEndpoint',
		'another parameter',
		openApi({ '/groups/{g}/workflows/{w}': { get: READ } }),
		'GET /groups/{g}/workflows/{workflow_id}',
	],
	[
		'workflowEndpoint',
		'several endpoints',
		openApi({ [WORKFLOW]: { get: READ }, [`${WORKFLOW}/x`]: { get: READ } }),
		...['GET /workflows/{workflow_id}', 'GET /workflows/{workflow_id}/x'],
	],
	['workflowEndpoint', 'calls of the interface', openApi({ [UPLOAD]: { get: READ, post: READ } })],
	[
		'workflowEndpoint',
		'a list of states',
		openApi({ [WORKFLOW]: { get: returning(list(STATE)) } }),
	],
	['workflowEndpoint', 'calls that change it', openApi({ [WORKFLOW]: { patch: READ, put: READ } })],
	[
		'documentIdField',
		'the same name in several places',
		uploadReturning({ created: list(ONE), skipped: list(ONE) }),
		...['created[0].document_id', 'skipped[0].document_id'],
	],
	[
		'documentIdField',
		'another ID nearer to the top: document_id may be that of another document',
		uploadReturning({ id: STRING, linked: ONE }),
		...['id', 'document_id'],
	],
	[
		'documentIdField',
		'an ID of another object as near',
		uploadReturning({ document: object({ id: STRING }), conflict: ONE }),
		...['id', 'document_id'],
	],
	[
		'documentIdField',
		'no document_id: IDs come first, by bare names where these lead there',
		uploadReturning({
			data: object({ name: STRING, uuid: STRING, at: { ...STRING, format: 'date-time' } }),
			user: object({ uuid: STRING, key: STRING }),
			workflow_id: STRING,
		}),
		...['data.uuid', 'user.uuid', 'name', 'key'],
	],
	['finishedStatuses', 'numbers, or null', listing({ enum: [0, 2, null] }), '0', '2'],
	[
		'finishedStatuses',
		'constants',
		listing({ oneOf: [{ const: 'a' }, { const: 'b' }] }),
		...['a', 'b'],
	],
	['finishedStatuses', 'nothing but an example', listing({ ...STRING, example: 'done' })],
])('%s is no certain one with %s', (detail, _, document, ...possible) => {
	expect(said(document, detail)).toEqual({ fixed: [], possible });
});

it('document_id is certain where only the same object has other IDs', () => {
	const data = object({ id: STRING, document_id: STRING });
	const document = uploadReturning({ ok: { type: 'boolean' }, data });
	expect(said(document, 'documentIdField').fixed).toEqual(['document_id']);
});

const server = (url: string) => ({ servers: [{ url }] });

it.each<[string, string, JsonMap]>([
	['with a slash at the end', '/api/v1/workflows/{w}/documents/', {}],
	['in a gateway', '/workflows/{w}/documents', server('https://x.example/gate/api/v1')],
	['with it twice', '/api/v1/workflows/{w}/documents', server('/api/v1')],
	['across both', '/v1/workflows/{w}/documents', server('/api')],
	['without it', '/workflows/{w}/documents', server('https://x.example/docs')],
	['below a path', '/tenant/api/v1/workflows/{w}/documents', {}],
	['with a server of no form', '/workflows/{w}/documents', server('http://[')],
])('the prefix of paths is known %s', (_, path, rest) => {
	const document = openApi({ [path]: { post: FORM } }, rest);
	expect(said(document, 'uploadFileField').fixed).toEqual(['file']);
});

it.each<[ApiDetail, possible: string[]]>([
	['uploadUrlEndpoint', ['POST /sign', 'GET /things/{id}']],
	['uploadUrlField', ['put.target', 'links[0]']],
	['uploadHeadersField', ['put.headers']],
	['confirmMethod', ['POST', 'PUT']],
])('%s of signed uploads is to be chosen', (detail, possible) => {
	const links = object({ links: list(URI), has_url: { type: 'boolean' } });
	const document = openApi({
		[`${WORKFLOW}/extractions`]: { get: returning(object({ file_url: URI })) },
		[CONFIRM]: { post: returning(object({ url: URI })), put: {} },
		'/api/v1/things/{id}': { get: returning(links) },
		'/api/v1/sign': {
			post: returning(object({ put: object({ target: URI, headers: object({}) }) })),
		},
	});
	expect(said(document, detail)).toEqual({ fixed: [], possible });
});

it('the document of another service says nothing', () => {
	const paths = { '/api/v1/sign': { post: returning(object({ url: URI })) } };
	expect(findingsOf({ openapi: '3.1.0', paths })).toEqual([]);
});
