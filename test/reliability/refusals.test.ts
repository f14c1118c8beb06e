import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../dev/service/faults';
import type { Operation } from '../../dev/service/operations';
import { binaryItem } from '../support/binary';
import { textFile } from '../support/files';
import { useVirtualService } from '../support/useService';

/** What every kind of call makes of an answer that is no success; what it says is in messages.test.ts. */

const GET_MANY = {
	resource: 'extraction',
	operation: 'getAll',
	documentIdFilter: '={{ $json.id }}',
};
const UPLOAD = { resource: 'document', operation: 'upload', binaryPropertyName: '*' };

/** A merge is a write whose answer is read as the stream of a file. */
const KINDS = {
	read: ['getExtractions', GET_MANY],
	write: [
		'extractOne',
		{ resource: 'extraction', operation: 'extractOne', documentId: '={{ $json.id }}' },
	],
	merge: [
		'merge',
		{
			resource: 'collection',
			operation: 'merge',
			collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
	],
	upload: ['upload', UPLOAD],
	storage: ['putFile', { ...UPLOAD, options: { uploadMethod: 'signed' } }],
} satisfies { [kind: string]: [Operation, INodeParameters] };
type Kind = keyof typeof KINDS;

const takesFiles = (kind: Kind) => kind === 'upload' || kind === 'storage';
const FAILING = 'the-failing-one';

const text = (status: number, body: unknown, contentType?: string, headers = {}): Fault => {
	return { type: 'status', status, body, contentType, headers };
};
const truncated = (status: number) => text(status, '{"detail": "Cut o', 'application/json');

/** Whether a call is repeated: always, only where it changes nothing, or never. */
type Repeat = 'always' | 'reads' | 'never';

type Answer = [answer: string, fault: Fault, repeat: Repeat];

const json = (repeat: Repeat, ...statuses: number[]) =>
	statuses.map((status): Answer => [`${status} JSON`, text(status, { detail: 'No' }), repeat]);
const html = (repeat: Repeat, ...statuses: number[]) =>
	statuses.map((status): Answer => [`${status} HTML`, { type: 'html', status }, repeat]);
const ELSEWHERE = { location: 'https://elsewhere.example' };

const ANSWERS: Answer[] = [
	['301 redirect', { type: 'redirect', status: 301, ...ELSEWHERE }, 'never'],
	['308 redirect', { type: 'redirect', status: 308, ...ELSEWHERE }, 'never'],
	['303 redirect', { type: 'redirect', status: 303, ...ELSEWHERE }, 'never'],
	['302 HTML', text(302, '<html></html>', 'text/html', { location: '/login' }), 'never'],
	...json('never', 400, 401, 403, 404, 405, 407, 409, 413, 415, 422),
	// What a server does not implement it will not do the next time either.
	...json('never', 501),
	...html('never', 413),
	...json('always', 429),
	...html('always', 429),
	...json('reads', 408, 500, 502, 503, 504),
	...html('reads', 200, 502),
	['500 of 5 MB', { type: 'huge', status: 500, bytes: 5_000_000 }, 'reads'],
];

/** Of the service alone: the storage need say nothing, and after a 400 gets another URL. */
const OF_SERVICE: Answer[] = [
	...html('reads', 400),
	['200 truncated', truncated(200), 'reads'],
	['200 text', text(200, 'OK', 'text/plain'), 'reads'],
];

/** Tries of a call that keeps failing. */
const MOST_TRIES = 8;
/** How long a call is tried that a limit keeps refusing, and the longest wait between two tries, in ms. */
const LONGEST_TIME = 300_000;
const LONGEST_HOLD = 30_000;

const used = useVirtualService();

describe('a call that fails', () => {
	// Refusals of the test before are history then.
	beforeEach(async () => await used.time.pass(2 * LONGEST_HOLD));

	/** The first item makes no request that could fail: the error must name the second. */
	async function itemsOf(kind: Kind): Promise<INodeExecutionData[]> {
		if (takesFiles(kind)) {
			return [{ json: {} }, await binaryItem({ files: { data: textFile('a.txt') } })];
		}
		const [collection] = used.client.workflow.collections;
		const { documentIds } = await used.control.seed({ documents: 1, collection: collection.id });
		const id = kind === 'merge' ? collection.id : documentIds[0];
		return [{ json: { id } }, { json: { id: FAILING } }];
	}

	const CASES = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
		[...ANSWERS, ...(kind === 'storage' ? [] : OF_SERVICE)].map(
			(answer) => [kind, ...answer] as const,
		),
	);

	it.each(CASES)('%s, %s', async (kind, _answer, fault, repeat) => {
		const [operation, parameters] = KINDS[kind];
		const path = takesFiles(kind) ? undefined : FAILING;
		await used.fault(operation, fault, { path });
		const status = 'status' in fault ? Number(fault.status) : 200;
		const isWrite = kind !== 'read' && kind !== 'storage';
		// After a 302 or 303 to a write, its result is to be read elsewhere.
		const isInDoubt =
			isWrite && (status < 300 || status >= 500 || [302, 303, 408].includes(status));
		const start = used.time.elapsedMs;

		const { error, output } = await used.run(parameters, { items: await itemsOf(kind) });

		expect(output).toEqual([]);
		const tookMs = used.time.elapsedMs - start;
		expect(error).toMatchObject({
			name: 'NodeApiError',
			httpCode: String(status),
			context: { itemIndex: 1 },
		});
		expect(error?.description?.includes('The outcome is unknown')).toBe(isInDoubt);
		expect(error?.description).not.toMatch(/[<>\p{Cc}]/u);
		const requests = await used.control.requests(operation);
		const tries = requests.filter((request) =>
			JSON.stringify([request.path, request.query]).includes(path ?? ''),
		).length;
		const isRepeated = repeat === 'always' || (repeat === 'reads' && !isWrite);
		const expected = isRepeated ? MOST_TRIES : 1;
		// Where a limit refuses, time is bounded in place of tries.
		const isLimit = status === 429;
		expect(isLimit ? tries > MOST_TRIES : tries).toBe(isLimit || expected);
		expect(tookMs > LONGEST_TIME).toBe(isLimit);
		expect(tookMs).toBeLessThan(LONGEST_TIME + 2 * LONGEST_HOLD);
	});
});

const ENTRIES = [
	{ loc: ['body', 'document_ids', 2], msg: 'value is not a valid uuid', type: 'uuid' },
	{ loc: ['query', 'collection_id'], msg: 'field required', type: 'missing' },
	{ loc: ['path', '__proto__'], msg: 'not allowed', type: 'value_error' },
];
const MAPPED =
	'document_ids, entry 3: value is not a valid uuid. collection_id: field required. __proto__: not allowed.';
/** Not even JavaScript makes it a text. */
const ODD = { toString: null };

/** An answer, and the reason that is read out of it. */
const REASONS: Array<[answer: string, fault: Fault, reason: string]> = [
	['JSON', text(400, { detail: 'Unreadable document' }), 'Unreadable document.'],
	['text', text(400, 'Bad Request', 'text/plain'), 'Bad Request.'],
	[
		'markup',
		text(400, { detail: '<img src=x onerror=alert(1)>\u0007 </script>' }),
		'‹img src=x onerror=alert(1)›  ‹/script›.',
	],
	[
		'markup in entries',
		text(422, { detail: [{ loc: ['body', '<b>'], msg: '<i>', type: '<u>' }] }),
		'‹b›: ‹i›.',
	],
	[
		'names of system errors',
		text(400, { detail: 'ENOENT: approvEPERMissions, filEEXISTs' }),
		'ENOENT: approvEPERMissions, filEEXISTs.',
	],
	['another shape', text(400, { error: { code: 7, message: 'No!' } }), 'No!'],
	[
		'several errors',
		text(400, { code: 7, errors: [{ message: 'One' }, { id: 2, message: 'Two' }] }),
		'One. Two.',
	],
	['JSON without a sentence', text(400, { code: 7 }), '{"code":7}.'],
	['JSON null', text(400, 'null', 'application/json'), ''],
	['nothing', text(400, '', 'application/json'), ''],
	['half of its JSON', truncated(400), '{"detail": "Cut o.'],
	['5 MB', { type: 'huge', status: 501, bytes: 5_000_000 }, `${'x'.repeat(600)}…`],
	['entries in detail', text(422, { detail: ENTRIES }), MAPPED],
	['entries elsewhere', text(422, { message: 'x', problems: { a: ENTRIES } }), MAPPED],
	['entries in a bare array', text(422, ENTRIES), MAPPED],
	[
		'an entry whose place and type are no text',
		text(422, { detail: [{ loc: [ODD], msg: 'no', type: ODD }] }),
		'no.',
	],
];

it.each(REASONS)('reads the reason out of %s', async (_answer, fault, reason) => {
	await used.fault('getExtractions', fault);
	const { error } = await used.run(GET_MANY, { items: [{ json: { id: 'd1' } }] });

	const advice = /(?:Check the fields|Check 'Collection'|Try again later|Enter an ID).*$/s;
	const said = String(error?.description).replace(advice, '').trimEnd();
	expect(said).toBe(reason && `The service says: ${reason}`);
});
