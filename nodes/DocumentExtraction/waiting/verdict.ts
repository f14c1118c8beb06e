/** Tells by which sign an extraction can be waited for, and whether it is over. Times are in ms of one clock. */
import { UserError } from 'n8n-workflow';

import { ifReady, ready, type Sign } from '../account/account';
import { howToFillIn } from '../account/apiDetails';
import { mapInOrder } from '../http/concurrency';
import type { Client } from '../service/client';
import { readResults } from '../service/extractions';
import { once } from '../service/call';
import { fewOf } from '../http/redact';
import { readActivity } from '../service/workflow';
import type { Shown } from './looks';

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
	ready(account.details.workflowEndpoint);
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
		const isKept = areNamed && !isForced && ifReady(client.account.details.rows) !== undefined;
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

/** Several looks in a row that saw the same. */
interface Period {
	/** When the first was answered. */
	since: number;
	/** When the last began. */
	until: number;
}

/** What is the same for all documents of a wait. */
export interface Common {
	readonly sign: Sign;
	readonly startedAt: number;
	readonly settleMs: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	readonly before: BeforeStart | undefined;
	/** What results may call each column; none where they are not known. */
	columns: string[][];
	/** When results of one of them last changed. */
	changedAt: number;
}

/** What is known of a document, or of the workflow. */
export interface Facts {
	readonly common: Common;
	/** What its status, or `is_extracting`, tells. */
	state?: Period & { isOver: boolean };
	/** Whether the sign has told of an extraction. */
	wasRunning?: boolean;
	/** Whether the sign could not be read when it was last looked at. */
	isHidden?: boolean;
	/** Whether the sign told that it is over after an extraction was seen, or may have been hidden. */
	mayHaveEnded?: boolean;
	results?: Period & { shown: Shown };
	/** When results were last looked for, though they may not have been found. */
	searchedAt?: number;
	/** Whether a value was empty. */
	hadEmpty?: boolean;
}

export interface Verdict {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Whether it cannot be told that results are complete. */
	isDoubtful?: boolean;
	/** Whether it waits, or waited, for a value that is empty, or that other documents have. */
	isLacking?: boolean;
	/** When another look at the document's results can tell more; Infinity where none can. */
	lookAt: number;
}

/** What was seen, and how long it must stay the same to count. */
interface Situation {
	is: string;
	applies: boolean | undefined;
	quietMs: number;
	/** Whether it cannot be told, even then, that all is there. */
	isDoubtful?: boolean;
}

/** In settle times: values that have not come by then are taken to be missing. */
const MISSING_SETTLE_TIMES = 10;
/** In settle times, for what no sign tells. */
const REST_SETTLE_TIMES = 3;
/** So long may pass between two looks at the sign without an extraction that neither of them sees. */
const LONGEST_UNSEEN_MS = 10_000;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.2, longestMs: 10_000 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace = RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/** Adds what a look at the sign has told. */
export function recordState(facts: Facts, isOver: boolean, { askedAt, at }: Looked) {
	const { state } = facts;
	// Under a rate limit, a look may come so late that an extraction has come and gone.
	if (state && at - state.until > LONGEST_UNSEEN_MS) facts.isHidden = true;
	if (isOver) facts.mayHaveEnded ||= facts.wasRunning || facts.isHidden;
	else facts.wasRunning = true;
	facts.isHidden = false;
	if (state?.isOver === isOver) state.until = askedAt;
	else facts.state = { isOver, since: at, until: askedAt };
}

/** Adds what a look at the results has shown. */
export function recordResults(facts: Facts, shown: Shown, { askedAt, at }: Looked) {
	const { results, common } = facts;
	facts.hadEmpty ||= shown.hasEmpty;
	if (results?.shown.print === shown.print) results.until = askedAt;
	else {
		if (results) common.changedAt = at;
		facts.results = { shown, since: at, until: askedAt };
	}
}

/**
 * Whether the extraction of a document, or of a workflow, is over. Any result of a new document is from
 * this extraction, so its results count as well as the sign; those of others may be old.
 * @param isTimeUp whether there is no time left to wait: what is only probably over counts as one in doubt
 */
export function verdictOf(facts: Facts, isTimeUp = false): Verdict {
	const { common, state, results } = facts;
	const { sign, before, startedAt, settleMs } = common;
	const isNew = before?.documents === 'new';
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const goesOn = state?.isOver === false;
	// A workflow may be idle while the extraction is still queued.
	const hasBegun = sign === 'statuses' || !before || facts.wasRunning;
	const endedAt = hasBegun && state?.isOver ? state.since : undefined;
	const hasEnded = endedAt !== undefined;
	const { areNone = true, hasEmpty = false, columns } = results?.shown ?? {};
	const hasAll = common.columns.every((names) => names.some((name) => columns?.has(name)));
	// A name that is not known shows that there are more than the known ones.
	const known = new Set(common.columns.flat());
	const areKnown = known.size > 0 && [...(columns ?? [])].every((name) => known.has(name));
	const isWhole = areKnown && hasAll && !hasEmpty;
	const isMissing = !hasAll || hasEmpty;
	const situations: Situation[] = [
		// A status that is not a finished one counts, whatever the results are.
		{ is: 'running', applies: sign === 'statuses' && goesOn, quietMs: Infinity },
		{ is: 'whole', applies: isWhole && !goesOn, quietMs: 0 },
		{ is: 'not over', applies: !isNew && !hasEnded, quietMs: Infinity },
		{
			// The status may be an old one; others may have ended just before ours begins.
			is: 'over, perhaps not by this extraction',
			applies: before?.wasBusy || (before?.documents === 'overwritten' && !facts.wasRunning),
			quietMs: longMs,
			isDoubtful: !facts.wasRunning,
		},
		{ is: 'whole, but may be corrected', applies: isWhole, quietMs: longMs },
		{
			// Results may follow their status late. What is queued behind others looks like one without values.
			is: 'over without results',
			applies: isNew && hasEnded && areNone,
			quietMs: sign === 'workflow' ? longMs : longMs / 2,
			isDoubtful: sign === 'workflow',
		},
		{ is: 'over', applies: hasEnded, quietMs: settleMs },
		{ is: 'without results', applies: areNone, quietMs: Infinity },
		{
			is: 'all empty values filled in',
			applies: facts.hadEmpty && !isMissing && !goesOn,
			quietMs: settleMs,
		},
		// The sign may be there again soon.
		{ is: 'unread', applies: facts.isHidden, quietMs: Infinity },
		{ is: 'lacking values', applies: isMissing || goesOn, quietMs: longMs, isDoubtful: true },
		{ is: 'untold', applies: true, quietMs: REST_SETTLE_TIMES * settleMs, isDoubtful: true },
	];
	const { is, quietMs, isDoubtful } = situations.find(({ applies }) => applies) as Situation;
	const isLacking = isMissing && is === 'lacking values';
	const seen = isNew ? results : state;
	const since = Math.max(seen?.since ?? startedAt, endedAt ?? startedAt);
	// While others of the run get values, these may get some as well.
	const quietAt = Math.max(since, isDoubtful ? common.changedAt : 0) + quietMs;
	// What was read before the end may have been corrected since.
	const isLatest = seen !== undefined && seen.until >= (endedAt ?? 0);
	if (isLatest && (quietMs === 0 || seen.until >= quietAt))
		return { isFinished: true, isDoubtful, isLacking, lookAt: Infinity };
	const mayBeOver = sign === 'workflow' && facts.mayHaveEnded && (!isNew || results !== undefined);
	if (isTimeUp && (mayBeOver || (isNew && results && (!areNone || hasEnded))))
		return { isFinished: true, isDoubtful: true, lookAt: Infinity };
	const { searchedAt = startedAt } = facts;
	const isEnded = hasEnded && searchedAt < endedAt;
	const pacedAt = isEnded ? endedAt : nextLookAt(startedAt, searchedAt);
	let lookAt =
		isNew && is !== 'running' ? Math.min(isLatest ? quietAt : Infinity, pacedAt) : Infinity;
	// There may have been nothing to extract, or it was extracted unseen.
	if (before?.documents === 'kept' && state?.isOver && !facts.searchedAt)
		lookAt = state.since + settleMs;
	return { isFinished: false, isLacking, lookAt };
}
