/** Waits until extractions are over: three ways to look, one loop, and a verdict on what was seen. */
import { ifReady } from '../account/account';
import { valueIn } from '../account/fields';
import { onAbort, pause, settled } from '../http/concurrency';
import { columnsOf, readingOf, type Reading } from '../rows/values';
import { CallError, mayPass } from '../service/callError';
import { logProgress, LOOK_PATIENCE_MS, occasionalLog, type Client } from '../service/client';
import { readDocumentPage } from '../service/documents';
import { groupedByDocument, readResultPage } from '../service/extractions';
import { seconds } from '../http/redact';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { PagedList, ResultsReader } from './looks';
import {
	endOf,
	nextLookAt,
	recordResults,
	recordState,
	signOf,
	verdictOf,
	type BeforeStart,
	type Facts,
	type Verdict,
} from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };
/** What is due at about the same time is looked at together. */
const TICK_MS = 20;
/** The loop turns at least so often. */
const LONGEST_TURN_MS = 1_000;
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
	const sign = signOf(client, documentIds.length > 0);
	const startedAt = performance.now();
	const endsAt = startedAt + maxWaitMs;
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const run: Facts['run'] = { columns: [], changedAt: startedAt };
	const targets = ids.map((id): Waited => {
		const seen = { states: [], results: [], restless: new Set<string>() };
		const facts: Facts = { before, sign, startedAt, settleMs, run, ...seen };
		return { id, facts, results: [], failures: 0, verdict: verdictOf(facts) };
	});
	const wait = new Wait(client, targets, columnIds);

	const firstAt = nextLookAt(startedAt, startedAt, SIGN_PACE);
	const signLook = lookOf(firstAt, async (looking) => await wait.lookAtSign(looking));
	const resultsLook = lookOf(startedAt, async (looking) => await wait.lookAtResults(looking));
	resultsLook.dueAt = () => wait.resultsDueAt() + TICK_MS;
	const othersLook = lookOf(startedAt, async (looking) => await wait.lookAtOthers(looking));
	// Other documents tell the columns of new ones, unless some were chosen or the workflow tells them.
	const hasRows = ifReady(client.account.rows) !== undefined;
	const isNew = before?.documents === 'new';
	const areTold = isNew && columnIds.length === 0 && sign !== 'workflow' && hasRows;
	const looks = [
		...(sign === 'results' ? [] : [signLook]),
		...(documentIds.length > 0 ? [resultsLook] : []),
		...(areTold ? [othersLook] : []),
	];
	for (const id of ids) client.run.waitedFor.add(id);
	// Why a document has no results, only the list of documents tells: it is read last.
	const isExplained = isNew && sign !== 'statuses';
	await keepLooking(client, isExplained ? endsAt - LAST_SHARE * maxWaitMs : endsAt, looks, () => {
		// Until others are looked at again, as under a rate limit, they may have more columns.
		if (areTold && performance.now() > othersLook.notBefore + settleMs) run.columns = [];
		return wait.pending.size > 0 && !failsForGood(signLook);
	});
	for (const target of targets.filter(({ verdict }) => !verdict.isFinished)) {
		target.verdict = verdictOf(target.facts, true);
		target.error ??= signLook.error;
		target.failures = Math.max(target.failures, signLook.failures);
	}
	const empty = targets.filter(({ results }) => isExplained && results.length === 0);
	const lastLook = lookOf(startedAt, async (looking) => await wait.readEntries(looking, empty));
	const isLeft = () => empty.length > 0 && lastLook.notBefore === startedAt;
	await keepLooking(client, endsAt, [lastLook], isLeft);

	for (const id of ids) client.run.waitedFor.delete(id);
	client.run.waitedMs = Math.max(client.run.waitedMs, performance.now() - startedAt);
	logProgress(client.context, wait.progress());
	return targets;
}

/** The ways to look. Each records what it sees, has it judged, and tells when to look again at the earliest. */
class Wait {
	readonly pending: Set<Waited>;
	private readonly documents = new PagedList(readDocumentPage, true);
	private readonly reader = new ResultsReader();
	private readonly log;
	/** What other documents held when the wait began. */
	private others?: Map<string, Reading>;

	constructor(
		private readonly client: Client,
		private readonly targets: Waited[],
		private readonly columnIds: string[],
	) {
		this.pending = new Set(targets);
		this.log = occasionalLog(client.context);
	}

	progress(): string {
		const finished = this.targets.filter(({ verdict }) => verdict.isFinished).length;
		const waitedMs = performance.now() - this.targets[0].facts.startedAt;
		const text = `${finished} of ${this.targets.length} extractions finished, after ${seconds(waitedMs)}`;
		const lacking = [...this.pending].filter(({ verdict }) => verdict.isLacking).length;
		return lacking > 0 ? `${text}; ${lacking} lack a value that other documents have` : text;
	}

	private judge() {
		for (const target of this.pending) {
			target.verdict = verdictOf(target.facts);
			if (target.verdict.isFinished || failsForGood(target)) this.pending.delete(target);
		}
	}

	/** Looks at the statuses of documents, or at `is_extracting`. */
	async lookAtSign(looking: Client): Promise<number> {
		const { sign, startedAt } = this.targets[0].facts;
		const askedAt = performance.now();
		const wanted = [...this.pending];
		const look: Promise<unknown> =
			sign === 'statuses' ? this.readEntries(looking, wanted) : this.readWorkflow(looking);
		const { error } = await settled(look);
		// A look that the end of the wait has cut off tells nothing.
		looking.stop?.throwIfAborted();
		const at = performance.now();
		for (const { facts, entry, status, workflow } of wanted) {
			const isDone = this.client.account.finishedStatuses.has(String(status));
			const isOver = sign === 'statuses' ? isDone : workflow?.isExtracting === false;
			// The list may not reach a document.
			const isSeen = error !== undefined || sign === 'workflow' || entry !== undefined;
			if (isSeen) recordState(facts, error ? undefined : isOver, { askedAt, at });
		}
		this.judge();
		this.log(this.progress());
		if (error) throw error;
		return nextLookAt(startedAt, at, SIGN_PACE);
	}

	/** Reads what the list of documents says of some. */
	async readEntries(looking: Client, wanted: Waited[]): Promise<number> {
		const ids = new Set(wanted.map(({ id }) => id));
		const { entriesOf } = await this.documents.find(looking, ids);
		for (const target of wanted) {
			target.entry = entriesOf.get(target.id)?.[0] as object | undefined;
			if (target.entry) target.status = valueIn(target.entry, 'extraction_status');
		}
		return Infinity;
	}

	private async readWorkflow(looking: Client) {
		const workflow = await readActivity(looking);
		for (const target of this.targets) target.workflow = workflow;
		const { run } = this.targets[0].facts;
		const hasRows = ifReady(this.client.account.rows) !== undefined;
		const columns = hasRows ? columnNames(workflow.workflow, this.columnIds) : [];
		run.columns = columns.map((names) => ({ names, least: 1, isInAll: true }));
	}

	resultsDueAt = () => Math.min(...[...this.pending].map(({ verdict }) => lookAtOf(verdict)));

	/** Looks at the results of documents. */
	async lookAtResults(looking: Client): Promise<number> {
		const askedAt = performance.now();
		const wanted = new Map([...this.pending].map((target) => [target.id, target]));
		const due = [...wanted.values()].filter(({ verdict }) => lookAtOf(verdict) <= askedAt);
		const isOver = (id: string) => endOf((wanted.get(id) as Waited).facts) !== undefined;
		const ids = due.map(({ id }) => id);
		const outcomes = await this.reader.look(looking, ids, new Set(wanted.keys()), isOver);
		for (const [id, { error, value = [] }] of outcomes) {
			const target = wanted.get(id) as Waited;
			// Whoever was not looked at for longest comes first.
			if (this.pending.delete(target)) this.pending.add(target);
			noteOutcome(target, error);
			if (error) continue;
			// What was read is there, though a later look may not show it.
			if (value.length > 0) target.results = value;
			const { results } = target;
			const seen = { areNone: results.length === 0, reading: readingOf(this.client, results) };
			recordResults(target.facts, seen, { askedAt, at: performance.now() });
		}
		this.judge();
		const [failed] = [...outcomes.values()].flatMap(({ error }) => error ?? []);
		if (failed) throw failed;
		return performance.now();
	}

	/** Looks at other documents. They may pause while they grow, so what they tell is checked again and again. */
	async lookAtOthers(looking: Client): Promise<number> {
		const { run, settleMs, startedAt } = this.targets[0].facts;
		const latest = new Map<string, Reading>();
		const { items } = await readResultPage(looking, 1, {}, MOST_RESULTS);
		for (const { documentId, results } of groupedByDocument(looking, {}, items)) {
			if (documentId !== undefined) latest.set(documentId, readingOf(looking, results));
		}
		if (this.others) run.columns = columnsOf(this.others, latest);
		if (this.others && run.columns.length === 0) return Infinity;
		const { waitedFor } = this.client.run;
		this.others ??= new Map([...latest].filter(([id]) => !waitedFor.has(id)));
		const now = performance.now();
		return now + Math.max(settleMs, now - startedAt);
	}
}

const lookAtOf = ({ lookAt = Infinity }: Verdict) => lookAt;

/** Something to look at again and again. */
interface Look extends Fallible {
	/** Looks, and tells when to look again at the earliest. */
	look: (client: Client) => Promise<number>;
	notBefore: number;
	/** When a look can tell more, if that is later. */
	dueAt: () => number;
	underWay?: Promise<void>;
}

const lookOf = (notBefore: number, look: Look['look']): Look => {
	return { look, notBefore, dueAt: () => 0, failures: 0 };
};

/**
 * Looks at each thing when it is due, until none of it is worth another look, or the time is over.
 * @throws the signal's reason after Stop
 */
async function keepLooking(client: Client, endsAt: number, looks: Look[], goesOn: () => boolean) {
	const beganAt = performance.now();
	const end = new AbortController();
	const unsubscribe = onAbort(client.stop, () => end.abort(client.stop?.reason));
	const lookOnce = async (one: Look) => {
		// A list may be slow.
		const patienceMs = Math.max(LOOK_PATIENCE_MS, (performance.now() - beganAt) / 2);
		const { error, value } = await settled(one.look({ ...client, stop: end.signal, patienceMs }));
		one.underWay = undefined;
		if (end.signal.aborted) return;
		noteOutcome(one, error);
		one.notBefore = error ? performance.now() + againAfterMs(error) : value;
	};
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			const now = performance.now();
			if (now >= endsAt || !goesOn()) return;
			const beginsAt = ({ notBefore, dueAt }: Look) => Math.max(notBefore, dueAt());
			for (const one of looks) {
				if (!one.underWay && beginsAt(one) <= now) one.underWay = lookOnce(one);
			}
			const later = looks.filter(({ underWay }) => !underWay).map(beginsAt);
			const nextAt = Math.min(endsAt, now + LONGEST_TURN_MS, ...later);
			const underWay = looks.flatMap((one) => one.underWay ?? []);
			await Promise.race([...underWay, settled(pause(nextAt - now, end.signal))]);
		}
	} finally {
		end.abort(new Error('The wait is over'));
		unsubscribe();
		// Nothing of a run goes on after it.
		await Promise.all(looks.map(({ underWay }) => underWay));
	}
}

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);
