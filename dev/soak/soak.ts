import { readFile } from 'node:fs/promises';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { startFastClock } from '../../test/reliability/fastClock.ts';
import { startFastTimeouts } from '../../test/reliability/fastTimeouts.ts';
import type { BinaryMode } from '../../test/support/binary.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { startElsewhere } from './elsewhere.ts';
import { Figures } from './figures.ts';
import { soakOperations } from './operations.ts';
import { Randomness } from './randomness.ts';
import { Round } from './round.ts';
import { rowsMove, storm } from './weather.ts';

const PROFILES: Profile[] = ['atlas', 'borealis', 'cobalt'];
const MODES: BinaryMode[] = ['memory', 'filesystem'];
const OPERATIONS_PER_ROUND = 30;
/** Executions that run at the same time, as in an n8n that has several workflows. */
const LANES = 8;
/** How much faster the node's waits pass than real time. */
export const SPEED = 200;
/** How much faster the time limits of requests pass: what they bound are real transfers. */
const TIME_LIMITS_SPEED = 100;
/** No hold may be longer, in ms: the service asks for one second at most. */
const LONGEST_WAIT_MS = 30_100;
/** In real ms. Shorter than this, nobody would see the workflow extracting, and the node would wait for that. */
const EXTRACTION = { extractionMs: 60, startMs: 5 };
/** More than two pages. */
const ROWS = 450;

export interface SoakOptions {
	seed: number;
	operations: number;
}

/** Runs the operations in all profiles and gives what went wrong. */
export async function soak({ seed, operations }: SoakOptions): Promise<Figures> {
	const clock = startFastClock(SPEED);
	// One's time limit does not put on the clock of all: others, who did not wait, would run out of time.
	const timeLimits = startFastTimeouts(TIME_LIMITS_SPEED);
	const figures = new Figures();
	const elsewhere = await startElsewhere();
	const services = await Promise.all(
		PROFILES.map(async (profile) => await startService({ profile, ...EXTRACTION })),
	);
	const randoms = PROFILES.map((_, index) => new Randomness(seed * PROFILES.length + index));
	try {
		for (let number = 0; figures.operations < operations && !figures.isHopeless; number++) {
			const left = Math.ceil((operations - figures.operations) / PROFILES.length);
			const count = Math.min(left, OPERATIONS_PER_ROUND);
			const rounds = services.map(async (service, index) => {
				// In the same round each profile has other weather.
				const weather = number + index;
				const round = new Round(
					service,
					credentialOf(service, weather),
					MODES[number % MODES.length],
					rowsMove(weather),
					figures,
				);
				await prepare(round, randoms[index]);
				await service.control.faults(storm(elsewhere.url, weather));
				await service.control.seedFaults(randoms[index].between(0, 2 ** 31));
				await operate(round, randoms[index], count);
				await round.compare();
			});
			await Promise.all(rounds);
		}
	} finally {
		await Promise.all(services.map(async (service) => await service.stop()));
		await elsewhere.stop();
		timeLimits.stop();
		clock.stop();
	}

	for (const request of elsewhere.received) {
		figures.note('leaked', `a redirect followed: ${request}`);
	}
	for (const ms of clock.waits) {
		if (ms > LONGEST_WAIT_MS) figures.note('overlong', `${Math.round(ms)} ms`);
	}
	await checkLog(services, figures);
	return figures;
}

/** Each operation has random choices of its own, so that they depend on no other one's pace. */
async function operate(round: Round, random: Randomness, count: number) {
	const lane = async () => {
		while (round.operations < count && !round.figures.isHopeless) {
			const own = new Randomness(random.between(0, 2 ** 31));
			await own.pick(soakOperations)(round, own);
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
}

/** Each round tells the node of the service by other API Details, so that it waits in another way. */
function credentialOf(service: Service, number: number): ICredentialDataDecryptedObject {
	const ways: ICredentialDataDecryptedObject[] = [
		{},
		{ finishedStatuses: '' },
		{ finishedStatuses: '', workflowEndpoint: '' },
	];
	return service.credential(ways[number % ways.length]);
}

async function prepare(round: Round, random: Randomness) {
	const { main, second } = round;
	const { control } = round.service;
	await control.reset();
	// Whom it surprises that others are busy must wait, as everywhere.
	await control.settings({
		maxInFlight: random.pick([null, 8]),
		// The longer queue lasts longer than the settle time of those who wait.
		startMs: random.pick([2, 2000]),
	});
	const seeded = await control.seed({ documents: 6 * (OPERATIONS_PER_ROUND + LANES) });
	round.documents = seeded.documentIds;
	for (const { id } of main.collections) await control.seed({ documents: 2, collection: id });
	const listed = await control.seed({ workflow: second.id, documents: ROWS });
	round.listed = listed.documentIds;
	round.rows = await round.rowsOf(second.id);
}

async function checkLog(services: Service[], figures: Figures) {
	const log = await readFile(String(process.env.N8N_LOG_FILE_LOCATION), 'utf8');
	const keys = services.flatMap(({ account }) => Object.values(account.environments.test.keys));
	for (const secret of [...keys, 'X-Amz-Signature=']) {
		if (log.includes(secret)) figures.note('leaked', `${secret} is in n8n's log`);
	}
}
