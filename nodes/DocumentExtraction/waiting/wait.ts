/** Waits until extractions are over: looks record what they see, and the verdict tells what it means. */
import type { Client } from '../api/client';
import { fingerprintOf } from '../api/details/fields';
import { finishedStatuses } from '../api/details/responses';
import { DocumentFinder } from '../api/documents';
import { readResults } from '../api/extractions';
import { logProgress, occasionalLog } from '../api/run';
import { seconds } from '../api/sentences';
import { columnNames, readActivity, type WorkflowActivity } from '../api/workflow';
import { settled } from '../http/concurrency';
import { columnsOf, readDocuments } from './earlier';
import { failsForGood, keepLooking, type Look } from './looks';
import { signOf, type BeforeStart } from './sign';
import { valuesThere, type Columns } from './values';
import {
	lastVerdictOf,
	nextLookAt,
	record,
	verdictOf,
	type Doubt,
	type Facts,
	type Verdict,
} from './verdict';

/** Often enough to see a workflow that extracts only for a moment, which would else be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.125, longestMs: 3_000 };

/** Between looks further apart, as under a rate limit, a whole extraction may go unseen. */
const GAP_MS = 5_000;

/** A document, or the workflow, that is waited for. */
interface Target extends Look {
	readonly id: string;
	readonly facts: Facts;
	/** The results of a new document. */
	results: unknown[];
	/** The latest `extraction_status` of the document. */
	status?: unknown;
	/** Once it is told, whatever is seen afterwards. */
	verdict?: Verdict;
}

/** The outcome of waiting for a document, or for the workflow. */
export interface Waited extends Pick<Target, 'id' | 'status' | 'results'> {
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
	const waitedMs = () => performance.now() - startedAt;
	const sign = signOf(client, documentIds.length > 0);
	const activity: Facts['states'] = [];
	let workflow: WorkflowActivity | undefined;
	let columns: Columns = { all: [], always: [] };
	let areProven = sign === 'workflow';
	// Earlier documents have other columns than those that were chosen.
	const earlier = columnIds.length === 0 ? before?.earlier : undefined;
	void earlier?.documents.then((documents) => {
		columns = columnsOf(client, documents, documents, documentIds);
	});

	const observe = (target: Target, fingerprint: string, at: number) => {
		const values = valuesThere(client, target.results, columns);
		if (values.isWhole && !areProven) columnsLook.dueAt = (earlier?.readAt ?? 0) + settleMs;
		// Earlier documents with a single column may have been extracted in part.
		const isWhole = values.isWhole && areProven && (sign === 'workflow' || values.columns > 1);
		record(target.facts.results, 'fingerprint', { ...values, isWhole, fingerprint }, at);
		judge(target);
	};
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const targets = ids.map((id): Target => {
		const states = sign === 'workflow' ? activity : [];
		const target: Target = {
			id,
			facts: { before, sign, startedAt, states, results: [] },
			results: [],
			dueAt: Infinity,
			read: async (looking) => {
				const results = await readResults(looking, { documentId: id });
				// What was read is there, though a later look may not show it.
				if (results.length >= target.results.length) target.results = results;
				observe(target, fingerprintOf(results), performance.now());
			},
		};
		return target;
	});
	const pending = new Set(targets);
	const judge = (target: Target) => {
		const verdict = verdictOf(target.facts, settleMs);
		if (verdict.is === 'not yet') {
			target.dueAt = verdict.lookAt;
		} else {
			target.verdict = verdict;
			pending.delete(target);
		}
	};

	const finder = new DocumentFinder();
	const log = occasionalLog(client.context);
	const progress = () =>
		`${targets.length - pending.size} of ${targets.length} extractions are finished, after ${seconds(waitedMs())}`;
	const signLook: Look = {
		isForAll: true,
		dueAt: nextLookAt(startedAt, startedAt, SIGN_PACE),
		read: async (looking) => {
			if (sign === 'statuses') await lookAtStatuses(looking, finder, [...pending]);
			if (sign === 'workflow') {
				workflow = await lookAtWorkflow(looking, activity);
				const names = columnNames(workflow.workflow, columnIds);
				columns = { all: names, always: names };
			}
			signLook.dueAt = nextLookAt(startedAt, performance.now(), SIGN_PACE);
			pending.forEach(judge);
			log(progress());
		},
	};
	/** When a document seems whole, a second look at the others shows whether theirs were. */
	const columnsLook: Look = {
		dueAt: Infinity,
		read: async (looking) => {
			const documents = (await earlier?.documents) ?? new Map<string, unknown[]>();
			columns = columnsOf(client, documents, await readDocuments(looking), documentIds);
			areProven = true;
			columnsLook.dueAt = Infinity;
			for (const target of pending) {
				const latest = target.facts.results.at(-1);
				if (latest) observe(target, latest.fingerprint, latest.until);
			}
		},
	};
	await keepLooking(client, maxWaitMs, () => {
		for (const target of pending) if (failsForGood(target)) pending.delete(target);
		return pending.size === 0 || failsForGood(signLook) ? [] : [signLook, columnsLook, ...pending];
	});
	client.run.waitedMs = Math.max(client.run.waitedMs, waitedMs());
	client.run.waitedForMissing ||=
		sign === 'results' && targets.some(({ facts }) => facts.results.at(-1)?.isMissing);
	logProgress(client.context, progress());
	return targets.map((target) => {
		const { id, status, results } = target;
		const { verdict = lastVerdictOf(target.facts, settleMs) } = target;
		const isFinished = verdict.is !== 'not yet';
		const look = target.error ? target : signLook;
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

async function lookAtStatuses(client: Client, finder: DocumentFinder, documents: Target[]) {
	const finished = finishedStatuses(client.credential);
	const statuses = await finder.find(client, new Set(documents.map(({ id }) => id)));
	for (const document of documents.filter(({ id }) => statuses.has(id))) {
		document.status = statuses.get(document.id);
		record(document.facts.states, 'isOver', { isOver: finished.has(String(document.status)) });
	}
}

async function lookAtWorkflow(client: Client, activity: Facts['states']) {
	const read = await settled(readActivity(client));
	const latest = activity.at(-1);
	const hasGap = latest && (latest.hasGap || performance.now() - latest.until > GAP_MS);
	const isOver = read.error ? undefined : !read.value.isExtracting;
	record(activity, 'isOver', { isOver, hasGap });
	if (read.error) throw read.error;
	return read.value;
}
