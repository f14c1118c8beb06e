import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { startVirtualTime, type VirtualTime } from '../../dev/virtual/clock';
import { VirtualNetwork } from '../../dev/virtual/network';
import { binaryItem } from '../support/binary';
import { runNode } from '../support/n8n';
import type { RunOptions } from '../support/nodeEngine';
import { startRecordingServer, type RecordingServer } from './recordingServer';

/** Seeded, so that a failure repeats. */
const BOUNDS = { seed: 20_261_120, numRuns: 40 };

const NASTY = [
	'',
	' ',
	'.',
	'..',
	'../../admin',
	'..%2f..%2fadmin',
	'%2e%2e',
	'a/b',
	'a\\b',
	'a?b=c',
	'a#b',
	'a%00b',
	'a\u0000b',
	'a\r\nX-Injected: yes',
	'a"; name="injected',
	'a\r\n--boundary\r\nContent-Disposition: form-data; name="injected"\r\n\r\nyes',
	'💼 Rechnung.pdf',
	'\ud800',
	'x'.repeat(5_000),
	'💼'.repeat(5_000),
	'{document_id}',
	'{__proto__}',
	'__proto__',
	'constructor.prototype',
	'__proto__.polluted',
	'a[0].__proto__.b',
	'<img src=x onerror=alert(1)>',
	'={{ $json }}',
	'=1+1',
	'-1',
	'NaN',
	'[]',
	'{}',
	'{"__proto__": {"polluted": "yes"}}',
	'["{document_id}"]',
];

const text = fc.oneof(
	fc.constantFrom(...NASTY),
	// As `fc.string({ unit: 'binary' })`, which prepares for a second to shrink values that it did not make.
	fc
		.array(fc.nat({ max: 0x10_ff_ff }), { maxLength: 40 })
		.map((points) => String.fromCodePoint(...points)),
	fc
		.tuple(fc.constantFrom(...NASTY), fc.string({ unit: 'grapheme', maxLength: 5 }))
		.map((parts) => parts.join('')),
);

/** JSON as a service may send it, with names that mean something to JavaScript or to the node. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
	json: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		fc.constantFrom(null, true, 0, -1, 1e300, '', 'text', 'https://127.0.0.1:1/x?y=z'),
		text,
		fc.array(tie('json'), { maxLength: 4 }),
		fc.dictionary(
			fc.constantFrom(
				'__proto__',
				'constructor',
				'toString',
				'items',
				'total',
				'page',
				'pages',
				'detail',
				'document_id',
				'is_extracting',
				'extraction_status',
				'columns',
				'column_id',
				'loc',
				'msg',
				'url',
				'json',
				'error',
				'binary',
				'length',
			),
			tie('json'),
			{ maxKeys: 6, noNullPrototype: true },
		),
	),
}));

/** A value under many levels of lists or objects, with names that the node looks for on the way. */
const nested = (levels: number, open: string, close: string) =>
	json.map((value) => `${open.repeat(levels)}${JSON.stringify(value)}${close.repeat(levels)}`);

const DEEP = [
	nested(150, '{"extraction_status":"x","a":', '}'),
	nested(10_000, '[', ']'),
	nested(10_000, '{"document_id":', '}'),
	nested(10_000, '{"total":1,"page":1,"limit":1,"pages":1,"items":[', ']}'),
];

/** What only a mistake of the node itself would say. */
const MISTAKE =
	/cannot (read|set|convert|destructure)|is not (a function|iterable|a constructor|defined)|undefined|\[object|call stack|invalid (array|string) length|unexpected token|malformed|circular/i;

describe('whatever comes in', () => {
	let server: RecordingServer;
	let time: VirtualTime;
	let network: VirtualNetwork;

	beforeAll(async () => {
		network = new VirtualNetwork();
		server = await startRecordingServer(network);
		time = startVirtualTime({ flows: true });
	});

	afterAll(async () => {
		time.stop();
		await server.stop();
		network.stop();
	});

	const credential = (
		details: ICredentialDataDecryptedObject = {},
	): ICredentialDataDecryptedObject => ({
		environment: 'test',
		baseUrl: server.url,
		apiKey: 'abc_test_0123456789',
		workflowId: 'workflow',
		useWaitingAndLists: true,
		useSignedUploads: true,
		useResponseFields: true,
		uploadFileField: 'file',
		workflowEndpoint: 'GET /workflows/{workflow_id}',
		uploadUrlEndpoint: 'POST /workflows/{workflow_id}/uploads',
		uploadUrlBody: '{"name": "{file_name}", "size": "{file_size}"}',
		uploadUrlField: 'url',
		confirmMethod: 'POST',
		confirmBody: '{"ids": ["{document_id}"]}',
		documentIdField: 'document_id',
		finishedStatuses: '',
		...details,
	});

	/**
	 * A run ends with items or with an error in the user's words, and changes nothing of JavaScript.
	 * Every request carries the one key, once, and no header that a value brought along.
	 */
	async function checked(parameters: INodeParameters, options: RunOptions = {}) {
		const { error, status } = await runNode({
			credential: credential(),
			parameters,
			...options,
		});
		for (const { rawHeaders, target } of server.requests) {
			const names = rawHeaders
				.filter((_, index) => index % 2 === 0)
				.map((name) => name.toLowerCase());
			expect(new Set(names).size).toBe(names.length);
			expect(names.some((name) => name.includes('injected'))).toBe(false);
			expect(target).toMatch(/^\/api\/v1\/[\x21-\x7e]*$/);
		}
		expect(['success', 'error']).toContain(status);
		expect(Object.prototype).not.toHaveProperty('polluted');
		if (!error) return;
		expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
		expect(error.message).not.toMatch(MISTAKE);
		expect(error.description ?? '').not.toMatch(/[<>]/);
	}

	it.each<[string, (id: string) => INodeParameters, (id: string) => string]>([
		[
			'extract one',
			(id) => ({ resource: 'extraction', operation: 'extractOne', documentId: id }),
			(id) => `/api/v1/workflows/workflow/documents/${id}/extract`,
		],
		[
			'merge',
			(id) => ({
				resource: 'collection',
				operation: 'merge',
				collection: { __rl: true, mode: 'id', value: id },
			}),
			(id) => `/api/v1/workflows/workflow/collections/${id}/merged-document`,
		],
		[
			'another workflow',
			(id) => ({ resource: 'workflow', operation: 'get', options: { workflowId: id } }),
			(id) => `/api/v1/workflows/${id}`,
		],
	])('an ID stays one segment of the path: %s', async (_, parameters, path) => {
		await fc.assert(
			fc.asyncProperty(text, async (id) => {
				// What begins with = is an expression, which n8n evaluates before the node sees it.
				// An empty one is refused by n8n itself.
				fc.pre(id !== '' && !id.startsWith('='));
				// A list, or an ID in quotation marks, is read for what is in it.
				fc.pre(!/^\s*["'`“‘[]/.test(id));
				server.answerWith(() => ({ status: 404, body: '{}' }));

				await checked(parameters(id));

				for (const { target } of server.requests) {
					expect(target).toBe(path(encodeURIComponent(id.trim() || 'workflow')));
				}
			}),
			BOUNDS,
		);
	});

	it('filters stay values of the query', async () => {
		await fc.assert(
			fc.asyncProperty(text, text, text, async (id, name, value) => {
				fc.pre(![id, name, value].some((entry) => entry.startsWith('=')));
				server.answerWith(() => ({ status: 200, body: '[]' }));

				await checked({
					resource: 'document',
					operation: 'getAll',
					query: { parameters: [{ name, value }] },
				});
				await checked({ resource: 'extraction', operation: 'getAll', documentIdFilter: id });

				for (const { target } of server.requests) {
					expect(target.split('?')[0]).toMatch(
						/^\/api\/v1\/workflows\/workflow\/(documents|extractions)$/,
					);
				}
			}),
			BOUNDS,
		);
	});

	it('a file brings neither a header nor a form field along', async () => {
		await fc.assert(
			fc.asyncProperty(text, text, text, text, async (fileName, mimeType, field, collection) => {
				fc.pre(!collection.startsWith('=') && field !== '__proto__' && field !== '');
				server.answerWith(() => ({ status: 200, body: '{"document_id": "d"}' }));
				const content = 'some bytes';
				const item = await binaryItem({
					files: { [field]: { data: content, fileName, mimeType } },
				});

				await checked(
					{
						resource: 'document',
						operation: 'upload',
						binaryPropertyName: '*',
						collection: { __rl: true, mode: 'name', value: collection },
					},
					{ items: [item] },
				);

				for (const { body, rawHeaders } of server.requests) {
					const type = rawHeaders[rawHeaders.findIndex((name) => /^content-type$/i.test(name)) + 1];
					const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(type)?.[1];
					const parts = body.toString().split(`--${boundary}`).slice(1, -1);
					const headers = parts.map((part) =>
						part.slice(2, part.indexOf('\r\n\r\n')).split('\r\n'),
					);
					const isPlaced = collection.trim() !== '';
					expect(headers.map((lines) => lines.length)).toEqual(isPlaced ? [1, 2] : [2]);
					expect(headers.at(-1)?.[0]).toMatch(
						/^Content-Disposition: form-data; name="file"; filename="[^"\r\n\0]*"$/,
					);
					expect(headers.at(-1)?.[1]).toMatch(/^Content-Type: [\w!#$&^.+-]+\/[\w!#$&^.+-]+$/);
					expect(parts.at(-1)?.endsWith(`\r\n\r\n${content}\r\n`)).toBe(true);
					const [first] = headers;
					expect(
						first[0].startsWith(
							`Content-Disposition: form-data; name="${isPlaced ? 'collection_name' : 'file'}"`,
						),
					).toBe(true);
				}
			}),
			BOUNDS,
		);
	});

	it('API Details and what they meet lead nowhere else', async () => {
		const detail = fc.oneof(
			text,
			json.map((value) => JSON.stringify(value)),
		);
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					uploadFileField: detail,
					uploadUrlEndpoint: fc.oneof(
						detail,
						text.map((path) => `POST /${path}`),
					),
					uploadUrlBody: detail,
					uploadUrlField: detail,
					uploadHeadersField: detail,
					confirmBody: detail,
					documentIdField: detail,
					workflowEndpoint: fc.oneof(
						detail,
						text.map((path) => `GET /${path}`),
					),
					finishedStatuses: detail,
				}),
				json,
				text,
				async (details, answer, fileName) => {
					fc.pre(!Object.values(details).some((entry) => entry.startsWith('=')));
					server.answerWith(() => ({ status: 200, body: JSON.stringify(answer) }));
					const item = await binaryItem({ files: { data: { data: 'bytes', fileName } } });

					const options = { credential: credential(details), items: [item] };
					await checked({ resource: 'document', operation: 'upload' }, options);
					await checked(
						{ resource: 'document', operation: 'upload', uploadMethod: 'signed' },
						options,
					);
					await checked({ resource: 'workflow', operation: 'get' }, options);

					for (const { target } of server.requests) {
						const segments = new URL(target, server.url).pathname.split('/');
						expect(segments.slice(0, 3)).toEqual(['', 'api', 'v1']);
					}
				},
			),
			BOUNDS,
		);
	});

	it('no answer of the service breaks the node', async () => {
		const body = fc.oneof(
			json.map((value) => JSON.stringify(value)),
			json.map((value) => JSON.stringify(value).slice(0, 20)),
			text,
			fc.constant('<html><title><script>alert(1)</script></title>'),
			...DEEP,
			fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
		);
		const numbers = fc.constantFrom('0', '1', '50', '-1', 'many', '99999999999999999999');
		const headers = fc.record(
			{
				'content-type': fc.constantFrom(
					'application/json',
					'application/json; charset=utf-16le',
					'application/json; charset=no-such',
					'text/html',
					'application/pdf',
					'image/png; name="a"',
					'',
				),
				'content-disposition': fc.constantFrom(
					'attachment; filename="../../x"',
					"attachment; filename*=utf-8''%E0%A4%A",
					'filename=',
					'attachment; filename="<b>"',
				),
				'retry-after': fc.oneof(numbers, fc.constantFrom('1e9', 'Thu, 01 Jan 1970 00:00:00 GMT')),
				'x-ratelimit-limit': numbers,
				'x-ratelimit-remaining': numbers,
				location: fc.constantFrom('/', 'https://127.0.0.1:1/', 'javascript:alert(1)', '//x'),
			},
			{ requiredKeys: [] },
		);
		const status = fc.oneof(
			{ weight: 3, arbitrary: fc.constantFrom(200, 201, 202) },
			fc.constantFrom(204, 301, 400, 401, 403, 404, 408, 413, 418, 422, 429, 500, 503, 599),
		);
		// What Check Setup reads has tests of its own, in setup/hostile.test.ts.
		const calls = OPERATIONS.map(({ resource, value }) => ({ resource, operation: value }));
		const flows = calls.filter(({ operation }) => operation !== 'checkSetup');
		const chosen = fc.record({
			call: fc.constantFrom(...flows),
			returnAll: fc.boolean(),
			uploadMethod: fc.constantFrom('direct', 'signed'),
			downloadUrlField: fc.constantFrom('', 'url'),
		});
		const entered = {
			documentId: 'd',
			documentIds: 'a,b',
			fileName: 'a.pdf',
			collection: { __rl: true, mode: 'id', value: 'c' },
			wait: true,
		};
		const item = await binaryItem({ files: { data: { data: 'bytes', fileName: 'a.txt' } } });
		expect.hasAssertions();
		await fc.assert(
			fc.asyncProperty(
				chosen,
				fc.array(fc.record({ status, headers, body }), { minLength: 1, maxLength: 3 }),
				async ({ call, downloadUrlField, ...fields }, answers) => {
					let count = 0;
					server.answerWith(() => answers[count++ % answers.length]);

					const options = { maxWait: 5, settleTime: 0, downloadUrlField };
					await checked({ ...call, ...entered, ...fields, options }, { items: [item] });
				},
			),
			{ ...BOUNDS, numRuns: 150 },
		);
	}, 120_000);
});
