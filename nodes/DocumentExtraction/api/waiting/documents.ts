/** Waiting for the extraction of certain documents, or of all in the workflow. */
import { UserError } from 'n8n-workflow';

import { mapInOrder, settleInOrder } from '../../http/concurrency';
import type { Client } from '../client';
import { hasDetail } from '../details/detail';
import { finishedStatuses } from '../details/statuses';
import { listed, readDocumentResults } from '../extractions';
import { logProgress, occasionalLog, seconds } from '../run';
import { columnNames } from '../structure';
import { assertCanReadWorkflow, readActivity } from '../workflow';
import { DocumentFinder } from './documentFinder';
import {
	lookAtResults,
	lookAtStatuses,
	lookAtWorkflow,
	type Watched,
	type WatchedWorkflow,
} from './looks';
import { failsForGood, keepLooking, regularLook, type Look, type WaitLimits } from './poll';
import { endOf, lastVerdictOf, verdictOf, type DocumentFacts, type Doubt } from './verdict';

/** The most pages that a look searches for documents in the list; results tell of new ones as well. */
const MOST_PAGES = { new: 2, extractedBefore: 10 };

/** What came of waiting for a document, or for the workflow. */
export interface Waited {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Why it cannot be told that all is there. */
	doubt?: Doubt;
	/** The last `extraction_status` of the document, and of the workflow where that was the sign. */
	status?: unknown;
	workflowStatus?: unknown;
	/** Of a new document. */
	results: unknown[];
	/** Why the last look failed, and why nothing more can be said. */
	lastFailure?: Error;
	error?: Error;
}

/** What was known of documents before their extraction was started. */
export type BeforeStart = Pick<DocumentFacts, 'isNew' | 'wasBusy'>;

function signOf({ credential }: Client): DocumentFacts['sign'] {
	if (finishedStatuses(credential).size > 0) return 'statuses';
	return hasDetail(credential, 'workflowEndpoint') ? 'workflow' : 'results';
}

const OTHER_SIGN =
	"Open the credential and fill in 'Finished Statuses' or 'Workflow Endpoint', or switch off 'Wait Until Extracted'.";

/**
 * Checks, before the first request, that there is a sign to wait for documents by.
 * @param areOverwritten whether results that exist stay visible until new ones take their place
 * @throws UserError naming the API Details that could tell
 */
export function assertCanWaitForDocuments(client: Client, { areOverwritten = false } = {}) {
	const sign = signOf(client);
	if (areOverwritten && sign === 'results') {
		throw new UserError(
			"Waiting after 'Force' needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
			{
				description: `The old results stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
			},
		);
	}
	if (sign === 'workflow') assertCanReadWorkflow(client);
}

/**
 * Looks, before an extraction of documents that are at the service already is started, at what its
 * signs will be compared with. Where results are the only sign, there must be none yet.
 * @throws UserError naming the documents that have results
 */
export async function lookBeforeStart(client: Client, documentIds: string[]): Promise<BeforeStart> {
	const sign = signOf(client);
	if (sign === 'statuses') return { isNew: false, wasBusy: false };
	if (sign === 'workflow') {
		return { isNew: false, wasBusy: (await readActivity(client)).isExtracting };
	}
	const results = await mapInOrder(
		documentIds,
		client.maxConcurrency,
		async (id) => await readDocumentResults(client, id, 1),
	);
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { isNew: true, wasBusy: false };
	throw new UserError(
		"Waiting for documents that have results already needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `Nothing was started. These documents have results: ${listed(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}

/**
 * Waits until the extraction of certain documents is over. What was seen complete is given even if
 * reading fails for good afterwards.
 * @param columnIds the columns that are extracted; none for all
 * @returns what came of each document
 * @throws the signal's reason after Stop
 */
export async function waitForDocuments(
	client: Client,
	documentIds: string[],
	before: BeforeStart,
	columnIds: string[],
	{ maxWaitMs, settleMs }: WaitLimits,
): Promise<Map<string, Waited>> {
	const startedAt = performance.now();
	const seen: WatchedWorkflow = { signs: [] };
	const sign = signOf(client);
	const facts = { ...before, sign, startedAt, isStarted: true };
	const documents = documentIds.map((documentId): Watched => {
		const signs = sign === 'workflow' ? seen.signs : [];
		const document: Watched = {
			documentId,
			facts: { ...facts, signs, results: [] },
			rows: [],
			dueAt: Infinity,
			read: async (looking) => {
				await lookAtResults(looking, document, columnNames(seen.workflow, columnIds));
				judge(document);
			},
		};
		return document;
	});
	const pending = new Set(documents);
	const judge = (document: Watched) => {
		const verdict = verdictOf(document.facts, settleMs);
		if (verdict.is === 'not yet') document.dueAt = verdict.lookAt;
		else pending.delete(document);
	};
	pending.forEach(judge);
	const log = occasionalLog(client.context);
	const waitedMs = () => performance.now() - startedAt;
	const progress = () =>
		`${documents.length - pending.size} of ${documents.length} documents are extracted, after ${seconds(waitedMs())}`;
	const finder = new DocumentFinder(before.isNew ? MOST_PAGES.new : MOST_PAGES.extractedBefore);
	const lookAtAll = regularLook(sign, async (looking) => {
		if (sign === 'statuses') await lookAtStatuses(looking, finder, [...pending]);
		if (sign === 'workflow') await lookAtWorkflow(looking, seen);
		pending.forEach(judge);
		log(progress());
	});
	await keepLooking(client, maxWaitMs, () => {
		for (const document of pending) if (failsForGood(document)) pending.delete(document);
		return pending.size === 0 || failsForGood(lookAtAll) ? [] : [lookAtAll, ...pending];
	});
	// What is said to be over is read all the same.
	const unread = [...pending].filter(
		({ facts }) => facts.isNew && (facts.results.at(-1)?.at ?? 0) < (endOf(facts)?.since ?? 0),
	);
	await settleInOrder(
		unread,
		client.maxConcurrency,
		false,
		async (document) => await document.read(client),
	);
	client.stop?.throwIfAborted();
	client.run.waitedMs = Math.max(client.run.waitedMs, waitedMs());
	logProgress(client.context, progress());
	return new Map(
		documents.map((document) => {
			const { documentId, status, rows } = document;
			const waited = waitedOf(document.facts, settleMs, document.error ? document : lookAtAll);
			return [documentId, { ...waited, status, workflowStatus: seen.status, results: rows }];
		}),
	);
}

function waitedOf(facts: DocumentFacts, settleMs: number, look: Look) {
	const verdict = lastVerdictOf(facts, settleMs);
	if (verdict.is === 'finished') return { isFinished: true };
	const { error } = look;
	// Nothing can be handed on of a document of which nothing could be read.
	const isUnreadable = facts.isNew && facts.results.length === 0 && failsForGood(look);
	if (verdict.is === 'cannot be told' && !isUnreadable) {
		return { isFinished: true, doubt: verdict.doubt };
	}
	return { isFinished: false, ...(failsForGood(look) ? { error } : { lastFailure: error }) };
}

/**
 * Waits until the workflow extracts nothing.
 * @param isStarted whether an extraction was just started
 * @param wasBusy whether the workflow was extracting before that
 */
export async function waitForWorkflow(
	client: Client,
	{ maxWaitMs, settleMs }: WaitLimits,
	{ isStarted, wasBusy = false }: { isStarted: boolean; wasBusy?: boolean },
) {
	const seen: WatchedWorkflow = { signs: [] };
	const startedAt = performance.now();
	const since = { startedAt, isStarted, wasBusy, isNew: false };
	const facts: DocumentFacts = { ...since, sign: 'workflow', signs: seen.signs, results: [] };
	const look = regularLook('workflow', async (looking) => await lookAtWorkflow(looking, seen));
	await keepLooking(client, maxWaitMs, () =>
		verdictOf(facts, settleMs).is === 'finished' || failsForGood(look) ? [] : [look],
	);
	if (failsForGood(look)) throw look.error;
	const sawExtracting = seen.signs.some(({ isOver }) => !isOver);
	return { ...waitedOf(facts, settleMs, look), ...seen, sawExtracting };
}
