import type { Fault, FaultRule } from '../service/faults.ts';
import { Randomness } from './randomness.ts';
import type { Operation } from '../service/operations.ts';
import type { Settings } from '../service/settings.ts';

type Chance = [probability: number, fault: Fault];

/** What may go wrong with any request, and how often. */
const anywhere = (elsewhere: string): Chance[] => [
	[0.02, { type: 'status', status: 500 }],
	[0.02, { type: 'statusAfter', status: 500 }],
	[0.01, { type: 'statusAfter', status: 504 }],
	[0.02, { type: 'status', status: 503, headers: { 'retry-after': '1' } }],
	[0.02, { type: 'status', status: 429, headers: { 'retry-after': '1' } }],
	[0.01, { type: 'status', status: 429, body: 'Slow down', contentType: 'text/plain' }],
	[0.01, { type: 'status', status: 408 }],
	...[400, 401, 403, 404, 409, 413].map((status): Chance => [0.005, { type: 'status', status }]),
	[0.005, { type: 'status', status: 422, body: [{ loc: ['body', 'x'], msg: 'no', type: 't' }] }],
	[0.01, { type: 'html', status: 502 }],
	[0.01, { type: 'html', status: 200, title: 'Log in' }],
	[0.01, { type: 'redirect', location: elsewhere }],
	[0.005, { type: 'redirect', location: elsewhere, status: 302 }],
	[0.02, { type: 'cutBefore' }],
	[0.02, { type: 'cutAfter' }],
	[0.01, { type: 'cutMidBody' }],
	[0.01, { type: 'empty' }],
	[0.01, { type: 'charset' }],
	[0.003, { type: 'huge', status: 500, bytes: 1_000_000 }],
	[0.02, { type: 'delay', ms: 10 }],
	[0.004, { type: 'stallBefore' }],
	[0.004, { type: 'stallAfter' }],
	[0.004, { type: 'stallMidBody', bytes: 20 }],
	[0.004, { type: 'drip', everyMs: 100, bytes: 5 }],
];

/** Half a file in an answer that is whole cannot be told from a whole file; half a JSON can. */
const truncated: FaultRule = {
	match: { probability: 0.01, path: '^(?!.*/merged|/documents/)' },
	fault: { type: 'truncate' },
};

/** The clock of `startVirtualTime` begins at noon. */
const at = (time: string) => `Wed, 01 Jan 2025 ${time} GMT`;

/** The ways in which services say, or do not say, when to come back. */
const RETRY_AFTER = ['0', '5', '-1', 'soon', '1e3', at('12:00:20'), at('11:00:00'), at('12:03:00')];

const limited = RETRY_AFTER.map((retryAfter): Chance => {
	return [0.002, { type: 'status', status: 429, headers: { 'retry-after': retryAfter } }];
});

const often = (operation: Operation, probability: number, fault: Fault): FaultRule => ({
	match: { operation, probability },
	fault,
});

/** Lists that come in pages. */
const lists = ['getExtractions', 'getDocuments'] as const;

/** One after the other, so that each part of the service is the one that fails for long. */
const spells: FaultRule[][] = [
	[
		often('getExtractions', 0.05, { type: 'shiftRows', insert: 1 }),
		...lists.map((list) => often(list, 0.05, { type: 'shiftRows', move: 1 })),
	],
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

/** Some services refuse by a response that is a success by status, before their work or after it. */
const REPORTED = [
	{ success: false, error: 'PDF is password protected' },
	{ error: { message: 'Quota exceeded' } },
	{ errors: ['Quota exceeded'], message: 'Accepted' },
];
const WRITES = [
	'upload',
	'createUploadUrl',
	'confirm',
	'extractBulk',
	'extractOne',
	'merge',
] as const;
const reportedInSuccess = WRITES.flatMap((operation) =>
	REPORTED.flatMap((body) => [
		often(operation, 0.01, { type: 'status', status: 200, body }),
		often(operation, 0.01, { type: 'statusAfter', status: 200, body }),
	]),
);

/** Calls for many documents, of which one may be what is refused: the others go on alone. */
const refusedTogether = (['confirm', 'extractBulk'] as const).flatMap((operation) =>
	[400, 404, 422].map((status) => often(operation, 0.03, { type: 'status', status })),
);

/**
 * Faults of many kinds, at random.
 * @param elsewhere an address of another origin that requests are redirected to
 */
export function storm(elsewhere: string, round: number): FaultRule[] {
	return [
		...spells[round % spells.length],
		...lists.map((list) => often(list, 0.02, { type: 'wrongPages', pages: 1 })),
		often('putFile', 0.05, { type: 'expireUploadUrls' }),
		truncated,
		...WRITES.map((operation) => often(operation, 0.05, { type: 'tlsAfter' })),
		...reportedInSuccess,
		...refusedTogether,
		...[...limited, ...anywhere(elsewhere)].map(([probability, fault]) => ({
			match: { probability },
			fault,
		})),
	];
}

const refusedFor = (seconds?: number): Fault => ({
	type: 'status',
	status: 429,
	...(seconds && { headers: { 'retry-after': String(seconds) } }),
});

const uploads = ['upload', 'putFile'] as const;

/**
 * So slow that many of them hold all places at the same time, but not for as long as their URLs are
 * valid.
 */
const slowUploads = {
	hasSlowUploads: true,
	settings: { uploadUrlLifetimeMs: 45_000 },
	faults: uploads.map((operation) => often(operation, 1, { type: 'delay', ms: 30_000 })),
};

/** What goes wrong at most while everybody should cope: nobody has an excuse but those of model.ts. */
const fair = {
	// URLs of files expire while others are downloaded.
	calm: () => ({ faults: [], settings: { fileUrlLifetimeMs: 1_000 } }),
	stalls: (random) => {
		const operation = random.pick(['getExtractions', 'getDocuments', 'getWorkflow'] as const);
		const fault: Fault = { type: 'stallBefore' };
		const once = { match: { operation, skip: random.between(0, 40), times: 1 }, fault };
		const ofDocuments = { operation: 'getExtractions', path: 'document_id=' } as const;
		return { faults: [once, { match: { ...ofDocuments, probability: 0.1 }, fault }] };
	},
	'slow uploads': () => slowUploads,
	'merge refused': (random) => ({
		...slowUploads,
		faults: [often('merge', 1, refusedFor(random.pick([undefined, 3600]))), ...slowUploads.faults],
	}),
	'all refused': () => ({ faults: [{ fault: refusedFor() }] }),
	// What was started cannot be waited for.
	'lists refused': () => ({
		faults: lists.map((list) => often(list, 1, { type: 'status', status: 403 })),
	}),
	// It is busy for longer than a URL is valid, so that everybody needs a new one.
	'busy storage': () => ({
		settings: { uploadUrlLifetimeMs: 30_000, expiredUrlStatus: 400 },
		faults: [
			{ match: { operation: 'putFile', times: 3 }, fault: { ...refusedFor(40), status: 503 } },
		],
	}),
	// Rows go from one page to another while all are there; `total` may count only those of its page.
	'moving lists': (random) => ({
		faults: lists.flatMap((list) => [
			often(list, random.pick([0.02, 0.2]), { type: 'shiftRows', move: random.pick([1, 3, 60]) }),
			often(list, random.pick([0, 1]), { type: 'wrongPages', pages: 1, isTotalOfPage: true }),
		]),
	}),
	// Waits beside each other share what the key may ask.
	limited: (random) => ({
		faults: [],
		settings: { rate: { limit: random.between(60, 120), windowMs: 60_000 } },
	}),
} satisfies Record<string, (random: Randomness) => Partial<Weather>>;

type FairName = keyof typeof fair;
export type WeatherName = 'storm' | FairName;

/** As often as they stand here. */
const NAMES: WeatherName[] = [
	...Array<'storm'>(7).fill('storm'),
	...(Object.keys(fair) as FairName[]),
	'calm',
	'merge refused',
];

/** What goes wrong in an episode, and how the service is set up for it. */
export interface Weather {
	name: WeatherName;
	faults: FaultRule[];
	settings: Partial<Settings>;
	/** Whether uploads hold all places for long. */
	hasSlowUploads: boolean;
	/** Whether the time of day is set back or forth. */
	isClockSet: boolean;
	/** One file in so many is longer than what fits into the buffers of a connection. */
	longFileOneIn: number;
	/** One operation in so many is stopped at some moment; 0: none. */
	stopOneIn: number;
}

/** More than what the buffers of a connection hold; copies of it in texts of items cost most of an upload. */
export const LONG_FILE_BYTES = 300_000;
/** In bytes a second: a long file takes a minute, half a minute, or a moment. */
const LINES = [5_000, 10_000, 300_000];
const LINE_MOVES_MS = 1_000;
const QUEUED = { extractionMs: 4_000, startMs: 8_000 };
/** Over before a second look at the workflow, so the first one has to be in time. */
const MOMENTARY = { extractionMs: 900, startMs: 0, latencyMs: 0 };

/**
 * @param elsewhere an address of another origin that requests are redirected to
 * @param round in which it blows: each has another spell
 */
export function drawWeather(random: Randomness, elsewhere: string, round: number): Weather {
	const name = random.pick(NAMES);
	const isStorm = name === 'storm';
	const own: Partial<Weather> = isStorm ? {} : fair[name](random);
	const { faults = storm(elsewhere, round), hasSlowUploads = false } = own;
	return {
		name,
		hasSlowUploads,
		faults: [slowLine(random.pick(LINES), LINE_MOVES_MS), ...faults],
		settings: {
			...settingsOf(random),
			...(!isStorm && fairSettings(random)),
			...own.settings,
		},
		// When it is set, URLs expire while their files are on their way.
		isClockSet: !hasSlowUploads && random.between(1, 4) === 1,
		longFileOneIn: isStorm ? 60 : 4,
		stopOneIn: isStorm ? random.pick([0, 10]) : 0,
	};
}

/** Nobody but the weather refuses anything, and whoever waits sees the end. */
const fairSettings = (random: Randomness): Partial<Settings> => ({
	rate: null,
	maxInFlight: null,
	extractionWorkers: 1_000,
	latencyMs: random.pick([0, 150]),
	...random.pick([QUEUED, MOMENTARY]),
});

function settingsOf(random: Randomness): Partial<Settings> {
	const limit = random.between(3, 60);
	const retryAfter = random.pick(['seconds', 'date', 'none'] as const);
	const resultShape = random.pick(['whole', 'whole', 'growing', 'nulls'] as const);
	return {
		// Whom it surprises that others are busy must wait, as everywhere.
		maxInFlight: random.pick([null, 8]),
		latencyMs: random.pick([0, 30, 150, 800]),
		extractionMs: random.pick([300, 4_000, 30_000]),
		// The longest queue lasts longer than the settle time of those who wait.
		startMs: random.pick([0, 0, 2_000, 2_000, 40_000, 150_000]),
		resultShape,
		// Only where all come at once can they come after the finished status.
		resultLagMs: resultShape === 'whole' ? random.pick([0, 1_000, 2_000, 2_000]) : 0,
		resultPauseMs: random.pick([300, 3_000, 9_000, 9_000]),
		rate: random.pick([null, null, { limit, retryAfter }]),
		uploadUrlLifetimeMs: random.pick([15 * 60_000, 30_000]),
		fileUrlLifetimeMs: 24 * 3_600_000,
	};
}

/**
 * Slow uploads that move: no limit of the node may end them.
 * @param everyMs how often they move; in virtual time each move costs as much, however long the pause
 */
export function slowLine(bytesPerSecond: number, everyMs?: number): FaultRule {
	return { match: { probability: 0.7 }, fault: { type: 'slowUpload', bytesPerSecond, everyMs } };
}

/** Some connections are refused, break or find no host before there is one. */
export function connectionFailures(seed: number) {
	const random = new Randomness(seed);
	const codes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'] as const;
	return () => (random.between(1, 100) === 1 ? random.pick(codes) : undefined);
}
