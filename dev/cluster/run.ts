import { setTimeout as sleep } from 'node:timers/promises';
import { Randomness } from '../simulate/randomness.ts';
import { type Account, accountFor, type Evidence } from './account.ts';
import type { Disaster } from './disasters.ts';
import { watchExecutions } from './executions.ts';
import { type Sending, startSending } from './sending.ts';
import type { Stage } from './stage.ts';

/** What a run showed. */
export interface Outcome {
	account: Account;
	evidence: Evidence;
	/** Names of disasters. */
	struck: string[];
	/** Processes that ended although nobody ended them. */
	endedThemselves: string[];
	/** Requests that reached a server that nobody should know of. */
	gone: string[];
}

export type Strike = (disaster: Disaster, random: Randomness) => Promise<void>;

/** The node itself gives up after five minutes, and n8n notices what is dead a minute later. */
const settleTimeoutMs = 420_000;
const lookEveryMs = 1_000;

/** Waits until no execution is left, or until none has come to its end for long. */
async function untilSettled({ cluster }: Stage, unfinished: () => Promise<number>) {
	let fewest = Infinity;
	let progressAt = Date.now();
	let quietLooks = 0;
	while (Date.now() - progressAt < settleTimeoutMs) {
		await cluster.repair();
		const left = (await unfinished()) + (await cluster.redis.activeJobs());
		quietLooks = left === 0 ? quietLooks + 1 : 0;
		// n8n accepts a message a moment before its execution can be seen.
		if (quietLooks > 1) return;
		if (left < fewest) progressAt = Date.now();
		fewest = Math.min(fewest, left);
		await sleep(lookEveryMs);
	}
}

/**
 * Sends files while something goes wrong, waits until n8n has come to the end of them, and accounts for
 * each. What the service has done before must be forgotten.
 */
export async function run(
	stage: Stage,
	sending: Sending,
	goWrong: (strike: Strike) => Promise<void>,
): Promise<Outcome> {
	const { cluster, service, elsewhere } = stage;
	const executions = await watchExecutions(stage);
	try {
		const sent = startSending(stage.flows, sending);
		const struck: string[] = [];
		await goWrong(async (disaster, random) => {
			struck.push(disaster.name);
			stage.log(`${disaster.name}: ${await disaster.strike(stage, random)}`);
		});
		const messages = await sent.end();
		await untilSettled(stage, executions.unfinished);
		const started = await Promise.all(cluster.allWorkers.map((worker) => worker.executionIds()));
		const evidence: Evidence = {
			messages,
			executions: await executions.all(),
			ledger: await service.control.ledger(),
			starts: started.flat(),
		};
		return {
			account: accountFor(evidence),
			...{ evidence, struck },
			endedThemselves: cluster.endedThemselves.splice(0),
			gone: elsewhere.received.splice(0),
		};
	} finally {
		await executions.stop();
	}
}

/** A few files while nothing goes wrong: all of them must be delivered. */
export async function runCalm(stage: Stage) {
	await stage.service.control.reset();
	const sending = { random: new Randomness(0), messages: 6, pause: { leastMs: 0, mostMs: 0 } };
	const { account } = await run(stage, sending, async () => {});
	if (account.counts.delivered === account.files) return;
	throw new Error(`Nothing goes wrong, and it does: ${JSON.stringify(account)}`);
}
