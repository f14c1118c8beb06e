import type { Fault, FaultRule } from '../service/faults.ts';
import type { Randomness } from './randomness.ts';
import type { Operation } from '../service/operations.ts';

/** What may go wrong with any request, and how often. */
const anywhere = (elsewhere: string): Array<[probability: number, fault: Fault]> => [
	[0.02, { type: 'status', status: 500 }],
	[0.02, { type: 'statusAfter', status: 500 }],
	[0.01, { type: 'statusAfter', status: 504 }],
	[0.02, { type: 'status', status: 503, headers: { 'retry-after': '1' } }],
	[0.02, { type: 'status', status: 429, headers: { 'retry-after': '1' } }],
	[0.01, { type: 'status', status: 429, body: 'Slow down', contentType: 'text/plain' }],
	[0.01, { type: 'status', status: 408 }],
	[0.005, { type: 'status', status: 400 }],
	[0.005, { type: 'status', status: 401 }],
	[0.005, { type: 'status', status: 403 }],
	[0.005, { type: 'status', status: 404 }],
	[0.005, { type: 'status', status: 409 }],
	[0.005, { type: 'status', status: 413 }],
	[0.005, { type: 'status', status: 422, body: [{ loc: ['body', 'x'], msg: 'no', type: 't' }] }],
	[0.01, { type: 'html', status: 502 }],
	[0.01, { type: 'html', status: 200, title: 'Log in' }],
	[0.01, { type: 'redirect', location: elsewhere }],
	[0.005, { type: 'redirect', location: elsewhere, status: 302 }],
	[0.02, { type: 'cutBefore' }],
	[0.02, { type: 'cutAfter' }],
	[0.01, { type: 'cutMidBody' }],
	[0.01, { type: 'empty' }],
	[0.005, { type: 'charset' }],
	[0.005, { type: 'charset', encoding: 'utf16le' }],
	[0.003, { type: 'huge', status: 500, bytes: 1_000_000 }],
	[0.02, { type: 'delay', ms: 10 }],
	[0.004, { type: 'stallBefore' }],
	[0.004, { type: 'stallAfter' }],
	[0.004, { type: 'stallMidBody', bytes: 20 }],
	[0.004, { type: 'drip', everyMs: 100, bytes: 5 }],
];

/** Half a file in an answer that is whole cannot be told from a whole file; half a JSON can. */
const truncated: FaultRule = {
	match: { probability: 0.01, path: '^(?!.*/merged)' },
	fault: { type: 'truncate' },
};

/** The clock of `startVirtualTime` begins at noon. */
const at = (time: string) => `Wed, 01 Jan 2025 ${time} GMT`;

/** The ways in which services say, or do not say, when to come back. */
const RETRY_AFTER = ['0', '5', '-1', 'soon', '1e3', at('12:00:20'), at('11:00:00'), at('12:03:00')];

const limited = RETRY_AFTER.map((retryAfter): [probability: number, fault: Fault] => [
	0.002,
	{ type: 'status', status: 429, headers: { 'retry-after': retryAfter } },
]);

const often = (operation: Operation, probability: number, fault: Fault): FaultRule => ({
	match: { operation, probability },
	fault,
});

/** One after the other, so that each part of the service is the one that fails for long. */
const spells: FaultRule[][] = [
	[often('getExtractions', 0.05, { type: 'shiftRows', insert: 1 })],
	[often('getExtractions', 0.8, { type: 'status', status: 503 })],
	[],
	[{ match: { probability: 0.75 }, fault: { type: 'status', status: 429 } }],
	[],
	[
		often('putFile', 0.5, { type: 'status', status: 503 }),
		often('upload', 0.5, { type: 'status', status: 429 }),
	],
	[],
];

/** Whether the rows of lists move in this round: only then may a list that is read lack some. */
export function rowsMove(round: number): boolean {
	return round % spells.length === 0;
}

/** Some services refuse a file by a response that is a success, without an ID. */
const refusedInSuccess: Fault = {
	type: 'status',
	status: 200,
	body: { success: false, error: 'PDF is password protected' },
};

/**
 * Every fault that the service can have, at random.
 * @param elsewhere an address of another origin that requests are redirected to
 */
export function storm(elsewhere: string, round: number): FaultRule[] {
	return [
		...spells[round % spells.length],
		often('getExtractions', 0.02, { type: 'wrongPages', pages: 1 }),
		often('getDocuments', 0.02, { type: 'wrongPages', pages: 1 }),
		often('putFile', 0.05, { type: 'expireUploadUrls' }),
		truncated,
		often('upload', 0.04, refusedInSuccess),
		often('createUploadUrl', 0.02, refusedInSuccess),
		...[...limited, ...anywhere(elsewhere)].map(([probability, fault]) => ({
			match: { probability },
			fault,
		})),
	];
}

export const fairWeathers = [
	'calm',
	'calm',
	'stalls',
	'merge refused',
	'all refused',
	'slow uploads',
	'busy storage',
	'limited',
	'refused uploads',
] as const;

export type FairWeather = (typeof fairWeathers)[number];

/** What the service asks for when it refuses an upload in fair weather, in seconds. */
export const UPLOAD_RETRY_AFTER = 40;

/** Each upload takes minutes, in which other requests are refused; one is refused at its end. */
const refusedUploads = (random: Randomness): FaultRule[] => [
	...(['upload', 'putFile'] as const).flatMap((operation): FaultRule[] => [
		often(operation, 1, { type: 'delay', ms: 1000 * random.between(245, 280) }),
		{
			match: { operation, skip: random.between(0, 3), times: 1 },
			fault: refusedFor(UPLOAD_RETRY_AFTER),
		},
	]),
	often('getExtractions', 0.3, refusedFor(1)),
];

const refusedFor = (seconds: number): Fault => ({
	type: 'status',
	status: 429,
	headers: { 'retry-after': String(seconds) },
});

/** So slow that many of them hold all places at the same time. */
const slowUploads = (['upload', 'putFile'] as const).map((operation) =>
	often(operation, 1, { type: 'delay', ms: 30_000 }),
);

export function hasSlowUploads(fair: FairWeather | undefined): boolean {
	return fair === 'slow uploads' || fair === 'merge refused' || fair === 'refused uploads';
}

/** What goes wrong at most while everybody should cope. */
export function fairWeather(fair: FairWeather, random: Randomness): FaultRule[] {
	const refused: Fault = { type: 'status', status: 429 };
	if (fair === 'calm' || fair === 'limited') return [];
	if (fair === 'all refused') return [{ fault: refused }];
	if (fair === 'slow uploads') return slowUploads;
	if (fair === 'refused uploads') return refusedUploads(random);
	if (fair === 'merge refused') {
		const forAnHour = { ...refused, headers: { 'retry-after': '3600' } };
		return [often('merge', 1, random.pick([refused, forAnHour])), ...slowUploads];
	}
	if (fair === 'busy storage') {
		const busy = { type: 'status', status: 503, headers: { 'retry-after': '40' } } as const;
		return [{ match: { operation: 'putFile', times: 3 }, fault: busy }];
	}
	const operation = random.pick(['getExtractions', 'getDocuments', 'getWorkflow'] as const);
	const match = { operation, skip: random.between(0, 40), times: 1 };
	const ofDocument = {
		operation: 'getExtractions',
		path: 'document_id=',
		probability: 0.1,
	} as const;
	return [match, ofDocument].map((stalled) => ({ match: stalled, fault: { type: 'stallBefore' } }));
}

/**
 * Slow uploads that move: no limit of the node may end them.
 * @param everyMs how often they move; in virtual time each move costs as much, however long the pause
 */
export function slowLine(bytesPerSecond: number, everyMs?: number): FaultRule {
	return { match: { probability: 0.7 }, fault: { type: 'slowUpload', bytesPerSecond, everyMs } };
}
