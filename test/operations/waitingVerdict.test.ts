import { wantedIdOf } from '../../nodes/DocumentExtraction/service/documents';
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
	for (const [at, count, others] of looks) {
		const fingerprint = String(count);
		const isEmpty = count === 0;
		const fact = {
			fingerprint,
			isEmpty,
			count,
			hasNull: false,
			isMissing: false,
			isWhole: false,
			...others,
		};
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

const named = ({ isFinished, doubt, lookAt = Infinity }: Verdict) => {
	if (!isFinished) return { is: 'not yet', lookAt };
	return doubt ? { is: 'cannot be told', doubt } : { is: 'finished' };
};
const verdict = (seen: Partial<Facts>) => named(verdictOf(facts(seen)));
const lastVerdict = (seen: Partial<Facts>) => named(lastVerdictOf(facts(seen)));

describe('values that still come in', () => {
	it('are not complete when they have paused for the settle time, but for longer before', () => {
		const seen = results([9, 1], [14, 1], [18, 2], [22, 2]);

		expect(verdict({ results: seen }).is).toBe('not yet');
	});

	it('are handed on with a word once they have stayed the same for longer than ever', () => {
		const seen = results([9, 1], [14, 1], [18, 2], [22, 2], [40, 2]);

		expect(verdict({ results: seen })).toEqual({ is: 'cannot be told', doubt: 'pieces' });
	});

	it('count as slow after a single one, which tells nothing of the next', () => {
		expect(verdict({ results: results([2, 1], [31, 1]) }).is).toBe('not yet');
		expect(verdict({ results: results([2, 1], [32, 1]) }).is).toBe('finished');
	});

	it('count as slow as the first one came where it is not known how many there are', () => {
		const raw = { count: undefined };

		expect(verdict({ results: results([20, 1, raw], [24, 1, raw]) }).is).toBe('not yet');
		expect(verdict({ results: results([20, 1, raw], [42, 1, raw]) }).is).toBe('finished');
	});

	it('count as fast when several came between two looks', () => {
		expect(verdict({ results: results([18, 0], [20, 6], [23, 6]) }).is).toBe('finished');
	});

	it('are waited for longer where they are null', () => {
		const nulls = { hasNull: true, isMissing: true };

		const early = verdict({ results: results([1, 2, nulls], [9, 2, nulls]) });
		const late = verdict({ results: results([1, 2, nulls], [9, 2, nulls], [31, 2, nulls]) });

		expect([early.is, late.is]).toEqual(['not yet', 'finished']);
	});

	it('are complete when every null has become a value', () => {
		const seen = results(
			[1, 0, { isEmpty: false, hasNull: true, isMissing: true }],
			[20, 2],
			[23, 2],
		);

		expect(verdict({ results: seen })).toEqual({ is: 'finished' });
	});

	it('are complete at once when each column has one and no sign says otherwise', () => {
		const whole = results([5, 6, { isWhole: true }]);

		expect(verdict({ results: whole }).is).toBe('finished');
		expect(verdict({ sign: 'workflow', states: activity([1, false]), results: whole }).is).toBe(
			'finished',
		);
		expect(verdict({ results: results([5, 5, { isMissing: true }]) }).is).toBe('not yet');
	});

	it('may still be corrected while the workflow extracts', () => {
		const whole = { isWhole: true };
		const working = { sign: 'workflow', states: activity([1, true]) } as const;
		const early = verdict({ ...working, results: results([5, 6, whole], [34, 6, whole]) });
		const late = verdict({ ...working, results: results([5, 6, whole], [35, 6, whole]) });
		const corrected = results([5, 6, whole], [20, 7, whole], [35, 7, whole]);

		expect(early).toEqual({ is: 'not yet', lookAt: seconds(35) });
		expect(late.is).toBe('finished');
		expect(verdict({ ...working, results: corrected }).is).toBe('not yet');
	});

	it('are looked at once more when the sign follows', () => {
		const whole = { isWhole: true };
		const seen = { sign: 'workflow', states: activity([1, true], [6, false]) } as const;

		expect(verdict({ ...seen, results: results([5, 6, whole]) })).toEqual({
			is: 'not yet',
			lookAt: seconds(6),
		});
		expect(verdict({ ...seen, results: results([5, 6, whole], [6, 6, whole]) }).is).toBe(
			'finished',
		);
	});

	it('of an earlier extraction are never complete because each column has one', () => {
		const whole = results([5, 6, { isWhole: true }]);

		expect(verdict({ sign: 'workflow', before: NOT_NEW, results: whole }).is).toBe('not yet');
	});
});

describe('is_extracting: false', () => {
	const ofOthers = activity([1, true], [2, false]);

	it.each([true, false])('counts only once it has lasted (new documents: %s)', (isNew) => {
		const whole = results([2, 6], [5, 6]);

		const early = verdict({
			sign: 'workflow',
			before: { documents: isNew ? 'new' : 'any', wasBusy: false },
			states: ofOthers,
			results: results([2, 6]),
		});
		const later = activity([1, true], [2, false], [5, false]);
		const lasting = verdict({
			sign: 'workflow',
			before: { documents: isNew ? 'new' : 'any', wasBusy: false },
			states: later,
			results: whole,
		});

		expect([early.is, lasting.is]).toEqual(['not yet', 'finished']);
	});

	it('counts anew after others have extracted', () => {
		const again = activity([1, true], [2, false], [4, true], [6, false], [8, false]);

		expect(verdict({ sign: 'workflow', before: NOT_NEW, states: again }).is).toBe('not yet');
	});

	it('has to last ten times as long where the workflow was busy before the start', () => {
		const seen = { sign: 'workflow', before: { documents: 'any', wasBusy: true } } as const;
		const looks: Array<[number, boolean]> = [
			[1, true],
			[2, false],
			[10, false],
		];

		expect(verdict({ ...seen, states: activity(...looks) }).is).toBe('not yet');
		expect(verdict({ ...seen, states: activity(...looks, [32, false]) }).is).toBe('finished');
	});

	it('proves nothing before the extraction was seen, but does where none was started', () => {
		const idle = activity([1, false], [100, false]);
		const seen = { sign: 'workflow', states: idle } as const;

		expect(verdict({ ...seen, before: NOT_NEW }).is).toBe('not yet');
		expect(verdict({ ...seen, before: undefined }).is).toBe('finished');
	});

	it.each([NOT_NEW, undefined])('has to last for a workflow as well (before: %p)', (before) => {
		const seen = { sign: 'workflow', before } as const;
		const lasting = activity([1, true], [2, false], [5, false]);

		expect(verdict({ ...seen, states: ofOthers }).is).toBe('not yet');
		expect(verdict({ ...seen, states: lasting }).is).toBe('finished');
	});

	it('leaves what has no results for ten settle times', () => {
		const idle = activity([1, true], [2, false], [40, false]);
		const seen = { sign: 'workflow', states: idle } as const;

		expect(verdict({ ...seen, results: results([2, 0], [20, 0]) }).is).toBe('not yet');
		expect(verdict({ ...seen, results: results([2, 0], [32, 0]) })).toEqual({
			is: 'cannot be told',
			doubt: 'workflow',
		});
	});
});

describe('a finished status', () => {
	const done = statuses([1, false], [10, true]);

	it('is followed by results that come or change some seconds later', () => {
		const seen = { sign: 'statuses', states: done } as const;

		expect(verdict(seen)).toEqual({ is: 'not yet', lookAt: seconds(10) });
		expect(verdict({ ...seen, results: results([10, 0]) })).toEqual({
			is: 'not yet',
			lookAt: seconds(13),
		});
		expect(verdict({ ...seen, results: results([10, 0], [12, 4]) })).toEqual({
			is: 'not yet',
			lookAt: seconds(15),
		});
		expect(verdict({ ...seen, results: results([10, 5], [13, 6], [16, 6]) }).is).toBe('finished');
		expect(verdict({ ...seen, results: results([10, 0], [13, 0]) }).is).toBe('finished');
	});

	it('may be the old one of a document that was extracted before', () => {
		const seen = { sign: 'statuses', before: NOT_NEW } as const;

		expect(verdict({ ...seen, states: statuses([1, true]) }).is).toBe('not yet');
		expect(verdict({ ...seen, states: statuses([1, false], [2, true]) }).is).toBe('not yet');
		expect(verdict({ ...seen, states: statuses([1, true], [4, true]) }).is).toBe('finished');
	});

	it.each([
		[
			'is an old one after Force, for all that is known',
			statuses([1, true], [32, true]),
			'cannot be told',
		],
		['may be an old one after Force', statuses([1, true], [5, true]), 'not yet'],
		[
			'is a new one after an unfinished one',
			statuses([1, false], [2, true], [5, true]),
			'finished',
		],
	] as const)('%s', (_, states, expected) => {
		const before = { documents: 'overwritten' } as const;

		expect(verdict({ sign: 'statuses', before, states }).is).toBe(expected);
	});

	it('needs one look at the results where that comes late, as under a rate limit', () => {
		const seen = { sign: 'statuses', states: done } as const;

		expect(verdict({ ...seen, results: results([14, 6]) }).is).toBe('finished');
		expect(verdict({ ...seen, results: results([11, 5], [14, 6]) }).is).toBe('not yet');
	});

	it('is not replaced by results, but where the list does not hold the document', () => {
		const whole = results([18, 0], [20, 6], [30, 6]);
		const seen = { sign: 'statuses', results: whole } as const;

		expect(verdict({ ...seen, states: statuses([1, false]) }).is).toBe('not yet');
		expect(verdict(seen).is).toBe('finished');
	});
});

describe('a result', () => {
	it('is looked at the settle time after its last change, whenever that was', () => {
		const seen = results([61, 0], [64, 6]);

		const { is, lookAt } = { lookAt: 0, ...verdict({ results: seen }) };

		expect(is).toBe('not yet');
		expect(lookAt).toBeLessThanOrEqual(seconds(64 + 3.2));
	});

	it('that has not settled when Max Wait ends is handed on with a word', () => {
		const expected = { is: 'cannot be told', doubt: 'time' };

		expect(lastVerdict({ results: results([299, 6]) })).toEqual(expected);
		expect(lastVerdict({ results: results([290, 1], [299, 2]) })).toEqual(expected);
		expect(
			lastVerdict({ sign: 'workflow', states: activity([1, true]), results: results([299, 6]) }),
		).toEqual(expected);
	});
});

describe('when others keep the workflow busy', () => {
	const onAndOff = activity(
		[1, true],
		[20, false],
		[24, false],
		[26, true],
		[46, false],
		[50, false],
		[52, true],
	);

	it.each([
		['a document that was there before', { before: { documents: 'any' as const, wasBusy: true } }],
		['a new one without results', { results: results([50, 0]) }],
	])('%s is handed on with a word in the end', (_, seen) => {
		expect(lastVerdict({ sign: 'workflow', states: onAndOff, ...seen })).toEqual({
			is: 'cannot be told',
			doubt: 'workflow',
		});
	});

	it('so is the workflow, but not before it has rested', () => {
		const seen = { sign: 'workflow', before: { documents: 'any', wasBusy: true } } as const;

		expect(lastVerdict({ ...seen, states: onAndOff }).is).toBe('cannot be told');
		expect(lastVerdict({ ...seen, states: onAndOff.slice(0, 1) }).is).toBe('not yet');
	});
});

describe('when the workflow could not be read for a while', () => {
	const idle = Array.from({ length: 20 }, (_, look): [number, boolean] => [1 + 4 * look, false]);
	const seeing = activity(...idle);
	const blind = activity(...idle.slice(0, 2));
	record(blind, 'isOver', { isOver: undefined }, seconds(12));
	record(blind, 'isOver', { isOver: true }, seconds(40));
	record(blind, 'isOver', { isOver: true }, seconds(75));

	it.each([
		['the workflow', { before: NOT_NEW }],
		['a document without results', { results: results([75, 0]) }],
	])('%s that is idle since may be over', (_, seen) => {
		expect(lastVerdict({ sign: 'workflow', states: blind, ...seen })).toEqual({
			is: 'cannot be told',
			doubt: 'workflow',
		});
		expect(lastVerdict({ sign: 'workflow', states: seeing, ...seen }).is).toBe('not yet');
	});
});

describe('a document that was there before, while the workflow cannot be read', () => {
	const idle = activity([1, false], [4, false]);
	record(idle, 'isOver', { isOver: undefined }, seconds(6));
	const rested = [...idle];
	record(rested, 'isOver', { isOver: true }, seconds(66));
	record(rested, 'isOver', { isOver: true }, seconds(70));
	const seen = { sign: 'workflow', before: { documents: 'any' } } as const;

	it('is looked at once, and once more when the workflow rests again', () => {
		const once = { ...seen, results: results([6, 0]) };

		expect(verdict({ ...seen, states: idle })).toEqual({ is: 'not yet', lookAt: seconds(6) });
		expect(verdict({ ...once, states: idle })).toEqual({ is: 'not yet', lookAt: Infinity });
		expect(verdict({ ...once, states: rested })).toEqual({ is: 'not yet', lookAt: seconds(69) });
	});

	it.each([
		['finished where its results have changed', 6, 'finished'],
		['not where they have not', 0, 'not yet'],
	])('is %s', (_, count, expected) => {
		const both = results([6, 0], [69, count]);

		expect(verdict({ ...seen, states: rested, results: both }).is).toBe(expected);
	});
});

describe('a document that was there before, whose values are left alone', () => {
	const before = { documents: 'kept' } as const;
	const idle = activity([1, false], [4, false]);
	const whole = { isWhole: true };
	const seen = { sign: 'workflow', before, states: idle } as const;

	it('is looked at once when the workflow rests, and finished if nothing is left to extract', () => {
		expect(verdict(seen)).toEqual({ is: 'not yet', lookAt: seconds(4) });
		expect(verdict({ ...seen, results: results([4, 6, whole]) }).is).toBe('finished');
		expect(verdict({ ...seen, results: results([4, 5]) })).toEqual({
			is: 'not yet',
			lookAt: Infinity,
		});
	});

	it('is not looked at after Force', () => {
		const forced = { ...seen, before: { documents: 'any' } } as const;

		expect(verdict(forced)).toEqual({ is: 'not yet', lookAt: Infinity });
		expect(lastVerdict({ ...forced, results: results([4, 5]) }).is).toBe('not yet');
	});
});

describe('when looks at the workflow were far apart', () => {
	it.each([
		[6, 'cannot be told'],
		[4, 'not yet'],
	])('an extraction may have run unseen: by %i s, it %s', (gap, expected) => {
		const idle = Array.from({ length: 20 }, (_, index): [number, boolean] => [
			1 + index * gap,
			false,
		]);

		expect(lastVerdict({ sign: 'workflow', before: NOT_NEW, states: activity(...idle) }).is).toBe(
			expected,
		);
	});
});

describe('an entry of the document list', () => {
	const wanted = new Set(['a']);

	it('is the document whose ID it has, whatever else it mentions', () => {
		expect(
			wantedIdOf({ document_id: 'b', duplicate_of: 'a' }, 'document_id', wanted),
		).toBeUndefined();
		expect(wantedIdOf({ document_id: 'a', duplicate_of: 'b' }, 'document_id', wanted)).toBe('a');
	});

	it('is the one that it mentions where it has no ID under a known name', () => {
		expect(wantedIdOf({ uid: 'a', extraction_status: 'DONE' }, 'document_id', wanted)).toBe('a');
	});
});
