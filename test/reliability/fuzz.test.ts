import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/DocumentExtraction/actions/operations';
import { binaryItem } from '../support/binary';
import { useService } from '../support/useService';
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
	'a/b\\c',
	'a?b=c#d',
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

/** Those that mean something to JavaScript or to the node. */
const NAMES = [
	'__proto__ constructor toString items total page pages detail document_id is_extracting',
	'extraction_status columns column_id loc msg url json error binary length',
];

/** JSON as a service may send it. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
	json: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		fc.constantFrom(null, true, 0, -1, 1e300, '', 'text', 'https://127.0.0.1:1/x?y=z'),
		text,
		fc.array(tie('json'), { maxLength: 4 }),
		fc.dictionary(fc.constantFrom(...NAMES.join(' ').split(' ')), tie('json'), {
			maxKeys: 6,
			noNullPrototype: true,
		}),
	),
}));

const jsonText = json.map((value) => JSON.stringify(value));

/** A value under many levels of lists or objects, with names that the node looks for on the way. */
const nested = (levels: number, open: string, close: string) =>
	jsonText.map((value) => `${open.repeat(levels)}${value}${close.repeat(levels)}`);

const DEEP = [
	nested(150, '{"extraction_status":"x","a":', '}'),
	nested(10_000, '[', ']'),
	nested(10_000, '{"document_id":', '}'),
	nested(10_000, '{"total":1,"page":1,"limit":1,"pages":1,"items":[', ']}'),
];

const NUMBER = fc.constantFrom('0', '1', '50', '-1', 'many', '99999999999999999999');

/** What a service may answer. */
const ANSWER = fc.record({
	status: fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom(200, 201, 202) },
		fc.constantFrom(204, 301, 400, 401, 403, 404, 408, 413, 418, 422, 429, 500, 503, 599),
	),
	headers: fc.record(
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
			'retry-after': fc.oneof(NUMBER, fc.constantFrom('1e9', 'Thu, 01 Jan 1970 00:00:00 GMT')),
			'x-ratelimit-limit': NUMBER,
			'x-ratelimit-remaining': NUMBER,
			location: fc.constantFrom('/', 'https://127.0.0.1:1/', 'javascript:alert(1)', '//x'),
		},
		{ requiredKeys: [] },
	),
	body: fc.oneof(
		jsonText,
		jsonText.map((whole) => whole.slice(0, 20)),
		text,
		fc.constant('<html><title><script>alert(1)</script></title>'),
		...DEEP,
		fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
	),
});

const UPLOAD = { resource: 'document', operation: 'upload' };

/** What only a mistake of the node itself would say. */
const MISTAKE = new RegExp(
	[
		'cannot (read|set|convert|destructure)|is not (a function|iterable|a constructor|defined)',
		'undefined|\\[object|call stack|invalid (array|string) length|unexpected token|malformed|circular',
	].join('|'),
	'i',
);

describe('whatever comes in', () => {
	const used = useService({ profile: 'atlas' });
	let server: RecordingServer;

	beforeAll(async () => {
		server = await startRecordingServer(used.network);
	});

	/**
	 * A run ends with items or with an error in the user's words, and changes nothing of JavaScript.
	 * Every request carries the one key, once, and no header that a value brought along.
	 */
	async function checked(
		parameters: INodeParameters,
		{ credential, ...options }: Parameters<typeof used.run>[1] = {},
	) {
		const { error, status } = await used.run(parameters, {
			...options,
			credential: {
				baseUrl: server.url,
				workflowId: 'workflow',
				workflowEndpoint: 'GET /workflows/{workflow_id}',
				finishedStatuses: '',
				...credential,
			},
		});
		for (const { rawHeaders, target } of server.requests) {
			const names = rawHeaders
				.filter((_, index) => index % 2 === 0)
				.join()
				.toLowerCase();
			expect(new Set(names.split(',')).size).toBe(rawHeaders.length / 2);
			expect(names).not.toContain('injected');
			expect(target).toMatch(/^\/api\/v1\/[\x21-\x7e]*$/);
		}
		expect(['success', 'error']).toContain(status);
		expect(Object.prototype).not.toHaveProperty('polluted');
		if (!error) return;
		expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
		expect(error.message).not.toMatch(MISTAKE);
		expect(error.description ?? '').not.toMatch(/<(?!br>)|(?<!<br)>/);
	}

	const segment = (id: string) => encodeURIComponent(id.trim() || 'workflow');
	const NO_ID = /^(=|$|\s*["'`“‘[])/;

	it.each<{
		call: string;
		fields: (entry: string) => INodeParameters;
		path: (entry: string) => string;
		/** What begins with = is an expression; as an ID, n8n refuses an empty one, and a list is read. */
		spared?: RegExp;
	}>([
		{
			call: 'extraction.extractOne',
			fields: (documentId) => ({ documentId }),
			path: (id) => `workflow/documents/${segment(id)}/extract`,
		},
		{
			call: 'collection.merge',
			fields: (id) => ({ collection: { __rl: true, mode: 'id', value: id } }),
			path: (id) => `workflow/collections/${segment(id)}/merged-document`,
		},
		{
			call: 'workflow.get',
			fields: (workflowId) => ({ options: { workflowId } }),
			path: segment,
		},
		{
			call: 'document.getAll',
			fields: (entry) => ({ query: { parameters: [{ name: entry, value: entry }] } }),
			path: () => 'workflow/documents',
			spared: /^=/,
		},
		{
			call: 'extraction.getAll',
			fields: (documentIdFilter) => ({ documentIdFilter }),
			path: () => 'workflow/extractions',
			spared: /^=/,
		},
	])('an entry stays in its place of the address: $call', async ({ spared = NO_ID, ...row }) => {
		const [resource, operation] = row.call.split('.');
		await fc.assert(
			fc.asyncProperty(text, async (entry) => {
				fc.pre(!spared.test(entry));
				server.answerWith(() => ({ status: 404, body: '{}' }));

				await checked({ resource, operation, ...row.fields(entry) });

				for (const { target } of server.requests) {
					expect(target.split('?')[0]).toBe(`/api/v1/workflows/${row.path(entry)}`);
				}
			}),
			BOUNDS,
		);
	});

	const FILE_PART = new RegExp(
		[
			'^',
			'Content-Disposition: form-data; name="file"; filename="[^"\\r\\n\\0]*"',
			'Content-Type: [\\w!#$&^.+-]+/[\\w!#$&^.+-]+',
			'',
			'some bytes',
			'$',
		].join('\\r\\n'),
	);
	const COLLECTION_PART = /^\r\nContent-Disposition: form-data; name="collection_name"\r\n\r\n/;

	it('a file brings neither a header nor a form field along', async () => {
		await fc.assert(
			fc.asyncProperty(text, text, text, text, async (fileName, mimeType, field, collection) => {
				fc.pre(!collection.startsWith('=') && field !== '__proto__' && field !== '');
				server.answerWith(() => ({ status: 200, body: '{"document_id": "d"}' }));
				const file = { data: 'some bytes', fileName, mimeType };
				const item = await binaryItem({ files: { [field]: file } });

				const placed = { collection: { __rl: true, mode: 'name', value: collection } };
				await checked({ ...UPLOAD, binaryPropertyName: '*', ...placed }, { items: [item] });

				const isPlaced = collection.trim() !== '';
				const wanted = isPlaced ? [COLLECTION_PART, FILE_PART] : [FILE_PART];
				for (const { body, headers } of server.requests) {
					const type = String(headers['content-type']);
					const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(type)?.[1];
					const parts = body.toString().split(`--${boundary}`).slice(1, -1);
					expect(parts).toEqual(wanted.map((part) => expect.stringMatching(part) as unknown));
				}
			}),
			BOUNDS,
		);
	});

	it('API Details and what they meet lead nowhere else', async () => {
		const detail = fc.oneof(text, jsonText);
		const endpoint = (method: string) => text.map((path) => `${method} /${path}`);
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					uploadFileField: detail,
					uploadUrlEndpoint: fc.oneof(detail, endpoint('POST')),
					uploadUrlBody: detail,
					uploadUrlField: detail,
					uploadHeadersField: detail,
					confirmBody: detail,
					documentIdField: detail,
					workflowEndpoint: fc.oneof(detail, endpoint('GET')),
					finishedStatuses: detail,
				}),
				json,
				text,
				async (details, answer, fileName) => {
					fc.pre(!Object.values(details).some((entry) => entry.startsWith('=')));
					server.answerWith(() => ({ status: 200, body: JSON.stringify(answer) }));
					const item = await binaryItem({ files: { data: { data: 'bytes', fileName } } });

					const options = { credential: details, items: [item] };
					await checked(UPLOAD, options);
					await checked({ ...UPLOAD, options: { uploadMethod: 'signed' } }, options);
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
				fc.array(ANSWER, { minLength: 1, maxLength: 3 }),
				async ({ call, returnAll, ...chosenOptions }, answers) => {
					let count = 0;
					server.answerWith(() => answers[count++ % answers.length]);

					const options = { maxWait: 5, settleTime: 0, ...chosenOptions };
					await checked({ ...call, ...entered, returnAll, options }, { items: [item] });
				},
			),
			{ ...BOUNDS, numRuns: 150 },
		);
	});
});
