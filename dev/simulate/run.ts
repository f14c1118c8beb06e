import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from './episode.ts';
import { add, isClean, noFigures, wrongs, type Figures } from './figures.ts';
import type { BrokenFile } from './node.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** Most of what an episode makes is forgotten at once: collecting it seldom takes less time. */
const FLAGS = ['--import', 'tsx', '--max-semi-space-size=64'];

export const OPERATIONS_PER_EPISODE = 20;

/** A process that runs one episode after the other. */
export async function startWorker() {
	const child = fork(WORKER, {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		execArgv: FLAGS,
		cwd: ROOT,
	});
	const died = once(child, 'exit').then(([code, signal]) => {
		throw new Error(`A process of the simulation ended: ${code ?? signal}`);
	});
	died.catch(() => {});
	const message = async () => await Promise.race([once(child, 'message'), died]);
	await message();
	return {
		run: async (order: Order): Promise<Report> => {
			child.send(order);
			const [report] = await message();
			return report as Report;
		},
		stop: () => child.kill(),
	};
}

export type Worker = Awaited<ReturnType<typeof startWorker>>;

export interface SimulationOptions {
	seed: number;
	operations: number;
	workers: Worker[];
	/** After so many wrong episodes enough is known. */
	mostWrong: number;
	/** No episode begins later, in ms of `performance.now()`. */
	until?: number;
	/** The number of the only one to run. */
	episode?: number;
	/** What of the node is broken on purpose. */
	broken?: BrokenFile[];
	onReport?: (report: Report, sum: Figures) => void;
}

/** Runs episodes in several processes, which share nothing, and gives what they found. */
export async function simulate({
	seed,
	operations,
	workers,
	mostWrong,
	until = Infinity,
	episode,
	broken,
	onReport = () => {},
}: SimulationOptions): Promise<Figures> {
	const sum = noFigures();
	let wrong = 0;
	const all = Array(Math.ceil(operations / OPERATIONS_PER_EPISODE)).keys();
	const numbers = episode === undefined ? all : [episode].values();

	const work = async (worker: Worker) => {
		let isFirst = true;
		while (wrong < mostWrong && performance.now() < until) {
			const { value: number, done } = numbers.next();
			if (done) return;
			const report = await worker.run({
				seed,
				number,
				operations: OPERATIONS_PER_EPISODE,
				isTraced: episode !== undefined,
				...(isFirst && broken && { broken }),
			});
			isFirst = false;
			add(sum, report.figures);
			if (!isClean(report.figures)) wrong++;
			onReport(report, sum);
		}
	};
	await Promise.all(workers.map(work));
	return sum;
}

/** What a wrong episode has to say, and how to see it again. */
export function textOfWrong(seed: number, { number, figures, account }: Report): string {
	const lines = figures.violations.map(({ wrong, operation, what }) => {
		const name = operation === undefined ? '' : `, operation ${operation}`;
		return `${wrongs[wrong]}: episode ${number}${name}: ${what}`;
	});
	const command = `npm run simulate -- --seed ${seed} --episode ${number}`;
	return [...lines, `Account: ${account}`, `Again, with all requests: ${command}`, ''].join('\n');
}
