import type { Values } from '../../nodes/DocumentExtraction/rows/values';
import {
	lastVerdictOf,
	record,
	verdictOf,
	type Facts,
	type Verdict,
} from '../../nodes/DocumentExtraction/waiting/verdict';

const SETTLE_MS = 3_000;
const seconds = (at: number) => at * 1_000;

/** Looks at the list, as [second, whether the status is a finished one]. */
const statuses = (...looks: Array<[number, boolean]>) => {
	const spells: Facts['states'] = [];
	for (const [at, isOver] of looks) record(spells, 'isOver', { isOver }, seconds(at));
	return spells;
};

/** Looks at the workflow, as [second, is_extracting]. */
const activity = (...looks: Array<[number, boolean]>) =>
	statuses(...looks.map(([at, isExtracting]): [number, boolean] => [at, !isExtracting]));

/** Looks at results, as [second, how many values, further facts]; other values are another state. */
const results = (...looks: Array<[number, number, Partial<Values>?]>) => {
	const spells: Facts['results'] = [];
	const none = { hasNull: false, isMissing: false, isWhole: false };
	for (const [at, count, others] of looks) {
		const fact = { fingerprint: String(count), isEmpty: count === 0, count, ...none, ...others };
		record(spells, 'fingerprint', fact, seconds(at));
	}
	return spells;
};

/** By default of a new document, whose extraction was just started. */
const facts = (seen: Partial<Facts>): Facts => ({
	sign: 'results',
	startedAt: 0,
	settleMs: SETTLE_MS,
	before: { documents: 'new' },
	states: [],
	results: [],
	...seen,
});
const NOT_NEW = { documents: 'any', wasBusy: false } as const;

/** What the verdict says; `lookAt` in seconds. */
type Expected = { is: string; doubt?: string; lookAt?: number };
const FINISHED: Expected = { is: 'finished' };
const NOT_YET: Expected = { is: 'not yet' };
const lookAt = (second: number): Expected => ({ is: 'not yet', lookAt: seconds(second) });
const doubt = (about: string): Expected => ({ is: 'cannot be told', doubt: about });

const named = ({ isFinished, doubt: about, lookAt: next = Infinity }: Verdict): Expected => {
	if (!isFinished) return { is: 'not yet', lookAt: next };
	return about ? doubt(about) : FINISHED;
};

type Situation = [what: string, seen: Partial<Facts>, expected: Expected];

const situations = (verdict: typeof verdictOf) => (rows: Situation[]) =>
	it.each(rows)('%s', (_, seen, expected) => {
		expect(named(verdict(facts(seen)))).toMatchObject(expected);
	});
const verdictsAre = situations(verdictOf);
const lastVerdictsAre = situations(lastVerdictOf);

const raw = { count: undefined };
const nulls = { hasNull: true, isMissing: true };
const whole = { isWhole: true };
const byValues = (...looks: Parameters<typeof results>) => ({ results: results(...looks) });
const byWorkflow = (...looks: Parameters<typeof activity>) =>
	({ sign: 'workflow', states: activity(...looks) }) as const;
const WORKING = byWorkflow([1, true]);
const ENDED = byWorkflow([1, true], [6, false]);

describe('values', () => {
	verdictsAre([
		['paused, but for less than before', byValues([9, 1], [14, 1], [18, 2], [22, 2]), NOT_YET],
		['paused for less than the longest time', byValues([2, 1], [10, 2], [12, 3], [15, 3]), NOT_YET],
		[
			'paused for as long as never before, between three',
			byValues([2, 1], [10, 2], [12, 3], [21, 3]),
			doubt('pieces'),
		],
		['a single one, after a look at none', byValues([2, 0], [20, 1], [40, 1]), NOT_YET],
		[
			'paused for longer than ever',
			byValues([9, 1], [14, 1], [18, 2], [22, 2], [40, 2]),
			doubt('pieces'),
		],
		['a single one tells nothing of the next', byValues([2, 1], [31, 1]), NOT_YET],
		['a single one, for ten settle times', byValues([2, 1], [32, 1]), FINISHED],
		['as slow as the first, if nobody counts', byValues([20, 1, raw], [24, 1, raw]), NOT_YET],
		['slower than the first', byValues([20, 1, raw], [42, 1, raw]), FINISHED],
		['several between two looks are fast', byValues([18, 0], [20, 6], [23, 6]), FINISHED],
		['nulls', byValues([1, 2, nulls], [9, 2, nulls]), NOT_YET],
		['nulls that stay', byValues([1, 2, nulls], [9, 2, nulls], [31, 2, nulls]), FINISHED],
		[
			'every null has become a value',
			byValues([1, 0, { ...nulls, isEmpty: false }], [20, 2], [23, 2]),
			FINISHED,
		],
		['one for each column', byValues([5, 6, whole]), FINISHED],
		['one for each column but one', byValues([5, 5, { isMissing: true }]), NOT_YET],
		[
			'one for each column, in an idle workflow',
			{ ...byWorkflow([1, false]), ...byValues([5, 6, whole]) },
			FINISHED,
		],
		[
			'one for each column, of an earlier extraction',
			{ sign: 'workflow', before: NOT_NEW, ...byValues([5, 6, whole]) },
			NOT_YET,
		],
		[
			'may be corrected while the workflow extracts',
			{ ...WORKING, ...byValues([5, 6, whole], [34, 6, whole]) },
			lookAt(35),
		],
		[
			'are not corrected any more',
			{ ...WORKING, ...byValues([5, 6, whole], [35, 6, whole]) },
			FINISHED,
		],
		[
			'were corrected',
			{ ...WORKING, ...byValues([5, 6, whole], [20, 7, whole], [35, 7, whole]) },
			NOT_YET,
		],
		['are looked at once more after the sign', { ...ENDED, ...byValues([5, 6, whole]) }, lookAt(6)],
		[
			'were looked at once more after the sign',
			{ ...ENDED, ...byValues([5, 6, whole], [6, 6, whole]) },
			FINISHED,
		],
	]);

	it('are looked at the settle time after the last change, whenever that was', () => {
		const next = verdictOf(facts(byValues([61, 0], [64, 6]))).lookAt;

		expect(next).toBeLessThanOrEqual(seconds(64 + 3.2));
	});
});

describe('values when Max Wait ends', () => {
	lastVerdictsAre([
		['not settled', byValues([299, 6]), doubt('time')],
		['not settled after a change', byValues([290, 1], [299, 2]), doubt('time')],
		['in a workflow that extracts', { ...WORKING, ...byValues([299, 6]) }, doubt('time')],
	]);
});

describe('is_extracting: false', () => {
	const JUST_NOW = byWorkflow([1, true], [2, false]);
	const LASTING = byWorkflow([1, true], [2, false], [5, false]);
	const AGAIN = byWorkflow([1, true], [2, false], [4, true], [6, false], [8, false]);
	const IDLE = byWorkflow([1, false], [100, false]);
	const LONG_IDLE = byWorkflow([1, true], [2, false], [40, false]);
	const BUSY_BEFORE = { documents: 'any', wasBusy: true } as const;

	verdictsAre([
		['just now, for a new document', { ...JUST_NOW, ...byValues([2, 6]) }, NOT_YET],
		['just now', { ...JUST_NOW, before: NOT_NEW, ...byValues([2, 6]) }, NOT_YET],
		['just now, for a workflow', { ...JUST_NOW, before: undefined }, NOT_YET],
		['lasting, for a new document', { ...LASTING, ...byValues([2, 6], [5, 6]) }, FINISHED],
		['lasting', { ...LASTING, before: NOT_NEW, ...byValues([2, 6], [5, 6]) }, FINISHED],
		['lasting, for a workflow', { ...LASTING, before: undefined }, FINISHED],
		['anew after others have extracted', { ...AGAIN, before: NOT_NEW }, NOT_YET],
		[
			'not for long, where the workflow was busy before',
			{ ...byWorkflow([1, true], [2, false], [10, false]), before: BUSY_BEFORE },
			NOT_YET,
		],
		[
			'ten settle times, where the workflow was busy before',
			{ ...byWorkflow([1, true], [2, false], [10, false], [32, false]), before: BUSY_BEFORE },
			FINISHED,
		],
		['before the extraction was seen', { ...IDLE, before: NOT_NEW }, NOT_YET],
		['where none was started', { ...IDLE, before: undefined }, FINISHED],
		['without results', { ...LONG_IDLE, ...byValues([2, 0], [20, 0]) }, NOT_YET],
		[
			'without results for ten settle times',
			{ ...LONG_IDLE, ...byValues([2, 0], [32, 0]) },
			doubt('workflow'),
		],
	]);
});

describe('a finished status', () => {
	const DONE = { sign: 'statuses', states: statuses([1, false], [10, true]) } as const;
	const UNDONE = { sign: 'statuses', states: statuses([1, false]) } as const;
	const old = (...looks: Parameters<typeof statuses>) =>
		({ sign: 'statuses', before: NOT_NEW, states: statuses(...looks) }) as const;
	const forced = (...looks: Parameters<typeof statuses>) =>
		({ ...old(...looks), before: { documents: 'overwritten' } }) as const;
	const settled = byValues([18, 0], [20, 6], [30, 6]);

	verdictsAre([
		['results may follow', DONE, lookAt(10)],
		['results may follow still', { ...DONE, ...byValues([10, 0]) }, lookAt(13)],
		['results followed', { ...DONE, ...byValues([10, 0], [12, 4]) }, lookAt(15)],
		['results changed', { ...DONE, ...byValues([10, 5], [13, 6], [16, 6]) }, FINISHED],
		['no results followed', { ...DONE, ...byValues([10, 0], [13, 0]) }, FINISHED],
		[
			'one look, which was late, as under a rate limit',
			{ ...DONE, ...byValues([14, 6]) },
			FINISHED,
		],
		['a change in a late look', { ...DONE, ...byValues([11, 5], [14, 6]) }, NOT_YET],
		['of a document that was extracted before', old([1, true]), NOT_YET],
		['just after another one', old([1, false], [2, true]), NOT_YET],
		['that lasts', old([1, true], [4, true]), FINISHED],
		['after Force', forced([1, true], [5, true]), NOT_YET],
		['after Force, without another one', forced([1, true], [32, true]), { is: 'cannot be told' }],
		['after Force and an unfinished one', forced([1, false], [2, true], [5, true]), FINISHED],
		['is not replaced by results', { ...UNDONE, ...settled }, NOT_YET],
		['is where the list lacks the document', { sign: 'statuses', ...settled }, FINISHED],
	]);
});

describe('when Max Wait ends, and the workflow', () => {
	const ON_AND_OFF = byWorkflow(
		[1, true],
		[20, false],
		[24, false],
		[26, true],
		[46, false],
		[50, false],
		[52, true],
	);
	const BUSY_BEFORE = { before: { documents: 'any', wasBusy: true } } as const;
	const everySeconds = (gap: number) =>
		byWorkflow(
			...Array.from({ length: 20 }, (_, look): [number, boolean] => [1 + look * gap, false]),
		);
	const blind = activity([1, false], [5, false]);
	record(blind, 'isOver', { isOver: undefined }, seconds(12));
	record(blind, 'isOver', { isOver: true }, seconds(40));
	record(blind, 'isOver', { isOver: true }, seconds(75));
	const BLIND = { sign: 'workflow', states: blind } as const;
	const EMPTY = byValues([75, 0]);

	lastVerdictsAre([
		['is kept busy by others', { ...ON_AND_OFF, ...BUSY_BEFORE }, doubt('workflow')],
		[
			'is kept busy, for a new document without results',
			{ ...ON_AND_OFF, ...byValues([50, 0]) },
			doubt('workflow'),
		],
		['has not rested since', { ...WORKING, ...BUSY_BEFORE }, NOT_YET],
		['could not be read', { ...BLIND, before: NOT_NEW }, doubt('workflow')],
		['could not be read, nor has a document results', { ...BLIND, ...EMPTY }, doubt('workflow')],
		['could be read', { ...everySeconds(4), before: NOT_NEW }, NOT_YET],
		['could be read, without results', { ...everySeconds(4), ...EMPTY }, NOT_YET],
		[
			'was read every six seconds',
			{ ...everySeconds(6), before: NOT_NEW },
			{ is: 'cannot be told' },
		],
	]);
});

describe('a document that was there before, while the workflow cannot be read', () => {
	const idle = activity([1, false], [4, false]);
	record(idle, 'isOver', { isOver: undefined }, seconds(6));
	const rested = [...idle];
	record(rested, 'isOver', { isOver: true }, seconds(66));
	record(rested, 'isOver', { isOver: true }, seconds(70));
	const IDLE = { sign: 'workflow', before: { documents: 'any' }, states: idle } as const;
	const RESTED = { ...IDLE, states: rested };

	verdictsAre([
		['is looked at once', IDLE, lookAt(6)],
		['was looked at', { ...IDLE, ...byValues([6, 0]) }, lookAt(Infinity)],
		['is looked at when it rests again', { ...RESTED, ...byValues([6, 0]) }, lookAt(69)],
		['has changed', { ...RESTED, ...byValues([6, 0], [69, 6]) }, FINISHED],
		['has not changed', { ...RESTED, ...byValues([6, 0], [69, 0]) }, NOT_YET],
	]);
});

describe('a document that was there before, whose values are left alone', () => {
	const KEPT = { ...byWorkflow([1, false], [4, false]), before: { documents: 'kept' } } as const;
	const FORCED = { ...KEPT, before: { documents: 'any' } } as const;

	verdictsAre([
		['is looked at once when the workflow rests', KEPT, lookAt(4)],
		['is finished if nothing is left', { ...KEPT, ...byValues([4, 6, whole]) }, FINISHED],
		['is not looked at again', { ...KEPT, ...byValues([4, 5]) }, lookAt(Infinity)],
		['is not looked at after Force', FORCED, lookAt(Infinity)],
	]);
	lastVerdictsAre([
		['is not finished after Force when Max Wait ends', { ...FORCED, ...byValues([4, 5]) }, NOT_YET],
	]);
});
