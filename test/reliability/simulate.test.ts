import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mutations } from '../../dev/mutations/mutations';
import { isClean } from '../../dev/simulate/figures';
import { OPERATIONS_PER_EPISODE, simulate, textOfWrong, Worker } from '../../dev/simulate/run';

const ROOT = resolve(__dirname, '../..');
const FIXED = 7;
/** The same on all machines, another one tomorrow. */
const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

let worker: Worker;

beforeAll(async () => {
	worker = await Worker.start();
});

afterAll(() => worker.stop());

it('an episode makes the same requests at the same virtual times, whatever ran before it', async () => {
	const order = { seed: FIXED, operations: OPERATIONS_PER_EPISODE, isTraced: true };

	const other = await Worker.start();

	await worker.run({ ...order, number: 1 });
	const { trace } = await worker.run({ ...order, number: 3 });
	const again = await other.run({ ...order, number: 3 });
	other.stop();

	expect(trace.length).toBeGreaterThan(50);
	expect(again.trace).toEqual(trace);
});

it.each([FIXED, TODAY])(
	'500 operations in virtual time find nothing wrong (seed %i)',
	async (seed) => {
		const wrong: string[] = [];

		const { operations, done } = await simulate({
			seed,
			operations: 500,
			workers: [worker],
			mostWrong: 1,
			onReport: (report) => {
				if (!isClean(report.figures)) wrong.push(textOfWrong(seed, report));
			},
		});

		expect(wrong).toEqual([]);
		// Some have nothing to do, e.g. where nothing was uploaded before; others run the node twice.
		expect(operations).toBeGreaterThan(450);
		expect(done).toBeGreaterThan(500);
	},
	600_000,
);

it.each(mutations)('the node can still be made one that $breaks', ({ patches }) => {
	const sources = new Map<string, string>();
	for (const { file, from, to } of patches) {
		const source = sources.get(file) ?? readFileSync(resolve(ROOT, file), 'utf8');
		expect(source.split(from)).toHaveLength(2);
		sources.set(
			file,
			source.replace(from, () => to),
		);
	}
});
