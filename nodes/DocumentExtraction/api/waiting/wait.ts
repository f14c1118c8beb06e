/** Reads until extractions are over, and records what was seen; what that means, the verdict tells. */
import { onAbort, pause, settled } from '../../http/concurrency';
import { CallError } from '../callError';
import type { Client } from '../client';
import { finishedStatuses } from '../details/responses';
import { DocumentFinder } from '../documents';
import { readResults } from '../extractions';
import { logProgress, occasionalLog, seconds } from '../run';
import { valuesThere } from '../resultsSoFar';
import {
	columnNames,
	readActivity,
	signOf,
	type BeforeStart,
	type WorkflowActivity,
} from '../workflow';
import { lastVerdictOf, nextLookAt, record, verdictOf, type Doubt, type Facts } from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };
/** Looks that are due at about the same time begin together. */
const TICK_MS = 100;
/** After a look that failed, and beside one that hangs. */
const AGAIN_AFTER_MS = 5_000;

/** Something to look at again and again. */
interface Look {
	read: (client: Client) => Promise<void>;
	/** When the next look can tell more; Infinity for not before something else was seen. */
	dueAt: number;
	/** Why the last look failed. */
	error?: Error;
	/** Set while a look is under way, and for a while after one that failed. */
	notBefore?: number;
	/** Whether a look that hangs is repeated beside it, as all documents wait for its result. */
	isShared?: boolean;
}

/** A document, or the workflow, that is waited for. */
interface Watched extends Look {
	readonly id: string;
	readonly facts: Facts;
	/** The latest results of a new document. */
	results: unknown[];
	/** The latest `extraction_status` of the document. */
	status?: unknown;
}

/** The outcome of waiting for a document, or for the workflow. */
export interface Waited extends Pick<Watched, 'id' | 'status' | 'results'> {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Why it cannot be told whether the results are complete. */
	doubt?: Doubt;
	/** Why the last look failed. */
	lastFailure?: Error;
	/** Why the extraction is not finished, if looks fail for good. */
	error?: Error;
	/** Where the workflow was the sign. */
	workflow?: WorkflowActivity;
	sawExtracting: boolean;
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
	const sign = signOf(client, documentIds.length > 0);
	const activity: Facts['signs'] = [];
	let workflow: WorkflowActivity | undefined;
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const all = ids.map((id): Watched => {
		const signs = sign === 'workflow' ? activity : [];
		const watched: Watched = {
			id,
			facts: { before, sign, startedAt, signs, results: [] },
			results: [],
			dueAt: Infinity,
			read: async (looking) => {
				watched.results = await readResults(looking, { documentId: id });
				const columns = columnNames(workflow?.workflow, columnIds);
				const seen = valuesThere(client, watched.results, columns);
				record(watched.facts.results, 'fingerprint', seen);
				judge(watched);
			},
		};
		return watched;
	});
	const pending = new Set(all);
	const judge = (watched: Watched) => {
		const verdict = verdictOf(watched.facts, settleMs);
		if (verdict.is === 'not yet') watched.dueAt = verdict.lookAt;
		else pending.delete(watched);
	};
	const waitedMs = () => performance.now() - startedAt;
	const progress = () =>
		`${all.length - pending.size} of ${all.length} extractions are finished, after ${seconds(waitedMs())}`;
	const log = occasionalLog(client.context);
	const finder = new DocumentFinder();
	const shared: Look = {
		isShared: true,
		dueAt: nextLookAt(startedAt, startedAt, SIGN_PACE),
		read: async (looking) => {
			if (sign === 'statuses') await lookAtStatuses(looking, finder, [...pending]);
			if (sign === 'workflow') workflow = await lookAtWorkflow(looking, activity);
			shared.dueAt = nextLookAt(startedAt, performance.now(), SIGN_PACE);
			pending.forEach(judge);
			log(progress());
		},
	};
	await keepLooking(client, maxWaitMs, () => {
		for (const watched of pending) if (failsForGood(watched)) pending.delete(watched);
		return pending.size === 0 || failsForGood(shared) ? [] : [shared, ...pending];
	});
	client.run.waitedMs = Math.max(client.run.waitedMs, waitedMs());
	client.run.waitedForMissing ||=
		sign === 'results' && all.some(({ facts }) => facts.results.at(-1)?.isMissing);
	logProgress(client.context, progress());
	return all.map((watched) => {
		const { id, status, results } = watched;
		const verdict = lastVerdictOf(watched.facts, settleMs);
		const isFinished = verdict.is !== 'not yet';
		const look = watched.error ? watched : shared;
		return {
			id,
			status,
			results,
			isFinished,
			doubt: verdict.is === 'cannot be told' ? verdict.doubt : undefined,
			lastFailure: look.error,
			error: !isFinished && failsForGood(look) ? look.error : undefined,
			workflow,
			sawExtracting: activity.some(({ isOver }) => isOver === false),
		};
	});
}

async function lookAtStatuses(client: Client, finder: DocumentFinder, documents: Watched[]) {
	const finished = finishedStatuses(client.credential);
	const statuses = await finder.find(client, new Set(documents.map(({ id }) => id)));
	for (const document of documents.filter(({ id }) => statuses.has(id))) {
		document.status = statuses.get(document.id);
		record(document.facts.signs, 'isOver', { isOver: finished.has(String(document.status)) });
	}
}

async function lookAtWorkflow(client: Client, activity: Facts['signs']) {
	const read = await settled(readActivity(client));
	record(activity, 'isOver', { isOver: read.error ? undefined : !read.value.isExtracting });
	if (read.error) throw read.error;
	return read.value;
}

/**
 * Looks at things when they are due, concurrently, until nothing is left to look at or the time is over.
 * @param looks returns what is still to be looked at
 * @throws the signal's reason after Stop
 */
async function keepLooking(client: Client, maxWaitMs: number, looks: () => Look[]) {
	const end = new AbortController();
	let news = new AbortController();
	const unsubscribe = onAbort(client.stop, () => end.abort(client.stop?.reason));
	const looking = { ...client, isLook: true, stop: end.signal };
	const endsAt = performance.now() + maxWaitMs;
	let room = client.maxConcurrency;
	const begin = async (look: Look) => {
		look.notBefore = look.isShared ? performance.now() + AGAIN_AFTER_MS : Infinity;
		room--;
		const { error } = await settled(look.read(looking));
		room++;
		look.notBefore = error && performance.now() + AGAIN_AFTER_MS;
		if (!end.signal.aborted) look.error = error;
		news.abort();
	};
	const beginsAt = ({ dueAt, notBefore = 0 }: Look) => Math.max(dueAt, notBefore);
	try {
		for (;;) {
			client.stop?.throwIfAborted();
			const now = performance.now();
			const open = looks();
			if (now >= endsAt || open.length === 0) return;
			const due = open.filter((look) => beginsAt(look) <= now);
			due.sort((a, b) => a.dueAt - b.dueAt);
			for (const look of due.slice(0, room)) void begin(look);
			// Looks that are due but have no room begin when another one ends.
			const next = Math.min(endsAt, ...open.map(beginsAt).filter((at) => at > now));
			news = new AbortController();
			const wake = AbortSignal.any([end.signal, news.signal]);
			await settled(pause(Math.max(next - now, TICK_MS), wake));
		}
	} finally {
		unsubscribe();
		end.abort(new Error('The wait is over'));
	}
}

const failsForGood = ({ error }: Look) =>
	error !== undefined && !(error instanceof CallError && error.mayPass);
