import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type * as Log from '../../test/support/log.ts';
import { BINARY_MODES } from '../../test/support/binary.ts';
import { profiles } from '../service/profiles/index.ts';
import { PROFILES } from '../../test/support/serviceContract.ts';
import { startService } from '../../test/support/service.ts';
import { sleepModule } from '../../test/support/sleepModule.ts';
import { startElsewhere } from './elsewhere.ts';
import { isClean, noFigures, note, type Figures } from './figures.ts';
import { loadNode } from './node.ts';
import { takeTurns } from './operations.ts';
import { Randomness } from './randomness.ts';
import { detailsOf, Round } from './round.ts';
import { slowLine, storm } from './weather.ts';

const require = createRequire(import.meta.url);
// As CommonJS, as the node's engine in the tests loads it: n8n's logger is one for both.
const { logOf } = require('../../test/support/log.ts') as typeof Log;

const OPERATIONS_PER_ROUND = 30;
/** Executions that run at the same time, as in an n8n that has several workflows. */
const LANES = 8;
/** How much faster the node's waits pass than real time. */
const SPEED = 200;
/** How much faster the time limits of requests pass: what they bound are real transfers. */
const TIME_LIMITS_SPEED = 100;
/**
 * In real ms. Shorter than this, nobody would see the workflow extracting, and the node would wait for
 * that.
 */
const EXTRACTION = { extractionMs: 60, startMs: 5 };
/** More than two pages. */
const ROWS = 450;
/** In real ms. */
const LONGEST_OPERATION_MS = 60_000;
/** In real bytes and a second: takes longer than the node's limit for what does not move. */
const LINE = { files: { oneIn: 60, bytes: 30_000_000 }, bytesPerSecond: 11_000_000 };
/** What is left when all is over: connections that are kept for the next request, and no more. */
const MOST_MEMORY_MB = 250;

/**
 * Runs operations on real connections and in real time, in which only waits and time limits are shortened,
 * for what virtual ones cannot show: streams, connections, memory and n8n's own log. The clocks of the
 * process stay ahead.
 */
export async function simulateOnSockets(seed: number, operations: number): Promise<Figures> {
	const node = loadNode();
	speedUpWaits(SPEED);
	speedUpTimeLimits(TIME_LIMITS_SPEED);
	const figures = noFigures();
	const elsewhere = await startElsewhere();
	const services = await Promise.all(
		PROFILES.map(async (profile) => await startService({ profile, ...EXTRACTION })),
	);
	const keys = services.flatMap(({ account }) => Object.values(account.environments.test.keys));
	const secrets = [...keys, 'X-Amz-Signature='];
	const warnings: string[] = [];
	process.on('warning', ({ stack }) => warnings.push(String(stack)));
	const randoms = PROFILES.map((_, index) => new Randomness(seed * PROFILES.length + index));
	const socketsBefore = openSockets();
	try {
		for (let number = 0; figures.operations < operations && isClean(figures); number++) {
			const left = Math.ceil((operations - figures.operations) / PROFILES.length);
			const rounds = services.map(async (service, index) => {
				// In the same round each profile has other weather.
				const weather = number + index;
				const random = randoms[index];
				const round = new Round({
					node,
					service,
					details: detailsOf(weather, profiles[index]),
					mode: BINARY_MODES[number % BINARY_MODES.length],
					weather: {
						name: 'storm',
						faults: [slowLine(LINE.bytesPerSecond), ...storm(elsewhere.url, weather)],
						settings: {},
						hasSlowUploads: false,
						isClockSet: false,
						longFiles: LINE.files,
						stopOneIn: 0,
					},
					longestOperationMs: LONGEST_OPERATION_MS,
					requests: async () => await service.control.requests(),
					figures,
				});
				await round.open(random, ROWS, 1);
				const count = Math.min(left, OPERATIONS_PER_ROUND);
				await takeTurns(round, random, count, LANES).done;
				await round.compare();
			});
			const log = JSON.stringify(await logOf(async () => await Promise.all(rounds)));
			for (const secret of secrets.filter((one) => log.includes(one))) {
				note(figures, { wrong: 'leaked', what: `${secret} is in n8n's log` });
			}
		}
		for (const service of services) await service.control.cutConnections();
	} finally {
		await Promise.all(services.map(async (service) => await service.stop()));
		await elsewhere.stop();
	}

	for (const what of warnings) note(figures, { wrong: 'unexplained', what });
	for (const request of elsewhere.received) {
		note(figures, { wrong: 'leaked', what: `a redirect followed: ${request}` });
	}
	checkResidue(socketsBefore, figures);
	return figures;
}

const openSockets = () =>
	process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap/.test(name)).length;

/** Connections that nobody closes, and what is held for ever. */
function checkResidue(socketsBefore: number, figures: Figures) {
	const sockets = openSockets() - socketsBefore;
	if (sockets > 0) note(figures, { wrong: 'overlong', what: `${sockets} connections stay open` });
	setFlagsFromString('--expose-gc');
	runInNewContext('gc')();
	const { heapUsed, external } = process.memoryUsage();
	const megabytes = Math.round((heapUsed + external) / 1e6);
	if (megabytes > MOST_MEMORY_MB) {
		note(figures, { wrong: 'overlong', what: `${megabytes} MB are held when all is over` });
	}
}

/**
 * From now on the node's waits pass quickly: n8n's `sleep`, the only way in which a node can wait. The
 * clock by which the node measures is put on by what a wait was shortened. Who waits, in which order and
 * for how long in relation to the others, stays as it is; and what is no wait takes its real time,
 * however busy the machine is.
 */
function speedUpWaits(speed: number) {
	const module = sleepModule();
	const { sleep } = module;
	const realNow = Date.now;
	const realRunningTime = performance.now.bind(performance);
	let skipped = 0;
	module.sleep = async (ms, signal) => {
		const end = Date.now() + ms;
		await sleep(ms / speed, signal);
		skipped += Math.max(0, end - Date.now());
	};
	Date.now = () => realNow() + skipped;
	performance.now = () => realRunningTime() + skipped;
}

/** From now on the time limits of requests, the node's and n8n's own, pass more quickly than the clock. */
function speedUpTimeLimits(speed: number) {
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	AbortSignal.timeout = (ms) => timeout(Math.ceil(ms / speed));
	// The client behind n8n's requests, which n8n gives a time limit of its own.
	const ofCore = createRequire(require.resolve('n8n-core'));
	const ofNetwork = createRequire(ofCore.resolve('@n8n/backend-network'));
	const { defaults } = ofNetwork('axios') as { defaults: { timeout?: number } };
	defaults.timeout = (defaults.timeout ?? 0) / speed;
}
