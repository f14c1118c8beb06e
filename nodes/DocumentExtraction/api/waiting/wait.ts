/** Looks that read until extractions are over, and note what was seen. What that means, the verdict says. */
import { settled } from '../../http/concurrency';
import type { Client } from '../client';
import { finishedStatuses } from '../details/responses';
import { DocumentFinder } from '../documentFinder';
import { readDocumentResults } from '../extractions';
import { logProgress, occasionalLog, seconds } from '../run';
import { signOf, type BeforeStart } from '../sign';
import { columnNames } from '../structure';
import { valuesThere } from '../values';
import { readActivity, type WorkflowActivity } from '../workflow';
import { failsForGood, keepLooking, type Look } from './poll';
import { lastVerdictOf, nextLookAt, note, verdictOf, type Doubt, type Facts } from './verdict';

/** A workflow that extracts for a moment only, and between two looks, would be waited for in vain. */
const SIGN_PACE = { shortestMs: 500, share: 0.25, longestMs: 3_000 };

/** A document, or the workflow, that is waited for. */
interface Watched extends Look {
	readonly id: string;
	readonly facts: Facts;
	/** The latest results of a new document. */
	results: unknown[];
	/** The last `extraction_status` of the document. */
	status?: unknown;
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
 * @param limits how long to wait at most, and how long a sign must last before it counts
 * @returns what came of each document, or of the workflow
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
				watched.results = await readDocumentResults(looking, id);
				const columns = columnNames(workflow?.workflow, columnIds);
				const seen = valuesThere(client, watched.results, columns);
				note(watched.facts.results, 'fingerprint', seen);
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
		note(document.facts.signs, 'isOver', { isOver: finished.has(String(document.status)) });
	}
}

async function lookAtWorkflow(client: Client, activity: Facts['signs']) {
	const read = await settled(readActivity(client));
	note(activity, 'isOver', { isOver: read.error ? undefined : !read.value.isExtracting });
	if (read.error) throw read.error;
	return read.value;
}
