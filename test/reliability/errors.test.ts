import type { NodeApiError, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { binaryItem } from '../support/binary';
import { useVirtualService } from '../support/useVirtualService';

/** A merge is a write whose answer is read as the stream of a file. */
const KINDS = ['read', 'write', 'merge', 'upload', 'storage'] as const;
type Kind = (typeof KINDS)[number];

const OPERATIONS: Record<Kind, Operation> = {
	read: 'getExtractions',
	write: 'extractOne',
	merge: 'merge',
	upload: 'upload',
	storage: 'putFile',
};

const UNKNOWN_OUTCOME = (kind: Kind) =>
	kind === 'upload'
		? 'The outcome is unknown: the file may be there already. Look with Document › Get Many, and upload the file again only if it is missing.'
		: 'The outcome is unknown: the service may have processed the request all the same. Look with Document › Get Many before you try again.';
const KEY_ADVICE = (workflow: string) =>
	`The credential uses a test key with workflow '${workflow}' of the extraction service. Check that the key is complete, not revoked, belongs to the environment of this workflow, and has the scope that this operation needs. Or 'Base URL' belongs to another service.`;
const ACCESS_ADVICE = (workflow: string) =>
	`The API key may lack the scope that this operation needs: check its scopes in the API settings of your account. If it has the scope, check that the key is complete and not revoked, and that it belongs to the environment of the workflow: the credential uses a test key with workflow '${workflow}' of the extraction service.`;
const NAMES_ADVICE = (workflow: string) =>
	`Is 'Service Workflow ID' (${workflow}) the ID from the workflow's page at the service, in its test environment? Test and live have different IDs. Also check the IDs of documents and collections that you entered. Otherwise, check 'Base URL' in the credential.`;
const OR_DETAIL =
	" If no upload has worked with this credential yet, also check 'Upload File Field' in it.";
const PROBABLY_FILE = (kind: Kind) =>
	kind === 'upload' ? 'The reason is probably in this file.' : 'Check the fields of this node.';
const CHECK = (kind: Kind) =>
	kind === 'upload'
		? 'Check the file and the fields of this node.'
		: 'Check the fields of this node.';
const CHECK_THESE = (kind: Kind) =>
	kind === 'upload'
		? "Correct 'Upload File Field' in the credential, or the fields of this node."
		: 'Check these fields of the node.';
const NOT_ACCEPTED = (status: number) => (kind: Kind) =>
	`The service did not accept ${kind === 'upload' ? 'a.txt' : 'the request'} (${status})`;
const TEMPORARY = 'This is usually temporary. Try again later.';
/** A write that may have been done is not to be tried again without a look. */
const LATER = (kind: Kind) => (kind === 'read' ? TEMPORARY : '');
const SLOW = (kind: Kind) =>
	`The connection may be slow.${kind === 'read' ? ' Try again later.' : ''}`;
const LIMIT =
	'For five minutes the node paused and tried again, and the service went on refusing. Run this again later. If it happens often, run fewer workflows with this API key at the same time, or ask your account team for a higher limit.';
const SMALLER = (kind: Kind) =>
	kind === 'upload'
		? "Set 'Upload Method' to Signed URL, which is made for large files."
		: 'Send less at a time.';
const SMALLER_FOR_PROXY = (kind: Kind) =>
	kind === 'upload'
		? " The file is probably larger than it allows. Set 'Upload Method' to Signed URL: the file then goes straight to storage."
		: '';
const OTHER_TYPES = (kind: Kind) =>
	kind === 'upload' ? " To leave out such files, list the types to upload in 'MIME Types'." : '';
const PROXY = 'It usually comes from a proxy or firewall between n8n and the service.';
const STORAGE_PROXY = 'It usually comes from a proxy or firewall between n8n and the storage.';
const URL_REFUSED =
	'It may have expired or been used already, or it was made for a file of another type or size.';
const MAY_NEED_HEADERS =
	"Or the upload needs headers that come with the URL: fill in 'Upload Headers Field' in the credential.";
const NEEDS_HEADERS =
	"Probably the upload needs headers that come with the URL: fill in 'Upload Headers Field' in the credential. Or the URL may have expired or been used already, or it was made for a file of another type or size.";

const REDIRECT = (location: string) =>
	`The node does not follow redirects, so that the API key is sent to the credential's 'Base URL' only. The new address is ${location}. Check 'Base URL' and the endpoints in the credential.`;

const json = (status: number, body: unknown): Fault => ({ type: 'status', status, body });
const page = (status: number, title: string): Fault => ({ type: 'html', status, title });
const text = (status: number, body: string, contentType = 'text/plain', headers = {}): Fault => ({
	type: 'status',
	status,
	body,
	contentType,
	headers,
});
const empty = (status: number): Fault => text(status, '', 'application/json');
const truncated = (status: number): Fault => text(status, '{"detail": "Cut o', 'application/json');

const ENTRIES = [
	{ loc: ['body', 'document_ids', 2], msg: 'value is not a valid uuid', type: 'uuid' },
	{ loc: ['query', 'collection_id'], msg: 'field required', type: 'missing' },
	{ loc: ['path', '__proto__'], msg: 'not allowed', type: 'value_error' },
];
const MAPPED: Description = (_workflow, kind) =>
	`The service says: Document IDs, entry 3: value is not a valid uuid. Collection: field required. __proto__: not allowed. ${CHECK_THESE(kind)}`;

/** Whether a call is repeated: always, only where it changes nothing, or never. */
type Repeat = 'always' | 'reads' | 'never';

type Description = (workflow: string, kind: Kind) => string;

const says =
	(reason: string, advice: (kind: Kind) => string): Description =>
	(_workflow, kind) =>
		`The service says: ${reason}. ${advice(kind)}`.trim();

/** The message and the description may depend on the kind of the call; a call is repeated never, if not told. */
type Row = [
	answer: string,
	fault: Fault,
	message: string | ((kind: Kind) => string),
	description: string | Description,
	repeat?: Repeat,
	failure?: NodeApiError['failure'],
];

/** What a 400 says, and the reason that is read out of it. */
const REFUSALS: Array<[answer: string, fault: Fault, reason?: string]> = [
	['JSON', json(400, { detail: 'Unreadable document' }), 'Unreadable document'],
	['text', text(400, 'Bad Request'), 'Bad Request'],
	['text as declared', text(400, 'Nope', 'text/plain; charset=iso-8859-1'), 'Nope'],
	[
		'text not as declared',
		text(400, 'Nope', 'text/plain; charset=utf-16le'),
		Buffer.from('Nope').toString('utf16le'),
	],
	['text of no known character set', text(400, 'Nope', 'text/plain; charset=klingon'), 'Nope'],
	[
		'markup',
		json(400, { detail: '<img src=x onerror=alert(1)>\u0007 </script>' }),
		'‹img src=x onerror=alert(1)›  ‹/script›',
	],
	[
		'names of system errors',
		json(400, { detail: 'ENOENT: approvEPERMissions, filEEXISTs' }),
		'ENOENT: approvEPERMissions, filEEXISTs',
	],
	['another shape', json(400, { error: { code: 7, message: 'No' } }), 'No'],
	[
		'several errors',
		json(400, { code: 7, errors: [{ message: 'One' }, { id: 2, message: 'Two' }] }),
		'One. Two',
	],
	['RFC 9457', json(400, { type: 'about:blank', title: 'Not a column' }), 'Not a column'],
	['JSON without a sentence', json(400, { code: 7 }), '{"code":7}'],
	['JSON null', text(400, 'null', 'application/json')],
	['empty', empty(400)],
	['truncated', truncated(400), '{"detail": "Cut o'],
];

const WEB_PAGE = (status: number, from = 'service') =>
	`A web page came back instead of a response from the ${from} (${status})`;
/** Not even JavaScript makes it a text. */
const ODD = { toString: null };
const INVALID = 'The service found values that it does not accept (422)';
const NOT_FOUND = 'The service cannot find what was requested (404)';
const TOO_MANY = 'The service received too many requests (429)';
const INCOMPLETE = 'The response of the service is incomplete or not in the expected form (200)';
const RATE_LIMITED = { cause: 'rate-limited', retryAfterMs: undefined } as const;
const ELSEWHERE = 'https://elsewhere.example/login';

const SERVICE: Row[] = [
	...[301, 308].map(
		(status): Row => [
			`${status} redirect`,
			{ type: 'redirect', status, location: `${ELSEWHERE}?token=s3cret` },
			`The service redirects the request to another address (${status})`,
			REDIRECT(`${ELSEWHERE}?…`),
		],
	),
	[
		'302 HTML',
		text(302, '<html><title>Found</title></html>', 'text/html', { location: '/login' }),
		'The service redirects the request to another address (302)',
		REDIRECT('/login'),
	],
	...REFUSALS.map(
		([answer, fault, reason]): Row => [
			`400 ${answer}`,
			fault,
			NOT_ACCEPTED(400),
			reason === undefined ? (_workflow, kind) => PROBABLY_FILE(kind) : says(reason, PROBABLY_FILE),
		],
	),
	[
		'400 HTML',
		page(400, 'Blocked <b>here'),
		WEB_PAGE(400),
		`Its title is “Blocked”. ${PROXY}`,
		'reads',
	],
	[
		'401 JSON',
		json(401, { detail: 'Could not validate credentials' }),
		'The service refused the API key (401)',
		(workflow) => `The service says: Could not validate credentials. ${KEY_ADVICE(workflow)}`,
		'never',
		{ cause: 'credential-invalid' },
	],
	[
		'401 JSON about another header',
		json(401, { message: "'X-N8N-API-KEY' header required" }),
		'The service refused the API key (401)',
		(workflow) =>
			`The service says: 'X-N8N-API-KEY' header required. Check 'Base URL' first: it probably belongs to another service. ${KEY_ADVICE(workflow).replace(/ Or 'Base URL'.*/, '')}`,
		'never',
		{ cause: 'credential-invalid' },
	],
	[
		'403 JSON of another shape',
		json(403, { message: 'Required: files.put' }),
		'The service refused access (403)',
		(workflow) => `The service says: Required: files.put. ${ACCESS_ADVICE(workflow)}`,
	],
	[
		'404 JSON',
		json(404, { detail: 'Workflow not found' }),
		NOT_FOUND,
		(workflow) => `The service says: Workflow not found. ${NAMES_ADVICE(workflow)}`,
	],
	['404 empty', empty(404), NOT_FOUND, NAMES_ADVICE],
	[
		'405 JSON',
		json(405, { detail: 'Method Not Allowed' }),
		'The service did not accept the request (405)',
		"The service says: Method Not Allowed. This address does not accept such requests. Check 'Base URL' in the credential.",
	],
	[
		'408 JSON',
		json(408, { detail: 'Request Timeout' }),
		'The service stopped waiting for the request (408)',
		says('Request Timeout', SLOW),
		'reads',
	],
	['409 JSON', json(409, { detail: 'Busy' }), NOT_ACCEPTED(409), says('Busy', CHECK)],
	[
		'413 JSON',
		json(413, { detail: 'Too large' }),
		(kind) => `${kind === 'upload' ? 'a.txt' : 'The request'} is too large for the service (413)`,
		says('Too large', SMALLER),
	],
	[
		'413 HTML',
		page(413, '413 Request Entity Too Large'),
		WEB_PAGE(413),
		(_workflow, kind) =>
			`Its title is “413 Request Entity Too Large”. ${PROXY}${SMALLER_FOR_PROXY(kind)}`,
	],
	[
		'415 JSON',
		json(415, { detail: 'No such type' }),
		(kind) =>
			kind === 'upload'
				? 'The service does not accept the type of a.txt (415)'
				: 'The service does not accept content of this type (415)',
		(_workflow, kind) => `The service says: No such type.${OTHER_TYPES(kind)}`,
	],
	['422 entries in detail', json(422, { detail: ENTRIES }), INVALID, MAPPED],
	['422 entries elsewhere', json(422, { message: 'x', problems: { a: ENTRIES } }), INVALID, MAPPED],
	['422 entries in a bare array', json(422, ENTRIES), INVALID, MAPPED],
	[
		'422 entries whose place and type are no text',
		json(422, { detail: [{ loc: [ODD], msg: 'no', type: ODD }] }),
		INVALID,
		(_workflow, kind) => `The service says: no. ${CHECK_THESE(kind)}`,
	],
	['422 empty', empty(422), INVALID, (_workflow, kind) => CHECK_THESE(kind)],
	[
		'429 JSON',
		json(429, { detail: 'Rate limit exceeded' }),
		TOO_MANY,
		`The service says: Rate limit exceeded. ${LIMIT}`,
		'always',
		RATE_LIMITED,
	],
	[
		'429 HTML',
		page(429, 'Slow down'),
		WEB_PAGE(429),
		`Its title is “Slow down”. ${PROXY}`,
		'always',
		RATE_LIMITED,
	],
	// What a server does not implement it will not do the next time either.
	...[500, 501, 502, 503, 504].map(
		(status): Row => [
			`${status} JSON`,
			json(status, { detail: 'Oh no!' }),
			`The service could not handle the request (${status})`,
			(_workflow, kind) => `The service says: Oh no! ${LATER(kind)}`.trim(),
			status === 501 ? 'never' : 'reads',
			status === 503 ? { cause: 'temporarily-unavailable' } : undefined,
		],
	),
	[
		'500 empty',
		empty(500),
		'The service could not handle the request (500)',
		(_workflow, kind) => LATER(kind),
		'reads',
	],
	[
		'500 truncated',
		truncated(500),
		'The service could not handle the request (500)',
		says('{"detail": "Cut o', LATER),
		'reads',
	],
	['502 HTML', page(502, 'nginx'), WEB_PAGE(502), `Its title is “nginx”. ${PROXY}`, 'reads'],
	[
		'500 of 5 MB',
		{ type: 'huge', status: 500, bytes: 5_000_000 },
		'The service could not handle the request (500)',
		// Only its beginning is read, which is no JSON any more.
		(_workflow, kind) =>
			`The service says: ${'{"detail":"'.padEnd(600, 'x')}… ${LATER(kind)}`.trim(),
		'reads',
	],
	[
		'200 HTML',
		page(200, 'Log in'),
		WEB_PAGE(200),
		"Its title is “Log in”. 'Base URL' in the credential probably leads to a website, not to the API.",
		'reads',
	],
	[
		'200 truncated',
		truncated(200),
		INCOMPLETE,
		'The service says: {"detail": "Cut o. It should be JSON, but cannot be read as JSON.',
		'reads',
	],
	[
		'200 text',
		text(200, 'OK'),
		INCOMPLETE,
		'The service says: OK. It should be JSON, but cannot be read as JSON.',
		'reads',
	],
];

/** An answer of S3 and its likes: what stands beside Code and Message could be used by others. */
const S3 = (status: number, code: string, message: string) =>
	text(
		status,
		`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message><SignatureProvided>s1gnature</SignatureProvided></Error>`,
		'application/xml',
	);

const REFUSED_URL = (status: number) => `The storage refused the signed URL (${status})`;

const STORAGE: Row[] = [
	[
		'302 redirect',
		{ type: 'redirect', status: 302, location: ELSEWHERE },
		'The storage redirects the request to another address (302)',
		'The node does not follow redirects. Ask your account team for URLs that do not redirect.',
	],
	...[400, 403].map(
		(status): Row => [
			`${status} XML`,
			S3(status, 'AccessDenied', 'Request has expired'),
			REFUSED_URL(status),
			`The storage says: AccessDenied: Request has expired. ${URL_REFUSED} ${MAY_NEED_HEADERS}`,
		],
	),
	[
		'400 XML about headers',
		S3(400, 'MissingRequiredHeader', 'A header that is mandatory was not specified'),
		REFUSED_URL(400),
		`The storage says: MissingRequiredHeader: A header that is mandatory was not specified. ${NEEDS_HEADERS}`,
	],
	...[401, 404, 411, 413, 501].map(
		(status): Row => [`${status} empty`, empty(status), REFUSED_URL(status), URL_REFUSED],
	),
	...[408, 429, 500, 503].map(
		(status): Row => [
			`${status} XML`,
			S3(status, 'SlowDown', 'Reduce your request rate.'),
			`The storage could not handle the request (${status})`,
			`The storage says: SlowDown: Reduce your request rate. ${TEMPORARY}`,
			status === 429 ? 'always' : 'reads',
			status === 429 ? RATE_LIMITED : undefined,
		],
	),
	...[200, 502].map(
		(status): Row => [
			`${status} HTML`,
			page(status, 'Proxy'),
			WEB_PAGE(status, 'storage'),
			`Its title is “Proxy”. ${STORAGE_PROXY}`,
			'reads',
		],
	),
];

const FULL_TABLE = KINDS.flatMap((kind) =>
	(kind === 'storage' ? STORAGE : SERVICE).map((row): [Kind, ...Row] => [kind, ...row]),
);

/** Tries of a call that keeps failing. */
const MOST_TRIES = 8;
/** How long a call is tried that a limit keeps refusing, and the longest wait between two tries, in ms. */
const LONGEST_TIME = 300_000;
const LONGEST_HOLD = 30_000;

describe('a call that fails', () => {
	const used = useVirtualService();

	// Refusals of the test before are history then.
	beforeEach(async () => await used.time.pass(2 * LONGEST_HOLD));

	/** The first item makes no request that could fail: the error must name the second. */
	async function itemsFor(kind: Kind): Promise<INodeExecutionData[]> {
		if (kind === 'upload' || kind === 'storage') {
			const data = { data: 'Invoice number: 1', fileName: 'a.txt', mimeType: 'text/plain' };
			return [{ json: {} }, await binaryItem({ files: { data } })];
		}
		const [collection] = used.service.account.environments.test.workflows.main.collections;
		const seeded = await used.control.seed({
			documents: 1,
			...(kind === 'merge' && { collection: collection.id }),
		});
		const id = kind === 'merge' ? collection.id : seeded.documentIds[0];
		return [{ json: { id } }, { json: { id: 'the-failing-one' } }];
	}

	const PARAMETERS: Record<Kind, INodeParameters> = {
		read: { resource: 'extraction', operation: 'getAll', documentIdFilter: '={{ $json.id }}' },
		write: { resource: 'extraction', operation: 'extractOne', documentId: '={{ $json.id }}' },
		merge: {
			resource: 'collection',
			operation: 'merge',
			collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
		upload: { resource: 'document', operation: 'upload', binaryPropertyName: '*' },
		storage: {
			resource: 'document',
			operation: 'upload',
			binaryPropertyName: '*',
			uploadMethod: 'signed',
		},
	};

	it.each(FULL_TABLE)('%s, %s', async (kind, _answer, fault, message, described, ...rest) => {
		const [repeat = 'never', failure] = rest;
		const hasFile = kind === 'upload' || kind === 'storage';
		const path = hasFile ? undefined : 'the-failing-one';
		await used.fault(OPERATIONS[kind], fault, { path });
		const status = 'status' in fault ? Number(fault.status) : 200;
		const isWrite = kind !== 'read' && kind !== 'storage';
		const isAmbiguous = isWrite && (status < 300 || status >= 500 || status === 408);
		const isMadeWrongly = kind === 'upload' && fault.type !== 'html' && [400, 415].includes(status);
		const workflow = String(used.service.credential().workflowId);
		const description = typeof described === 'string' ? described : described(workflow, kind);

		const items = await itemsFor(kind);
		const start = used.time.elapsedMs;

		const { error, output } = await used.run(PARAMETERS[kind], { items });

		expect(output).toEqual([]);
		const tookMs = used.time.elapsedMs - start;
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: typeof message === 'string' ? message : message(kind),
			description: [
				description + (isMadeWrongly ? OR_DETAIL : ''),
				isAmbiguous ? UNKNOWN_OUTCOME(kind) : '',
				hasFile ? 'The file: a.txt (item 2 of 2).' : '',
			]
				.filter(Boolean)
				.join(' '),
			httpCode: String(status),
			context: { itemIndex: 1 },
		});
		expect((error as NodeApiError).failure).toEqual(failure);
		expect(error?.description).not.toMatch(/[<>\p{Cc}]/u);
		const requests = await used.control.requests(OPERATIONS[kind]);
		const tries = requests.filter((request) =>
			JSON.stringify([request.path, request.query]).includes(path ?? ''),
		).length;
		const isRepeated = repeat === 'always' || (repeat === 'reads' && !isWrite);
		// A URL that the storage does not take is asked for once more.
		const expected = kind === 'storage' && status === 403 ? 2 : isRepeated ? MOST_TRIES : 1;
		// Where a limit refuses, time is bounded in place of tries.
		const isLimit = status === 429;
		expect(isLimit ? tries > MOST_TRIES : tries).toBe(isLimit || expected);
		expect(tookMs > LONGEST_TIME).toBe(isLimit);
		expect(tookMs).toBeLessThan(LONGEST_TIME + 2 * LONGEST_HOLD);
	});
});

describe('what to check first', () => {
	const used = useVirtualService();
	const getMany = { resource: 'extraction', operation: 'getAll', documentIdFilter: 'd1' };
	const DOCUMENT_FIRST =
		"Check the document's ID first: Document › Get Many shows it; for uploads, check 'Document ID Field' in the credential.";

	it.each([
		['Document not found: d1', DOCUMENT_FIRST],
		['There is no document d1', DOCUMENT_FIRST],
		['Collection not found.', "Check 'Collection' of this node first."],
	])('after a 404 is what the service names: %s', async (detail, advice) => {
		await used.fault('getExtractions', json(404, { detail }));
		const { error } = await used.run(getMany, { items: [{ json: {} }] });

		expect(error?.description).toMatch(
			new RegExp(`^The service says: ${detail.replace(/\.$/, '')}\\. ${advice} Is '`),
		);
		expect(error?.description).not.toContain('the IDs of documents and collections');
	});

	it.each([
		'No documents found',
		'The documentation is elsewhere',
		'The document type is not known',
		'The document list is empty',
		'No collections in this workflow',
	])('after a 404 is no document or collection where none is missing: %s', async (detail) => {
		await used.fault('getExtractions', json(404, { detail }));
		const { error } = await used.run(getMany, { items: [{ json: {} }] });

		expect(error?.description).toMatch(new RegExp(`^The service says: ${detail}\\. Is '`));
	});

	it.each([
		[
			'extractBulk',
			"Check 'Document ID Field' in the credential first: what it finds may not be the ID of a document.",
			// The upload has shown that the workflow and Base URL are right.
			'The file: a.txt.',
		],
		['confirm', DOCUMENT_FIRST, "Is '"],
	] as const)('is the ID, wherever the node got it from (%s)', async (operation, advice, next) => {
		await used.fault(operation, json(404, { detail: 'Document not found' }));
		const data = { data: 'Invoice number: 1', fileName: 'a.txt', mimeType: 'text/plain' };
		const { error } = await used.run(
			{ uploadMethod: 'signed' },
			{ items: [await binaryItem({ files: { data } })] },
		);

		expect(error?.description).toContain(`The service says: Document not found. ${advice} ${next}`);
		expect(error?.description?.split("'Document ID Field'")).toHaveLength(2);
	});

	it('is the workflow that a signed upload went to, where none is filled in', async () => {
		await used.fault('confirm', json(404, { detail: 'Document not found' }));
		const { error } = await used.run(
			{ resource: 'document', operation: 'confirmUpload', documentIds: 'd1' },
			{
				credential: { uploadUrlEndpoint: 'POST /uploads', uploadUrlBody: '{"workflow": "other"}' },
				items: [{ json: {} }],
			},
		);

		expect(error?.description).toContain(
			`If 'Upload URL Endpoint' or 'Upload URL Body' in the credential contains a workflow's ID, enter {workflow_id} in its place. ${DOCUMENT_FIRST}`,
		);
	});

	it('is the columns, where the service refuses them', async () => {
		const entry = { loc: ['body', 'column_ids', 0], msg: 'no such column', type: 'value_error' };
		await used.fault('extractBulk', json(422, { detail: [entry] }));
		const data = { data: 'Invoice number: 1', fileName: 'a.txt', mimeType: 'text/plain' };
		const { error } = await used.run(
			{ options: { columnIds: ['Total'] } },
			{ items: [await binaryItem({ files: { data } })] },
		);

		expect(error?.description).toContain(
			"The service says: Column Names or IDs, entry 1: no such column. 'Column Names or IDs' takes only IDs that the service knows, not names: ",
		);
		expect(error?.description).not.toContain('Document ID Field');
	});

	it.each(['not found', 'not found in this account'])(
		'is the workflow, where the service names it: %s',
		async (reason) => {
			await used.fault('getWorkflow', json(404, { detail: `Workflow ${reason}` }));
			const { error } = await used.run(
				{ resource: 'workflow', operation: 'get' },
				{ items: [{ json: {} }] },
			);

			expect(error?.description).toMatch(
				new RegExp(`^The service says: Workflow ${reason}\\. Is 'Service Workflow ID'`),
			);
		},
	);

	it('is the name of a collection, where the service refuses that', async () => {
		const entry = { loc: ['body', 'collection_name'], msg: 'at most 64 characters', type: 'x' };
		await used.fault('upload', json(422, { detail: [entry] }));
		const data = { data: 'Invoice number: 1', fileName: 'a.txt', mimeType: 'text/plain' };
		const { error } = await used.run({}, { items: [await binaryItem({ files: { data } })] });

		expect(error?.description).not.toContain('takes only IDs');
	});

	it('is what the endpoint is made from, where the service names nothing', async () => {
		await used.fault('confirm', json(404, {}));
		const data = { data: 'Invoice number: 1', fileName: 'a.txt', mimeType: 'text/plain' };
		const { error } = await used.run(
			{ uploadMethod: 'signed' },
			{ items: [await binaryItem({ files: { data } })] },
		);

		expect(error?.description).toContain(
			"Check 'Confirm Method' and 'Confirm Body' in the credential first. Is '",
		);
		expect(error?.description?.split("'Confirm Method'")).toHaveLength(2);
	});

	it('is the path of Base URL, where it has one', async () => {
		const baseUrl = `${used.service.url}/api/v1/workflows/w1`;
		const { error } = await used.run(getMany, { credential: { baseUrl }, items: [{ json: {} }] });

		expect(error?.description).toContain(
			`Otherwise, 'Base URL' in the credential has a path (/api/v1/workflows/w1): unless your account team gave it so, enter ${used.service.url} alone.`,
		);
	});

	const columns = {
		resource: 'extraction',
		operation: 'extractDocuments',
		documentIds: 'd1',
		options: { columnIds: ['Total'] },
	};
	it.each([
		[{}, ''],
		[{ workflowEndpoint: '' }, ", which needs 'Workflow Endpoint' in the credential"],
	])('after a 422 is where IDs come from: %j', async (credential, toFill) => {
		const entry = (...loc: Array<string | number>) => {
			return { loc: ['body', ...loc], msg: 'Input should be a valid UUID', type: 'uuid_parsing' };
		};
		const entries = [entry('column_ids', 0), entry('column_ids', 1), entry('collection_id')];
		await used.fault('extractBulk', json(422, { detail: entries }));
		const { error } = await used.run(columns, { credential, items: [{ json: {} }] });

		expect(error?.description).toContain(
			`'Column Names or IDs' takes only IDs that the service knows, not names: choose from the list${toFill}, or enter IDs by an expression. 'Collection' takes only IDs that the service knows, not names: choose it 'From List'${toFill}, or enter its ID 'By ID'. Check these fields of the node.`,
		);
	});

	it('is Workflow Endpoint, where its response is no workflow', async () => {
		await used.fault('getWorkflow', json(200, {}));
		const { error } = await used.run(
			{ resource: 'workflow', operation: 'waitUntilExtracted' },
			{ items: [{ json: {} }] },
		);

		expect(error?.message).toContain("does not contain 'is_extracting'");
		expect(error?.description).toContain('Workflow › Check Setup says what to enter.');
	});
});
