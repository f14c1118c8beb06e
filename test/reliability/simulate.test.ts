import { brokenFiles } from '../../dev/mutations/brokenFiles';
import { mutations } from '../../dev/mutations/mutations';
import { isClean } from '../../dev/simulate/figures';
import {
	OPERATIONS_PER_EPISODE,
	simulate,
	startWorker,
	textOfWrong,
	type Worker,
} from '../../dev/simulate/run';

const FIXED = 7;
/** The same on all machines, another one tomorrow. */
const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

const TRACED = { seed: FIXED, number: 3, operations: OPERATIONS_PER_EPISODE, isTraced: true };

let worker: Worker;
let trace: string[];

beforeAll(async () => {
	worker = await startWorker();
	({ trace } = await worker.run(TRACED));
});

afterAll(() => worker.stop());

it.each([FIXED, TODAY])(
	'200 operations in virtual time find nothing wrong (seed %i)',
	async (seed) => {
		const wrong: string[] = [];

		const { operations, done } = await simulate({
			seed,
			operations: 200,
			workers: [worker],
			mostWrong: 1,
			onReport: (report) => {
				if (!isClean(report.figures)) wrong.push(textOfWrong(seed, report));
			},
		});

		expect(wrong).toEqual([]);
		// Some have nothing to do, e.g. where nothing was uploaded before; others run the node twice.
		expect(operations).toBeGreaterThan(170);
		expect(done).toBeGreaterThan(200);
	},
	600_000,
);

it('an episode makes the same requests at the same virtual times, whatever ran before it', async () => {
	const again = await worker.run(TRACED);

	expect(trace.length).toBeGreaterThan(50);
	expect(again.trace).toEqual(trace);
});

it.each(mutations)('the node can still be made one that $breaks', ({ changes }) => {
	expect(brokenFiles(changes)).not.toHaveLength(0);
});

it.each([
	['is nowhere any more', 'sendTwice', 'sendTwice is declared not once, but in: nowhere'],
	[
		'is not the only one of its name',
		'documentId',
		'documentId is declared not once, but in: nodes',
	],
])('says so where what a mutation replaces %s', (_, name, text) => {
	expect(() => brokenFiles({ [name]: '() => {}' })).toThrow(text);
});
