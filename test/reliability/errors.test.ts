import type { NodeApiError, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { binaryItem } from '../support/binary';
import { runNode } from '../support/n8n';
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

const UNKNOWN_OUTCOME =
	' The outcome is unknown: the service may have processed the request all the same. Before you try again, check with Document › Get Many.';
const KEY_ADVICE = (workflow: string) =>
	`The credential uses a test key with workflow '${workflow}' of the extraction service. Check that the key is complete, not revoked, belongs to the environment of this workflow, and has the scope that this operation needs.`;
const ACCESS_ADVICE = (workflow: string) =>
	`The API key may lack the scope that this operation needs: check its scopes in the API settings of your account. If it has the scope, check that the key is complete and not revoked, and that it belongs to the environment of the workflow: the credential uses a test key with workflow '${workflow}' of the extraction service.`;
const NAMES_ADVICE = (workflow: string) =>
	`Check that '${workflow}' is the ID of a workflow at the service, not of one in n8n, and that it is of the test environment (test and live workflows have different IDs). Check 'Base URL' in the credential, and the IDs of documents and collections that you entered.`;
const OR_DETAIL =
	"If no upload has worked with this credential yet, also check its API Detail 'Upload File Field'.";
const CHECK = (kind: Kind) =>
	kind === 'upload'
		? 'Check the file and the fields of this node.'
		: 'Check the fields of this node.';
const PROBABLY_FILE = (kind: Kind) =>
	kind === 'upload' ? 'The reason is probably in this file.' : 'Check the fields of this node.';
const CHECK_THESE = (kind: Kind) =>
	kind === 'upload'
		? "Correct the fields of this node or, in the credential, the API Detail 'Upload File Field'."
		: 'Check these fields of the node.';
const NOT_ACCEPTED = (status: number) => (kind: Kind) =>
	`The service did not accept ${kind === 'upload' ? 'a.txt' : 'the request'} (${status})`;
const LATER = 'This is usually temporary. Try again later.';
const SLOW = 'The connection may be slow. Try again later.';
const LIMIT =
	'The node waited and tried again, but the limit was still exceeded. Run this again later. If it happens often, run fewer workflows with this API key at the same time, or ask your account team for a higher limit.';
const SMALLER = (kind: Kind) =>
	kind === 'upload'
		? "Set 'Upload Method' to Signed URL, which is made for large files."
		: 'Send less at a time.';
const SMALLER_FOR_PROXY = (kind: Kind) =>
	kind === 'upload'
		? " The file is probably larger than it lets through. Set 'Upload Method' to Signed URL: the file then goes straight to storage."
		: '';
const OTHER_TYPES = (kind: Kind) =>
	kind === 'upload' ? " To leave out such files, list the types to upload in 'MIME Types'." : '';
const PROXY =
	"It usually comes from a proxy or firewall between n8n and the service, or from a wrong 'Base URL' in the credential.";
const STORAGE_PROXY = 'It usually comes from a proxy or firewall between n8n and the storage.';
const URL_REFUSED =
	'It may have expired or been used already, or it was made for a file of another type or size.';
const MAY_NEED_HEADERS =
	"Or the upload needs headers that the service names with the URL: see the API Detail 'Upload Headers Field' of the credential.";

const REDIRECT = (location: string) =>
	`The node does not follow redirects, so that the API key is sent to the credential's 'Base URL' only. The new address is ${location}. Check 'Base URL' and the endpoints in the API Details.`;

const json = (status: number, body: unknown): Fault => ({ type: 'status', status, body });
const page = (status: number, title: string): Fault => ({ type: 'html', status, title });
const text = (status: number, body: string, contentType = 'text/plain'): Fault => ({
	type: 'status',
	status,
	body,
	contentType,
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
		`The service says: ${reason}. ${advice(kind)}`;

interface Row {
	fault: Fault;
	message: string | ((kind: Kind) => string);
	description: string | Description;
	repeat: Repeat;
	failure?: NodeApiError['failure'];
}

type Table = Array<[answer: string, row: Row]>;

const SERVICE: Table = [
	...[301, 302, 307, 308].map((status): [string, Row] => [
		`${status} redirect`,
		{
			fault: { type: 'redirect', status, location: 'https://elsewhere.example/login?token=s3cret' },
			message: `The service redirects the request to another address (${status})`,
			description: REDIRECT('https://elsewhere.example/login?…'),
			repeat: 'never',
		},
	]),
	[
		'302 HTML',
		{
			fault: {
				...text(302, '<html><title>Found</title></html>', 'text/html'),
				headers: { location: '/login' },
			} as Fault,
			message: 'The service redirects the request to another address (302)',
			description: REDIRECT('/login'),
			repeat: 'never',
		},
	],
	[
		'400 JSON',
		{
			fault: json(400, { detail: 'Unreadable document' }),
			message: NOT_ACCEPTED(400),
			description: says('Unreadable document', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 text in the character set that it declares',
		{
			fault: text(400, 'Nope', 'text/plain; charset=iso-8859-1'),
			message: NOT_ACCEPTED(400),
			description: says('Nope', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 text in another character set than it declares',
		{
			fault: text(400, 'Nope', 'text/plain; charset=utf-16le'),
			message: NOT_ACCEPTED(400),
			description: says(Buffer.from('Nope').toString('utf16le'), PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 text in a character set that nobody knows',
		{
			fault: text(400, 'Nope', 'text/plain; charset=klingon'),
			message: NOT_ACCEPTED(400),
			description: says('Nope', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON with markup',
		{
			fault: json(400, { detail: '<img src=x onerror=alert(1)>\u0007 </script>' }),
			message: NOT_ACCEPTED(400),
			description: says('‹img src=x onerror=alert(1)›  ‹/script›', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON with names of system errors',
		{
			fault: json(400, { detail: 'ENOENT: approvEPERMissions, filEEXISTs' }),
			message: NOT_ACCEPTED(400),
			description: says('ENOENT: approvEPERMissions, filEEXISTs', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON of another shape',
		{
			fault: json(400, { error: { code: 7, message: 'No' } }),
			message: NOT_ACCEPTED(400),
			description: says('No', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON with several errors',
		{
			fault: json(400, { code: 7, errors: [{ message: 'One' }, { id: 2, message: 'Two' }] }),
			message: NOT_ACCEPTED(400),
			description: says('One. Two', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON of RFC 9457',
		{
			fault: json(400, { type: 'about:blank', title: 'Not a column', status: 400 }),
			message: NOT_ACCEPTED(400),
			description: says('Not a column', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON without a sentence',
		{
			fault: json(400, { code: 7 }),
			message: NOT_ACCEPTED(400),
			description: says('{"code":7}', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 JSON null',
		{
			fault: text(400, 'null', 'application/json'),
			message: NOT_ACCEPTED(400),
			description: (_workflow, kind) => PROBABLY_FILE(kind),
			repeat: 'never',
		},
	],
	[
		'400 text',
		{
			fault: text(400, 'Bad Request'),
			message: NOT_ACCEPTED(400),
			description: says('Bad Request', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 empty',
		{
			fault: empty(400),
			message: NOT_ACCEPTED(400),
			description: (_workflow, kind) => PROBABLY_FILE(kind),
			repeat: 'never',
		},
	],
	[
		'400 truncated',
		{
			fault: truncated(400),
			message: NOT_ACCEPTED(400),
			description: says('{"detail": "Cut o', PROBABLY_FILE),
			repeat: 'never',
		},
	],
	[
		'400 HTML',
		{
			fault: page(400, 'Blocked <b>here'),
			message: 'A web page came back instead of a response from the service (400)',
			description: `Its title is “Blocked”. ${PROXY}`,
			repeat: 'reads',
		},
	],
	[
		'401 JSON',
		{
			fault: json(401, { detail: 'Could not validate credentials' }),
			message: 'The service refused the API key (401)',
			description: (workflow) =>
				`The service says: Could not validate credentials. ${KEY_ADVICE(workflow)}`,
			repeat: 'never',
			failure: { cause: 'credential-invalid' },
		},
	],
	[
		'401 empty',
		{
			fault: empty(401),
			message: 'The service refused the API key (401)',
			description: KEY_ADVICE,
			repeat: 'never',
			failure: { cause: 'credential-invalid' },
		},
	],
	[
		'403 JSON of another shape',
		{
			fault: json(403, { message: 'Required: files.put' }),
			message: 'The service refused access (403)',
			description: (workflow) =>
				`The service says: Required: files.put. ${ACCESS_ADVICE(workflow)}`,
			repeat: 'never',
		},
	],
	[
		'403 HTML',
		{
			fault: page(403, '403 Forbidden'),
			message: 'A web page came back instead of a response from the service (403)',
			description: `Its title is “403 Forbidden”. ${PROXY}`,
			repeat: 'reads',
		},
	],
	[
		'404 JSON',
		{
			fault: json(404, { detail: 'Workflow not found' }),
			message: 'The service cannot find what was requested (404)',
			description: (workflow) => `The service says: Workflow not found. ${NAMES_ADVICE(workflow)}`,
			repeat: 'never',
		},
	],
	[
		'404 empty',
		{
			fault: empty(404),
			message: 'The service cannot find what was requested (404)',
			description: NAMES_ADVICE,
			repeat: 'never',
		},
	],
	[
		'405 JSON',
		{
			fault: json(405, { detail: 'Method Not Allowed' }),
			message: NOT_ACCEPTED(405),
			description: says('Method Not Allowed', CHECK),
			repeat: 'never',
		},
	],
	[
		'408 JSON',
		{
			fault: json(408, { detail: 'Request Timeout' }),
			message: 'The service stopped waiting for the request (408)',
			description: `The service says: Request Timeout. ${SLOW}`,
			repeat: 'reads',
		},
	],
	[
		'409 JSON',
		{
			fault: json(409, { detail: 'Extraction is running' }),
			message: NOT_ACCEPTED(409),
			description: says('Extraction is running', CHECK),
			repeat: 'never',
		},
	],
	[
		'413 JSON',
		{
			fault: json(413, { detail: 'Too large' }),
			message: (kind) =>
				kind === 'upload'
					? 'a.txt is too large for the service (413)'
					: 'The request is too large for the service (413)',
			description: says('Too large', SMALLER),
			repeat: 'never',
		},
	],
	[
		'413 HTML',
		{
			fault: page(413, '413 Request Entity Too Large'),
			message: 'A web page came back instead of a response from the service (413)',
			description: (_workflow, kind) =>
				`Its title is “413 Request Entity Too Large”. ${PROXY}${SMALLER_FOR_PROXY(kind)}`,
			repeat: 'never',
		},
	],
	[
		'415 JSON',
		{
			fault: json(415, { detail: 'No such type' }),
			message: (kind) =>
				kind === 'upload'
					? 'The service does not accept the type of a.txt (415)'
					: 'The service does not accept content of this type (415)',
			description: (_workflow, kind) => `The service says: No such type.${OTHER_TYPES(kind)}`,
			repeat: 'never',
		},
	],
	[
		'422 entries in detail',
		{
			fault: json(422, { detail: ENTRIES }),
			message: 'The service found values that it does not accept (422)',
			description: MAPPED,
			repeat: 'never',
		},
	],
	[
		'422 entries in another field',
		{
			fault: json(422, { message: 'Invalid request', problems: { found: ENTRIES } }),
			message: 'The service found values that it does not accept (422)',
			description: MAPPED,
			repeat: 'never',
		},
	],
	[
		'422 entries in a bare array',
		{
			fault: json(422, ENTRIES),
			message: 'The service found values that it does not accept (422)',
			description: MAPPED,
			repeat: 'never',
		},
	],
	[
		'422 empty',
		{
			fault: empty(422),
			message: 'The service found values that it does not accept (422)',
			description: (_workflow, kind) => CHECK_THESE(kind),
			repeat: 'never',
		},
	],
	[
		'429 JSON',
		{
			fault: json(429, { detail: 'Rate limit exceeded' }),
			message: 'The service received too many requests (429)',
			description: `The service says: Rate limit exceeded. ${LIMIT}`,
			repeat: 'always',
			failure: { cause: 'rate-limited', retryAfterMs: undefined },
		},
	],
	[
		'429 text',
		{
			fault: text(429, 'Too Many Requests'),
			message: 'The service received too many requests (429)',
			description: `The service says: Too Many Requests. ${LIMIT}`,
			repeat: 'always',
			failure: { cause: 'rate-limited', retryAfterMs: undefined },
		},
	],
	[
		'429 HTML',
		{
			fault: page(429, 'Slow down'),
			message: 'A web page came back instead of a response from the service (429)',
			description: `Its title is “Slow down”. ${PROXY}`,
			repeat: 'always',
			failure: { cause: 'rate-limited', retryAfterMs: undefined },
		},
	],
	...[500, 501, 502, 503, 504].flatMap((status): Table => {
		const failure: Row['failure'] =
			status === 503 ? { cause: 'temporarily-unavailable' } : undefined;
		const message = `The service could not handle the request (${status})`;
		// What a server does not implement it will not do the next time either.
		const repeat = status === 501 ? 'never' : 'reads';
		return [
			[
				`${status} JSON`,
				{
					fault: json(status, { detail: 'Oh no!' }),
					message,
					description: `The service says: Oh no! ${LATER}`,
					repeat,
					failure,
				},
			],
			[`${status} empty`, { fault: empty(status), message, description: LATER, repeat, failure }],
			[
				`${status} truncated`,
				{
					fault: truncated(status),
					message,
					description: `The service says: {"detail": "Cut o. ${LATER}`,
					repeat,
					failure,
				},
			],
			[
				`${status} HTML`,
				{
					fault: page(status, `${status} nginx`),
					message: `A web page came back instead of a response from the service (${status})`,
					description: `Its title is “${status} nginx”. ${PROXY}`,
					repeat,
				},
			],
		];
	}),
	[
		'500 of 5 MB',
		{
			fault: { type: 'huge', status: 500, bytes: 5_000_000 },
			message: 'The service could not handle the request (500)',
			// Only its beginning is read, which is no JSON any more.
			description: `The service says: ${'{"detail":"'.padEnd(600, 'x')}… ${LATER}`,
			repeat: 'reads',
		},
	],
	[
		'200 HTML',
		{
			fault: page(200, 'Log in'),
			message: 'A web page came back instead of a response from the service (200)',
			description: `Its title is “Log in”. ${PROXY}`,
			repeat: 'reads',
		},
	],
	[
		'200 truncated',
		{
			fault: truncated(200),
			message: 'The response of the service is incomplete or not in the expected form (200)',
			description:
				'The service says: {"detail": "Cut o. It should be JSON, but cannot be read as JSON.',
			repeat: 'reads',
		},
	],
	[
		'200 text',
		{
			fault: text(200, 'OK'),
			message: 'The response of the service is incomplete or not in the expected form (200)',
			description: 'The service says: OK. It should be JSON, but cannot be read as JSON.',
			repeat: 'reads',
		},
	],
];

/** An answer of S3 and its likes: what stands beside Code and Message could be used by others. */
const S3 = (code: string, message: string) =>
	`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message><SignatureProvided>s1gnature</SignatureProvided></Error>`;

const STORAGE: Table = [
	[
		'302 redirect',
		{
			fault: { type: 'redirect', status: 302, location: 'https://elsewhere.example/' },
			message: 'The storage redirects the request to another address (302)',
			description:
				'The node does not follow redirects. Ask your account team for URLs that do not redirect.',
			repeat: 'never',
		},
	],
	[
		'400 XML',
		{
			fault: text(400, S3('InvalidArgument', 'Only one auth mechanism allowed'), 'application/xml'),
			message: 'The storage refused the signed URL (400)',
			description: `The storage says: InvalidArgument: Only one auth mechanism allowed. ${URL_REFUSED} ${MAY_NEED_HEADERS}`,
			repeat: 'never',
		},
	],
	[
		'403 XML',
		{
			fault: text(403, S3('AccessDenied', 'Request has expired'), 'application/xml'),
			message: 'The storage refused the signed URL (403)',
			description: `The storage says: AccessDenied: Request has expired. ${URL_REFUSED} ${MAY_NEED_HEADERS}`,
			repeat: 'never',
		},
	],
	...[401, 404, 409, 411, 413, 422, 501].map((status): [string, Row] => [
		`${status} empty`,
		{
			fault: empty(status),
			message: `The storage refused the signed URL (${status})`,
			description: URL_REFUSED,
			repeat: 'never',
		},
	]),
	...[408, 429, 500, 502, 503, 504].map((status): [string, Row] => [
		`${status} XML`,
		{
			fault: text(status, S3('SlowDown', 'Reduce your request rate.'), 'application/xml'),
			message: `The storage could not handle the request (${status})`,
			description: `The storage says: SlowDown: Reduce your request rate. ${LATER}`,
			repeat: status === 429 ? 'always' : 'reads',
			failure: status === 429 ? { cause: 'rate-limited', retryAfterMs: undefined } : undefined,
		},
	]),
	...[200, 502].map((status): [string, Row] => [
		`${status} HTML`,
		{
			fault: page(status, 'Proxy'),
			message: `A web page came back instead of a response from the storage (${status})`,
			description: `Its title is “Proxy”. ${STORAGE_PROXY}`,
			repeat: 'reads',
		},
	]),
	[
		'500 of 5 MB',
		{
			fault: { type: 'huge', status: 500, bytes: 5_000_000 },
			message: 'The storage could not handle the request (500)',
			description: `The storage says: ${'{"detail":"'.padEnd(600, 'x')}… ${LATER}`,
			repeat: 'reads',
		},
	],
];

const FULL_TABLE = KINDS.flatMap((kind) =>
	(kind === 'storage' ? STORAGE : SERVICE).map(
		([answer, row]) => [kind, answer, row] as [Kind, string, Row],
	),
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
		const seeded = await used.service.control.seed({
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

	it.each(FULL_TABLE)('%s, %s', async (kind, _answer, row) => {
		const hasFile = kind === 'upload' || kind === 'storage';
		const path = hasFile ? undefined : 'the-failing-one';
		await used.service.control.faults([
			{ match: { operation: OPERATIONS[kind], path }, fault: row.fault },
		]);
		const status = 'status' in row.fault ? Number(row.fault.status) : 200;
		const isWrite = kind !== 'read' && kind !== 'storage';
		const isAmbiguous = isWrite && (status < 300 || status >= 500 || status === 408);
		const isMadeWrongly =
			kind === 'upload' && row.fault.type !== 'html' && [400, 405, 415].includes(status);
		const workflow = String(used.service.credential().workflowId);
		const described =
			typeof row.description === 'string' ? row.description : row.description(workflow, kind);

		const items = await itemsFor(kind);
		const start = used.time.elapsedMs;

		const { error, output } = await used.time.run(
			runNode({ credential: used.service.credential(), parameters: PARAMETERS[kind], items }),
		);

		expect(output).toEqual([]);
		const tookMs = used.time.elapsedMs - start;
		const { name, message, description, httpCode, context, failure } = error as NodeApiError;
		expect({ name, message, description, httpCode, itemIndex: context.itemIndex, failure }).toEqual(
			{
				name: 'NodeApiError',
				message: typeof row.message === 'string' ? row.message : row.message(kind),
				description:
					described +
					(isMadeWrongly ? ` ${OR_DETAIL}` : '') +
					(isAmbiguous ? UNKNOWN_OUTCOME : '') +
					(hasFile ? ' The file: a.txt [item 1].' : ''),
				httpCode: String(status),
				itemIndex: 1,
				failure: row.failure,
			},
		);
		expect(description).not.toMatch(/[<>\p{Cc}]/u);
		const requests = await used.service.control.requests(OPERATIONS[kind]);
		const tries = requests.filter((request) =>
			JSON.stringify([request.path, request.query]).includes(path ?? ''),
		).length;
		const isRepeated = row.repeat === 'always' || (row.repeat === 'reads' && !isWrite);
		// A URL that the storage does not take is asked for once more.
		const expected = kind === 'storage' && status === 403 ? 2 : isRepeated ? MOST_TRIES : 1;
		// Where a limit refuses, time is bounded in place of tries.
		const isLimit = status === 429;
		expect(isLimit ? tries > MOST_TRIES : tries).toBe(isLimit || expected);
		expect(tookMs > LONGEST_TIME).toBe(isLimit);
		expect(tookMs).toBeLessThan(LONGEST_TIME + 2 * LONGEST_HOLD);
	});
});
