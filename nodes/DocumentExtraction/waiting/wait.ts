/** Waits until extractions are over: ways to look, one loop, and a verdict on what was seen. */
import { ifReady } from '../account/account';
import { valueIn } from '../account/fields';
import { onAbort, pause, settled } from '../http/concurrency';
import { seconds } from '../http/redact';
import { CallError, mayPass } from '../service/callError';
import { logProgress, LOOK_PATIENCE_MS, occasionalLog, type Client } from '../service/client';
import { readDocumentPage } from '../service/documents';
import { groupedByDocument, readResultPage } from '../service/extractions';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { PagedList, readingOf, readResultEntries, readResultsOf, type Reading } from './looks';
import {
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
	const run: Facts['run'] = { columns: [], changedAt: startedAt };
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const targets = ids.map((id): Waited => {
		const facts: Facts = { before, sign, startedAt, settleMs, run };
		return { id, facts, results: [], failures: 0, verdict: verdictOf(facts) };
	});
	const wait = new Wait(client, targets, columnIds);
	// Why a document has no results, only the list of documents tells: it is read last.
	const isExplained = before?.documents === 'new' && sign !== 'statuses';
	const leftMs = isExplained ? LAST_SHARE * maxWaitMs : 0;
	await forAtMost(maxWaitMs - leftMs, client, async (looking) => await wait.lookOn(looking));
	for (const target of targets.filter(({ verdict }) => !verdict.isFinished)) {
		target.verdict = verdictOf(target.facts, true);
		target.error ??= wait.sign.error;
		target.failures = Math.max(target.failures, wait.sign.failures);
	}
	const empty = targets.filter(({ results }) => isExplained && results.length === 0);
	if (empty.length > 0)
		await forAtMost(leftMs, client, async (looking) => await wait.readEntries(looking, empty));
	client.run.waitedMs = Math.max(client.run.waitedMs, performance.now() - startedAt);
	logProgress(client.context, wait.progress());
	return targets;
}

/**
 * Gives some work so much time. What is under way then is cut off, and nothing of it goes on; that it
 * fails is no failure of the wait.
 * @throws the signal's reason after Stop
 */
async function forAtMost(ms: number, client: Client, work: (looking: Client) => Promise<void>) {
	const end = new AbortController();
	const unsubscribe = onAbort(client.stop, () => end.abort(client.stop?.reason));
	const patienceMs = LOOK_PATIENCE_MS;
	const working = settled(work({ ...client, stop: end.signal, patienceMs }));
	const timer = settled(pause(ms, end.signal));
	await Promise.race([working, timer]);
	end.abort(new Error('The wait is over'));
	await Promise.all([working, timer]);
	unsubscribe();
	client.stop?.throwIfAborted();
}

/** A way to look, which may fail. */
interface Look extends Fallible {
	/** Looks, and tells when to look again at the earliest. */
	look: (client: Client) => Promise<number>;
	notBefore: number;
}

/** The ways to look. Each records what it sees, and tells when to look again at the earliest. */
class Wait {
	readonly sign: Look;
	private readonly looks: Look[];
	private readonly results: Look;
	private readonly pending: Set<Waited>;
	/** What they have in common. */
	private readonly about: Facts;
	private readonly documents = new PagedList(readDocumentPage, true);
	private readonly list = new PagedList(readResultEntries, false);
	private readonly log;
	/** What other documents held when the wait began. */
	private others?: Map<string, Reading>;

	constructor(
		client: Client,
		private readonly targets: Waited[],
		private readonly columnIds: string[],
	) {
		const { sign, before, startedAt } = targets[0].facts;
		const signFrom = nextLookAt(startedAt, startedAt, SIGN_PACE);
		this.about = targets[0].facts;
		this.pending = new Set(targets);
		this.log = occasionalLog(client.context);
		this.sign = lookOf(signFrom, async (looking) => await this.lookAtSign(looking));
		this.results = lookOf(startedAt, async (looking) => await this.lookAtResults(looking));
		const others = lookOf(startedAt, async (looking) => await this.lookAtOthers(looking));
		// Other documents tell the columns of new ones, unless some were chosen or the workflow tells them.
		const isNew = before?.documents === 'new';
		const hasRows = ifReady(client.account.rows) !== undefined;
		const areTold = isNew && columnIds.length === 0 && sign !== 'workflow' && hasRows;
		this.looks = [
			...(sign === 'results' ? [] : [this.sign]),
			...(areTold ? [others] : []),
			this.results,
		];
	}

	progress(): string {
		const finished = this.targets.filter(({ verdict }) => verdict.isFinished).length;
		const waitedMs = performance.now() - this.about.startedAt;
		return `${finished} of ${this.targets.length} extractions finished, after ${seconds(waitedMs)}`;
	}

	/** Looks at what is due, again and again, until all is finished, or the sign fails for good. */
	async lookOn(client: Client) {
		const { startedAt } = this.about;
		do {
			const nextAt = Math.min(...this.looks.map((look) => this.dueAt(look)));
			await pause(nextAt - performance.now(), client.stop);
			for (const look of this.looks.filter((one) => this.dueAt(one) <= performance.now())) {
				// A list may be slow.
				const patienceMs = Math.max(LOOK_PATIENCE_MS, (performance.now() - startedAt) / 2);
				const { error, value } = await settled(look.look({ ...client, patienceMs }));
				// A look that the end of the wait has cut off tells nothing.
				client.stop?.throwIfAborted();
				noteOutcome(look, error);
				look.notBefore = error ? performance.now() + againAfterMs(error) : value;
			}
			for (const target of this.pending) {
				target.verdict = verdictOf(target.facts);
				if (target.verdict.isFinished || failsForGood(target)) this.pending.delete(target);
			}
			this.log(this.progress());
		} while (this.pending.size > 0 && !failsForGood(this.sign));
	}

	/** When a look can tell more. */
	private dueAt(look: Look): number {
		if (look !== this.results) return look.notBefore;
		const lookAts = [...this.pending].map(({ verdict }) => verdict.lookAt);
		return Math.max(look.notBefore, Math.min(...lookAts));
	}

	/** Looks at the statuses of documents, or at `is_extracting`. */
	private async lookAtSign(client: Client): Promise<number> {
		const { sign, startedAt } = this.about;
		const askedAt = performance.now();
		const wanted = [...this.pending];
		const { error } = await settled(
			sign === 'statuses' ? this.readEntries(client, wanted) : this.readWorkflow(client),
		);
		client.stop?.throwIfAborted();
		const at = performance.now();
		for (const { facts, entry, status, workflow } of wanted) {
			const isDone = client.account.finishedStatuses.has(String(status));
			const isOver = sign === 'statuses' ? isDone : workflow?.isExtracting === false;
			if (error) facts.wasHidden = true;
			// The list may not reach a document.
			else if (sign === 'workflow' || entry) recordState(facts, isOver, { askedAt, at });
		}
		if (error) throw error;
		return nextLookAt(startedAt, at, SIGN_PACE);
	}

	/** Reads what the list of documents says of some. */
	async readEntries(client: Client, wanted: Waited[]) {
		const ids = new Set(wanted.map(({ id }) => id));
		const { entriesOf } = await this.documents.find(client, ids);
		for (const target of wanted) {
			target.entry = entriesOf.get(target.id)?.[0] as object | undefined;
			if (target.entry) target.status = valueIn(target.entry, 'extraction_status');
		}
	}

	private async readWorkflow(client: Client) {
		const workflow = await readActivity(client);
		for (const target of this.targets) target.workflow = workflow;
		const hasRows = ifReady(client.account.rows) !== undefined;
		this.about.run.columns = hasRows ? columnNames(workflow.workflow, this.columnIds) : [];
	}

	/** Looks at the results of documents. */
	private async lookAtResults(client: Client): Promise<number> {
		const askedAt = performance.now();
		const wanted = new Map([...this.pending].map((target) => [target.id, target]));
		const due = [...wanted.values()].filter(({ verdict }) => verdict.lookAt <= askedAt);
		const ids = due.map(({ id }) => id);
		const outcomes = await readResultsOf(client, this.list, ids, new Set(wanted.keys()));
		for (const [id, { error, value = [] }] of outcomes) {
			const target = wanted.get(id) as Waited;
			// Whoever was not looked at for longest comes first.
			if (this.pending.delete(target)) this.pending.add(target);
			noteOutcome(target, error);
			if (error) continue;
			// What was read is there, though a later look may not show it.
			if (value.length > 0) target.results = value;
			const reading = readingOf(client, target.results);
			recordResults(target.facts, reading, { askedAt, at: performance.now() });
		}
		const [failed] = [...outcomes.values()].flatMap(({ error }) => error ?? []);
		if (failed) throw failed;
		return performance.now();
	}

	/** Looks at other documents. They may pause while they grow, so what they tell is checked again and again. */
	private async lookAtOthers(client: Client): Promise<number> {
		const { run, settleMs, startedAt } = this.about;
		// Until they are read, they may have more.
		run.columns = [];
		const { items } = await readResultPage(client, 1, {}, MOST_RESULTS);
		const own = new Set(this.targets.map(({ id }) => id));
		const latest = new Map<string, Reading>();
		for (const { documentId, results } of groupedByDocument(client, {}, items)) {
			if (documentId !== undefined && !own.has(documentId))
				latest.set(documentId, readingOf(client, results));
		}
		// A single value may be a part of those to come.
		const areProven = [...(this.others ?? [])].some(
			([id, { print, count }]) => count > 1 && (latest.get(id)?.print ?? print) === print,
		);
		const columns = [...latest.values()].flatMap((reading) => [...reading.columns]);
		if (areProven) run.columns = [...new Set(columns)].map((name) => [name]);
		else if (this.others) return Infinity;
		this.others ??= latest;
		const now = performance.now();
		return now + Math.max(settleMs, now - startedAt);
	}
}

const lookOf = (notBefore: number, look: Look['look']): Look => ({ look, notBefore, failures: 0 });

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);
