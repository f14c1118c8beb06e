/** Waits until extractions are over: looks record what they see, and the verdict tells what it means. */
import { CallError, mayPass } from '../service/callError';
import type { Client } from '../service/client';
import { ifReady } from '../account/account';
import { fingerprintOf, valueIn } from '../account/fields';
import { DocumentFinder } from '../service/documents';
import { groupedByDocument, readResults } from '../service/extractions';
import { logProgress, occasionalLog } from '../service/run';
import { seconds } from '../service/sentences';
import { columnNames, readActivity, type WorkflowActivity } from '../service/workflow';
import { pause, settled } from '../http/concurrency';
import { columnsOf, NO_COLUMNS, valuesIn, type Columns, type Documents } from '../rows/values';
import { signOf, type BeforeStart } from './sign';
import { lastVerdictOf, nextLookAt, record, verdictOf, type Facts, type Verdict } from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };

/** A document, or the workflow, that is waited for, and what came of it. */
export interface Waited extends Poll {
	readonly id: string;
	readonly facts: Facts;
	/** The results of a new document. */
	results: unknown[];
	/** The latest `extraction_status` of the document. */
	status?: unknown;
	/** The latest metadata, where the workflow was the sign. */
	workflow?: WorkflowActivity;
	/** Once the extraction is finished, whatever is seen afterwards. */
	verdict: Verdict;
}

/** So many results show the columns. */
const MOST_RESULTS = 100;

/** The documents of the workflow's latest results, with these. */
async function latestDocuments(client: Client): Promise<Documents> {
	const results = await readResults(client, {}, MOST_RESULTS);
	return new Map(
		groupedByDocument(client, {}, results).flatMap(({ documentId, results }) =>
			documentId === undefined ? [] : [[documentId, results] as const],
		),
	);
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
	const areNamed = documentIds.length > 0;
	const sign = signOf(client, areNamed);
	let columns: Columns = NO_COLUMNS;
	const targets = (areNamed ? documentIds : [client.workflowId]).map((id): Waited => {
		const target: Waited = {
			id,
			facts: { before, sign, startedAt, settleMs, states: [], results: [] },
			results: [],
			verdict: { isFinished: false },
			dueAt: Infinity,
			look: async (looking) => {
				const results = await readResults(looking, { documentId: id });
				// What was read is there, though a later look may not show it.
				if (results.length >= target.results.length) target.results = results;
				const fingerprint = fingerprintOf(target.results);
				const values = valuesIn(client, target.results, columns);
				record(target.facts.results, 'fingerprint', { fingerprint, ...values });
				judge(target);
			},
		};
		return target;
	});
	for (const { id } of targets) client.run.waitedFor.add(id);
	const pending = new Set(targets);
	const judge = (target: Waited) => {
		if (!pending.has(target)) return;
		target.verdict = verdictOf(target.facts);
		if (target.verdict.isFinished) pending.delete(target);
		else if (areNamed) target.dueAt = target.verdict.lookAt ?? Infinity;
	};

	const log = occasionalLog(client.context);
	const waitedMs = () => performance.now() - startedAt;
	const progress = () =>
		`${targets.filter(({ verdict }) => verdict.isFinished).length} of ${targets.length} extractions finished, after ${seconds(waitedMs())}`;
	const finder = new DocumentFinder();
	const readStatuses = async (looking: Client) => {
		const entries = await finder.find(looking, new Set([...pending].map(({ id }) => id)));
		for (const target of [...pending].filter(({ id }) => entries.has(id))) {
			target.status = valueIn(entries.get(target.id), 'extraction_status');
			const isOver = client.account.finishedStatuses.has(String(target.status));
			record(target.facts.states, 'isOver', { isOver });
		}
	};
	const readWorkflow = async (looking: Client) => {
		let isOver: boolean | undefined;
		try {
			const workflow = await readActivity(looking);
			for (const target of targets) target.workflow = workflow;
			isOver = !workflow.isExtracting;
			const all = columnNames(workflow.workflow, columnIds);
			columns = { all, always: all };
		} finally {
			for (const { facts } of pending) record(facts.states, 'isOver', { isOver });
		}
	};
	const signPoll: Poll = {
		dueAt: nextLookAt(startedAt, startedAt, SIGN_PACE),
		look: async (looking) => {
			try {
				if (sign === 'statuses') await readStatuses(looking);
				if (sign === 'workflow') await readWorkflow(looking);
			} finally {
				pending.forEach(judge);
			}
			signPoll.dueAt = nextLookAt(startedAt, performance.now(), SIGN_PACE);
			log(progress());
		},
	};
	// Other documents tell the columns of new ones, unless some were chosen.
	const areTold = sign !== 'workflow' && before?.documents === 'new' && columnIds.length === 0;
	let others: Documents | undefined;
	const columnsPoll: Poll = {
		dueAt: areTold && ifReady(client.account.rows) ? startedAt : Infinity,
		look: async (looking) => {
			const latest = await latestDocuments(looking);
			if (others) columns = columnsOf(client, others, latest);
			// Others may pause while they grow, so what they tell is checked again as the wait goes on.
			const tells = !others || columns.all.length > 0;
			columnsPoll.dueAt = tells ? performance.now() + Math.max(settleMs, waitedMs()) : Infinity;
			others ??= new Map([...latest].filter(([id]) => !client.run.waitedFor.has(id)));
		},
	};
	await keepPolling(client, maxWaitMs, () => {
		// Until others are looked at again, as under a rate limit, they may have more columns.
		if (performance.now() > columnsPoll.dueAt + settleMs) columns = NO_COLUMNS;
		for (const target of pending) if (failsForGood(target)) pending.delete(target);
		return pending.size === 0 || failsForGood(signPoll) ? [] : [signPoll, columnsPoll, ...pending];
	});
	client.run.waitedMs = Math.max(client.run.waitedMs, waitedMs());
	for (const target of targets) {
		client.run.waitedFor.delete(target.id);
		if (!target.verdict.isFinished) target.verdict = lastVerdictOf(target.facts);
		target.error ??= signPoll.error;
	}
	logProgress(client.context, progress());
	return targets;
}

/** Looks that are due at about the same time begin together. */
const TICK_MS = 100;
const AGAIN_AFTER_FAILURE_MS = 5_000;

/** Something to look at again and again. */
interface Poll {
	look: (client: Client) => Promise<void>;
	/** When the next look can tell more; Infinity for not before something else was seen. */
	dueAt: number;
	/** Why the last look failed, and when the next one may begin. */
	error?: Error;
	notBefore?: number;
	/** What the present look does: it is queued until a request of it has left. */
	is?: 'queued' | 'reading';
}

/**
 * Looks concurrently, but each look begins only when the one before it has left: so whatever a rate
 * limit lets through goes to what is due first.
 * @param open returns what is still to be looked at
 * @throws the signal's reason after Stop
 */
async function keepPolling(client: Client, maxWaitMs: number, open: () => Poll[]) {
	const endsAt = performance.now() + maxWaitMs;
	const end = new AbortController();
	const stop = AbortSignal.any([end.signal, ...(client.stop ? [client.stop] : [])]);
	let news = new AbortController();
	const underWay = new Set<Promise<void>>();
	const begin = async (poll: Poll) => {
		poll.is = 'queued';
		const onSent = () => {
			poll.is = 'reading';
			news.abort();
		};
		const { error } = await settled(poll.look({ ...client, isLook: true, stop, onSent }));
		poll.is = undefined;
		if (stop.aborted) return;
		poll.error = error;
		poll.notBefore = error && performance.now() + againAfterMs(error);
	};
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			news = new AbortController();
			const now = performance.now();
			const polls = open();
			if (now >= endsAt || polls.length === 0) return;
			const due = polls.filter((poll) => beginsAt(poll) <= now);
			const [first] = due.sort((a, b) => a.dueAt - b.dueAt);
			if (first && !polls.some(({ is }) => is === 'queued')) {
				const look = begin(first).finally(() => {
					underWay.delete(look);
					news.abort();
				});
				underWay.add(look);
			}
			// Others that are due begin when this one has left, or another one ends.
			const next = Math.min(endsAt, ...polls.map(beginsAt).filter((at) => at > now));
			await settled(pause(Math.max(next - now, TICK_MS), AbortSignal.any([stop, news.signal])));
		}
	} finally {
		end.abort(new Error('The wait is over'));
		// Nothing of a run goes on after it.
		await Promise.all(underWay);
	}
}

const beginsAt = ({ is, dueAt, notBefore = 0 }: Poll) =>
	is ? Infinity : Math.max(dueAt, notBefore);

/** The service may ask for a longer pause than a request waits. */
const againAfterMs = (error: Error) =>
	Math.max(AGAIN_AFTER_FAILURE_MS, (error instanceof CallError && error.facts.retryAfterMs) || 0);

export const failsForGood = ({ error }: Poll) => error !== undefined && !mayPass(error);
