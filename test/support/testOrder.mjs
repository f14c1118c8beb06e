import TestSequencer from '@jest/test-sequencer';

/** Long test files mostly wait and short ones mostly work: taken in turn, they leave no processor idle. */
export default class extends TestSequencer {
	sort(tests) {
		const longestFirst = super.sort(tests);
		return longestFirst.map((_, turn) =>
			longestFirst.at(turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2),
		);
	}
}
