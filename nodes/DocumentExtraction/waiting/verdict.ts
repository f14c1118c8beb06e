/** Tells whether an extraction is over, from what was seen and when. Times are in ms of one clock. */
import type { Sign } from '../account/account';
import { changesBetween, countIn, type Column, type Reading } from '../rows/values';
import type { BeforeStart } from './sign';

/** From the first to the last of several looks in a row that saw the same. */
interface Period {
	since: number;
	until: number;
}

/** What the document's status, or the workflow's `is_extracting`, told. */
interface State extends Period {
	/** Undefined if it could not be read. */
	isOver: boolean | undefined;
	/** How far apart looks were at most, so far. */
	gapMs: number;
}

/** What a document's results were. */
interface Results {
	/** Whether there was no result at all. */
	areNone: boolean;
	reading: Reading;
}

/** What is known of all documents of a wait. */
interface RunFacts {
	/** None where they are not known. */
	columns: Column[];
	/** When results of one of them last changed. */
	changedAt: number;
}

export interface Facts {
	sign: Sign;
	startedAt: number;
	settleMs: number;
	/** Undefined where no extraction was started, but the workflow may be extracting. */
	before: BeforeStart | undefined;
	states: State[];
	results: Array<Results & Period>;
	/** Fields that changed with each look while nothing else did, e.g. when a result was read. */
	restless: Set<string>;
	run: RunFacts;
}

export interface Verdict {
	/** Whether the extraction is over, or cannot be told to be. */
	isFinished: boolean;
	/** Whether it cannot be told that results are complete. */
	isDoubtful?: boolean;
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
/** Between looks further apart, as under a rate limit, a whole extraction may go unseen. */
const LONGEST_GAP_MS = 5_000;
/** The longer it takes, the rarer the looks: the next one comes after `share` of the time so far. */
const RESULTS_PACE = { shortestMs: 1_000, share: 0.2, longestMs: 10_000 };

/** When to look again, after a look at `lookedAt`. */
export function nextLookAt(startedAt: number, lookedAt: number, pace: typeof RESULTS_PACE) {
	const growingMs = (lookedAt - startedAt) * pace.share;
	return lookedAt + Math.min(Math.max(pace.shortestMs, growingMs), pace.longestMs);
}

/** Adds what a look at the sign has told. */
export function recordState({ states }: Facts, isOver: boolean | undefined, at: number) {
	const latest = states.at(-1);
	const gapMs = Math.max(latest?.gapMs ?? 0, at - (latest?.until ?? at));
	if (latest?.isOver === isOver && latest) Object.assign(latest, { until: at, gapMs });
	else states.push({ isOver, since: at, until: at, gapMs });
}

/** Adds what a look at the results has shown. What changes with each look while nothing else does is no change. */
export function recordResults(facts: Facts, seen: Results, at: number) {
	const { results, restless, run } = facts;
	const [before, latest] = [results.at(-2), results.at(-1)];
	const changes = latest && changesIn(facts, latest, seen);
	const wasAlone =
		before && String(changesIn(facts, before, latest as Results)) === String(changes);
	const counts = [before, latest, seen].map((one) => one && countIn(one.reading));
	if (changes?.length === 0) Object.assign(latest as Results, seen, { until: at });
	else if (changes && wasAlone && new Set(counts).size === 1) {
		for (const field of changes) restless.add(field);
		results.pop();
		Object.assign(before, seen, { until: at });
	} else {
		results.push({ ...seen, since: at, until: at });
		if (latest) run.changedAt = at;
	}
}

function changesIn({ restless }: Facts, one: Results, other: Results): string[] {
	const changes = changesBetween(one.reading, other.reading).filter(
		(field) => !restless.has(field),
	);
	return one.areNone === other.areNone ? changes : [...changes, 'whether there are any'];
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
	const areColumnsKnown = run.columns.length > 0;
	// The longer the first values took, the longer may the next ones.
	const restMs = Math.max(REST_SETTLE_TIMES * settleMs, (since - startedAt) / 3);
	const { quietMs, isDoubtful } = situationIn([
		{ is: 'whole', applies: isWhole && !goesOn, quietMs: 0 },
		{ is: 'whole, but may be corrected', applies: isWhole, quietMs: longMs },
		{
			// What is queued behind others looks like one without values.
			is: 'over without results, as the workflow says',
			applies: hasEnded && areNone && sign === 'workflow',
			quietMs: longMs,
			isDoubtful: true,
		},
		// Results may follow their status late.
		{ is: 'over without results', applies: hasEnded && areNone, quietMs: longMs / 2 },
		{ is: 'over', applies: hasEnded, quietMs: settleMs },
		{ is: 'without results', applies: areNone, quietMs: Infinity },
		{ is: 'all empty values filled in', applies: isFilledIn && !goesOn, quietMs: settleMs },
		// The sign may be there again soon.
		{
			is: 'unread',
			applies: state?.isOver === undefined && state !== undefined,
			quietMs: Infinity,
		},
		{
			is: 'lacking values',
			applies: isMissing || goesOn || countIn(reading) <= 1,
			quietMs: longMs,
			isDoubtful: true,
		},
		{ is: 'at rest', applies: areColumnsKnown && !isInPieces, quietMs: Math.min(restMs, longMs) },
		{ is: 'untold', applies: true, quietMs: Math.min(restMs, longMs), isDoubtful: true },
	]);
	// While others of the run get values, these may get some as well.
	const quietSince = Math.max(since, endedAt ?? 0, isDoubtful ? run.changedAt : 0);
	const quietAt = quietSince + quietMs;
	if (until >= quietAt) return { isFinished: true, isDoubtful };
	// A look halfway shows what changes with each look.
	const pacedAt = hasEnded ? until + settleMs / 2 : nextLookAt(startedAt, until, RESULTS_PACE);
	return { isFinished: false, lookAt: isWhole ? quietAt : Math.min(quietAt, pacedAt) };
}

/** Results of other documents may be old or new: only the sign tells. */
function bySign(facts: Facts): Verdict {
	const { sign, before, settleMs, states, results } = facts;
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
	if (!state || sign === 'statuses') return { isFinished: false };
	// While the workflow cannot be read, only results that come show that it was extracting.
	const restsAt = isKept || latest ? state.since + settleMs : Infinity;
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
	// It may have run while the workflow was extracting, or while that could not be seen.
	const hasRested = states.some(
		({ isOver, since, until, gapMs }, index) =>
			isOver && until - since >= settleMs && (index > 0 || gapMs > LONGEST_GAP_MS),
	);
	const hasValues = latest !== undefined && (!latest.areNone || endOf(facts) !== undefined);
	const mayBeOver = sign === 'workflow' && hasRested && (!isNew || latest !== undefined);
	return hasValues || mayBeOver ? { isFinished: true, isDoubtful: true } : verdict;
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

/** Old results that are replaced, or only read at another time, show nothing: more of them do. */
const wasSeenRunning = ({ before, states, results }: Facts) =>
	states.some(({ isOver }) => isOver === false) ||
	(before?.documents !== 'new' && new Set(results.map(({ reading }) => countIn(reading))).size > 1);

/** Since when the sign tells that it is over. A workflow may be idle while the extraction is still queued. */
export function endOf(facts: Facts): number | undefined {
	const { sign, before, states } = facts;
	const state = states.at(-1);
	const hasBegun = sign === 'statuses' || !before || wasSeenRunning(facts);
	return hasBegun && state?.isOver ? state.since : undefined;
}
