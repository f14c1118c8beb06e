import { linesOf } from '../../dev/service/profiles/profile';
import type { DocumentExtractionCredential } from '../../nodes/DocumentExtraction/account/credential';
import { accountOf, ready } from '../../nodes/DocumentExtraction/account/account';
import { ALL_DETAILS, API_DETAILS } from '../../nodes/DocumentExtraction/account/apiDetails';
import {
	documentIdIn,
	fieldsOf,
	isFieldPath,
	textIn,
	valueIn,
} from '../../nodes/DocumentExtraction/account/fields';
import { filledEndpoint } from '../../nodes/DocumentExtraction/account/parse';
import { uploadHeadersIn } from '../../nodes/DocumentExtraction/service/upload';

const WORKFLOW = '7d0c1f2e-5a4b-4c3d-9e8f-0a1b2c3d4e5f';
const GET = 'GET /workflows/W/metadata';

const account = ({ baseUrl = 'https://api.example.com/', ...details }: Record<string, string>) => {
	const credential: DocumentExtractionCredential = {
		environment: 'test',
		baseUrl,
		apiKey: 'abc_test_0123',
		workflowId: WORKFLOW,
		apiDetails: linesOf(details),
	};
	return accountOf(credential);
};

const read = (workflowEndpoint: string, others: Record<string, string> = {}) => {
	const endpoint = ready(account({ workflowEndpoint, ...others }).details.workflowEndpoint);
	const { method, path } = filledEndpoint(endpoint, { workflow_id: 'W' });
	return `${method} ${path}`;
};

it.each(ALL_DETAILS)('the example of %s is one that can be entered', (detail) => {
	const { example } = API_DETAILS[detail];
	const { details, entered } = account({ [detail]: example });

	expect(entered[detail]).toBe(example);
	expect(ready<unknown>(details[detail])).toBeDefined();
});

it('no API Detail can be taken for another one', () => {
	const labels = ALL_DETAILS.map((detail) => API_DETAILS[detail].label.toLowerCase());
	const letters = labels.map((label) => label.replaceAll(' ', ''));

	expect(new Set(letters).size).toBe(labels.length);
});

describe('an endpoint is taken as references print it', () => {
	it.each([
		'GET /workflows/{workflow_id}/metadata',
		'  GET   /workflows/{workflow_id}/metadata  ',
		'get /workflows/{workflow_id}/metadata',
		'GET /api/v1/workflows/{workflow_id}/metadata',
		'`GET /workflows/{workflow_id}/metadata`',
		'“GET /workflows/{workflow_id}/metadata”',
		'GET https://api.example.com/api/v1/workflows/{workflow_id}/metadata',
		'GET https://api.example.com/workflows/{workflow_id}/metadata',
		`GET https://api.example.com/api/v1/workflows/${WORKFLOW}/metadata`,
		`GET /workflows/${WORKFLOW}/metadata`,
	])('%j', (text) => {
		expect(read(text)).toBe(GET);
	});

	it('without what belongs to the environment, so that another credential takes it, too', () => {
		const { entered } = account({
			workflowEndpoint: `GET https://api.example.com/api/v1/workflows/${WORKFLOW}/metadata`,
		});

		expect(entered.workflowEndpoint).toBe('GET /workflows/{workflow_id}/metadata');
	});

	it('below a Base URL with a path', () => {
		const baseUrl = 'https://api.example.com/service/api/v1';

		expect(
			read('GET https://api.example.com/service/api/v1/workflows/{workflow_id}/metadata', {
				baseUrl,
			}),
		).toBe(GET);
		expect(() =>
			read('GET https://api.example.com/api/v1/workflows/{workflow_id}/metadata', { baseUrl }),
		).toThrow("must begin with the address in 'Base URL'");
	});

	const FORM =
		/^The credential's line 'Workflow Endpoint: .*' must be a method \(GET, .*\), a space and a path/;
	const PLACEHOLDER = /which is not a placeholder here\. Known placeholders: \{workflow_id\}/;

	it.each([
		['/workflows/{workflow_id}', FORM],
		['https://api.example.com/workflows/{workflow_id}', FORM],
		['GET workflows/{workflow_id}', FORM],
		['DELETE /workflows/{workflow_id}', FORM],
		['curl https://api.example.com/workflows/{workflow_id}', FORM],
		['GET //evil.example/{workflow_id}', FORM],
		['GET /', FORM],
		['GET /\\evil.example/x', FORM],
		['GET /workflows/../{workflow_id}', FORM],
		['GET /workflows/%2e%2E/{workflow_id}', FORM],
		['GET /workflows/{workflow_id}#columns', FORM],
		['GET /workflows/{workflow_id', FORM],
		['GET /workflows/{workflow_id}/..', FORM],
		['GET https://evil.example/workflows/{workflow_id}', FORM],
		['GET https://api.example.com@evil.example/workflows', FORM],
		['GET http://api.example.com/workflows/{workflow_id}', FORM],
		['GET https://api.example.com:8443/workflows', FORM],
		['GET https://api.example.com', FORM],
		['GET javascript:alert(1)', FORM],
		['GET /workflows/{id}', PLACEHOLDER],
		['GET /workflows/{workflowId}', PLACEHOLDER],
		['GET /workflows/{{workflow_id}}', FORM],
		['GET /workflows/:workflow_id', FORM],
		['GET /workflows/{workflow_id} HTTP/1.1', FORM],
	])('%j is refused with what to enter', (text, message) => {
		expect(() => read(text)).toThrow(message);
	});
});

describe('a file field is taken as references print it', () => {
	const fileField = (uploadFileField: string) =>
		ready(account({ uploadFileField }).details.uploadFileField);
	const CURL =
		"curl -X POST 'https://api.example.com/api/v1/workflows/x/documents' -H 'Authorization: Bearer abc'";

	it.each([
		['documents', 'documents'],
		[' documents ', 'documents'],
		['`documents`', 'documents'],
		['files[]', 'files[]'],
		["-F 'documents=@a.pdf'", 'documents'],
		['-Fdocuments=@a.pdf', 'documents'],
		['-F documents=@"my file.pdf"', 'documents'],
		["-F 'files[]=@a.pdf'", 'files[]'],
		['--form "documents=@a.pdf;type=application/pdf"', 'documents'],
		['--form=documents=@a.pdf', 'documents'],
		['documents=@a.pdf', 'documents'],
	])('%j', (text, name) => {
		expect(fileField(text)).toBe(name);
	});

	const NAME =
		/^The credential's line 'Upload File Field: .*' is not the name of a form field\. Enter the name/;

	it.each([
		'my file',
		'documents (binary)',
		'"documents": "binary"',
		'@a.pdf',
		"-F 'collection_id=c'",
		"-d '@a.pdf'",
		CURL,
		`${CURL} -F 'documents=@a.pdf'`,
		"-F 'a=@a.pdf' -F 'b=@b.pdf'",
	])('%j is refused with what to enter', (text) => {
		expect(() => fileField(text)).toThrow(NAME);
	});
});

describe('fields of responses', () => {
	it.each([
		['"doc_ref"', { a: { doc_ref: 'd' } }],
		['`a.doc_ref`', { a: { doc_ref: 'd' } }],
		['[0].doc_ref', [{ doc_ref: 'd' }]],
		['a[1].b[0].c', { a: [0, { b: [{ c: 'd' }] }] }],
		['created[0].id', { skipped: [{ id: 'other' }], created: [{ id: 'd' }] }],
		// Several that are the same.
		['id', { a: [{ id: 'd' }], b: [{ id: 'd' }] }],
	])('are found by %j', (documentIdField, response) => {
		expect(
			documentIdIn(response, ready(account({ documentIdField }).details.documentIdField)),
		).toBe('d');
	});

	it('name the headers of an upload, but not those that the node knows itself', () => {
		const named = {
			Host: 'h',
			'content-length': 3,
			'x-ms-version': 2,
			'content-type': 'a/b',
			x: null,
		};
		const headersAt = (path?: string) => uploadHeadersIn({ put: named }, path, 'abc_test_0123');

		expect(headersAt('put')).toEqual({ 'x-ms-version': '2', 'Content-Type': 'a/b' });
		expect(headersAt()).toEqual({});
	});

	it('are found however deep they stand', () => {
		const depth = 10_000;
		const json = `${'{"a":['.repeat(depth)}{"url":"u"}${']}'.repeat(depth)}`;
		const response: unknown = JSON.parse(json);

		expect(textIn(response, 'url')).toBe('u');
		expect(fieldsOf(response)).toMatch(/^a\[0\]\.a/);
	});

	it('are own ones alone', () => {
		const response = JSON.parse('{"__proto__": {"id": 1}}') as unknown;

		expect(valueIn({}, 'constructor')).toBeUndefined();
		expect(valueIn({}, 'constructor.name')).toBeUndefined();
		expect(valueIn(response, '__proto__.id')).toBe(1);
	});
});

it.each(['a..b', 'a b', '.a', 'a.', 'a[x]', '[0]', 'a[0', ''])(
	'no field has the path %j',
	(path) => {
		expect(isFieldPath(path)).toBe(false);
	},
);

it.each(['GET', 'DELETE', 'PUT /documents', 'PUT it', 'yes'])(
	'%j is no method',
	(confirmMethod) => {
		expect(() => ready(account({ confirmMethod }).details.confirmMethod)).toThrow(
			`The credential's line 'Confirm Method: ${confirmMethod}' must be PATCH, POST or PUT`,
		);
	},
);

it('statuses are taken with the quotation marks of an enumeration, too', () => {
	const { finishedStatuses } = account({ finishedStatuses: '"DONE", `ERROR` ,, x y' });

	expect([...finishedStatuses]).toEqual(['DONE', 'ERROR', 'x y']);
});
