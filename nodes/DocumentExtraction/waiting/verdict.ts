/** Tells whether an extraction is over, from what was seen and when. Times are in ms of one clock. */
import type { BeforeStart, Sign } from './sign';
import type { ValuesThere } from './values';

/** What several looks in a row saw alike, from the first of them to the last. */
type Period<F = object> = F & { since: number; until: number };

export interface Facts {
	sign: Sign;
	startedAt: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	/**
	 * What the document's status, or the workflow's `is_extracting`, told; undefined if it could not be
	 * read. `hasGap`: looks were so far apart that an extraction may have run unseen.
	 */
	states: Array<Period<{ isOver: boolean | undefined; hasGap?: boolean }>>;
	/** By the fingerprint of what was read. */
	results: Array<Period<ValuesThere & { fingerprint: string }>>;
}

/** Why it cannot be told; `REASONS` has the words. */
export type Doubt = 'time' | 'pieces' | 'workflow' | 'old status';

/** `lookAt` is when another look at the document's results can tell more; Infinity where none can. */
export type Verdict =
	| { is: 'finished' }
	| { is: 'cannot be told'; doubt: Doubt }
	| { is: 'not yet'; lookAt: number };

/** In settle times: values that have not come by then are taken to be missing. */
const MISSING_SETTLE_TIMES = 10;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.5, longestMs: 10_000 };
/** Where a single look can end the wait. */
const WHOLE_PACE = { ...RESULTS_PACE, share: 0.25 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace: typeof RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/**
 * Adds what a look has seen to what the looks before it saw.
 * @param by the field that tells whether it is the same as before
 */
export function record<F extends object>(
	periods: Array<Period<F>>,
	by: keyof F,
	fact: F,
	at = performance.now(),
) {
	const latest = periods.at(-1);
	const goesOn = latest?.[by] === fact[by];
	if (goesOn) periods.pop();
	periods.push({ ...fact, since: goesOn && latest ? latest.since : at, until: at });
}

/** Whether the extraction of a document, or of a workflow, is over, while there is time to wait. */
export function verdictOf(facts: Facts, settleMs: number): Verdict {
	const { startedAt, before, states, results } = facts;
	const state = states.at(-1);
	const latest = results.at(-1);
	const { quietMs, doubt } = quietFor(facts, settleMs);
	const outcome: Verdict = doubt ? { is: 'cannot be told', doubt } : { is: 'finished' };
	if (!before?.isNew) {
		if (state && state.until - state.since >= quietMs) return outcome;
		if (!before?.keepsValues) return { is: 'not yet', lookAt: Infinity };
		// Nothing is left to extract: it may have been so, or have been extracted unseen.
		if (latest?.isWhole) return { is: 'finished' };
		const restsAt = state?.isOver ? state.since + settleMs : Infinity;
		return { is: 'not yet', lookAt: latest && latest.until >= restsAt ? Infinity : restsAt };
	}
	const lookedAt = latest?.until ?? startedAt;
	const endedAt = hasEnded(facts) && state ? state.since : undefined;
	// What was read before the end may have been corrected since.
	if (endedAt !== undefined && lookedAt < endedAt) return { is: 'not yet', lookAt: endedAt };
	// What each look after the end has seen alike has been so since then.
	const isOneSinceEnd = results.filter(({ until }) => until >= (endedAt ?? 0)).length === 1;
	const unchangedSince = (isOneSinceEnd ? endedAt : undefined) ?? latest?.since ?? startedAt;
	const settlesAt = unchangedSince + quietMs;
	if (lookedAt >= settlesAt) return outcome;
	if (latest?.isWhole) return { is: 'not yet', lookAt: settlesAt };
	if (isUnfinished(facts)) return { is: 'not yet', lookAt: Infinity };
	const pace = facts.sign === 'results' && latest?.columns ? WHOLE_PACE : RESULTS_PACE;
	return { is: 'not yet', lookAt: Math.min(settlesAt, nextLookAt(startedAt, lookedAt, pace)) };
}

/** The verdict when time is up: of an extraction that is only probably over, it cannot be told. */
export function lastVerdictOf(facts: Facts, settleMs: number): Verdict {
	const verdict = verdictOf(facts, settleMs);
	if (verdict.is !== 'not yet' || isUnfinished(facts)) return verdict;
	const { sign, before, states, results } = facts;
	const latest = before?.isNew ? results.at(-1) : undefined;
	const lasts = ({ since, until }: Period) => until - since >= settleMs;
	const isSeenOnce = results.filter(({ isEmpty }) => !isEmpty).length === 1;
	const isQuiet = latest && !latest.isEmpty && (isSeenOnce || lasts(latest));
	if (isQuiet || (latest && hasEnded(facts))) return { is: 'cannot be told', doubt: 'time' };
	// It may have run while the workflow was extracting, or while that could not be seen.
	const hasRested = states.some(
		(state, index) => state.isOver && lasts(state) && (index > 0 || state.hasGap),
	);
	const mayBeOver = sign === 'workflow' && hasRested && (!before?.isNew || latest?.isEmpty);
	return mayBeOver ? { is: 'cannot be told', doubt: 'workflow' } : verdict;
}

/** A status that is not a finished one counts, whatever the results are. */
const isUnfinished = ({ sign, states }: Facts) =>
	sign === 'statuses' && states.at(-1)?.isOver === false;

const wasSeenRunning = ({ states }: Facts) => states.some(({ isOver }) => isOver === false);

/** Whether the sign tells that the extraction is over. A workflow may be idle while it is still queued. */
function hasEnded(facts: Facts): boolean {
	const { sign, before, states } = facts;
	const hasBegun = sign === 'statuses' || !before || wasSeenRunning(facts);
	return hasBegun && states.at(-1)?.isOver === true;
}

/** How long what was seen must stay the same to count, and the doubt that remains then. */
interface Quiet {
	quietMs: number;
	doubt?: Doubt;
}

/** The first situation that applies. */
function quietFor(facts: Facts, settleMs: number): Quiet {
	const { sign, before, states, results } = facts;
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	const isOver = hasEnded(facts);
	if (!before?.isNew) {
		const mayBeOld = before?.isForced && sign === 'statuses' && !wasSeenRunning(facts);
		return firstOf([
			// Whether what is there is old or new, only the sign tells.
			[!isOver, Infinity],
			[mayBeOld, longMs, 'old status'],
			// Others may have ended just before ours begins.
			[before?.wasBusy, longMs],
			[true, settleMs],
		]);
	}
	const goesOn = states.at(-1)?.isOver === false;
	const latest = results.at(-1);
	const isEmpty = latest?.isEmpty ?? true;
	const isMissing = latest?.isMissing ?? false;
	const isFilledIn = !isMissing && results.some(({ hasNull }) => hasNull);
	const pieces = results.filter((state) => !state.isEmpty).length > 1 ? 'pieces' : undefined;
	const longestPauseMs = longestPauseOf(facts, longMs);
	const pausesMs = Math.max(settleMs, isMissing ? longMs : 0, longestPauseMs);
	return firstOf([
		[latest?.isWhole && !goesOn, 0],
		// Values may still be corrected.
		[latest?.isWhole, longMs],
		[isUnfinished(facts), Infinity],
		// An extraction that is queued behind others looks like a document without values.
		[isOver && sign === 'workflow' && isEmpty, longMs, 'workflow'],
		[isOver, settleMs],
		[isEmpty, Infinity],
		[goesOn, Math.max(pausesMs, longMs), pieces],
		[isFilledIn, settleMs],
		[true, pausesMs, pieces],
	]);
}

type Situation = [applies: boolean | undefined, quietMs: number, doubt?: Doubt];

function firstOf(situations: Situation[]): Quiet {
	const [, quietMs, doubt] = situations.find(([applies]) => applies) ?? [true, Infinity];
	return { quietMs, doubt };
}

/** How long values may pause before the next ones come, as far as those tell that came. */
function longestPauseOf({ startedAt, results }: Facts, longMs: number): number {
	const [first, ...later] = results.filter(({ isEmpty }) => !isEmpty);
	if (!first) return 0;
	const pauses = later.map(({ since }, index) => since - (later[index - 1] ?? first).since);
	if (later.length > 0) return Math.max(...pauses);
	// A single value tells nothing of the next, if there is one; several at once come faster than the looks.
	if (first.count === undefined || first.columns === 1)
		return Math.min(first.since - startedAt, longMs);
	const unseenSince = results[results.indexOf(first) - 1]?.until ?? startedAt;
	return first.count > 1 ? first.since - unseenSince : longMs;
}
