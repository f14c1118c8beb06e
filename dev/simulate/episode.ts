import { drawnProfiles } from '../service/profiles/drawn.ts';
import type { Workflow } from '../service/model.ts';
import type { Settings } from '../service/settings.ts';
import { useBinaryMode, type BinaryMode } from '../../test/support/binary.ts';
import { connectTo } from '../../test/support/service.ts';
import { startVirtualTime, type VirtualTime } from '../virtual/clock.ts';
import { exchange } from '../virtual/network.ts';
import { startVirtualService, type VirtualService } from '../virtual/service.ts';
import { seedChance } from './chance.ts';
import { noFigures, type Figures } from './figures.ts';
import { Randomness } from './randomness.ts';
import { credentialOf, Round } from './round.ts';
import type { Stage } from './stage.ts';
import { traceOf } from './trace.ts';
import { takeTurns } from './turns.ts';
import {
	fairWeather,
	fairWeathers,
	hasSlowUploads,
	rowsMove,
	slowLine,
	storm,
	type FairWeather,
} from './weather.ts';

const MODES: BinaryMode[] = ['memory', 'filesystem'];
/** Executions that run at the same time, as in an n8n that has several workflows. */
const LANES = [1, 3, 8];
/** In as many episodes in turn as there are fixed ones. */
const DRAWN_ACCOUNTS = 2;
/** Of a list: more than two pages in some episodes. */
const ROWS = [30, 30, 30, 450];
/** Of one document in a list: some have been extracted again, or have a result for each column. */
const RESULTS = [1, 1, 3];
/** More than what the buffers of a connection hold; copies of it in texts of items cost most of an upload. */
const LONG_FILE_BYTES = 300_000;
/** Fits into them, so that it does not stall while the service takes minutes. */
const FITTING_FILE_BYTES = 20_000;
/** In bytes a second: a long file takes a minute, half a minute, or a moment. */
const LINES = [5_000, 10_000, 300_000];
const LINE_MOVES_MS = 1_000;
const HOUR_MS = 3_600_000;
/** In virtual time: longer than any Max Wait, and than what a key is waited for that is refused. */
const LONGEST_OPERATION_MS = 2 * HOUR_MS;
/** After the last operation nobody waits any more, but for a limiter's last pause, in ms. */
const LONGEST_REST_MS = 400_000;
/** Nor does whoever sets the clock, even if all operations are short. */
const LATEST_CLOCK_MS = 300_000;

/** Which episode. */
export interface Order {
	seed: number;
	number: number;
	operations: number;
	isTraced?: boolean;
}

export interface Episode {
	figures: Figures;
	/** What is special about the account. */
	account: string;
	/** Every request with its operation and virtual times, if it was asked for. */
	trace: string[];
}

/** A number of operations on a new service, in virtual time: the same for the same seed and number. */
export async function runEpisode(
	stage: Stage,
	{ seed, number, operations, isTraced = false }: Order,
): Promise<Episode> {
	const random = new Randomness(Math.imul(seed, 0x9e3779b1) + number);
	const weatherNumber = Math.floor(number / (stage.services.length + DRAWN_ACCOUNTS));
	const fixed = stage.services.at(number % (stage.services.length + DRAWN_ACCOUNTS));
	const virtual = fixed ?? (await startDrawn(stage, random));
	const time = startVirtualTime({ isNew: true });
	const endChance = seedChance(new Randomness(random.between(0, 2 ** 31)));
	const figures = noFigures();
	const trace = traceOf(virtual.log, isTraced);
	try {
		const round = await time.run(prepare(stage, virtual, number, weatherNumber, random, figures));
		const { fair, isClockSet } = round.options;
		const line = slowLine(random.pick(LINES), LINE_MOVES_MS);
		const weather = fair ? fairWeather(fair, random) : storm(stage.elsewhere.url, weatherNumber);
		virtual.faults.add([line, ...weather]);
		virtual.faults.setSeed(random.between(0, 2 ** 31));
		if (!fair) stage.network.failure = connectionFailures(random.between(0, 2 ** 31));
		if (isClockSet) setClock(time, random);
		const { done, unfinished } = takeTurns(round, random, {
			operations,
			lanes: random.pick(hasSlowUploads(fair) ? [8] : LANES),
			run: trace.operation,
		});
		await time.run(done).catch((error: Error) => {
			const open = [...unfinished];
			round.note('overlong', `operations ${open.join()}: ${error.stack}`, open[0]);
		});
		stage.network.failure = () => undefined;
		await time.run(round.compare());
		await virtual.reset();
		const isAtRest = await time.settle(LONGEST_REST_MS);
		if (!isAtRest) round.note('overlong', 'something still waits when all is over');
		for (const request of stage.elsewhere.received.splice(0)) {
			round.note('leaked', `a redirect followed: ${request}`);
		}
	} finally {
		trace.stop();
		endChance();
		time.stop();
		stage.files.clear();
		if (!fixed) await virtual.stop();
	}
	return { figures, account: virtual.profile.summary, trace: trace.lines() };
}

/** A service whose account nobody has seen before. */
async function startDrawn({ network }: Stage, random: Randomness) {
	const [profile] = drawnProfiles(random.between(0, 2 ** 31 - 1), 1);
	return await startVirtualService(network, profile);
}

async function prepare(
	{ node }: Stage,
	virtual: VirtualService,
	number: number,
	weather: number,
	random: Randomness,
	figures: Figures,
) {
	const service = await connectTo(virtual.move(), async () => {}, {}, exchange);
	const { control } = service;
	const { main: mainWorkflow } = service.account.environments.test.workflows;
	const fair = random.pick([...NO_FAIR_WEATHER, ...fairWeathers]);
	// All executions at once would set it up at once.
	await useBinaryMode(MODES[number % MODES.length]);
	await control.reset();
	await control.settings({ ...settingsOf(random), ...(fair && fairSettings(random, fair)) });
	const round = new Round({
		node,
		service,
		credential: credentialOf(service, weather),
		mode: MODES[number % MODES.length],
		requests: async () => await Promise.resolve(virtual.log.all),
		rowsMove: !fair && rowsMove(weather),
		// When it is set, URLs expire while their files are on their way.
		isClockSet: !hasSlowUploads(fair) && random.between(1, 4) === 1,
		fair,
		isKeptBusy: (since, hasUploaded) =>
			isKeptBusy(virtual.store.workflow(mainWorkflow.id), since, hasUploaded),
		// Enough for all places at the same time.
		mostItems: hasSlowUploads(fair) ? 20 : 6,
		longFiles: {
			oneIn: fair ? 4 : 60,
			bytes: fair === 'refused uploads' ? FITTING_FILE_BYTES : LONG_FILE_BYTES,
		},
		stopOneIn: fair ? 0 : random.pick([0, 10]),
		longestOperationMs: LONGEST_OPERATION_MS,
		figures,
	});
	await round.seedLists(random.pick(ROWS), random.pick(RESULTS));
	return round;
}

/** Longer than any Settle Time of an operation and the time between two looks, in ms. */
const SETTLED_MS = 45_000;

/** Whether a workflow has not paused for long enough that somebody could tell the end of an extraction. */
function isKeptBusy({ pauses }: Workflow, since: number, hasUploaded: boolean): boolean {
	const now = performance.now();
	return pauses.every(({ start, end }) => {
		// Nothing is extracted while files are uploaded, for as long as that takes.
		const isOfUpload = hasUploaded && start <= since && end <= now;
		return isOfUpload || Math.min(end, now) - Math.max(start, since) < SETTLED_MS;
	});
}

const NO_FAIR_WEATHER = Array<undefined>(7).fill(undefined);

const QUEUED = { extractionMs: 4_000, startMs: 8_000 };
/** Over before a second look at the workflow, so the first one has to be in time. */
const MOMENTARY = { extractionMs: 900, startMs: 0, latencyMs: 0 };

/** Whoever waits for Max Wait by default sees the end. */
const fairSettings = (random: Randomness, fair: FairWeather): Partial<Settings> => ({
	// Waits beside each other share what the key may ask.
	rate: fair === 'limited' ? { limit: random.between(60, 120), windowMs: 60_000 } : null,
	maxInFlight: null,
	extractionWorkers: 1_000,
	latencyMs: random.pick([0, 150]),
	...random.pick([QUEUED, MOMENTARY]),
	...(hasSlowUploads(fair) && { uploadUrlLifetimeMs: 45_000 }),
	...(fair === 'refused uploads' && { uploadUrlLifetimeMs: HOUR_MS }),
	// It is busy for longer, so that everybody needs a new URL.
	...(fair === 'busy storage' && { uploadUrlLifetimeMs: 30_000, expiredUrlStatus: 400 }),
});

/** How results come; only where all come at once can they come after the finished status. */
const RESULTS_COME: Array<Partial<Settings>> = [
	{ resultShape: 'whole', resultLagMs: 0 },
	{ resultShape: 'whole', resultLagMs: 1_000 },
	{ resultShape: 'whole', resultLagMs: 2_000 },
	{ resultShape: 'whole', resultLagMs: 2_000 },
	{ resultShape: 'growing', resultLagMs: 0 },
	{ resultShape: 'growing', resultLagMs: 0 },
	{ resultShape: 'nulls', resultLagMs: 0 },
	{ resultShape: 'nulls', resultLagMs: 0 },
];

function settingsOf(random: Randomness): Partial<Settings> {
	return {
		// Whom it surprises that others are busy must wait, as everywhere.
		maxInFlight: random.pick([null, 8]),
		latencyMs: random.pick([0, 30, 150, 800]),
		extractionMs: random.pick([300, 4_000, 30_000]),
		// The longest queue lasts longer than the settle time of those who wait.
		startMs: random.pick([0, 0, 2_000, 2_000, 40_000, 150_000]),
		...random.pick(RESULTS_COME),
		resultPauseMs: random.pick([300, 3_000, 9_000, 9_000]),
		rate: random.pick([
			null,
			null,
			{
				limit: random.between(3, 60),
				retryAfter: random.pick(['seconds', 'date', 'none'] as const),
			},
		]),
		uploadUrlLifetimeMs: random.pick([15 * 60_000, 30_000]),
	};
}

/** Some connections are refused, break or find no host before there is one. */
function connectionFailures(seed: number) {
	const random = new Randomness(seed);
	const codes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'] as const;
	return () => (random.between(1, 100) === 1 ? random.pick(codes) : undefined);
}

/** Somebody corrects the clock of the machine. */
function setClock(time: VirtualTime, random: Randomness) {
	for (let times = 0; times < 3; times++) {
		const ms = random.pick([-1, 1]) * random.pick([1, 60, 24 * 3_600]) * 1_000;
		setTimeout(() => time.adjustTimeOfDay(ms), random.between(0, LATEST_CLOCK_MS));
	}
}
