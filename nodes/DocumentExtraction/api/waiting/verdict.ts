/** Tells whether an extraction is over, from what was seen and when. Times are in ms of one clock. */
import type { ValuesThere } from '../resultsSoFar';
import type { BeforeStart, Sign } from '../workflow';

/** What several looks in a row saw alike, from the first of them to the last. */
type Period<F = object> = F & { since: number; until: number };

export interface Facts {
	sign: Sign;
	startedAt: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	/** What the document's status, or the workflow's `is_extracting`, told; undefined if it could not be read. */
	signs: Array<Period<{ isOver: boolean | undefined }>>;
	results: Array<Period<ValuesThere>>;
}

/** Why it cannot be told: time was up, values came one by one, or the workflow may work on other documents. */
export type Doubt = 'time' | 'pieces' | 'workflow';

/** `lookAt` is when another look at the document's results can tell more; Infinity where none can. */
export type Verdict =
	| { is: 'finished' }
	| { is: 'cannot be told'; doubt: Doubt }
	| { is: 'not yet'; lookAt: number };

/** In settle times: values that have not come by then are taken to be missing. */
const MISSING_SETTLE_TIMES = 10;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.5, longestMs: 10_000 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace = RESULTS_PACE) {
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
	const { startedAt, before, results } = facts;
	const end = endOf(facts);
	if (!before?.isNew) {
		const neededMs = before?.wasBusy ? MISSING_SETTLE_TIMES * settleMs : settleMs;
		const isOver = end && end.until - end.since >= neededMs;
		return isOver ? { is: 'finished' } : { is: 'not yet', lookAt: Infinity };
	}
	const latest = results.at(-1);
	if (latest?.isWhole) return { is: 'finished' };
	if (isUnfinished(facts)) return { is: 'not yet', lookAt: Infinity };
	const lookedAt = latest?.until ?? startedAt;
	if (end && lookedAt < end.since) return { is: 'not yet', lookAt: end.since };
	const { quietMs, doubt } = quietOf(facts, end !== undefined, settleMs);
	const settlesAt = Math.max(latest?.since ?? startedAt, end?.since ?? startedAt) + quietMs;
	const nextAt = nextLookAt(startedAt, lookedAt);
	if (lookedAt < settlesAt) return { is: 'not yet', lookAt: Math.min(settlesAt, nextAt) };
	return doubt ? { is: 'cannot be told', doubt } : { is: 'finished' };
}

/** The verdict when time is up: of an extraction that is only probably over, it cannot be told. */
export function lastVerdictOf(facts: Facts, settleMs: number): Verdict {
	const verdict = verdictOf(facts, settleMs);
	if (verdict.is !== 'not yet' || isUnfinished(facts)) return verdict;
	const { sign, before, signs, results } = facts;
	const latest = results.at(-1);
	const lasts = ({ since, until }: Period) => until - since >= settleMs;
	const isSeenOnce = results.filter(({ isEmpty }) => !isEmpty).length === 1;
	const isQuiet = latest && !latest.isEmpty && (isSeenOnce || lasts(latest));
	if (isQuiet || (latest && endOf(facts))) return { is: 'cannot be told', doubt: 'time' };
	// It may have run while the workflow was extracting, or while that could not be read.
	const hasRested = signs.slice(1).some((period) => period.isOver && lasts(period));
	const mayBeOver = sign === 'workflow' && hasRested && (!before?.isNew || latest?.isEmpty);
	return mayBeOver ? { is: 'cannot be told', doubt: 'workflow' } : verdict;
}

/** A status that is not a finished one counts, whatever the results are. */
const isUnfinished = ({ sign, signs }: Facts) =>
	sign === 'statuses' && signs.at(-1)?.isOver === false;

/** From when until when the sign told that the extraction is over. */
function endOf({ sign, before, signs }: Facts): Period | undefined {
	const hasBegun = sign === 'statuses' || !before || signs.some(({ isOver }) => isOver === false);
	// A workflow may be idle while an extraction is still queued.
	return hasBegun && signs.at(-1)?.isOver ? signs.at(-1) : undefined;
}

/** How long results must stay the same before they count, and the doubt that remains then. */
function quietOf(
	{ sign, startedAt, results }: Facts,
	isOver: boolean,
	settleMs: number,
): { quietMs: number; doubt?: Doubt } {
	const latest = results.at(-1);
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	// An extraction that is queued behind others looks like a document without values.
	if (isOver && sign === 'workflow' && latest?.isEmpty) {
		return { quietMs: longMs, doubt: 'workflow' };
	}
	if (isOver) return { quietMs: settleMs };
	if (!latest || latest.isEmpty) return { quietMs: Infinity };
	const isFilledIn = !latest.isMissing && results.some(({ isMissing }) => isMissing);
	if (isFilledIn) return { quietMs: settleMs };
	const changes = results.filter(({ isEmpty }) => !isEmpty);
	const [first, ...later] = changes;
	const unseenSince = results[results.indexOf(first) - 1]?.until ?? startedAt;
	// Several values at once come faster than the looks. After a single one, the next one may take as
	// long as the first did.
	const isSingle = (first.count ?? 1) <= 1;
	const firstMs = isSingle ? Math.min(first.since - startedAt, longMs) : first.since - unseenSince;
	const pauses = later.map(({ since }, index) => since - changes[index].since);
	const quietMs = Math.max(settleMs, latest.isMissing ? longMs : 0, firstMs, ...pauses);
	return later.length > 0 ? { quietMs, doubt: 'pieces' } : { quietMs };
}
