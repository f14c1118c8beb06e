import { AsyncLocalStorage } from 'node:async_hooks';
import { drawnProfiles } from '../service/profiles/drawn.ts';
import { profiles } from '../service/profiles/index.ts';
import type { LoggedRequest } from '../service/requestLog.ts';
import { BINARY_MODES, useBinaryMode, useFolderInMemory } from '../../test/support/binary.ts';
import { connectTo } from '../../test/support/service.ts';
import { startVirtualTime, type VirtualTime } from '../virtual/clock.ts';
import { exchange, VirtualNetwork } from '../virtual/network.ts';
import { startVirtualService, type VirtualService } from '../virtual/service.ts';
import { startElsewhere } from './elsewhere.ts';
import { noFigures, type Figures } from './figures.ts';
import { takeTurns } from './operations.ts';
import { doRowsMove } from './model.ts';
import { Randomness, seedChance } from './randomness.ts';
import { detailsOf, Round } from './round.ts';
import { loadNode, type BrokenFile } from './node.ts';
import { connectionFailures, drawWeather } from './weather.ts';

/** Executions that run at the same time, as in an n8n that has several workflows. */
const LANES = [1, 3, 8];
/** In as many of the episodes, in turn, as each fixed account has one. */
const DRAWN_ACCOUNTS = 3;
/** More than two pages of a list. */
const MANY_ROWS = 450;
/** Of a list, where its rows stay where they are. */
const ROWS = [30, 30, 30, MANY_ROWS];
/** Of one document in a list: some have been extracted again, or have a result for each column. */
const RESULTS = [1, 1, 3];
/** After the last operation nobody waits any more, but for a limiter's last pause, in ms. */
const LONGEST_REST_MS = 400_000;
/** Nor does whoever sets the clock, even if all operations are short. */
const LATEST_CLOCK_MS = 300_000;

/** What a process needs once for all of its episodes: to make a service takes longer than most of them. */
export async function openStage() {
	/** What n8n keeps. */
	const files = useFolderInMemory();
	const network = new VirtualNetwork();
	const elsewhere = await startElsewhere(network);
	const services: VirtualService[] = [];
	for (const profile of profiles) services.push(await startVirtualService(network, profile));
	return { node: loadNode(), network, services, files, elsewhere };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Which episode. */
export interface Order {
	seed: number;
	number: number;
	operations: number;
	isTraced?: boolean;
	/** From now on only these files of the node are broken. */
	broken?: BrokenFile[];
}

export interface Report {
	number: number;
	figures: Figures;
	/** What is special about the account. */
	account: string;
	/** Every request with its operation and virtual times, if it was asked for. */
	trace: string[];
}

/** A number of operations on a new service, in virtual time: the same for the same seed and number. */
export async function runEpisode(
	stage: Stage,
	{ seed, number, operations, isTraced = false, broken }: Order,
): Promise<Report> {
	if (broken) stage.node = loadNode(broken);
	const random = new Randomness(Math.imul(seed, 0x9e3779b1) + number);
	const accounts = stage.services.length + DRAWN_ACCOUNTS;
	const fixed = stage.services.at(number % accounts);
	const draw = () => drawnProfiles(random.between(0, 2 ** 31 - 1), 1)[0];
	const virtual = fixed ?? (await startVirtualService(stage.network, draw()));
	const time = startVirtualTime({ isNew: true });
	const endChance = seedChance(new Randomness(random.between(0, 2 ** 31)));
	const figures = noFigures();
	const trace = isTraced ? traceOf(virtual.log) : undefined;
	const turn = Math.floor(number / accounts);
	const weather = drawWeather(random, stage.elsewhere.url, turn);
	try {
		const service = await time.run(connectTo(virtual.move(), async () => {}, exchange));
		const mode = BINARY_MODES[number % BINARY_MODES.length];
		// All executions at once would set it up at once.
		await useBinaryMode(mode);
		const round = new Round({
			node: stage.node,
			service,
			details: detailsOf(turn, virtual.profile),
			mode,
			weather,
			requests: virtual.log,
			figures,
		});
		const rows = doRowsMove(weather) ? MANY_ROWS : random.pick(ROWS);
		await time.run(round.open(random, rows, random.pick(RESULTS)));
		if (weather.name === 'storm') {
			stage.network.failure = connectionFailures(random.between(0, 2 ** 31));
		}
		if (weather.isClockSet) setClock(time, random);
		const lanes = random.pick(weather.hasSlowUploads ? [8] : LANES);
		const { done, unfinished } = takeTurns(round, random, operations, lanes, trace?.operation);
		await time.run(done).catch((error: Error) => {
			const open = [...unfinished];
			round.note('overlong', `operations ${open.join()}: ${error.stack}`, open[0]);
		});
		stage.network.failure = () => undefined;
		await time.run(round.compare());
		virtual.reset();
		const isAtRest = await time.settle(LONGEST_REST_MS);
		if (!isAtRest) round.note('overlong', 'something still waits when all is over');
		const open = stage.network.openConnections;
		if (open > 0) round.note('overlong', `${open} connections stay open when all is over`);
		for (const request of stage.elsewhere.received.splice(0)) {
			round.note('leaked', `a redirect followed: ${request}`);
		}
	} finally {
		trace?.stop();
		endChance();
		time.stop();
		stage.files.clear();
		if (!fixed) await virtual.stop();
	}
	return { number, figures, account: virtual.profile.summary, trace: trace?.lines() ?? [] };
}

/** Somebody corrects the clock of the machine. */
function setClock(time: VirtualTime, random: Randomness) {
	for (let times = 0; times < 3; times++) {
		const ms = random.pick([-1, 1]) * random.pick([1, 60, 24 * 3_600]) * 1_000;
		setTimeout(() => time.adjustTimeOfDay(ms), random.between(0, LATEST_CLOCK_MS));
	}
}

const seconds = (ms: number) => (ms / 1000).toFixed(3).padStart(9);

/**
 * Notes every request with its virtual time and the operation that made it.
 * @returns `operation` runs the work of one
 */
function traceOf(log: LoggedRequest[]) {
	const current = new AsyncLocalStorage<number>();
	const noted: Array<{ about: string; request: LoggedRequest }> = [];
	const { push } = log;
	log.push = (request) => {
		const about = `${seconds(performance.now())} s · operation ${current.getStore() ?? 'none'}`;
		noted.push({ about, request });
		return push.call(log, request);
	};
	return {
		operation: async (number: number, work: () => Promise<void>) => await current.run(number, work),
		/** When all is over: only then they have a status. */
		lines: () =>
			noted.map(({ about, request: { method, path, faults, status } }) =>
				[about, `${method} ${path}`, status ?? 'no answer', ...faults].join(' · '),
			),
		stop: () => {
			log.push = push;
			current.disable();
		},
	};
}
