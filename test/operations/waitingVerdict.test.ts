import type { Reading } from '../../nodes/DocumentExtraction/waiting/looks';
import {
	recordResults,
	recordState,
	verdictOf,
	type Facts,
	type Verdict,
} from '../../nodes/DocumentExtraction/waiting/verdict';

/** What one look saw, at which second: the sign, or results. */
interface Look {
	at: number;
	/** When it began, if it was not answered at once. */
	asked?: number;
	isOver?: boolean;
	values?: { [column: string]: string };
}

/** A document whose extraction was just started, with a Settle Time of 3 s, unless it says otherwise. */
interface Situation extends Partial<Pick<Facts, 'sign' | 'before'>> {
	what: string;
	looks: Look[];
	/** The columns that the workflow is known to have. */
	columns?: string[];
	expected: Partial<Verdict>;
}

const readingOf = (values: { [column: string]: string }): Reading => {
	const all = Object.entries(values);
	const full = all.filter(([, value]) => value !== '');
	return {
		areNone: all.length === 0,
		print: JSON.stringify(values),
		columns: new Set(full.map(([column]) => column)),
		hasEmpty: full.length < all.length,
	};
};

const factsOf = ({ sign = 'results', columns = [], looks, ...about }: Situation): Facts => {
	const before = 'before' in about ? about.before : { documents: 'new' as const };
	const run = { columns: columns.map((name) => [name]), changedAt: 0 };
	const facts: Facts = { sign, before, startedAt: 0, settleMs: 3_000, run };
	for (const { at, asked = at, isOver, values } of looks) {
		const looked = { askedAt: asked * 1_000, at: at * 1_000 };
		if (isOver !== undefined) recordState(facts, isOver, looked);
		if (!values) continue;
		facts.searchedAt = looked.askedAt;
		recordResults(facts, readingOf(values), looked);
	}
	return facts;
};

const FINISHED = { isFinished: true, isDoubtful: false };
const IN_DOUBT = { isFinished: true, isDoubtful: true };
const NOT_YET = { isFinished: false };
const lookAt = (second: number) => ({ isFinished: false, lookAt: second * 1_000 });

const verdictsAre = (situations: Situation[], isTimeUp = false) =>
	it.each(situations)('$what', (situation) => {
		const { isDoubtful = false, ...told } = verdictOf(factsOf(situation), isTimeUp);
		expect({ ...told, isDoubtful }).toMatchObject(situation.expected);
	});

const see = (at: number, values: object): Look => ({ at, values: { ...values } });

const NONE = {};
const AB = { a: '1', b: '2' };
const ABC = { a: '1', b: '2', c: '3' };
const NULLS = { a: '1', b: '', c: '' };
const columns = ['a', 'b', 'c'];

describe('values alone', () => {
	const seen = (what: string, looks: Look[], expected: Partial<Verdict>, others = {}) => {
		return { what, looks, expected, ...others };
	};
	verdictsAre([
		seen('of all known columns are whole', [see(5, ABC)], FINISHED, { columns }),
		seen('of others, too, are not', [see(5, { ...ABC, d: '4' })], NOT_YET, { columns }),
		seen(
			'that lack a column for ten settle times are in doubt',
			[see(5, AB), see(35, AB)],
			{ ...IN_DOUBT, isLacking: true },
			{ columns },
		),
		seen('of unknown columns are in doubt after three settle times', [see(2, ABC), see(11, ABC)], {
			...IN_DOUBT,
			isLacking: false,
		}),
		seen(
			'that were all empty at first, and are there now, have settled',
			[see(1, NULLS), see(20, ABC), see(23, ABC)],
			FINISHED,
		),
		seen('that stay empty are in doubt', [see(1, NULLS), see(31, NULLS)], IN_DOUBT),
	]);
});

describe('values, while the workflow says that it extracts,', () => {
	const goesOn = (what: string, second: number, values: object, expected: Partial<Verdict>) => {
		const looks = [
			{ at: 1, isOver: false },
			{ at: 5, values: { ...values } },
			{ at: second, values: { ...values } },
		];
		return { what, sign: 'workflow' as const, columns, looks, expected };
	};
	verdictsAre([
		goesOn('may be corrected', 34, ABC, lookAt(35)),
		goesOn('are whole after ten settle times', 35, ABC, FINISHED),
		goesOn('are in doubt where one is missing', 35, AB, IN_DOUBT),
	]);
	verdictsAre([goesOn('are handed on with a word when Max Wait ends', 9, AB, IN_DOUBT)], true);
});

describe('a finished status', () => {
	const sign = 'statuses' as const;
	const DONE = { at: 10, isOver: true };
	const again = { documents: 'any' } as const;
	const forced = { documents: 'overwritten' } as const;
	const seen = (what: string, looks: Look[], expected: Partial<Verdict>, before = {}) => {
		return { what, sign, looks, expected, ...before };
	};
	const busy = { at: 1, isOver: false };
	verdictsAre([
		seen('is not replaced by results', [busy, see(30, ABC)], NOT_YET),
		seen('ends the wait then', [DONE, see(10, AB), see(13, AB)], FINISHED),
		seen('may have none', [DONE, see(10, NONE), see(25, NONE)], FINISHED),
		seen(
			'does not count for results that were asked for before they had settled',
			[DONE, { ...see(60, AB), asked: 11 }, { ...see(100, AB), asked: 62 }],
			lookAt(63),
		),
		seen('of an old document that lasts', [DONE, { ...DONE, at: 13 }], FINISHED, { before: again }),
		seen('after Force may be the old one', [DONE, { ...DONE, at: 14 }], NOT_YET, {
			before: forced,
		}),
		seen('after Force, alone', [DONE, { ...DONE, at: 40 }], IN_DOUBT, { before: forced }),
		seen('after Force and another', [busy, DONE, { ...DONE, at: 13 }], FINISHED, {
			before: forced,
		}),
	]);
});

describe('is_extracting: false', () => {
	const sign = 'workflow' as const;
	const idle = (at: number) => ({ at, isOver: true });
	const busy = (at: number) => ({ at, isOver: false });
	const old = { documents: 'any' } as const;
	const BUSY_BEFORE = { before: { documents: 'any', wasBusy: true } } as const;
	const kept = { documents: 'kept' } as const;
	const seen = (what: string, looks: Look[], expected: Partial<Verdict>, about = {}) => {
		return { what, sign, before: old, looks, expected, ...about };
	};
	const isNew = { before: { documents: 'new' } } as const;
	verdictsAre([
		seen('that lasts', [busy(1), idle(2), idle(5)], FINISHED),
		seen('before the extraction was seen', [idle(1), idle(100)], NOT_YET),
		seen('where none was started', [idle(1), idle(100)], FINISHED, { before: undefined }),
		seen('soon after others extracted', [busy(1), idle(2), idle(10)], NOT_YET, BUSY_BEFORE),
		seen('long after others extracted', [busy(1), idle(2), idle(32)], FINISHED, BUSY_BEFORE),
		seen('long without results', [busy(1), idle(2), see(2, NONE), see(32, NONE)], IN_DOUBT, isNew),
		seen('with all values that are kept', [idle(1), idle(4), see(4, ABC)], FINISHED, {
			before: kept,
			columns,
		}),
	]);
	verdictsAre(
		[
			seen('at times is a doubt at the end', [busy(1), idle(20), idle(24), busy(26)], IN_DOUBT, {
				...BUSY_BEFORE,
			}),
			seen('never is none', [busy(1), busy(299)], NOT_YET, BUSY_BEFORE),
			seen('before the extraction was seen is none', [idle(1), idle(5), idle(9)], NOT_YET),
		],
		true,
	);
});
