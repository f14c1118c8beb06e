/** Tells whether an extraction is over, from what was seen and when. Times are in ms of one clock. */
import type { Values } from '../rows/values';
import type { Sign } from '../account/account';
import type { BeforeStart } from './sign';

/** What several looks in a row saw alike, from the first of them to the last. */
type Period<F> = F & {
	since: number;
	until: number;
	/** How far apart looks were at most, so far. */
	gapMs: number;
};

export interface Facts {
	sign: Sign;
	startedAt: number;
	settleMs: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	/** What the document's status, or the workflow's `is_extracting`, told; undefined if it could not be read. */
	states: Array<Period<{ isOver: boolean | undefined }>>;
	/** By the fingerprint of what was read. */
	results: Array<Period<Values & { fingerprint: string }>>;
}

/** Why it cannot be told whether results are complete; `REASONS` has the words. */
export type Doubt = 'time' | 'pieces' | 'workflow' | 'old status';

export interface Verdict {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	doubt?: Doubt;
	/** When another look at the document's results can tell more; undefined where none can. */
	lookAt?: number;
}

/** In settle times: values that have not come by then are taken to be missing. */
const MISSING_SETTLE_TIMES = 10;
/** Between looks further apart, as under a rate limit, a whole extraction may go unseen. */
const LONGEST_GAP_MS = 5_000;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.5, longestMs: 10_000 };
/** Where a single look can end the wait. */
const MISSING_PACE = { ...RESULTS_PACE, share: 0.25 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace: typeof RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/** Adds what a look has seen: the last period goes on if the field `by` is as it was then, or else a new one begins. */
export function record<F extends object>(
	periods: Array<Period<F>>,
	by: keyof F,
	fact: F,
	at = performance.now(),
) {
	const latest = periods.at(-1);
	const { since, until, gapMs } = latest ?? { since: at, until: at, gapMs: 0 };
	const isSame = latest?.[by] === fact[by];
	if (isSame) periods.pop();
	const longestMs = Math.max(gapMs, at - until);
	periods.push({ ...fact, since: isSame ? since : at, until: at, gapMs: longestMs });
}

/** Whether the extraction of a document, or of a workflow, is over, while there is time to wait. */
export function verdictOf(facts: Facts): Verdict {
	const { sign, before, states } = facts;
	// A status that is not a finished one counts, whatever the results are.
	if (sign === 'statuses' && states.at(-1)?.isOver === false) return { isFinished: false };
	return before?.documents === 'new' ? byResults(facts) : bySign(facts);
}

/** Any result of a new document is from this extraction, so results count as well as the sign. */
function byResults(facts: Facts): Verdict {
	const { sign, startedAt, settleMs, states, results } = facts;
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const endedAt = endOf(facts);
	const [latest, previous] = results.slice(-2).reverse();
	// What was read before the end may have been corrected since.
	if (!latest || latest.until < (endedAt ?? 0)) {
		const firstAt = nextLookAt(startedAt, startedAt, RESULTS_PACE);
		return { isFinished: false, lookAt: endedAt ?? firstAt };
	}
	const { since, until, isEmpty, isWhole, isMissing } = latest;
	const hasEnded = endedAt !== undefined;
	const goesOn = states.at(-1)?.isOver === false;
	const isInPieces = results.filter((period) => !period.isEmpty).length > 1;
	const isFilledIn = !isMissing && results.some(({ hasNull }) => hasNull);
	const pauseMs = Math.max(isMissing || goesOn ? longMs : settleMs, longestPauseOf(facts, longMs));
	const { quietMs, doubt } = situationIn([
		// Values may still be corrected.
		[isWhole, goesOn ? longMs : 0],
		// An extraction that is queued behind others looks like a document without values.
		[hasEnded && isEmpty && sign === 'workflow', longMs, 'workflow'],
		[hasEnded, settleMs],
		[isEmpty, Infinity],
		[isFilledIn && !goesOn, settleMs],
		[isInPieces, pauseMs, 'pieces'],
		[true, pauseMs],
	]);
	// If nothing else was read since the end, what was read counts as unchanged since the end.
	const isSinceEnd = endedAt !== undefined && !(previous && previous.until >= endedAt);
	const quietAt = (isSinceEnd ? endedAt : since) + quietMs;
	if (until >= quietAt) return { isFinished: true, doubt };
	const pace = sign === 'results' && isMissing ? MISSING_PACE : RESULTS_PACE;
	const pacedAt = isWhole ? Infinity : nextLookAt(startedAt, until, pace);
	return { isFinished: false, lookAt: Math.min(quietAt, pacedAt) };
}

/** Results of other documents may be old or new: only the sign tells. */
function bySign(facts: Facts): Verdict {
	const { before, settleMs, states, results } = facts;
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const { quietMs, doubt } = situationIn([
		[endOf(facts) === undefined, Infinity],
		[before?.documents === 'overwritten' && !wasSeenRunning(facts), longMs, 'old status'],
		// Others may have ended just before ours begins.
		[before?.wasBusy, longMs],
		[true, settleMs],
	]);
	const state = states.at(-1);
	const latest = results.at(-1);
	if (state && state.until - state.since >= quietMs) return { isFinished: true, doubt };
	// All values are there: there was nothing to extract, or it was extracted unseen.
	if (before?.documents === 'kept' && latest?.isWhole) return { isFinished: true };
	if (!state) return { isFinished: false };
	// While the workflow cannot be read, only results that change show that it was extracting.
	const restsAt = before?.documents === 'kept' || latest ? state.since + settleMs : Infinity;
	const lookAt = state.isOver === undefined ? state.since : state.isOver ? restsAt : Infinity;
	return { isFinished: false, lookAt: latest && latest.until >= lookAt ? undefined : lookAt };
}

/** The verdict when time is up. An extraction that is only probably over counts as one in doubt. */
export function lastVerdictOf(facts: Facts): Verdict {
	const verdict = verdictOf(facts);
	if (verdict.isFinished) return verdict;
	const { sign, before, settleMs, states, results } = facts;
	const isNew = before?.documents === 'new';
	const latest = isNew ? results.at(-1) : undefined;
	if (latest && (!latest.isEmpty || endOf(facts))) return { isFinished: true, doubt: 'time' };
	// It may have run while the workflow was extracting, or while that could not be seen.
	const hasRested = states.some(
		({ isOver, since, until, gapMs }, index) =>
			isOver && until - since >= settleMs && (index > 0 || gapMs > LONGEST_GAP_MS),
	);
	const mayBeOver = sign === 'workflow' && hasRested && (!isNew || latest);
	return mayBeOver ? { isFinished: true, doubt: 'workflow' } : verdict;
}

/** The first situation that applies: how long what was seen must stay the same, and what doubt remains then. */
function situationIn(all: Array<[applies: boolean | undefined, quietMs: number, doubt?: Doubt]>) {
	const [, quietMs, doubt] = all.find(([applies]) => applies) ?? [true, Infinity];
	return { quietMs, doubt };
}

const wasSeenRunning = ({ before, states, results }: Facts) =>
	states.some(({ isOver }) => isOver === false) ||
	(before?.documents !== 'new' && results.length > 1);

/** Since when the sign tells that it is over. A workflow may be idle while the extraction is still queued. */
function endOf(facts: Facts): number | undefined {
	const { sign, before, states } = facts;
	const state = states.at(-1);
	const hasBegun = sign === 'statuses' || !before || wasSeenRunning(facts);
	return hasBegun && state?.isOver ? state.since : undefined;
}

/** How long values may pause before the next ones come, judged by those that have come. */
function longestPauseOf({ startedAt, results }: Facts, longMs: number): number {
	const [first, ...later] = results.filter(({ isEmpty }) => !isEmpty);
	if (!first) return 0;
	const pauses = later.map(({ since }, index) => since - (later[index - 1] ?? first).since);
	if (later.length > 0) return Math.max(...pauses);
	if (first.count === undefined) return Math.min(first.since - startedAt, longMs);
	// A single value tells nothing of the next; several at once come faster than the looks.
	const unseen = results[results.indexOf(first) - 1];
	return first.count > 1 ? first.since - (unseen?.until ?? startedAt) : longMs;
}
