/** From what was seen of a document, and when, to whether its extraction is over. Times are in ms of one clock. */

/** What the document's status, or the workflow's `is_extracting`, said. */
export interface SignFact {
	at: number;
	isOver: boolean;
}

/** What the results of a document were. */
export interface ResultsFact {
	at: number;
	/** Differs from the one before where the results do. */
	state: number;
	/** How many values there are; undefined where nobody knows where results hold them. */
	values: number | undefined;
	/** Whether nothing is missing, as far as columns are known; a null is missing at any rate. */
	isWhole: boolean | undefined;
	isEmpty: boolean;
}

export interface DocumentFacts {
	sign: 'statuses' | 'workflow' | 'results';
	startedAt: number;
	/** Whether the document had no results before: then any result is from this extraction. */
	isNew: boolean;
	/** Whether an extraction was just started: a workflow may still be idle while that waits its turn. */
	isStarted: boolean;
	/** Whether the workflow was extracting for somebody else before. */
	wasBusy: boolean;
	signs: SignFact[];
	results: ResultsFact[];
}

export type Doubt = 'seen once' | 'came in pieces' | 'others extract' | 'not looked' | 'no results';

/** `lookAt` is when the document's results can tell more; Infinity where they cannot. */
export type Verdict =
	| { is: 'finished' }
	| { is: 'cannot be told'; doubt: Doubt }
	| { is: 'not yet'; lookAt: number };

/** What is not there yet counts as missing after so many settle times. */
export const EMPTY_SETTLE_TIMES = 10;
/** A pause may have been longer than the looks could tell. */
const PAUSE_MARGIN = 1.05;
/** A look tells when something began to the distance from the look before. */
const LOOKS_PER_PAUSE = 3;
const SHORTEST_INTERVAL_MS = 500;
const LONGEST_INTERVAL_MS = 10_000;

/** Whether the extraction of a document, or of a workflow, is over while there is time to wait. */
export function verdictOf(facts: DocumentFacts, settleMs: number): Verdict {
	const end = endOf(facts);
	if (!facts.isNew) {
		const neededMs = facts.wasBusy ? EMPTY_SETTLE_TIMES * settleMs : settleMs;
		const isOver = end && (end.isSure || end.ms >= neededMs);
		return isOver ? { is: 'finished' } : { is: 'not yet', lookAt: Infinity };
	}
	if (facts.results.at(-1)?.isWhole) return { is: 'finished' };
	if (end) return afterEnd(end.since, facts, settleMs);
	return isListed(facts) ? { is: 'not yet', lookAt: Infinity } : byResults(facts, settleMs);
}

function isListed({ sign, signs }: DocumentFacts): boolean {
	return sign === 'statuses' && signs.length > 0;
}

/** The same once nobody waits any longer: what is likely to be over, but not known to be, cannot be told. */
export function lastVerdictOf(facts: DocumentFacts, settleMs: number): Verdict {
	const verdict = verdictOf(facts, settleMs);
	// A status that is not a finished one is an answer, whatever the results were before it was seen.
	if (verdict.is !== 'not yet' || (isListed(facts) && !endOf(facts))) return verdict;
	const changes = changesOf(facts);
	const [latest] = changes.slice(-1);
	const isSeenOnce = latest && (changes.length === 1 || latest.ms >= settleMs);
	const isOver = facts.isNew && facts.sign === 'statuses' && endOf(facts);
	const doubt = isSeenOnce || isOver ? 'seen once' : !latest && doubtOfWorkflow(facts, settleMs);
	return doubt ? { is: 'cannot be told', doubt } : verdict;
}

/** What the sign says of the end: since when, for how long, and whether that needs no more proof. */
export function endOf({ sign, isStarted, signs }: DocumentFacts) {
	const spells = spellsOf(signs, ({ isOver }) => isOver);
	const latest = spells.at(-1);
	const hasBegun = spells.length > 1;
	if (!latest?.fact.isOver || (sign === 'workflow' && isStarted && !hasBegun)) return undefined;
	// Not the status of an earlier extraction, which would have to last.
	return { ...latest, isSure: sign === 'statuses' && hasBegun };
}

/** Results may come, or still change, some time after the sign: they have to settle. */
function afterEnd(endedAt: number, { sign, results }: DocumentFacts, settleMs: number): Verdict {
	const latest = spellsOf(results, ({ state }) => state).at(-1);
	if (!latest || latest.fact.at < endedAt) return { is: 'not yet', lookAt: endedAt };
	// The workflow may extract for somebody else while a document waits its turn.
	const isMissing = latest.fact.isEmpty && sign === 'workflow';
	const quietMs = isMissing ? EMPTY_SETTLE_TIMES * settleMs : settleMs;
	const settlesAt = Math.max(endedAt, latest.since) + quietMs;
	if (latest.fact.at < settlesAt) return { is: 'not yet', lookAt: settlesAt };
	// One that still waits its turn, behind somebody else's, looks like one that holds nothing.
	return isMissing ? { is: 'cannot be told', doubt: 'no results' } : { is: 'finished' };
}

/** Results alone: they count once they have stayed the same, and for longer than they ever paused. */
function byResults(facts: DocumentFacts, settleMs: number): Verdict {
	const { sign, startedAt, results } = facts;
	const isFilledIn =
		results.some(({ isWhole }) => isWhole === false) && results.at(-1)?.isWhole === undefined;
	const changes = changesOf(facts);
	const latest = changes.at(-1);
	const quietMs = latest ? quietMsOf(changes, isFilledIn, settleMs) : Infinity;
	const settlesAt = (latest?.since ?? startedAt) + quietMs;
	const lastAt = results.at(-1)?.at ?? startedAt;
	if (lastAt >= settlesAt) {
		const isInPieces = changes.length > 1 && !isFilledIn;
		return isInPieces ? { is: 'cannot be told', doubt: 'came in pieces' } : { is: 'finished' };
	}
	// Looks get rarer: what took long may well take longer. Beside another sign, few will do.
	const [share, firstMs] = sign === 'results' ? [0.3, SHORTEST_INTERVAL_MS] : [0.5, 4_000];
	const wantedMs = latest ? quietMs / LOOKS_PER_PAUSE : (lastAt - startedAt) * share;
	const waitMs = Math.min(Math.max(firstMs, wantedMs), LONGEST_INTERVAL_MS);
	return { is: 'not yet', lookAt: Math.min(settlesAt, lastAt + waitMs) };
}

function quietMsOf(changes: Change[], isFilledIn: boolean, settleMs: number): number {
	if (isFilledIn) return settleMs;
	const longMs = EMPTY_SETTLE_TIMES * settleMs;
	const [first, ...later] = changes.map(({ pauseMs }) => pauseMs);
	const pauseMs = Math.max(Math.min(first, longMs), ...later) * PAUSE_MARGIN;
	const isMissing = changes.at(-1)?.fact.isWhole === false;
	return Math.max(settleMs, pauseMs, isMissing ? longMs : 0);
}

/** Results that differ from those before, and the longest pause before them that looks leave room for. */
type Change = Spell<ResultsFact> & { pauseMs: number };

function changesOf({ results, startedAt }: DocumentFacts): Change[] {
	const spells = spellsOf(results, ({ state }) => state);
	const changes = spells.map((spell, index): Change => {
		const [before, earlier] = [spells[index - 1]?.fact, spells[index - 2]?.fact];
		// Several values at once come faster than the looks; of a single one nobody knows.
		const areSeveral = (spell.fact.values ?? 0) - (before?.values ?? 0) > 1;
		const pausedAt = areSeveral ? before?.at : earlier?.at;
		return { ...spell, pauseMs: spell.since - (pausedAt ?? startedAt) };
	});
	return changes.filter(({ fact }) => !fact.isEmpty);
}

/** Why a workflow that is not known to be ready may be, where nothing else tells. */
function doubtOfWorkflow({ sign, signs, startedAt }: DocumentFacts, settleMs: number) {
	const spells = spellsOf(signs, ({ isOver }) => isOver);
	const rests = spells.slice(1).filter(({ fact, ms }) => fact.isOver && ms >= settleMs);
	if (sign !== 'workflow' || rests.length > 1) return sign === 'workflow' && 'others extract';
	const isUnseen = signs.some(
		({ at }, index) => at - (signs[index - 1]?.at ?? startedAt) > LONGEST_INTERVAL_MS,
	);
	const latest = spells.at(-1);
	const isIdle = latest?.fact.isOver && latest.ms >= EMPTY_SETTLE_TIMES * settleMs;
	return isUnseen && isIdle && 'not looked';
}

/** Looks in a row that saw the same: the latest of them, since when and for how long it was seen. */
interface Spell<F> {
	fact: F;
	since: number;
	ms: number;
}

function spellsOf<F extends { at: number }>(facts: F[], keyOf: (fact: F) => unknown): Spell<F>[] {
	const spells: Array<Spell<F>> = [];
	for (const fact of facts) {
		const latest = spells.at(-1);
		const goesOn = latest && keyOf(latest.fact) === keyOf(fact);
		const since = goesOn ? latest.since : fact.at;
		if (goesOn) spells.pop();
		spells.push({ fact, since, ms: fact.at - since });
	}
	return spells;
}
