/** Waits until extractions are over: ways to look, one loop, and a verdict on what was seen. */
import { ifReady } from '../account/account';
import { valueIn } from '../account/fields';
import { mapInOrder, onAbort, pause, settled } from '../http/concurrency';
import { seconds } from '../http/redact';
import { CallError, mayPass } from '../service/callError';
import {
	logProgress,
	LOOK_PATIENCE_MS,
	occasionalLog,
	runOf,
	type Client,
} from '../service/client';
import { readDocumentPage } from '../service/documents';
import { groupedByDocument, readResultPage, readResults } from '../service/extractions';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { PagedList, shownBy, type Shown } from './looks';
import {
	nextLookAt,
	recordResults,
	recordState,
	signOf,
	verdictOf,
	type BeforeStart,
	type Common,
	type Facts,
	type Verdict,
} from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };
const AGAIN_AFTER_FAILURE_MS = 5_000;
/** So many failures in a row that no later look can mend are no passing ones (interface.md §7). */
const SUSTAINED_FAILURES = 3;
/** As many documents are read one by one, also of those that pages do not show. */
const FEW = 3;
/** So many where the entries of the list do not name their documents. */
const MOST_SINGLY = 10;
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
	activity?: WorkflowActivity;
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
	const common: Common = { sign, startedAt, settleMs, before, columns: [], changedAt: startedAt };
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const targets = ids.map((id): Waited => {
		const facts: Facts = { common };
		return { id, facts, results: [], failures: 0, verdict: verdictOf(facts) };
	});
	const wait = new Wait(
		common,
		targets,
		columnIds,
		ifReady(client.account.details.rows) !== undefined,
	);
	// Why a document has no results, only the list of documents tells: it is read last.
	const isExplained = before?.documents === 'new' && sign !== 'statuses';
	const leftMs = isExplained ? LAST_SHARE * maxWaitMs : 0;
	await forAtMost(maxWaitMs - leftMs, client, async (looking) => await wait.lookOn(looking));
	for (const target of targets.filter(({ verdict }) => !verdict.isFinished)) {
		target.verdict = verdictOf(target.facts, true);
		target.error ??= wait.error;
		target.failures = Math.max(target.failures, wait.failures);
	}
	const empty = targets.filter(({ results }) => isExplained && results.length === 0);
	if (empty.length > 0)
		await forAtMost(leftMs, client, async (looking) => await wait.readEntries(looking, empty));
	const run = runOf(client.context);
	run.waitedMs = Math.max(run.waitedMs, performance.now() - startedAt);
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

/** The ways to look, and what they have seen; fails with its sign. */
class Wait implements Fallible {
	error?: Error;
	failures = 0;
	private readonly pending: Set<Waited>;
	private readonly documents = new PagedList(readDocumentPage, true);
	private readonly results = new PagedList(async (client, number) => {
		const page = await readResultPage(client, number);
		return { entries: page.items, page };
	}, false);
	/** What other documents held when the wait began. */
	private others?: Map<string, Shown>;
	/** When to look at the sign, and at other documents. */
	private signAt: number;
	private othersAt: number;

	constructor(
		private readonly common: Common,
		private readonly targets: Waited[],
		private readonly columnIds: string[],
		private readonly hasRows: boolean,
	) {
		const { before, sign, startedAt } = common;
		this.pending = new Set(targets);
		// Other documents tell the columns of new ones, unless some were chosen or the workflow tells them.
		const isNew = before?.documents === 'new';
		const areTold = isNew && columnIds.length === 0 && sign !== 'workflow' && hasRows;
		this.signAt = sign === 'results' ? Infinity : startedAt;
		this.othersAt = areTold ? startedAt : Infinity;
	}

	progress(): string {
		const finished = this.targets.filter(({ verdict }) => verdict.isFinished).length;
		const waitedMs = performance.now() - this.common.startedAt;
		const text = `${finished} of ${this.targets.length} extractions finished, after ${seconds(waitedMs)}`;
		const lacking = this.targets.filter(({ verdict }) => verdict.isLacking).length;
		const why = 'waited longer for a value that is empty, or that other documents have';
		return lacking > 0 ? `${text}; ${lacking} ${why}` : text;
	}

	/** Looks again and again, until all is finished, or the sign fails for good. */
	async lookOn(client: Client) {
		const { startedAt } = this.common;
		const log = occasionalLog(client.context);
		let nextAt = nextLookAt(startedAt, startedAt, SIGN_PACE);
		while (this.pending.size > 0 && !failsForGood(this)) {
			await pause(nextAt - performance.now(), client.stop);
			// A list may be slow.
			const patienceMs = Math.max(LOOK_PATIENCE_MS, (performance.now() - startedAt) / 2);
			const looking = { ...client, patienceMs };
			const { error: signError } = await settled(this.lookAtSign(looking));
			this.judge();
			const { error = signError } = await settled(this.lookAtResults(looking));
			this.judge();
			client.stop?.throwIfAborted();
			log(this.progress());
			const resultsAt = [...this.pending].map(({ verdict }) => verdict.lookAt);
			nextAt = error
				? performance.now() + againAfterMs(error)
				: Math.min(this.signAt, this.othersAt, ...resultsAt);
		}
	}

	private judge() {
		for (const target of this.pending) {
			target.verdict = verdictOf(target.facts);
			if (target.verdict.isFinished || failsForGood(target)) this.pending.delete(target);
		}
	}

	/** Looks at the statuses of documents, or at `is_extracting`. */
	private async lookAtSign(client: Client) {
		const { sign, startedAt } = this.common;
		const askedAt = performance.now();
		if (askedAt < this.signAt) return;
		const wanted = [...this.pending];
		const { error } = await settled(
			sign === 'statuses' ? this.readEntries(client, wanted) : this.readWorkflow(client),
		);
		// A look that the end of the wait has cut off tells nothing.
		client.stop?.throwIfAborted();
		noteOutcome(this, error);
		const at = performance.now();
		this.signAt = nextLookAt(startedAt, at, SIGN_PACE);
		for (const { facts, entry, status, activity } of wanted) {
			const isDone = client.account.finishedStatuses.has(String(status));
			const isOver = sign === 'statuses' ? isDone : activity?.isExtracting === false;
			if (error) facts.isHidden = true;
			// The list may not reach a document.
			else if (sign === 'workflow' || entry) recordState(facts, isOver, { askedAt, at });
		}
		if (error) throw error;
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
		const activity = await readActivity(client);
		for (const target of this.targets) target.activity = activity;
		this.common.columns = this.hasRows ? columnNames(activity.workflow, this.columnIds) : [];
	}

	/** Looks at the results of documents, where that can tell more: of a few by `document_id`, of many by pages. */
	private async lookAtResults(client: Client) {
		const askedAt = performance.now();
		if (this.othersAt <= askedAt) await settled(this.lookAtOthers(client));
		const wanted = new Map([...this.pending].map((target) => [target.id, target]));
		const due = [...wanted.values()].filter(({ verdict }) => verdict.lookAt <= askedAt);
		for (const { facts } of due) facts.searchedAt = askedAt;
		let mostSingly = FEW;
		const seen = new Map<string, unknown[]>();
		if (due.length > FEW) {
			const { error, value } = await settled(this.results.find(client, new Set(wanted.keys())));
			if (error && mayPass(error)) throw error;
			mostSingly = value?.areNamed ? FEW : MOST_SINGLY;
			for (const [id, results] of value?.entriesOf ?? []) seen.set(id, results);
		}
		const singly = due.filter(({ id }) => !seen.has(id)).slice(0, mostSingly);
		await mapInOrder(singly, client.maxConcurrency, async (target) => {
			const { error, value } = await settled(readResults(client, { documentId: target.id }));
			client.stop?.throwIfAborted();
			noteOutcome(target, error);
			if (value) seen.set(target.id, value);
		});
		const at = performance.now();
		for (const [id, results] of seen) {
			const target = wanted.get(id) as Waited;
			// Whoever was not looked at for longest comes first.
			if (this.pending.delete(target)) this.pending.add(target);
			noteOutcome(target, undefined);
			// What was read is there, though a later look may not show it.
			if (results.length > 0) target.results = results;
			recordResults(target.facts, shownBy(client, target.results), { askedAt, at });
		}
		const [failed] = singly.flatMap(({ error }) => error ?? []);
		if (failed) throw failed;
	}

	/** Looks at other documents. They may pause while they grow, so what they tell is checked again and again. */
	private async lookAtOthers(client: Client) {
		const { common } = this;
		const { settleMs, startedAt } = common;
		// If they cannot be read, they tell nothing.
		common.columns = [];
		this.othersAt = Infinity;
		const { items } = await readResultPage(client, 1);
		const own = new Set(this.targets.map(({ id }) => id));
		const latest = new Map<string, Shown>();
		for (const { documentId, results } of groupedByDocument(client, {}, items)) {
			if (documentId !== undefined && !own.has(documentId))
				latest.set(documentId, shownBy(client, results));
		}
		// A single value may be a part of those to come.
		const areProven = [...(this.others ?? [])].some(
			([id, { print, columns }]) => columns.size > 1 && (latest.get(id)?.print ?? print) === print,
		);
		if (this.others && !areProven) return;
		const columns = [...latest.values()].flatMap((shown) => [...shown.columns]);
		if (areProven) common.columns = [...new Set(columns)].map((name) => [name]);
		this.others ??= latest;
		const now = performance.now();
		this.othersAt = now + Math.max(settleMs, now - startedAt);
	}
}

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);
