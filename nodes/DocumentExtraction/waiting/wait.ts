/** Waits until extractions are over: looks record what they see, and the verdict tells what it means. */
import { ifReady } from '../account/account';
import { valueIn } from '../account/fields';
import { onAbort, pause, settled, type Outcome } from '../http/concurrency';
import { columnsOf, completenessOf, readingOf, type Column, type Readings } from '../rows/values';
import { CallError, mayPass } from '../service/callError';
import { LOOK_PATIENCE_MS, type Client } from '../service/client';
import { groupedByDocument, readResults } from '../service/extractions';
import { logProgress, occasionalLog } from '../service/run';
import { seconds } from '../service/sentences';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { DocumentFinder, ResultsReader } from './looks';
import { signOf, type BeforeStart } from './sign';
import {
	endOf,
	lastVerdictOf,
	nextLookAt,
	recordResults,
	recordState,
	verdictOf,
	type Facts,
	type Verdict,
} from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };
/** A look of more requests than this comes rarer, by so much for each. */
const CHEAP_REQUESTS = 3;
const REQUEST_MS = 500;
/** What is due at about the same time is looked at together. */
const TICK_MS = 100;
const AGAIN_AFTER_FAILURE_MS = 5_000;
/** So many failures in a row that no later look can mend are no passing ones (interface.md §7). */
const SUSTAINED_FAILURES = 3;
/** So many results show the columns. */
const MOST_RESULTS = 100;
/** The share of Max Wait that is left, at its end, to read why documents have no results. */
const LAST_SHARE = 0.05;

/** What is looked at again and again may fail. */
interface Fallible {
	/** Why the last look failed. */
	error?: Error;
	/** How often in a row for a reason that does not pass by itself. */
	failures: number;
}

export const failsForGood = ({ failures }: Fallible) => failures >= SUSTAINED_FAILURES;

function noteOutcome(thing: Fallible, error: Error | undefined) {
	thing.error = error;
	thing.failures = error && !mayPass(error) ? thing.failures + 1 : 0;
}

/** A document, or the workflow, that is waited for, and what came of it. */
export interface Waited extends Fallible {
	readonly id: string;
	readonly facts: Facts;
	/** The results of a new document. */
	results: unknown[];
	/** When they are due to be looked at; Infinity for not before something else was seen. */
	dueAt: number;
	/** What the list of documents says of it, where that was read, with the latest `extraction_status`. */
	entry?: object;
	status?: unknown;
	/** The latest metadata, where the workflow was the sign. */
	workflow?: WorkflowActivity;
	/** Once the extraction is finished, whatever is seen afterwards. */
	verdict: Verdict;
}

/**
 * Waits until an extraction is over. A document that was seen to be finished stays finished, even if
 * reading fails for good afterwards.
 * @param documentIds none for all in the workflow
 * @param before what was known before the extraction was started; undefined if somebody else started it
 * @param columnIds the columns that are extracted; none for all
 * @param limits how long to wait at most, and how long a sign must last before it counts
 * @returns one entry for each document, or one for the workflow
 * @throws the signal's reason after Stop
 */
export async function waitForExtraction(
	client: Client,
	documentIds: string[],
	before: BeforeStart | undefined,
	columnIds: string[],
	limits: { maxWaitMs: number; settleMs: number },
): Promise<Waited[]> {
	const wait = new Wait(client, documentIds, before, columnIds, limits);
	await wait.run();
	return wait.targets;
}

class Wait {
	readonly targets: Waited[];
	private readonly pending: Set<Waited>;
	private readonly startedAt = performance.now();
	private readonly sign;
	private readonly finder = new DocumentFinder();
	private readonly reader = new ResultsReader();
	private columns: Column[] = [];
	/** What other documents held when the wait began. */
	private others?: Readings;

	constructor(
		private readonly client: Client,
		private readonly documentIds: string[],
		private readonly before: BeforeStart | undefined,
		private readonly columnIds: string[],
		private readonly limits: { maxWaitMs: number; settleMs: number },
	) {
		const { startedAt } = this;
		const run = { changedAt: startedAt };
		const { settleMs } = limits;
		const areNamed = documentIds.length > 0;
		const sign = signOf(client, areNamed);
		this.sign = sign;
		this.targets = (areNamed ? documentIds : [client.workflowId]).map((id) => ({
			id,
			facts: { before, sign, startedAt, settleMs, states: [], results: [], restless: new Set(), run },
			results: [],
			dueAt: Infinity,
			failures: 0,
			verdict: { isFinished: false },
		}));
		this.pending = new Set(this.targets);
	}

	async run() {
		const { client, targets, pending, startedAt, before, sign } = this;
		const endsAt = startedAt + this.limits.maxWaitMs;
		const log = occasionalLog(client.context);
		for (const { id } of targets) client.run.waitedFor.add(id);
		const firstAt = sign === 'results' ? Infinity : nextLookAt(startedAt, startedAt, SIGN_PACE);
		const signPoll = poll(firstAt, async (looking) => {
			const requests = await this.lookAtSign(looking)
				.catch((error: Error) => {
					for (const { facts } of pending) recordState(facts, undefined, performance.now());
					throw error;
				})
				.finally(() => this.judge());
			log(this.progress());
			const now = performance.now();
			return Math.max(nextLookAt(startedAt, now, SIGN_PACE), now + pauseAfter(requests));
		});
		const resultsPoll = poll(Infinity, async (looking) => {
			const requests = await this.lookAtResults(looking);
			return performance.now() + pauseAfter(requests);
		});
		const columnsPoll = poll(this.areColumnsTold ? startedAt : Infinity, async (looking) => {
			return await this.lookAtOthers(looking);
		});
		const isUnexplained = ({ results, entry }: Waited) => results.length === 0 && !entry;
		const explain = async (looking: Client) => {
			const empty = targets.filter(isUnexplained);
			if (empty.length > 0) await this.readEntries(looking, empty);
			return Infinity;
		};
		const isExplained = before?.documents === 'new' && sign !== 'statuses';
		const lastPoll = poll(
			isExplained ? endsAt - LAST_SHARE * this.limits.maxWaitMs : Infinity,
			explain,
		);
		const polls = [signPoll, resultsPoll, columnsPoll, lastPoll];
		this.judge();
		await keepLooking(client, endsAt, () => {
			for (const target of pending) if (failsForGood(target)) pending.delete(target);
			// Until others are looked at again, as under a rate limit, they may have more columns.
			if (performance.now() > columnsPoll.dueAt + this.limits.settleMs) this.columns = [];
			resultsPoll.dueAt = Math.min(...[...pending].map(({ dueAt }) => dueAt)) + TICK_MS;
			return pending.size === 0 || failsForGood(signPoll) ? [] : polls;
		});
		for (const target of targets) {
			if (!target.verdict.isFinished) target.verdict = lastVerdictOf(target.facts);
			target.error ??= signPoll.error;
			if (failsForGood(signPoll)) target.failures = SUSTAINED_FAILURES;
		}
		const mustExplain = isExplained && targets.some(isUnexplained);
		const explaining = poll(0, explain);
		if (mustExplain) {
			await keepLooking(client, endsAt, () => (explaining.dueAt === 0 ? [explaining] : []));
		}
		for (const { id } of targets) client.run.waitedFor.delete(id);
		client.run.waitedMs = Math.max(client.run.waitedMs, performance.now() - startedAt);
		logProgress(client.context, this.progress());
	}

	private progress(): string {
		const finished = this.targets.filter(({ verdict }) => verdict.isFinished).length;
		return `${finished} of ${this.targets.length} extractions finished, after ${seconds(performance.now() - this.startedAt)}`;
	}

	private judge(targets: Iterable<Waited> = this.pending) {
		for (const target of targets) {
			if (!this.pending.has(target)) continue;
			target.verdict = verdictOf(target.facts);
			if (target.verdict.isFinished) this.pending.delete(target);
			else if (this.documentIds.length > 0) target.dueAt = target.verdict.lookAt ?? Infinity;
		}
	}

	/** @returns how many requests that took */
	private async lookAtSign(looking: Client): Promise<number> {
		if (this.sign === 'statuses') return await this.lookAtStatuses(looking);
		return await this.lookAtWorkflow(looking);
	}

	private async lookAtStatuses(looking: Client): Promise<number> {
		const pending = [...this.pending];
		const requests = await this.readEntries(looking, pending);
		for (const { facts, entry, status } of pending) {
			if (!entry) continue;
			const isOver = this.client.account.finishedStatuses.has(String(status));
			recordState(facts, isOver, performance.now());
		}
		return requests;
	}

	private async readEntries(looking: Client, targets: Waited[]): Promise<number> {
		const wanted = new Set(targets.map(({ id }) => id));
		const { entries, requests } = await this.finder.find(looking, wanted);
		for (const target of targets) {
			target.entry = entries.get(target.id) as object | undefined;
			if (target.entry) target.status = valueIn(target.entry, 'extraction_status');
		}
		return requests;
	}

	private async lookAtWorkflow(looking: Client): Promise<number> {
		const workflow = await readActivity(looking);
		for (const { facts } of this.pending) {
			recordState(facts, !workflow.isExtracting, performance.now());
		}
		for (const target of this.targets) target.workflow = workflow;
		if (ifReady(this.client.account.rows)) {
			const named = columnNames(workflow.workflow, this.columnIds);
			this.columns = named.map((names) => ({ names, least: 1, isInAll: true }));
		}
		return 1;
	}

	private async lookAtResults(looking: Client): Promise<number> {
		const targetOf = new Map([...this.pending].map((target) => [target.id, target]));
		const lastSeen = ({ facts }: Waited) => facts.results.at(-1)?.until ?? 0;
		const due = [...this.pending].filter(({ dueAt }) => dueAt <= performance.now());
		const isOver = (id: string) => endOf(targetOf.get(id)?.facts as Facts) !== undefined;
		const failed: Error[] = [];
		const onRead = (id: string, outcome: Outcome<unknown[]>) => {
			const target = targetOf.get(id) as Waited;
			noteOutcome(target, outcome.error);
			if (outcome.error) failed.push(outcome.error);
			else this.recordResults(target, outcome.value);
		};
		const requests = await this.reader.look(looking, {
			due: due.sort((a, b) => lastSeen(a) - lastSeen(b)).map(({ id }) => id),
			all: new Set(targetOf.keys()),
			isOver,
			onRead,
		});
		if (failed.length > 0) throw failed[0];
		return requests;
	}

	private recordResults(target: Waited, results: unknown[]) {
		// What was read is there, though a later look may not show it.
		if (results.length > 0) target.results = results;
		const reading = readingOf(this.client, target.results);
		const { columns } = this;
		const seen = {
			areNone: target.results.length === 0,
			reading,
			areColumnsKnown: columns.length > 0 && ifReady(this.client.account.rows) !== undefined,
			...completenessOf(this.client, reading, columns),
		};
		recordResults(target.facts, seen, performance.now());
		this.judge([target]);
	}

	/** Other documents tell the columns of new ones, unless some were chosen or the workflow tells them. */
	private get areColumnsTold(): boolean {
		const isTold = this.sign === 'workflow' && ifReady(this.client.account.rows) !== undefined;
		return !isTold && this.before?.documents === 'new' && this.columnIds.length === 0;
	}

	/** @returns when to look again: others may pause while they grow, so what they tell is checked again */
	private async lookAtOthers(looking: Client): Promise<number> {
		const results = await readResults(looking, {}, MOST_RESULTS);
		const latest: Readings = new Map();
		for (const { documentId, results: own } of groupedByDocument(looking, {}, results)) {
			if (documentId !== undefined) latest.set(documentId, readingOf(looking, own));
		}
		if (this.others) this.columns = columnsOf(this.others, latest);
		const tells = !this.others || this.columns.length > 0;
		const { waitedFor } = this.client.run;
		this.others ??= new Map([...latest].filter(([id]) => !waitedFor.has(id)));
		const now = performance.now();
		return tells ? now + Math.max(this.limits.settleMs, now - this.startedAt) : Infinity;
	}
}

const pauseAfter = (requests: number) =>
	Math.max(TICK_MS, (requests - CHEAP_REQUESTS) * REQUEST_MS);

/** Something to look at again and again. */
interface Poll extends Fallible {
	/** Looks, and tells when to look again. */
	look: (client: Client) => Promise<number>;
	/** When the next look can tell more; Infinity for not before something else was seen. */
	dueAt: number;
	/** When the next look may begin. */
	notBefore: number;
	isLooking: boolean;
	/** How long it waits for a response, in ms: a list may be slow. */
	patienceMs: number;
}

const poll = (dueAt: number, look: Poll['look']): Poll => {
	return { look, dueAt, notBefore: 0, isLooking: false, failures: 0, patienceMs: LOOK_PATIENCE_MS };
};

/**
 * Looks at each thing when it is due.
 * @param open returns what is still to be looked at; none ends it
 * @throws the signal's reason after Stop
 */
async function keepLooking(client: Client, endsAt: number, open: () => Poll[]) {
	const end = new AbortController();
	let news = new AbortController();
	const unsubscribe = onAbort(client.stop, () => {
		end.abort(client.stop?.reason);
		news.abort();
	});
	const underWay = new Set<Promise<void>>();
	const look = async (one: Poll) => {
		one.isLooking = true;
		const looking = { ...client, stop: end.signal, patienceMs: one.patienceMs };
		const outcome = await settled(one.look(looking));
		const { error } = outcome;
		one.isLooking = false;
		if (end.signal.aborted) return;
		noteOutcome(one, error);
		one.dueAt = outcome.error ? performance.now() + againAfterMs(outcome.error) : outcome.value;
		one.notBefore = one.dueAt;
		if (error instanceof CallError && error.facts.kind === 'time limit') one.patienceMs *= 2;
		news.abort();
	};
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			news = new AbortController();
			const now = performance.now();
			const polls = open();
			if (now >= endsAt || polls.length === 0) return;
			for (const one of polls.filter((other) => beginsAt(other) <= now)) {
				const looking = look(one).finally(() => underWay.delete(looking));
				underWay.add(looking);
			}
			const next = Math.min(endsAt, ...polls.map(beginsAt));
			await settled(pause(next - performance.now(), news.signal));
		}
	} finally {
		end.abort(new Error('The wait is over'));
		unsubscribe();
		// Nothing of a run goes on after it.
		await Promise.all(underWay);
	}
}

const beginsAt = ({ isLooking, dueAt, notBefore }: Poll) =>
	isLooking ? Infinity : Math.max(dueAt, notBefore);

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);
