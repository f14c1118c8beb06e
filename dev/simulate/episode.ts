import { drawnProfiles } from '../service/profiles/drawn.ts';
import { profiles } from '../service/profiles/index.ts';
import { useBinaryMode, useFolderInMemory, type BinaryMode } from '../../test/support/binary.ts';
import { connectTo } from '../../test/support/service.ts';
import { startVirtualTime, type VirtualTime } from '../virtual/clock.ts';
import { exchange, VirtualNetwork } from '../virtual/network.ts';
import { startVirtualService, type VirtualService } from '../virtual/service.ts';
import { startElsewhere } from './elsewhere.ts';
import { noFigures, type Figures } from './figures.ts';
import { takeTurns } from './operations.ts';
import { Randomness, seedChance } from './randomness.ts';
import { credentialOf, Round } from './round.ts';
import { loadNode, type NodeUnderTest } from './node.ts';
import { traceOf } from './trace.ts';
import { connectionFailures, drawWeather, type Weather } from './weather.ts';

const MODES: BinaryMode[] = ['memory', 'filesystem'];
/** Executions that run at the same time, as in an n8n that has several workflows. */
const LANES = [1, 3, 8];
/** In as many episodes in turn as there are fixed ones. */
const DRAWN_ACCOUNTS = 2;
/** Of a list: more than two pages in some episodes. */
const ROWS = [30, 30, 30, 450];
/** Of one document in a list: some have been extracted again, or have a result for each column. */
const RESULTS = [1, 1, 3];
/** In virtual time: longer than any Max Wait, and than what a key is waited for that is refused. */
const LONGEST_OPERATION_MS = 14_400_000;
/** After the last operation nobody waits any more, but for a limiter's last pause, in ms. */
const LONGEST_REST_MS = 400_000;
/** Nor does whoever sets the clock, even if all operations are short. */
const LATEST_CLOCK_MS = 300_000;

/** What a process needs once for all of its episodes: to make a service takes longer than most of them. */
export interface Stage {
	node: NodeUnderTest;
	network: VirtualNetwork;
	services: VirtualService[];
	/** What n8n keeps. */
	files: Map<string, Buffer>;
	/** A server that nobody should ever send a request to: redirects point at it. */
	elsewhere: { url: string; received: string[] };
}

export async function openStage(): Promise<Stage> {
	const files = useFolderInMemory();
	const network = new VirtualNetwork();
	const elsewhere = await startElsewhere(network);
	const services = [];
	for (const profile of profiles) services.push(await startVirtualService(network, profile));
	return { node: loadNode(), network, services, files, elsewhere };
}

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
	const accounts = stage.services.length + DRAWN_ACCOUNTS;
	const fixed = stage.services.at(number % accounts);
	const virtual = fixed ?? (await startDrawn(stage, random));
	const time = startVirtualTime({ isNew: true });
	const endChance = seedChance(new Randomness(random.between(0, 2 ** 31)));
	const figures = noFigures();
	const trace = traceOf(virtual.log, isTraced);
	const turn = Math.floor(number / accounts);
	const weather = drawWeather(random, stage.elsewhere.url, turn);
	try {
		const prepared = prepare(stage, virtual, { number, turn, weather, random, figures });
		const round = await time.run(prepared);
		virtual.faults.add(weather.faults);
		virtual.faults.setSeed(random.between(0, 2 ** 31));
		if (weather.name === 'storm') {
			stage.network.failure = connectionFailures(random.between(0, 2 ** 31));
		}
		if (weather.isClockSet) setClock(time, random);
		const { done, unfinished } = takeTurns(round, random, {
			operations,
			lanes: random.pick(weather.hasSlowUploads ? [8] : LANES),
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
	own: { number: number; turn: number; weather: Weather; random: Randomness; figures: Figures },
) {
	const service = await connectTo(virtual.move(), async () => {}, {}, exchange);
	const mode = MODES[own.number % MODES.length];
	// All executions at once would set it up at once.
	await useBinaryMode(mode);
	await service.control.reset();
	await service.control.settings(own.weather.settings);
	const round = new Round({
		node,
		service,
		credential: credentialOf(service, own.turn),
		mode,
		weather: own.weather,
		requests: async () => await Promise.resolve(virtual.log.all),
		longestOperationMs: LONGEST_OPERATION_MS,
		figures: own.figures,
	});
	await round.seedLists(own.random.pick(ROWS), own.random.pick(RESULTS));
	return round;
}

/** Somebody corrects the clock of the machine. */
function setClock(time: VirtualTime, random: Randomness) {
	for (let times = 0; times < 3; times++) {
		const ms = random.pick([-1, 1]) * random.pick([1, 60, 24 * 3_600]) * 1_000;
		setTimeout(() => time.adjustTimeOfDay(ms), random.between(0, LATEST_CLOCK_MS));
	}
}
