import type { Client } from '../client';
import { DocumentFinder } from '../documentFinder';
import { logProgress, occasionalLog, seconds } from '../run';
import { signOf, type BeforeStart } from '../sign';
import type { WorkflowActivity } from '../workflow';
import {
	lookAtResults,
	lookAtStatuses,
	lookAtWorkflow,
	type Watched,
	type WatchedWorkflow,
} from './looks';
import { failsForGood, keepLooking, type Look } from './poll';
import { lastVerdictOf, nextLookAt, verdictOf, type Doubt } from './verdict';

export interface WaitLimits {
	maxWaitMs: number;
	/** How long a sign must last before it counts. */
	settleMs: number;
}

/** What came of waiting for a document, or for the workflow. */
export interface Waited extends Pick<Watched, 'id' | 'status' | 'results'> {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Why it cannot be told that all is there. */
	doubt?: Doubt;
	/** Why the last look failed, and why nothing more can be said. */
	lastFailure?: Error;
	error?: Error;
	/** Where the workflow was the sign. */
	workflow?: WorkflowActivity;
	sawExtracting: boolean;
}

/**
 * Waits until an extraction is over. What was seen complete is given even if reading fails for good
 * afterwards.
 * @param documentIds none for all in the workflow
 * @param before what was known before the extraction was started; undefined if somebody else started it
 * @param columnIds the columns that are extracted; none for all
 * @returns what came of each document, or of the workflow
 * @throws the signal's reason after Stop
 */
export async function waitForExtraction(
	client: Client,
	documentIds: string[],
	before: BeforeStart | undefined,
	columnIds: string[],
	{ maxWaitMs, settleMs }: WaitLimits,
): Promise<Waited[]> {
	const startedAt = performance.now();
	const sign = signOf(client, documentIds.length > 0);
	const workflow: WatchedWorkflow = { signs: [] };
	const ids = documentIds.length > 0 ? documentIds : [client.workflowId];
	const all = ids.map((id): Watched => {
		const signs = sign === 'workflow' ? workflow.signs : [];
		const watched: Watched = {
			id,
			facts: { before, sign, startedAt, signs, results: [] },
			results: [],
			dueAt: Infinity,
			read: async (looking) => {
				await lookAtResults(looking, watched, workflow, columnIds);
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
		dueAt: nextLookAt('sign', startedAt, startedAt),
		read: async (looking) => {
			if (sign === 'statuses') await lookAtStatuses(looking, finder, [...pending]);
			if (sign === 'workflow') await lookAtWorkflow(looking, workflow);
			shared.dueAt = nextLookAt('sign', startedAt, performance.now());
			pending.forEach(judge);
			log(progress());
		},
	};
	await keepLooking(client, maxWaitMs, () => {
		for (const watched of pending) if (failsForGood(watched)) pending.delete(watched);
		return pending.size === 0 || failsForGood(shared) ? [] : [shared, ...pending];
	});
	client.run.waitedMs = Math.max(client.run.waitedMs, waitedMs());
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
			workflow: workflow.latest,
			sawExtracting: workflow.signs.some(({ isOver }) => isOver === false),
		};
	});
}
