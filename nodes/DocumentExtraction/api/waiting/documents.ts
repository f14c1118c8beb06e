/** Waiting for the extraction of certain documents, by the best sign that the user has told of. */
import { UserError } from 'n8n-workflow';

import { mapInOrder, settleInOrder } from '../../http/concurrency';
import type { Client } from '../client';
import { hasDetail } from '../details/detail';
import { fingerprintOf } from '../details/fields';
import { finishedStatuses } from '../details/statuses';
import { listed, readDocumentResults } from '../extractions';
import { logProgress, occasionalLog, seconds } from '../run';
import { assertCanReadWorkflow, readActivity } from '../workflow';
import { DocumentFinder } from './documentFinder';
import { lookUntil, timeLeftFor, type WaitLimits } from './poll';

/** Once looks are this far apart, the workflow may well be busy for somebody else. */
const PATIENT_INTERVAL_MS = 4_000;
/**
 * The workflow may extract for somebody else while a document waits its turn. A document without
 * results therefore counts as finished only after the workflow has been idle for this many settle times.
 */
const EMPTY_SETTLE_TIMES = 10;
/** The most pages that a look searches for documents in the list; results tell of new ones as well. */
const MOST_PAGES = { new: 2, extractedBefore: 10 };

export interface DocumentsWaitedFor {
	/** The documents whose extraction is over. */
	finished: Set<string>;
	/** Those that may have results, which nobody had read when Max Wait ended. */
	unread: Set<string>;
	/** The last `extraction_status` of each document, where one was seen. */
	statuses: Map<string, unknown>;
	/** The last `extraction_status` of the workflow, where it was the sign. */
	workflowStatus: unknown;
	/** Results that were read on the way and are final. */
	results: Map<string, unknown[]>;
	/** Why a document's results could not be read. */
	errors: Map<string, Error>;
}

interface Watch {
	/** Whether the documents had no results before: then any result is from this extraction. */
	areNew: boolean;
	settleMs: number;
	startedAt: number;
	/** Documents that are not finished; only these are asked for again. */
	pending: Set<string>;
	finder: DocumentFinder;
	/** Documents that were seen with another status than a finished one. */
	seenUnfinished: Set<string>;
	/** Since when a document is said to be finished without having any result. */
	emptySince: Map<string, number>;
	/** The latest results of a document and since when they have not changed. */
	settling: Map<string, { fingerprint: string; since: number }>;
	sawExtracting: boolean;
	waited: DocumentsWaitedFor;
}

type Sign = (watch: Watch, client: Client, intervalMs: number) => Promise<void>;

function signOf({ credential }: Client): Sign {
	if (finishedStatuses(credential).size > 0) return lookAtStatuses;
	return hasDetail(credential, 'workflowEndpoint') ? lookAtWorkflow : lookAtResults;
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
	if (areOverwritten && sign === lookAtResults) {
		throw new UserError(
			"Waiting after 'Force' needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
			{
				description: `The old results stay until the new ones are there, so results alone do not tell when the extraction is over. ${OTHER_SIGN}`,
			},
		);
	}
	if (sign === lookAtWorkflow) assertCanReadWorkflow(client);
}

/**
 * Checks, before an extraction of documents that are at the service already is started, that their
 * results will tell when it is over: where results are the only sign, there must be none yet.
 * @returns whether results will be new
 * @throws UserError naming the documents that have results
 */
export async function assertResultsWillTell(
	client: Client,
	documentIds: string[],
): Promise<{ areNew: boolean }> {
	if (signOf(client) !== lookAtResults) return { areNew: false };
	const results = await mapInOrder(
		documentIds,
		client.maxConcurrency,
		async (id) => await readDocumentResults(client, id, 1),
	);
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { areNew: true };
	throw new UserError(
		"Waiting for documents that have results already needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
		{
			description: `Nothing was started. These documents have results: ${listed(extracted)}. Old results cannot be told from new ones. ${OTHER_SIGN}`,
		},
	);
}

/**
 * Waits until the extraction of certain documents is over. The sign, by what the user has told of
 * the service: Finished Statuses of the documents; else `is_extracting` of the workflow, backed by
 * the documents' results; else the results alone, once they no longer change.
 */
export async function waitForDocuments(
	client: Client,
	documentIds: string[],
	{ areNew }: { areNew: boolean },
	limits: WaitLimits,
): Promise<DocumentsWaitedFor> {
	const watch: Watch = {
		areNew,
		settleMs: limits.settleMs,
		startedAt: performance.now(),
		pending: new Set(documentIds),
		finder: new DocumentFinder(areNew ? MOST_PAGES.new : MOST_PAGES.extractedBefore),
		seenUnfinished: new Set(),
		emptySince: new Map(),
		settling: new Map(),
		sawExtracting: false,
		waited: {
			finished: new Set(),
			unread: new Set(),
			statuses: new Map(),
			workflowStatus: undefined,
			results: new Map(),
			errors: new Map(),
		},
	};
	const { pending, waited } = watch;
	const look = signOf(client);
	const timeLeft = timeLeftFor(pending.size);
	const log = occasionalLog(client.context);
	const sinceStartMs = () => performance.now() - watch.startedAt;
	const progress = () =>
		`${waited.finished.size} of ${documentIds.length} documents are extracted, after ${seconds(sinceStartMs())}`;
	await lookUntil(
		client,
		limits.maxWaitMs,
		async (looking, intervalMs) => {
			if (pending.size > 0) await look(watch, looking, intervalMs);
			if (pending.size === 0) return true;
			log(progress());
			return undefined;
		},
		() => timeLeft(pending.size, sinceStartMs()),
	);
	client.run.waitedMs = Math.max(client.run.waitedMs, sinceStartMs());
	logProgress(client.context, progress());
	return waited;
}

function finish({ pending, settling, waited }: Watch, documentId: string, results?: unknown[]) {
	pending.delete(documentId);
	settling.delete(documentId);
	waited.finished.add(documentId);
	if (results) waited.results.set(documentId, results);
}

/** Reads the results of some documents; what fails for one of them concerns that one alone. */
async function forEachResult(
	watch: Watch,
	client: Client,
	documentIds: string[],
	work: (documentId: string, rows: unknown[]) => void,
) {
	const outcomes = await settleInOrder(documentIds, client.maxConcurrency, false, async (id) =>
		work(id, await readDocumentResults(client, id)),
	);
	client.stop?.throwIfAborted();
	for (const [index, outcome] of outcomes.entries()) {
		if (!outcome?.error) continue;
		watch.pending.delete(documentIds[index]);
		watch.waited.errors.set(documentIds[index], outcome.error);
	}
}

/** How long a document's results have been as they are now, in ms; undefined if they just changed. */
function unchangedMs({ settling }: Watch, documentId: string, rows: unknown[]): number | undefined {
	const fingerprint = fingerprintOf(rows);
	const before = settling.get(documentId);
	if (before?.fingerprint === fingerprint) return performance.now() - before.since;
	settling.set(documentId, { fingerprint, since: performance.now() });
	return undefined;
}

/** The service may say that a document is finished some time before it shows the results. */
function finishIfStillEmpty(watch: Watch, documentId: string, afterMs: number) {
	const { emptySince } = watch;
	const since = emptySince.get(documentId) ?? performance.now();
	emptySince.set(documentId, since);
	if (performance.now() - since >= afterMs) finish(watch, documentId, []);
}

async function lookAtStatuses(watch: Watch, client: Client, intervalMs: number) {
	const { areNew, pending, seenUnfinished, startedAt, settleMs, waited } = watch;
	const finished = finishedStatuses(client.credential);
	const statuses = await watch.finder.find(client, pending);
	for (const [documentId, status] of statuses) {
		waited.statuses.set(documentId, status);
		// A document that was extracted before may still show the old status just after the trigger.
		const mayBeOld =
			!areNew && !seenUnfinished.has(documentId) && performance.now() - startedAt < settleMs;
		if (!finished.has(String(status))) seenUnfinished.add(documentId);
		else if (!mayBeOld) waited.finished.add(documentId);
	}
	const claimed = [...pending].filter((documentId) => waited.finished.has(documentId));
	if (!areNew) {
		for (const documentId of claimed) finish(watch, documentId);
		return;
	}
	await forEachResult(watch, client, claimed, (documentId, rows) => {
		if (rows.length > 0) finish(watch, documentId, rows);
		else finishIfStillEmpty(watch, documentId, settleMs);
	});
	const unlisted = [...pending].filter((documentId) => !statuses.has(documentId));
	if (intervalMs >= PATIENT_INTERVAL_MS) await lookAtResults(watch, client, intervalMs, unlisted);
}

async function lookAtWorkflow(watch: Watch, client: Client, intervalMs: number) {
	const { areNew, emptySince, pending, settleMs, waited } = watch;
	const { isExtracting, status } = await readActivity(client);
	waited.workflowStatus = status;
	watch.sawExtracting ||= isExtracting;
	if (isExtracting) {
		emptySince.clear();
		waited.unread.clear();
		// Somebody else may keep the workflow busy: then our documents' own results decide.
		if (areNew && intervalMs >= PATIENT_INTERVAL_MS) await lookAtResults(watch, client, intervalMs);
		return;
	}
	// While an extraction waits its turn, false proves nothing: only results, or true before it, do.
	const { sawExtracting } = watch;
	if (!areNew) {
		if (sawExtracting) for (const documentId of pending) finish(watch, documentId);
		return;
	}
	if (sawExtracting) for (const documentId of pending) waited.unread.add(documentId);
	await forEachResult(watch, client, [...pending], (documentId, rows) => {
		waited.unread.delete(documentId);
		if (rows.length > 0) {
			const ms = unchangedMs(watch, documentId, rows) ?? -1;
			if (sawExtracting || ms >= settleMs) finish(watch, documentId, rows);
		} else if (sawExtracting) {
			finishIfStillEmpty(watch, documentId, EMPTY_SETTLE_TIMES * settleMs);
		}
	});
}

/**
 * A document is finished when it has results that have not changed for the settle time, and, where
 * looks have become rare, since the look before.
 */
async function lookAtResults(
	watch: Watch,
	client: Client,
	intervalMs: number,
	documentIds: string[] = [...watch.pending],
) {
	const steadyMs = Math.max(watch.settleMs, intervalMs >= PATIENT_INTERVAL_MS ? intervalMs / 2 : 0);
	await forEachResult(watch, client, documentIds, (documentId, rows) => {
		if (rows.length === 0) return;
		const ms = unchangedMs(watch, documentId, rows) ?? 0;
		if (ms >= steadyMs) finish(watch, documentId, rows);
	});
}
