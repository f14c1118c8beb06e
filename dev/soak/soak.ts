import { readFile } from 'node:fs/promises';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { startFastClock } from '../../test/reliability/fastClock.ts';
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
/** No hold may be longer, in ms: the service asks for one second at most. */
const LONGEST_WAIT_MS = 30_100;
/** More than two pages. */
const ROWS = 450;

export interface SoakOptions {
	seed: number;
	operations: number;
}

/** Runs the operations in all profiles and gives what went wrong. */
export async function soak({ seed, operations }: SoakOptions): Promise<Figures> {
	const clock = startFastClock(SPEED);
	const figures = new Figures();
	const elsewhere = await startElsewhere();
	for (const [index, profile] of PROFILES.entries()) {
		const random = new Randomness(seed * PROFILES.length + index);
		const end = Math.ceil((operations * (index + 1)) / PROFILES.length);
		await soakProfile(profile, random, index, end, elsewhere.url, figures);
	}
	await elsewhere.stop();
	clock.stop();

	for (const request of elsewhere.received) {
		figures.note('leaked', `a redirect followed: ${request}`);
	}
	for (const ms of clock.waits) {
		if (ms > LONGEST_WAIT_MS) figures.note('overlong', `${Math.round(ms)} ms`);
	}
	return figures;
}

/**
 * @param firstRound another one for each profile, so that a short soak sees more kinds of weather
 * @param end how many operations are over at the end, of all profiles
 */
async function soakProfile(
	profile: Profile,
	random: Randomness,
	firstRound: number,
	end: number,
	elsewhere: string,
	figures: Figures,
) {
	const service = await startService({ profile, extractionMs: 5, startMs: 2 });
	try {
		for (let number = firstRound; figures.operations < end && !figures.isHopeless; number++) {
			const round = new Round(
				service,
				credentialOf(service, number),
				MODES[number % MODES.length],
				rowsMove(number),
				figures,
			);
			await prepare(round, random);
			await service.control.faults(storm(elsewhere, number));
			await service.control.seedFaults(random.between(0, 2 ** 31));
			await operate(round, random, Math.min(end, figures.operations + OPERATIONS_PER_ROUND));
			await round.compare();
		}
	} finally {
		await service.stop();
	}
	await checkLog(service, figures);
}

/** Each operation has random choices of its own, so that they depend on no other one's pace. */
async function operate(round: Round, random: Randomness, end: number) {
	const lane = async () => {
		while (round.figures.operations < end && !round.figures.isHopeless) {
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
	await control.settings({ maxInFlight: random.pick([null, 8]) });
	const seeded = await control.seed({ documents: 6 * (OPERATIONS_PER_ROUND + LANES) });
	round.documents = seeded.documentIds;
	for (const { id } of main.collections) await control.seed({ documents: 2, collection: id });
	const listed = await control.seed({ workflow: second.id, documents: ROWS });
	round.listed = listed.documentIds;
	round.rows = await round.rowsOf(second.id);
}

async function checkLog({ account }: Service, figures: Figures) {
	const log = await readFile(String(process.env.N8N_LOG_FILE_LOCATION), 'utf8').catch(() => '');
	const secrets = [...Object.values(account.environments.test.keys), 'X-Amz-Signature='];
	for (const secret of secrets) {
		if (log.includes(secret)) figures.note('leaked', `${secret} is in n8n's log`);
	}
}
