/** Waits until extractions are over: looks record what they see, and the verdict tells what it means. */
import { ifReady } from '../account/account';
import { valueIn } from '../account/fields';
import { onAbort, pause, settled } from '../http/concurrency';
import { columnsOf, readingOf, type Reading } from '../rows/values';
import { CallError, mayPass } from '../service/callError';
import { logProgress, LOOK_PATIENCE_MS, occasionalLog, type Client } from '../service/client';
import { groupedByDocument, readResultPage } from '../service/extractions';
import { seconds } from '../http/redact';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { DocumentFinder, ResultsReader, SUSTAINED_FAILURES } from './looks';
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
const TICK_MS = 50;
const AGAIN_AFTER_FAILURE_MS = 5_000;
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
	{ maxWaitMs, settleMs }: { maxWaitMs: number; settleMs: number },
): Promise<Waited[]> {
	const startedAt = performance.now();
	const endsAt = startedAt + maxWaitMs;
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const sign = signOf(client, documentIds.length > 0);
	const hasRows = ifReady(client.account.rows) !== undefined;
	const run = { columns: [], changedAt: startedAt };
	const targets = ids.map((id) => targetOf(id, { before, sign, startedAt, settleMs, run }));
	const looks = new Looks(client, targets, documentIds.length > 0, columnIds);
	const { pending } = looks;
	for (const id of ids) client.run.waitedFor.add(id);

	const firstAt = sign === 'results' ? Infinity : nextLookAt(startedAt, startedAt, SIGN_PACE);
	const signPoll = poll(firstAt, async (looking) => await looks.lookAtSign(looking));
	const resultsPoll = poll(startedAt, async (looking) => await looks.lookAtResults(looking));
	resultsPoll.dueAt = () => Math.min(...[...pending].map(({ dueAt }) => dueAt)) + TICK_MS;
	// Other documents tell the columns of new ones, unless some were chosen or the workflow tells them.
	const isNew = before?.documents === 'new';
	const areTold = isNew && columnIds.length === 0 && sign !== 'workflow' && hasRows;
	const othersAt = areTold ? startedAt : Infinity;
	const othersPoll = poll(othersAt, async (looking) => await looks.lookAtOthers(looking));
	// Why a document has no results, only the list of documents tells: it is read last.
	const isExplained = isNew && sign !== 'statuses';
	looks.judge();
	await keepLooking(client, isExplained ? endsAt - LAST_SHARE * maxWaitMs : endsAt, () => {
		for (const target of pending) if (failsForGood(target)) pending.delete(target);
		// Until others are looked at again, as under a rate limit, they may have more columns.
		if (performance.now() > othersPoll.notBefore + settleMs) looks.run.columns = [];
		const isOver = pending.size === 0 || failsForGood(signPoll);
		return isOver ? [] : [signPoll, resultsPoll, othersPoll];
	});
	for (const target of targets.filter(({ verdict }) => !verdict.isFinished)) {
		target.verdict = lastVerdictOf(target.facts);
		target.error ??= signPoll.error;
		target.failures = Math.max(target.failures, signPoll.failures);
	}
	const empty = targets.filter(({ results }) => isExplained && results.length === 0);
	const lastPoll = poll(startedAt, async (looking) => await looks.readEntries(looking, empty));
	const isRead = () => empty.length === 0 || lastPoll.notBefore !== startedAt;
	await keepLooking(client, endsAt, () => (isRead() ? [] : [lastPoll]));

	for (const id of ids) client.run.waitedFor.delete(id);
	client.run.waitedMs = Math.max(client.run.waitedMs, performance.now() - startedAt);
	logProgress(client.context, looks.progress());
	return targets;
}

const targetOf = (id: string, known: Omit<Facts, 'states' | 'results' | 'restless'>): Waited => ({
	id,
	facts: { ...known, states: [], results: [], restless: new Set() },
	results: [],
	dueAt: Infinity,
	failures: 0,
	verdict: { isFinished: false },
});

/** The ways to look. Each records what it sees, and judges it. */
class Looks {
	readonly pending: Set<Waited>;
	readonly run: Facts['run'];
	private readonly finder = new DocumentFinder();
	private readonly reader = new ResultsReader();
	private readonly log;
	/** What other documents held when the wait began. */
	private others?: Map<string, Reading>;

	/** @param areDocuments whether the targets are documents, and not the workflow */
	constructor(
		private readonly client: Client,
		private readonly targets: Waited[],
		private readonly areDocuments: boolean,
		private readonly columnIds: string[],
	) {
		this.pending = new Set(targets);
		this.run = targets[0].facts.run;
		this.log = occasionalLog(client.context);
	}

	progress(): string {
		const finished = this.targets.filter(({ verdict }) => verdict.isFinished).length;
		const waitedMs = performance.now() - this.targets[0].facts.startedAt;
		return `${finished} of ${this.targets.length} extractions finished, after ${seconds(waitedMs)}`;
	}

	judge(targets: Iterable<Waited> = this.pending) {
		for (const target of targets) {
			if (!this.pending.has(target)) continue;
			target.verdict = verdictOf(target.facts);
			if (target.verdict.isFinished) this.pending.delete(target);
			else if (this.areDocuments) target.dueAt = target.verdict.lookAt ?? Infinity;
		}
	}

	/** Looks at the statuses of documents, or at `is_extracting`. */
	async lookAtSign(looking: Client): Promise<number> {
		const { sign, startedAt } = this.targets[0].facts;
		const pending = [...this.pending];
		const look =
			sign === 'statuses' ? this.readEntries(looking, pending) : this.readWorkflow(looking);
		const { error, value: requests = 0 } = await settled(look);
		for (const { facts, entry, status, workflow } of pending) {
			const isDone = this.client.account.finishedStatuses.has(String(status));
			const isOver = sign === 'statuses' ? isDone : workflow?.isExtracting === false;
			// The list may not reach a document.
			const isSeen = error !== undefined || sign === 'workflow' || entry !== undefined;
			if (isSeen) recordState(facts, error ? undefined : isOver, performance.now());
		}
		this.judge();
		this.log(this.progress());
		if (error) throw error;
		return Math.max(nextLookAt(startedAt, performance.now(), SIGN_PACE), afterLook(requests));
	}

	/** @returns how many requests that took */
	async readEntries(looking: Client, targets: Waited[]): Promise<number> {
		const wanted = new Set(targets.map(({ id }) => id));
		const { entries, requests } = await this.finder.find(looking, wanted);
		for (const target of targets) {
			target.entry = entries.get(target.id);
			if (target.entry) target.status = valueIn(target.entry, 'extraction_status');
		}
		return requests;
	}

	private async readWorkflow(looking: Client): Promise<number> {
		const workflow = await readActivity(looking);
		for (const target of this.targets) target.workflow = workflow;
		if (ifReady(this.client.account.rows)) {
			const columns = columnNames(workflow.workflow, this.columnIds);
			this.run.columns = columns.map((names) => ({ names, least: 1, isInAll: true }));
		}
		return 1;
	}

	async lookAtResults(looking: Client): Promise<number> {
		const targetOf = new Map([...this.pending].map((target) => [target.id, target]));
		const seenAt = ({ facts }: Waited) => facts.results.at(-1)?.until ?? 0;
		const due = [...this.pending].filter(({ dueAt }) => dueAt <= performance.now());
		const failed: Error[] = [];
		const requests = await this.reader.look(looking, {
			due: due.sort((a, b) => seenAt(a) - seenAt(b)).map(({ id }) => id),
			all: new Set(targetOf.keys()),
			isOver: (id) => endOf((targetOf.get(id) as Waited).facts) !== undefined,
			onRead: (id, { error, value: results = [] }) => {
				const target = targetOf.get(id) as Waited;
				noteOutcome(target, error);
				if (error) failed.push(error);
				else this.record(target, results);
			},
		});
		if (failed.length > 0) throw failed[0];
		return afterLook(requests);
	}

	private record(target: Waited, results: unknown[]) {
		// What was read is there, though a later look may not show it.
		if (results.length > 0) target.results = results;
		const areNone = target.results.length === 0;
		const seen = { areNone, reading: readingOf(this.client, target.results) };
		recordResults(target.facts, seen, performance.now());
		this.judge([target]);
	}

	/** Looks at other documents. They may pause while they grow, so what they tell is checked again and again. */
	async lookAtOthers(looking: Client): Promise<number> {
		const latest = new Map<string, Reading>();
		const { items } = await readResultPage(looking, 1, {}, MOST_RESULTS);
		for (const { documentId, results } of groupedByDocument(looking, {}, items)) {
			if (documentId !== undefined) latest.set(documentId, readingOf(looking, results));
		}
		if (this.others) this.run.columns = columnsOf(this.others, latest);
		if (this.others && this.run.columns.length === 0) return Infinity;
		const { waitedFor } = this.client.run;
		this.others ??= new Map([...latest].filter(([id]) => !waitedFor.has(id)));
		const { startedAt, settleMs } = this.targets[0].facts;
		const now = performance.now();
		return now + Math.max(settleMs, now - startedAt);
	}
}

const afterLook = (requests: number) =>
	performance.now() + Math.max(TICK_MS, (requests - CHEAP_REQUESTS) * REQUEST_MS);

/** Something to look at again and again. */
interface Poll extends Fallible {
	/** Looks, and tells when to look again at the earliest. */
	look: (client: Client) => Promise<number>;
	notBefore: number;
	/** When a look can tell more, if that is later. */
	dueAt: () => number;
	isLooking: boolean;
	/** How long it waits for a response, in ms: a list may be slow. */
	patienceMs: number;
}

function poll(notBefore: number, look: Poll['look']): Poll {
	return {
		look,
		notBefore,
		dueAt: () => 0,
		isLooking: false,
		failures: 0,
		patienceMs: LOOK_PATIENCE_MS,
	};
}

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
		const { error, value: nextAt = 0 } = await settled(one.look(looking));
		one.isLooking = false;
		if (end.signal.aborted) return;
		noteOutcome(one, error);
		one.notBefore = error ? performance.now() + againAfterMs(error) : nextAt;
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

const beginsAt = ({ isLooking, notBefore, dueAt }: Poll) =>
	isLooking ? Infinity : Math.max(notBefore, dueAt());

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);
