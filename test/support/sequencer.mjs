import Sequencer from '@jest/test-sequencer';

/** These take longest, the first ones in processes of their own: begun last, they would be waited for. */
const FIRST = /(simulate|streaming|package|everyOperation)\.test\.ts$/;

/** Jest begins with what took longest before; in a new clone it only knows how large files are. */
export default class extends Sequencer {
	sort(tests) {
		const isFirst = ({ path }) => Number(FIRST.test(path));
		return super.sort(tests).sort((a, b) => isFirst(b) - isFirst(a));
	}
}
