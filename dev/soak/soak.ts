import { readFile } from 'node:fs/promises';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { startFastClock } from '../../test/reliability/fastClock.ts';
import type { Profile } from '../../test/support/serviceContract.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { startElsewhere } from './elsewhere.ts';
import { Figures } from './figures.ts';
import { soakOperations } from './operations.ts';
import { Randomness } from './randomness.ts';
import { Round } from './round.ts';
import { storm } from './weather.ts';

const PROFILES: Profile[] = ['atlas', 'borealis', 'cobalt'];
const OPERATIONS_PER_ROUND = 60;
/** How much faster the node's waits pass than real time. */
const SPEED = 50;
/** No hold may be longer, in ms: the service asks for one second at most. */
const LONGEST_WAIT_MS = 30_100;
const ROWS = 450;

type Elsewhere = Awaited<ReturnType<typeof startElsewhere>>;

export interface SoakOptions {
	seed: number;
	operations: number;
}

/** Runs the operations in all profiles and gives what went wrong. */
export async function soak({ seed, operations }: SoakOptions): Promise<Figures> {
	const clock = startFastClock(SPEED);
	const jitter = new Randomness(seed);
	Math.random = jitter.next;

	const total = new Figures();
	const elsewhere = await startElsewhere();
	const share = Math.ceil(operations / PROFILES.length);
	for (const [index, profile] of PROFILES.entries()) {
		total.add(await soakProfile(profile, seed * PROFILES.length + index, share, elsewhere));
	}
	await elsewhere.stop();

	for (const request of elsewhere.received) total.note('leaked', `a redirect followed: ${request}`);
	for (const ms of clock.waits) {
		if (ms > LONGEST_WAIT_MS) total.note('overlong', `${Math.round(ms)} ms`);
	}
	clock.stop();
	return total;
}

async function soakProfile(
	profile: Profile,
	seed: number,
	operations: number,
	elsewhere: Elsewhere,
) {
	const figures = new Figures();
	const random = new Randomness(seed);
	const service = await startService({ profile, extractionMs: 5, startMs: 2 });
	const keys = Object.values(service.account.environments.test.keys);
	try {
		for (let number = 0; figures.operations < operations; number++) {
			const round = new Round(service, credentialOf(service, number), random, figures);
			await prepare(round, number, random, elsewhere);
			const end = Math.min(operations, figures.operations + OPERATIONS_PER_ROUND);
			while (figures.operations < end) await random.pick(soakOperations)(round);
			await service.control.clearFaults();
			round.claims.compare(await service.control.ledger(), figures);
			for (const { server, headers, path } of await service.control.requests()) {
				const isLeaked = server === 'storage' && headers.authorization !== undefined;
				if (isLeaked) figures.note('leaked', `the key went to the storage: ${path}`);
			}
		}
	} finally {
		await service.stop();
	}
	const log = await readFile(String(process.env.N8N_LOG_FILE_LOCATION), 'utf8').catch(() => '');
	for (const secret of keys) {
		if (log.includes(secret)) figures.note('leaked', "the key is in n8n's log");
	}
	if (/X-Amz-Signature=/.test(log)) figures.note('leaked', "a signed URL is in n8n's log");
	return figures;
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

async function prepare(round: Round, number: number, random: Randomness, elsewhere: Elsewhere) {
	const { service, main, second } = round;
	const { control } = service;
	await control.reset();
	const seeded = await control.seed({ documents: 3 * OPERATIONS_PER_ROUND });
	round.documents = seeded.documentIds;
	for (const { id } of main.collections) await control.seed({ documents: 2, collection: id });
	await control.seed({ workflow: second.id, documents: ROWS });
	round.rows = await rowsOf(round);
	await control.faults(storm(elsewhere.url, number));
	await control.seedFaults(random.between(0, 2 ** 31));
}

/** The rows of the second workflow, read while nothing goes wrong. */
async function rowsOf({ service, credential, second }: Round): Promise<string[]> {
	const rows: unknown[] = [];
	for (let page = 1; rows.length < ROWS; page++) {
		const path = `/api/v1/workflows/${encodeURIComponent(second.id)}/extractions`;
		const answer = await fetch(`${service.url}${path}?limit=200&page=${page}`, {
			headers: { authorization: `Bearer ${String(credential.apiKey)}` },
		});
		rows.push(...((await answer.json()) as { items: unknown[] }).items);
	}
	return rows.map((row) => JSON.stringify(row));
}
