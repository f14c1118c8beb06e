import {
	lastVerdictOf,
	record,
	verdictOf,
	type Facts,
	type Verdict,
} from '../../nodes/DocumentExtraction/waiting/verdict';

const SETTLE_MS = 3_000;
const seconds = (at: number) => at * 1_000;

/** Looks, as '1: busy, 6: idle': at which second, and what it tells. */
const looksAt = (looks: string) =>
	looks.split(', ').map((look) => {
		const [, second, told] = /^(\d+): (.+)$/.exec(look) as RegExpExecArray;
		return { at: seconds(Number(second)), told };
	});

/** Looks at the list ('NEW' or 'DONE') or at the workflow ('busy', 'idle', or 'unread'). */
const states = (looks: string) => {
	const spells: Facts['states'] = [];
	for (const { at, told } of looksAt(looks)) {
		const isOver = told === 'unread' ? undefined : ['DONE', 'idle'].includes(told);
		record(spells, 'isOver', { isOver }, at);
	}
	return spells;
};

/** Looks at results: how many values, and what else is known; other values are another state. */
const byValues = (looks: string) => {
	const spells: Facts['results'] = [];
	for (const { at, told } of looksAt(looks)) {
		const [number, about = ''] = told.split(' ');
		const fact = {
			fingerprint: number,
			isEmpty: told === '0',
			count: about === 'uncounted' ? undefined : Number(number),
			hasNull: about === 'nulls',
			isMissing: ['nulls', 'missing'].includes(about),
			isWhole: about === 'whole',
		};
		record(spells, 'fingerprint', fact, at);
	}
	return { results: spells };
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
const BUSY_BEFORE = { before: { documents: 'any', wasBusy: true } } as const;

/** What the verdict says; `lookAt` in seconds. */
type Expected = { is: string; doubt?: string; lookAt?: number };
const FINISHED: Expected = { is: 'finished' };
const NOT_YET: Expected = { is: 'not yet' };
const lookAt = (second: number): Expected => ({ is: 'not yet', lookAt: seconds(second) });
const UNTOLD: Expected = { is: 'cannot be told' };
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

const byWorkflow = (looks: string) => ({ sign: 'workflow', states: states(looks) }) as const;
const WORKING = byWorkflow('1: busy');
const RESTS = byWorkflow('1: idle');
const UNSEEN = { sign: 'workflow', before: NOT_NEW } as const;
const ENDED = byWorkflow('1: busy, 6: idle');

describe('values', () => {
	verdictsAre([
		['paused, but for less than before', byValues('9: 1, 14: 1, 18: 2, 22: 2'), NOT_YET],
		['paused for less than the longest time', byValues('2: 1, 10: 2, 12: 3, 15: 3'), NOT_YET],
		['paused for longer, between three', byValues('2: 1, 10: 2, 12: 3, 21: 3'), doubt('pieces')],
		['a single one, after a look at none', byValues('2: 0, 20: 1, 40: 1'), NOT_YET],
		['paused for longer than ever', byValues('9: 1, 14: 1, 18: 2, 22: 2, 40: 2'), doubt('pieces')],
		['a single one tells nothing of the next', byValues('2: 1, 31: 1'), NOT_YET],
		['a single one, for ten settle times', byValues('2: 1, 32: 1'), FINISHED],
		['uncounted, as slow as the first', byValues('20: 1 uncounted, 24: 1 uncounted'), NOT_YET],
		['uncounted, slower than the first', byValues('20: 1 uncounted, 42: 1 uncounted'), FINISHED],
		['several between two looks are fast', byValues('18: 0, 20: 6, 23: 6'), FINISHED],
		['nulls', byValues('1: 2 nulls, 9: 2 nulls'), NOT_YET],
		['nulls that stay', byValues('1: 2 nulls, 9: 2 nulls, 31: 2 nulls'), FINISHED],
		['every null has become a value', byValues('1: 0 nulls, 20: 2, 23: 2'), FINISHED],
		['one for each column', byValues('5: 6 whole'), FINISHED],
		['one for each column but one', byValues('5: 5 missing'), NOT_YET],
		['one for each column, workflow idle', { ...RESTS, ...byValues('5: 6 whole') }, FINISHED],
		['one for each column, not new', { ...UNSEEN, ...byValues('5: 6 whole') }, NOT_YET],
		['may be corrected', { ...WORKING, ...byValues('5: 6 whole, 34: 6 whole') }, lookAt(35)],
		['stay as they are', { ...WORKING, ...byValues('5: 6 whole, 35: 6 whole') }, FINISHED],
		['corrected', { ...WORKING, ...byValues('5: 6 whole, 20: 7 whole, 35: 7 whole') }, NOT_YET],
		['looked at before the sign alone', { ...ENDED, ...byValues('5: 6 whole') }, lookAt(6)],
		['looked at after the sign', { ...ENDED, ...byValues('5: 6 whole, 6: 6 whole') }, FINISHED],
	]);

	it('are looked at the settle time after the last change, whenever that was', () => {
		const next = verdictOf(facts(byValues('61: 0, 64: 6'))).lookAt;

		expect(next).toBeLessThanOrEqual(seconds(64 + 3.2));
	});
});

describe('values when Max Wait ends', () => {
	lastVerdictsAre([
		['not settled', byValues('299: 6'), doubt('time')],
		['not settled after a change', byValues('290: 1, 299: 2'), doubt('time')],
		['in a workflow that extracts', { ...WORKING, ...byValues('299: 6') }, doubt('time')],
	]);
});

describe('is_extracting: false', () => {
	const JUST_NOW = byWorkflow('1: busy, 2: idle');
	const LASTING = byWorkflow('1: busy, 2: idle, 5: idle');
	const AGAIN = byWorkflow('1: busy, 2: idle, 4: busy, 6: idle, 8: idle');
	const SHORT = byWorkflow('1: busy, 2: idle, 10: idle');
	const LONG = byWorkflow('1: busy, 2: idle, 10: idle, 32: idle');
	const IDLE = byWorkflow('1: idle, 100: idle');
	const LONG_IDLE = byWorkflow('1: busy, 2: idle, 40: idle');

	verdictsAre([
		['just now, for a new document', { ...JUST_NOW, ...byValues('2: 6') }, NOT_YET],
		['just now', { ...JUST_NOW, before: NOT_NEW, ...byValues('2: 6') }, NOT_YET],
		['just now, for a workflow', { ...JUST_NOW, before: undefined }, NOT_YET],
		['lasting, for a new document', { ...LASTING, ...byValues('2: 6, 5: 6') }, FINISHED],
		['lasting', { ...LASTING, before: NOT_NEW, ...byValues('2: 6, 5: 6') }, FINISHED],
		['lasting, for a workflow', { ...LASTING, before: undefined }, FINISHED],
		['anew after others have extracted', { ...AGAIN, before: NOT_NEW }, NOT_YET],
		['not for long, busy before', { ...SHORT, ...BUSY_BEFORE }, NOT_YET],
		['ten settle times, busy before', { ...LONG, ...BUSY_BEFORE }, FINISHED],
		['before the extraction was seen', { ...IDLE, before: NOT_NEW }, NOT_YET],
		['where none was started', { ...IDLE, before: undefined }, FINISHED],
		['without results', { ...LONG_IDLE, ...byValues('2: 0, 20: 0') }, NOT_YET],
		['long, no results', { ...LONG_IDLE, ...byValues('2: 0, 32: 0') }, doubt('workflow')],
	]);
});

describe('a finished status', () => {
	const DONE = { sign: 'statuses', states: states('1: NEW, 10: DONE') } as const;
	const UNDONE = { sign: 'statuses', states: states('1: NEW') } as const;
	const old = (looks: string) =>
		({ sign: 'statuses', before: NOT_NEW, states: states(looks) }) as const;
	const forced = (looks: string) =>
		({ ...old(looks), before: { documents: 'overwritten' } }) as const;
	const settled = byValues('18: 0, 20: 6, 30: 6');

	verdictsAre([
		['results may follow', DONE, lookAt(10)],
		['results may follow still', { ...DONE, ...byValues('10: 0') }, lookAt(13)],
		['results followed', { ...DONE, ...byValues('10: 0, 12: 4') }, lookAt(15)],
		['results changed', { ...DONE, ...byValues('10: 5, 13: 6, 16: 6') }, FINISHED],
		['no results followed', { ...DONE, ...byValues('10: 0, 13: 0') }, FINISHED],
		['a single look, which was late', { ...DONE, ...byValues('14: 6') }, FINISHED],
		['a change in a late look', { ...DONE, ...byValues('11: 5, 14: 6') }, NOT_YET],
		['of a document that was extracted before', old('1: DONE'), NOT_YET],
		['just after another one', old('1: NEW, 2: DONE'), NOT_YET],
		['that lasts', old('1: DONE, 4: DONE'), FINISHED],
		['after Force', forced('1: DONE, 5: DONE'), NOT_YET],
		['after Force, without another one', forced('1: DONE, 32: DONE'), UNTOLD],
		['after Force and an unfinished one', forced('1: NEW, 2: DONE, 5: DONE'), FINISHED],
		['is not replaced by results', { ...UNDONE, ...settled }, NOT_YET],
		['is where the list lacks the document', { sign: 'statuses', ...settled }, FINISHED],
	]);
});

describe('when Max Wait ends, and the workflow', () => {
	const ON_AND_OFF = byWorkflow(
		'1: busy, 20: idle, 24: idle, 26: busy, 46: idle, 50: idle, 52: busy',
	);
	const everySeconds = (gap: number) =>
		byWorkflow(Array.from({ length: 20 }, (_, look) => `${1 + look * gap}: idle`).join(', '));
	const BLIND = byWorkflow('1: idle, 5: idle, 12: unread, 40: idle, 75: idle');
	const EMPTY = byValues('75: 0');

	lastVerdictsAre([
		['is kept busy by others', { ...ON_AND_OFF, ...BUSY_BEFORE }, doubt('workflow')],
		['is kept busy, without results', { ...ON_AND_OFF, ...byValues('50: 0') }, doubt('workflow')],
		['has not rested since', { ...WORKING, ...BUSY_BEFORE }, NOT_YET],
		['could not be read', { ...BLIND, before: NOT_NEW }, doubt('workflow')],
		['could not be read, nor has a document results', { ...BLIND, ...EMPTY }, doubt('workflow')],
		['could be read', { ...everySeconds(4), before: NOT_NEW }, NOT_YET],
		['could be read, without results', { ...everySeconds(4), ...EMPTY }, NOT_YET],
		['was read every six seconds', { ...everySeconds(6), before: NOT_NEW }, UNTOLD],
	]);
});

describe('a document that was there before, while the workflow cannot be read', () => {
	const before = { documents: 'any' } as const;
	const IDLE = { before, ...byWorkflow('1: idle, 4: idle, 6: unread') };
	const RESTED = { before, ...byWorkflow('1: idle, 4: idle, 6: unread, 66: idle, 70: idle') };

	verdictsAre([
		['is looked at once', IDLE, lookAt(6)],
		['was looked at', { ...IDLE, ...byValues('6: 0') }, lookAt(Infinity)],
		['is looked at when it rests again', { ...RESTED, ...byValues('6: 0') }, lookAt(69)],
		['has changed', { ...RESTED, ...byValues('6: 0, 69: 6') }, FINISHED],
		['has not changed', { ...RESTED, ...byValues('6: 0, 69: 0') }, NOT_YET],
	]);
});

describe('a document that was there before, whose values are left alone', () => {
	const KEPT = { ...byWorkflow('1: idle, 4: idle'), before: { documents: 'kept' } } as const;
	const FORCED = { ...KEPT, before: { documents: 'any' } } as const;

	verdictsAre([
		['is looked at once when the workflow rests', KEPT, lookAt(4)],
		['is finished if nothing is left', { ...KEPT, ...byValues('4: 6 whole') }, FINISHED],
		['is not looked at again', { ...KEPT, ...byValues('4: 5') }, lookAt(Infinity)],
		['is not looked at after Force', FORCED, lookAt(Infinity)],
	]);
	lastVerdictsAre([
		['is not finished after Force when Max Wait ends', { ...FORCED, ...byValues('4: 5') }, NOT_YET],
	]);
});
