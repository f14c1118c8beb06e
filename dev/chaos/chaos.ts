import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROFILES } from '../../test/support/profiles.ts';
import { until } from '../machine/until.ts';
import { Randomness } from '../simulate/randomness.ts';
import { type Account, accountFor, type Evidence } from './account.ts';
import { type Disaster, machineDisasters, serviceDisasters } from './disasters.ts';
import { watchExecutions } from './executions.ts';
import { newFiles } from './files.ts';
import { isAccepted } from './flows.ts';
import { Keeper } from './keeper.ts';
import { runLane, type Struck } from './lane.ts';
import { holdingsAtRest, type Residue, residueOf } from './residue.ts';
import { startSending } from './sender.ts';
import { openChaosStage, type Stage, workerCount } from './stage.ts';

export interface ChaosOptions {
	seed: number;
	minutes: number;
	/** Where logs are kept. */
	logFolder: string;
	/** Tarball of the node; else it is built and packed. */
	nodePackage?: string;
	/** Names of disasters; else all. */
	only?: string[];
}

export interface Outcome {
	account: Account;
	struck: Struck[];
	endedThemselves: string[];
	/** Empty where executions hang: their processes never come to rest. */
	residue: Residue[];
	/** Requests that reached a server that nobody should know of. */
	gone: string[];
}

const warmUpMessages = 6;
/** The node itself gives up after five minutes, and n8n notices what is dead a minute later. */
const settleTimeoutMs = 420_000;
const settling = { timeoutMs: settleTimeoutMs };
const lookEveryMs = 1_000;
/** A run this long waits until the node gives up on what stalls; a shorter one cuts it. */
const waitsForStallsFromMinutes = 10;

async function warmUp({ flows, cluster }: Stage, executions: ReturnType<typeof watchExecutions>) {
	// Its files are none of those that are accounted for: they concern nobody but the processes.
	const random = new Randomness(0);
	const messages = Array.from({ length: warmUpMessages }, () => newFiles(random));
	const responses = await Promise.all(
		messages.map(async (files, index) => await flows[index % flows.length].send(files)),
	);
	const refusal = responses.find((response) => !isAccepted(response));
	if (refusal) throw new Error(`A webhook answers ${refusal.status}: ${refusal.text}`);
	await until(async () => (await executions.unfinished()) === 0, settling);
	await until(async () => (await cluster.redis.activeJobs()) === 0, settling);
}

/** Waits until no execution is left, or until none has come to its end for long. */
async function untilSettled(
	{ cluster }: Stage,
	executions: ReturnType<typeof watchExecutions>,
	repair: () => Promise<void>,
) {
	let fewest = Infinity;
	let progressAt = Date.now();
	while (Date.now() - progressAt < settleTimeoutMs) {
		await repair();
		const left = (await executions.unfinished()) + (await cluster.redis.activeJobs());
		if (left === 0) return;
		if (left < fewest) progressAt = Date.now();
		fewest = Math.min(fewest, left);
		await sleep(lookEveryMs);
	}
}

/** Lets everything die while files flow through it, and accounts for them. */
export async function chaos(options: ChaosOptions): Promise<Outcome> {
	const { seed, minutes, logFolder, nodePackage, only } = options;
	await mkdir(logFolder, { recursive: true });
	const log = async (line: string) => {
		console.log(line);
		await appendFile(join(logFolder, 'events.log'), `${new Date().toISOString()} ${line}\n`);
	};
	const stage = await openChaosStage(PROFILES[(seed - 1) % PROFILES.length], nodePackage);
	const keeper = new Keeper(stage.cluster, workerCount);
	try {
		const executions = watchExecutions(stage.cluster);
		await warmUp(stage, executions);
		const atRest = await holdingsAtRest(stage);
		await stage.service.control.reset();
		await log(`Chaos begins: seed ${seed}, ${minutes} minutes.`);

		const endsAt = Date.now() + 60_000 * minutes;
		const random = new Randomness(seed);
		const sending = startSending(stage.flows, new Randomness(random.between(0, 2 ** 31)));
		const struck: Struck[] = [];
		const lane = async (disasters: Disaster[]) => {
			const own = new Randomness(random.between(0, 2 ** 31));
			const chosen = disasters.filter(({ name }) => only?.includes(name) ?? true);
			if (chosen.length === 0) return;
			await runLane(chosen, stage, { random: own, endsAt }, async (each) => {
				struck.push(each);
				await log(`${each.fromSecond} to ${each.toSecond} s: ${each.name} (${each.what})`);
			});
		};
		const repaired = machineDisasters.map(
			({ name, strike }): Disaster => ({
				name,
				strike: async (on, by) => {
					const what = await strike(on, by);
					await keeper.repair();
					return what;
				},
			}),
		);
		await Promise.all([
			lane(repaired),
			lane(serviceDisasters).then(async () => {
				// Not after both lanes: a worker that ends in order waits for what stalls.
				if (minutes < waitsForStallsFromMinutes) await stage.service.control.cutConnections();
			}),
		]);
		await sleep(Math.max(0, endsAt - Date.now()));
		await sending.stop();
		await log('Nothing dies any more; waiting for the executions that are left.');

		await untilSettled(stage, executions, async () => await keeper.repair());
		const evidence: Evidence = {
			messages: sending.messages,
			executions: await executions.all(),
			ledger: await stage.service.control.ledger(),
			starts: await keeper.starts(),
		};
		await writeFile(join(logFolder, 'evidence.json'), JSON.stringify(evidence));
		const account = accountFor(evidence);
		let residue: Residue[] = [];
		// A process with an execution that hangs does not come to rest, and never settles again.
		if (account.counts.hanging === 0) {
			await log('Waiting until connections, timers and memory are back.');
			await warmUp(stage, executions);
			residue = await residueOf(stage, atRest);
		}
		await executions.stop();
		return {
			account,
			struck,
			endedThemselves: keeper.endedThemselves,
			residue,
			gone: stage.elsewhere.received,
		};
	} finally {
		await stage.cluster.copyLogs(logFolder);
		await stage.close();
	}
}
