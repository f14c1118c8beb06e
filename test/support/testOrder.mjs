import TestSequencer from '@jest/test-sequencer';

/** Long test files mostly wait and short ones mostly work: taken in turn, they leave no processor idle. */
export default class extends TestSequencer {
	sort(tests) {
		const longestFirst = super.sort(tests);
		const half = Math.ceil(longestFirst.length / 2);
		const shortestFirst = longestFirst.slice(half).reverse();
		return longestFirst
			.slice(0, half)
			.flatMap((long, index) => [long, ...shortestFirst.slice(index, index + 1)]);
	}
}
