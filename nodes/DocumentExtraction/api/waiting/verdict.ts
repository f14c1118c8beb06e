/** From what was seen of a document, and when, to whether its extraction is over. Times are in ms of one clock. */
import type { BeforeStart, Sign } from '../sign';
import type { ValuesThere } from '../values';

/** What looks in a row saw alike, from the first of them to the last. */
export type Spell<F = object> = F & { since: number; until: number };

export interface Facts {
	sign: Sign;
	startedAt: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	/** What the document's status, or the workflow's `is_extracting`, said; undefined if that could not be read. */
	signs: Array<Spell<{ isOver: boolean | undefined }>>;
	results: Array<Spell<ValuesThere>>;
}

/** Why it cannot be told: the time was over, values came one by one, or the workflow works for others too. */
export type Doubt = 'time' | 'pieces' | 'workflow';

/** `lookAt` is when the document's results can tell more; Infinity where they cannot. */
export type Verdict =
	| { is: 'finished' }
	| { is: 'cannot be told'; doubt: Doubt }
	| { is: 'not yet'; lookAt: number };

/** What is not there yet counts as missing after so many settle times. */
const MISSING_SETTLE_TIMES = 10;
/** What took long may well take longer: `share` of the time so far passes before the next look. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.4, longestMs: 10_000 };

/** When to look again, after a look. */
export function nextLookAt(startedAt: number, lookedAt: number, pace = RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/** Adds what a look has seen to what the looks before it saw. */
export function note<F extends object>(
	spells: Array<Spell<F>>,
	by: keyof F,
	fact: F,
	at = performance.now(),
) {
	const latest = spells.at(-1);
	const goesOn = latest?.[by] === fact[by];
	if (goesOn) spells.pop();
	spells.push({ ...fact, since: goesOn && latest ? latest.since : at, until: at });
}

/** Whether the extraction of a document, or of a workflow, is over while there is time to wait. */
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

/** The same once nobody waits any longer: what is likely to be over, but not known to be, cannot be told. */
export function lastVerdictOf(facts: Facts, settleMs: number): Verdict {
	const verdict = verdictOf(facts, settleMs);
	if (verdict.is !== 'not yet' || isUnfinished(facts)) return verdict;
	const { sign, before, signs, results } = facts;
	const latest = results.at(-1);
	const lasts = ({ since, until }: Spell) => until - since >= settleMs;
	const isSeenOnce = results.filter(({ isEmpty }) => !isEmpty).length === 1;
	const isQuiet = latest && !latest.isEmpty && (isSeenOnce || lasts(latest));
	if (isQuiet || (latest && endOf(facts))) return { is: 'cannot be told', doubt: 'time' };
	// It may have come and gone while the workflow was extracting, or could not be read.
	const hasRested = signs.slice(1).some((spell) => spell.isOver && lasts(spell));
	const mayBeOver = sign === 'workflow' && hasRested && (!before?.isNew || latest?.isEmpty);
	return mayBeOver ? { is: 'cannot be told', doubt: 'workflow' } : verdict;
}

/** A status that is not a finished one is an answer, whatever the results are. */
const isUnfinished = ({ sign, signs }: Facts) =>
	sign === 'statuses' && signs.at(-1)?.isOver === false;

/** Since when, and until when, the sign was seen to say that it is over. */
function endOf({ sign, before, signs }: Facts): Spell | undefined {
	const hasBegun = sign === 'statuses' || !before || signs.some(({ isOver }) => isOver === false);
	// The workflow may be idle while an extraction waits its turn.
	return hasBegun && signs.at(-1)?.isOver ? signs.at(-1) : undefined;
}

/** For how long results must stay the same, and what remains uncertain then. */
function quietOf(
	{ sign, startedAt, results }: Facts,
	isOver: boolean,
	settleMs: number,
): { quietMs: number; doubt?: Doubt } {
	const latest = results.at(-1);
	const longMs = MISSING_SETTLE_TIMES * settleMs;
	// One that still waits its turn, behind somebody else's, looks like one that holds nothing.
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
	// Several values at once come faster than the looks; of a single one nobody knows.
	const isSingle = (first.count ?? 1) <= 1;
	const firstMs = isSingle ? Math.min(first.since - startedAt, longMs) : first.since - unseenSince;
	const pauses = later.map(({ since }, index) => since - changes[index].since);
	const quietMs = Math.max(settleMs, latest.isMissing ? longMs : 0, firstMs, ...pauses);
	return later.length > 0 ? { quietMs, doubt: 'pieces' } : { quietMs };
}
