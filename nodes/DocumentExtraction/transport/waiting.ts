/** Waiting for extractions, by the best sign that there is. The service sends no events. */
import { hasDetail } from '../api/details/detail';
import { valueIn } from '../api/details/fields';
import { DETAIL_GROUPS } from '../api/details/labels';
import { documentIdIn } from '../api/details/responses';
import { finishedStatuses } from '../api/details/statuses';
import { settleInOrder } from './concurrency';
import { inputError, type Connection, type Context } from './connection';
import { readDocuments } from './documents';
import { readDocumentResults } from './extractions';
import { logProgress, occasionalLog, seconds, tallyOf } from './progress';
import { pause, stopSignal } from './stop';
import { assertCanReadWorkflow, readActivity, type WorkflowActivity } from './workflow';

const FIRST_INTERVAL_MS = 500;
const SHORTEST_INTERVAL_MS = 100;
const LONGEST_INTERVAL_MS = 10_000;
/** From this interval on, a busy workflow is taken to be busy for somebody else, perhaps. */
const PATIENT_INTERVAL_MS = 4_000;
/** The most rows of the document list that are read at each look. */
const MOST_LISTED = 2_000;
/** As many rows are worth reading for even a single document, whose own results tell as well. */
const FEW_LISTED = 200;

export interface WaitLimits {
	/** Real time, in ms. */
	maxWaitMs: number;
	/** How long a sign must last before it is believed, in ms. */
	settleMs: number;
}

/**
 * Looks at growing, jittered intervals until something is seen; undefined when the time is over.
 * @param expectedMs how long it may still take, Infinity where nobody knows; towards it the intervals shrink
 */
async function lookUntil<T>(
	context: Context,
	maxWaitMs: number,
	look: (intervalMs: number) => Promise<T | undefined>,
	expectedMs: () => number = () => Infinity,
): Promise<T | undefined> {
	const end = Date.now() + maxWaitMs;
	let intervalMs = FIRST_INTERVAL_MS;
	for (;;) {
		const seen = await within(end - Date.now(), stopSignal(context), look(intervalMs));
		if (seen !== undefined) return seen;
		const left = end - Date.now();
		if (left <= 0) return undefined;
		intervalMs = Math.min(intervalMs, Math.max(SHORTEST_INTERVAL_MS, expectedMs() / 2));
		const jittered = intervalMs * (0.8 + 0.4 * Math.random());
		await pause(Math.min(jittered, left), stopSignal(context));
		intervalMs = Math.min(LONGEST_INTERVAL_MS, intervalMs * 1.5);
	}
}

/** The outcome of some work, or undefined when the time is over first; the work's end is then ignored. */
async function within<T>(
	ms: number,
	stop: AbortSignal | undefined,
	work: Promise<T>,
): Promise<T | undefined> {
	const workIsDone = new AbortController();
	const signals = [workIsDone.signal, ...(stop ? [stop] : [])];
	const timeIsOver = pause(Math.max(0, ms), AbortSignal.any(signals)).then(() => undefined);
	timeIsOver.catch(() => undefined);
	work.catch(() => undefined);
	try {
		return await Promise.race([work, timeIsOver]);
	} finally {
		workIsDone.abort();
	}
}

/** Tells since when something holds, in ms; a reading to the contrary starts anew. */
class Steadiness {
	private since: number | undefined;

	observe(holds: boolean): number {
		if (!holds) {
			this.since = undefined;
			return -1;
		}
		this.since ??= Date.now();
		return Date.now() - this.since;
	}
}

/**
 * Waits until the workflow extracts nothing. Right after a trigger `is_extracting` may still be
 * false: false counts once true was seen, or when it has lasted for the settle time.
 */
export async function waitForWorkflow(
	context: Context,
	connection: Connection,
	{ maxWaitMs, settleMs }: WaitLimits,
): Promise<WorkflowActivity & { isFinished: boolean }> {
	let latest: WorkflowActivity | undefined;
	let sawExtracting = false;
	const idle = new Steadiness();
	const seen = await lookUntil(context, maxWaitMs, async () => {
		latest = await readActivity(context, connection);
		sawExtracting ||= latest.isExtracting;
		const idleMs = idle.observe(!latest.isExtracting);
		return idleMs >= (sawExtracting ? 0 : settleMs) ? latest : undefined;
	});
	return { ...(seen ?? (latest as WorkflowActivity)), isFinished: seen !== undefined };
}

/** Checks, before the first request, that there is a sign to wait for documents by. */
export function assertCanWaitForDocuments(
	context: Context,
	connection: Connection,
	areOverwritten = false,
) {
	if (areOverwritten && signOf(connection) === lookAtResults) {
		throw inputError(
			context,
			connection.itemIndex,
			"Waiting after 'Force' needs the API Detail 'Finished Statuses' or 'Workflow Endpoint'",
			`The old results stay until the new ones are there, so results alone do not tell when the extraction is over. Open the credential, switch on '${DETAIL_GROUPS.waitingAndLists.label}' and fill in one of the two, or switch off 'Wait Until Extracted'.`,
		);
	}
	if (signOf(connection) === lookAtWorkflow) assertCanReadWorkflow(context, connection);
}

/** The best sign that the user has told of. */
function signOf({ credential }: Connection): (watch: Watch, intervalMs: number) => Promise<void> {
	if (finishedStatuses(credential).size > 0) return lookAtStatuses;
	return hasDetail(credential, 'workflowEndpoint') ? lookAtWorkflow : lookAtResults;
}

export interface DocumentsWaitedFor {
	/** The documents whose extraction is over. */
	finished: Set<string>;
	/** The last `extraction_status` of each document, where one was seen. */
	statuses: Map<string, unknown>;
	/** Results that were read on the way and are final. */
	results: Map<string, unknown[]>;
	/** Why a document's results could not be read. */
	errors: Map<string, Error>;
}

/**
 * Waits until the extraction of certain documents is over. The sign, by what the user has told of
 * the service: Finished Statuses of the documents; else `is_extracting` of the workflow, backed by
 * the documents' results; else the results alone, once they no longer change.
 * @param areNew whether the documents had no results before: then any result is from this extraction
 */
export async function waitForDocuments(
	context: Context,
	connection: Connection,
	documentIds: string[],
	areNew: boolean,
	limits: WaitLimits,
): Promise<DocumentsWaitedFor> {
	const watch: Watch = {
		context,
		connection,
		areNew,
		settleMs: limits.settleMs,
		startedAt: Date.now(),
		pending: new Set(documentIds),
		seenUnfinished: new Set(),
		emptySince: new Map(),
		settling: new Map(),
		idle: new Steadiness(),
		sawExtracting: false,
		isOver: false,
		waited: { finished: new Set(), statuses: new Map(), results: new Map(), errors: new Map() },
	};
	const look = signOf(connection);
	const timeLeft = timeLeftFor(watch.pending.size);
	const log = occasionalLog(context);
	const progress = () =>
		`${watch.waited.finished.size} of ${documentIds.length} documents are extracted, after ${seconds(Date.now() - watch.startedAt)}`;
	await lookUntil(
		context,
		limits.maxWaitMs,
		async (intervalMs) => {
			if (watch.pending.size > 0) await look(watch, intervalMs);
			if (watch.pending.size === 0) return true;
			log(progress());
			return undefined;
		},
		() => timeLeft(watch.pending.size, Date.now() - watch.startedAt),
	);
	watch.isOver = true;
	const tally = tallyOf(context);
	tally.waitedMs = Math.max(tally.waitedMs, Date.now() - watch.startedAt);
	logProgress(context, progress());
	return watch.waited;
}

/**
 * How long the rest of some documents takes at the speed so far, in ms; Infinity while none is
 * finished, or once that time has passed. One function for one wait: it remembers the last progress.
 */
export function timeLeftFor(total: number): (pending: number, sinceStartMs: number) => number {
	let latest = { finished: 0, afterMs: Infinity };
	return (pending, sinceStartMs) => {
		const finished = total - pending;
		if (finished > latest.finished) latest = { finished, afterMs: sinceStartMs };
		const leftMs = (latest.afterMs / latest.finished) * total - sinceStartMs;
		return leftMs > 0 ? leftMs : Infinity;
	};
}

interface Watch {
	context: Context;
	connection: Connection;
	areNew: boolean;
	settleMs: number;
	startedAt: number;
	/** Documents that are not finished; only these are asked for again. */
	pending: Set<string>;
	seenUnfinished: Set<string>;
	/** Since when a document is said to be finished without having any result. */
	emptySince: Map<string, number>;
	/** The latest results of a document and since when they have not changed. */
	settling: Map<string, { fingerprint: string; since: number }>;
	idle: Steadiness;
	sawExtracting: boolean;
	/** Nobody waits any longer: a look that is under way asks for nothing more. */
	isOver: boolean;
	waited: DocumentsWaitedFor;
}

function finish(watch: Watch, documentId: string, results?: unknown[]) {
	if (watch.isOver) return;
	watch.pending.delete(documentId);
	watch.settling.delete(documentId);
	watch.waited.finished.add(documentId);
	if (results) watch.waited.results.set(documentId, results);
}

/** Does something for each of some documents; what fails for one of them concerns that one alone. */
async function forEachDocument(
	watch: Watch,
	documentIds: string[],
	work: (documentId: string) => Promise<void>,
) {
	const { context, connection, pending, waited } = watch;
	const outcomes = await settleInOrder(
		documentIds,
		connection.maxConcurrency,
		false,
		async (documentId) => {
			if (!watch.isOver) await work(documentId);
		},
	);
	if (watch.isOver) return;
	stopSignal(context)?.throwIfAborted();
	for (const [index, outcome] of outcomes.entries()) {
		if (!outcome?.error) continue;
		pending.delete(documentIds[index]);
		waited.errors.set(documentIds[index], outcome.error);
	}
}

/**
 * Documents that are said to be finished. New ones have proof in their results; the service may say
 * so a moment before it shows them, so a document without any is believed after the settle time.
 * @param isSure whether the saying was proof by itself; else results must be the same twice
 */
async function believe(watch: Watch, documentIds: string[], isSure: boolean) {
	const { context, connection, emptySince, settleMs } = watch;
	await forEachDocument(watch, documentIds, async (documentId) => {
		if (!watch.areNew) return finish(watch, documentId);
		const rows = await readDocumentResults(context, connection, documentId);
		if (rows.length > 0) {
			if (isSure || steadySince(watch, documentId, rows) !== undefined) {
				finish(watch, documentId, rows);
			}
			return;
		}
		const since = emptySince.get(documentId) ?? Date.now();
		emptySince.set(documentId, since);
		if (Date.now() - since >= settleMs) finish(watch, documentId, rows);
	});
}

/** Since when a document's results have been as they are now; undefined if they just changed. */
function steadySince({ settling }: Watch, documentId: string, rows: unknown[]): number | undefined {
	const fingerprint = JSON.stringify(rows);
	const before = settling.get(documentId);
	if (before?.fingerprint === fingerprint) return before.since;
	settling.set(documentId, { fingerprint, since: Date.now() });
	return undefined;
}

async function lookAtStatuses(watch: Watch, intervalMs: number) {
	const { context, connection, pending, seenUnfinished, waited } = watch;
	const finished = finishedStatuses(connection.credential);
	const claimed: string[] = [];
	const listed = new Set<string>();
	// New documents need not stand on the first pages, but then their results tell as much.
	const mostRows = watch.areNew
		? Math.min(MOST_LISTED, Math.max(FEW_LISTED, 2 * pending.size))
		: MOST_LISTED;
	const rows = await readDocuments(context, connection, {}, mostRows, { isExact: false });
	for (const row of rows.flatMap((entry) => documentRows(entry))) {
		const documentId = documentOf(watch, row.part);
		if (documentId === undefined) continue;
		listed.add(documentId);
		waited.statuses.set(documentId, row.status);
		// A document that was extracted before may still show the old status just after the trigger.
		const mayBeOld =
			!watch.areNew &&
			!seenUnfinished.has(documentId) &&
			Date.now() - watch.startedAt < watch.settleMs;
		if (!finished.has(String(row.status))) seenUnfinished.add(documentId);
		else if (!mayBeOld) claimed.push(documentId);
	}
	await believe(watch, claimed, true);
	if (watch.areNew && (rows.length === mostRows || intervalMs >= PATIENT_INTERVAL_MS)) {
		const unlisted = [...pending].filter((documentId) => !listed.has(documentId));
		await lookAtResults(watch, intervalMs, unlisted);
	}
}

/** Which of the documents that are waited for a part of the document list speaks of. */
function documentOf({ connection, pending }: Watch, part: unknown): string | undefined {
	const named = documentIdIn(connection.credential, part);
	if (named !== undefined && pending.has(named)) return named;
	const mentioned = new Set(textsOf(part).filter((text) => pending.has(text)));
	return mentioned.size === 1 ? [...mentioned][0] : undefined;
}

/**
 * The parts of a row that speak of one document each. The shape of the document list is not shown,
 * but `extraction_status` is named by the interface: what stands around it is the document.
 */
function documentRows(row: unknown, depth = 0): Array<{ part: unknown; status: unknown }> {
	if (row === null || typeof row !== 'object' || depth > 5) return [];
	const inner = Object.values(row).flatMap((part) => documentRows(part, depth + 1));
	if (inner.length > 1 || Array.isArray(row)) return inner;
	const status = valueIn(row, 'extraction_status');
	return status === undefined ? [] : [{ part: row, status }];
}

function textsOf(value: unknown): string[] {
	if (value === null || typeof value !== 'object') return [String(value)];
	return Object.values(value).flatMap((part) => textsOf(part));
}

async function lookAtWorkflow(watch: Watch, intervalMs: number) {
	const { context, connection, pending, settleMs, waited } = watch;
	const { isExtracting, status } = await readActivity(context, connection);
	for (const documentId of pending) waited.statuses.set(documentId, status);
	watch.sawExtracting ||= isExtracting;
	const idleMs = watch.idle.observe(!isExtracting);
	if (!isExtracting) {
		// Just after the trigger false proves nothing: results do, or that it lasts.
		const isSure = watch.sawExtracting || idleMs >= settleMs;
		if (watch.areNew || isSure) await believe(watch, [...pending], isSure);
		return;
	}
	watch.emptySince.clear();
	// Somebody else may keep the workflow busy: then our documents' own results decide.
	if (watch.areNew && intervalMs >= PATIENT_INTERVAL_MS) await lookAtResults(watch, intervalMs);
}

/**
 * A document is finished when it has results that have not changed for the settle time, and, where
 * looks have become rare, since the look before.
 */
async function lookAtResults(
	watch: Watch,
	intervalMs: number,
	documentIds: string[] = [...watch.pending],
) {
	const { context, connection, settleMs } = watch;
	const steadyMs = Math.max(settleMs, intervalMs >= PATIENT_INTERVAL_MS ? intervalMs / 2 : 0);
	await forEachDocument(watch, documentIds, async (documentId) => {
		const rows = await readDocumentResults(context, connection, documentId);
		if (rows.length === 0) return;
		const since = steadySince(watch, documentId, rows) ?? Date.now();
		if (Date.now() - since >= steadyMs) finish(watch, documentId, rows);
	});
}
