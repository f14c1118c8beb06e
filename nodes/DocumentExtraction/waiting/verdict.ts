/** Tells by which sign an extraction can be waited for, and whether it is over. Times are in ms of one clock. */
import { UserError } from 'n8n-workflow';

import { ifReady, ready, type Sign } from '../account/account';
import { howToFillIn } from '../account/apiDetails';
import { mapInOrder } from '../http/concurrency';
import { changesBetween, countIn, type Column, type Reading } from '../rows/values';
import type { Client } from '../service/client';
import { readResults } from '../service/extractions';
import { once } from '../service/call';
import { fewOf } from '../http/redact';
import { readActivity } from '../service/workflow';

/** What was known before an extraction was started. */
export interface BeforeStart {
	/**
	 * `new`: they had no results, so that any result is from this extraction.
	 * `kept`: values that are there are left alone, so there may be nothing to extract.
	 * `overwritten`: their status may be finished already.
	 * `any`: nothing of this is known.
	 */
	documents: 'new' | 'kept' | 'overwritten' | 'any';
	/** Whether the workflow was already extracting. */
	wasBusy?: boolean;
}

/**
 * The best sign that the credential offers.
 * @param areNamed whether certain documents are extracted, and not all in the workflow
 * @throws UserError naming the API Detail that is missing or malformed
 */
export function signOf({ account }: Client, areNamed: boolean): Sign {
	if (areNamed) return ready(account.waiting);
	ready(account.workflow);
	return 'workflow';
}

const otherSignNeeded = (what: string, why: string) =>
	new UserError(
		`To wait ${what}, the node needs a line 'Finished Statuses' or 'Workflow Endpoint' in the credential's API Details`,
		{
			description: `${why} ${howToFillIn('finishedStatuses')} Or switch off 'Wait Until Extracted'.`,
		},
	);

/**
 * Checks, before the first request, that there is a sign to wait for.
 * @param areOverwritten whether old results stay visible until new ones replace them
 * @throws UserError naming the API Details that are missing or malformed
 */
export function assertCanWait(client: Client, { areNamed = true, areOverwritten = false } = {}) {
	if (signOf(client, areNamed) !== 'results' || !areOverwritten) return;
	throw otherSignNeeded(
		"with 'Force' on",
		'The old results may stay until the new ones are there, so results alone do not tell when the extraction is over.',
	);
}

/**
 * Reads, before an extraction of documents at the service is started, the state that a wait compares
 * later states with. Where results are the only sign, there must be none yet.
 * @param documentIds none for all in the workflow
 * @param isForced whether columns that have results are extracted again
 * @throws UserError naming the documents that have results
 */
export async function lookBeforeStart(
	client: Client,
	documentIds: string[],
	isForced: boolean,
): Promise<BeforeStart> {
	const areNamed = documentIds.length > 0;
	const sign = signOf(client, areNamed);
	if (sign === 'statuses') return { documents: isForced ? 'overwritten' : 'any' };
	if (sign === 'workflow') {
		const read = async () => await readActivity(client);
		const { isExtracting: wasBusy } = await once(client, 'workflow before the start', read);
		const isKept = areNamed && !isForced && ifReady(client.account.rows) !== undefined;
		return { documents: isKept ? 'kept' : 'any', wasBusy };
	}
	const results = await mapInOrder(documentIds, client.maxConcurrency, async (documentId) => {
		const read = async () => await readResults(client, { documentId }, 1);
		// Only before the first start: a later try would take new results for old ones.
		return await once(client, `results of ${documentId} before the start`, read);
	});
	const extracted = documentIds.filter((_, index) => results[index].length > 0);
	if (extracted.length === 0) return { documents: 'new' };
	throw otherSignNeeded(
		'for documents that already have results',
		`The extraction was not started, because these documents have results: ${fewOf(extracted)}. Old results cannot be told from new ones.`,
	);
}

/** When a look began, and when it was answered: what it saw was so at some time between. */
interface Looked {
	askedAt: number;
	at: number;
}

/** From the first to the last of several looks in a row that saw the same. */
interface Period {
	/** When the first was answered. */
	since: number;
	/** When the last began. */
	until: number;
}

/** What the document's status, or the workflow's `is_extracting`, told. */
interface State extends Period {
	/** Undefined if it could not be read. */
	isOver: boolean | undefined;
}

/** What a document's results were. */
interface Results extends Period {
	/** Whether there was no result at all. */
	areNone: boolean;
	reading: Reading;
	/** The columns, or fields, in which they differ from the results before. */
	changes: string;
}

export interface Facts {
	sign: Sign;
	startedAt: number;
	settleMs: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	states: State[];
	results: Results[];
	/** Fields that changed with each look while nothing else did, e.g. when a result was read. */
	restless: Set<string>;
	/** What is known of all documents of a wait. */
	run: {
		/** None where they are not known. */
		columns: Column[];
		/** When results of one of them last changed. */
		changedAt: number;
	};
}

export interface Verdict {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Whether it cannot be told that results are complete. */
	isDoubtful?: boolean;
	/** Whether it waits, or waited, for a value that is empty, or that other documents have. */
	isLacking?: boolean;
	/** When another look at the document's results can tell more; undefined where none can. */
	lookAt?: number;
}

/** What was seen, and how long it must stay the same to count. */
interface Situation {
	is: string;
	applies: boolean;
	quietMs: number;
	/** Whether it cannot be told, even then, that all is there. */
	isDoubtful?: boolean;
}

/** In settle times: values that have not come by then are taken to be missing. */
const MISSING_SETTLE_TIMES = 10;
/** In settle times, for what no sign tells. */
const REST_SETTLE_TIMES = 3;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.2, longestMs: 10_000 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace: typeof RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/** Adds what a look at the sign has told. */
export function recordState(
	{ states }: Facts,
	isOver: boolean | undefined,
	{ askedAt, at }: Looked,
) {
	const latest = states.at(-1);
	if (latest && latest.isOver === isOver) latest.until = askedAt;
	else states.push({ isOver, since: at, until: askedAt });
}

/** Adds what a look at the results has shown. What changes with each look while nothing else does is no change. */
export function recordResults(
	{ results, restless, run }: Facts,
	seen: Pick<Results, 'areNone' | 'reading'>,
	{ askedAt, at }: Looked,
) {
	const latest = results.at(-1);
	const changed = latest
		? changesBetween(latest.reading, seen.reading).filter((field) => !restless.has(field))
		: [];
	const changes = changed.join();
	const isSame = latest && changes === '' && latest.areNone === seen.areNone;
	const isAsMuch = latest && countIn(latest.reading) === countIn(seen.reading);
	if (isSame) Object.assign(latest, seen, { until: askedAt });
	else if (changes !== '' && latest?.changes === changes && isAsMuch) {
		for (const field of changed) restless.add(field);
		results.pop();
		Object.assign(results.at(-1) ?? {}, seen, { until: askedAt });
	} else {
		results.push({ ...seen, changes, since: at, until: askedAt });
		if (latest) run.changedAt = at;
	}
}

/**
 * Whether the extraction of a document, or of a workflow, is over.
 * @param isTimeUp whether there is no time left to wait: what is only probably over counts as one in doubt
 */
export function verdictOf(facts: Facts, isTimeUp = false): Verdict {
	const { sign, before, states } = facts;
	// A status that is not a finished one counts, whatever the results are.
	const isRunning = sign === 'statuses' && states.at(-1)?.isOver === false;
	const isNew = before?.documents === 'new';
	const told = isNew ? byResults(facts) : bySign(facts);
	const verdict = isRunning ? { isFinished: false } : told;
	const isInDoubt = isTimeUp && !verdict.isFinished && mayBeOver(facts, isNew);
	return isInDoubt ? { isFinished: true, isDoubtful: true } : verdict;
}

/** Any result of a new document is from this extraction, so results count as well as the sign. */
function byResults(facts: Facts): Verdict {
	const { sign, startedAt, settleMs, states, results, run } = facts;
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const endedAt = endOf(facts);
	const hasEnded = endedAt !== undefined;
	const [latest, previous] = results.slice(-2).reverse();
	// What was read before the end may have been corrected since.
	if (!latest || latest.until < (endedAt ?? 0)) {
		const firstAt = nextLookAt(startedAt, startedAt, RESULTS_PACE);
		return { isFinished: false, lookAt: endedAt ?? firstAt };
	}
	const { since, until, areNone, reading } = latest;
	const isWhole = isWholeIn(facts, reading);
	const isMissing = !isWhole && lacksIn(facts, reading);
	const state = states.at(-1);
	const goesOn = state?.isOver === false;
	const isInPieces = previous !== undefined && !previous.areNone;
	const isFilledIn = !isMissing && results.some((one) => hasEmpty(one.reading));
	// The longer the first values took, the longer may the next ones.
	const restMs = Math.min(longMs, Math.max(REST_SETTLE_TIMES * settleMs, (since - startedAt) / 3));
	const { is, quietMs, isDoubtful } = situationIn([
		{ is: 'whole', applies: isWhole && !goesOn, quietMs: 0 },
		{ is: 'whole, but may be corrected', applies: isWhole, quietMs: longMs },
		{
			// Results may follow their status late. What is queued behind others looks like one without values.
			is: 'over without results',
			applies: hasEnded && areNone,
			quietMs: sign === 'workflow' ? longMs : longMs / 2,
			isDoubtful: sign === 'workflow',
		},
		{ is: 'over', applies: hasEnded, quietMs: settleMs },
		{ is: 'without results', applies: areNone, quietMs: Infinity },
		{ is: 'all empty values filled in', applies: isFilledIn && !goesOn, quietMs: settleMs },
		// The sign may be there again soon.
		{ is: 'unread', applies: state !== undefined && state.isOver === undefined, quietMs: Infinity },
		{
			is: 'lacking values',
			applies: isMissing || goesOn || countIn(reading) <= 1,
			quietMs: longMs,
			isDoubtful: true,
		},
		{ is: 'at rest', applies: run.columns.length > 0 && !isInPieces, quietMs: restMs },
		{ is: 'untold', applies: true, quietMs: restMs, isDoubtful: true },
	]);
	// While others of the run get values, these may get some as well.
	const quietAt = Math.max(since, endedAt ?? 0, isDoubtful ? run.changedAt : 0) + quietMs;
	const isLacking = isMissing && is === 'lacking values';
	if (quietMs === 0 || until >= quietAt) return { isFinished: true, isDoubtful, isLacking };
	// A look halfway shows what changes with each look.
	const pacedAt = hasEnded ? until + settleMs / 2 : nextLookAt(startedAt, until, RESULTS_PACE);
	return { isFinished: false, isLacking, lookAt: isWhole ? quietAt : Math.min(quietAt, pacedAt) };
}

/** Results of other documents may be old or new: only the sign tells. */
function bySign(facts: Facts): Verdict {
	const { before, settleMs, states, results } = facts;
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const isKept = before?.documents === 'kept';
	const { quietMs, isDoubtful } = situationIn([
		{ is: 'not over', applies: endOf(facts) === undefined, quietMs: Infinity },
		{
			is: 'over, perhaps since an earlier extraction',
			applies: before?.documents === 'overwritten' && !wasSeenRunning(facts),
			quietMs: longMs,
			isDoubtful: true,
		},
		// Others may have ended just before ours begins.
		{ is: 'over, perhaps only for others', applies: before?.wasBusy ?? false, quietMs: longMs },
		{ is: 'over', applies: true, quietMs: settleMs },
	]);
	const state = states.at(-1);
	const latest = results.at(-1);
	if (state && state.until - state.since >= quietMs) return { isFinished: true, isDoubtful };
	// All values are there: there was nothing to extract, or it was extracted unseen.
	if (isKept && latest && isWholeIn(facts, latest.reading)) return { isFinished: true };
	const lookAt = isKept && state?.isOver ? state.since + settleMs : Infinity;
	return { isFinished: false, lookAt: latest && latest.until >= lookAt ? undefined : lookAt };
}

/** Whether what was seen may be all, though there was no time to see that it stays so. */
function mayBeOver(facts: Facts, isNew: boolean): boolean {
	const { sign, settleMs, states, results } = facts;
	const latest = isNew ? results.at(-1) : undefined;
	const hasValues = latest !== undefined && (!latest.areNone || endOf(facts) !== undefined);
	// It may have run while the workflow was extracting, or while that could not be seen.
	const hasRested = states.some(
		({ isOver, since, until }, index) => index > 0 && isOver && until - since >= settleMs,
	);
	return hasValues || (sign === 'workflow' && hasRested && (!isNew || latest !== undefined));
}

const hasEmpty = (reading: Reading) => [...reading.values()].flat().includes('');

/** Whether each column has its values, and results name no others. */
function isWholeIn({ run: { columns } }: Facts, reading: Reading): boolean {
	const known = new Set(columns.flatMap(({ names }) => names));
	const isNamed = [...reading.keys()].every((name) => known.has(name));
	return columns.length > 0 && isNamed && columns.every((column) => isFull(column, reading));
}

/** Whether there is an empty value, or none of a column that all documents have. */
function lacksIn({ run: { columns } }: Facts, reading: Reading): boolean {
	const isLacked = (column: Column) => column.isInAll && !isFull(column, reading);
	return hasEmpty(reading) || columns.some(isLacked);
}

const isFull = ({ names, least }: Column, reading: Reading) => countIn(reading, names) >= least;

const situationIn = (all: Situation[]) => all.find(({ applies }) => applies) as Situation;

const wasSeenRunning = ({ states }: Facts) => states.some(({ isOver }) => isOver === false);

/** Since when the sign tells that it is over. A workflow may be idle while the extraction is still queued. */
export function endOf(facts: Facts): number | undefined {
	const { sign, before, states } = facts;
	const state = states.at(-1);
	const hasBegun = sign === 'statuses' || !before || wasSeenRunning(facts);
	return hasBegun && state?.isOver ? state.since : undefined;
}
