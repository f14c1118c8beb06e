/** A process that runs episodes for run.ts. */
import { runEpisode, type Order as EpisodeOrder } from './episode.ts';
import type { Figures } from './figures.ts';
import { loadNode, type Patch } from './node.ts';
import { openStage } from './stage.ts';
import { watchProcess } from './watch.ts';

export interface Order extends EpisodeOrder {
	/** From now on the node is broken in these places only. */
	patches?: Patch[];
}

export interface Report {
	number: number;
	figures: Figures;
	/** What is special about the episode's account. */
	account: string;
	/** Of the episode, where something was wrong in it or the order wants it. */
	trace: string[];
}

const stage = await openStage();
const watch = watchProcess(stage);

async function run(order: Order): Promise<Report> {
	// Stacks of the thousands of errors that are made here take longer than the errors.
	Error.stackTraceLimit = order.isTraced ? STACK_LINES : 0;
	const { figures, account, trace } = await runEpisode(stage, order);
	watch.report(figures);
	return { number: order.number, figures, account, trace };
}
const STACK_LINES = 10;

process.on('message', (order: Order) => {
	void (async () => {
		if (order.patches) stage.node = loadNode(order.patches);
		const report = await run(order);
		const isWrong = report.figures.violations.length > 0;
		// It happens again in the same way, and then its requests and stacks are written down.
		const again = isWrong && !order.isTraced ? await run({ ...order, isTraced: true }) : report;
		const isSame = isWrong === again.figures.violations.length > 0;
		process.send?.((isSame ? again : { ...report, trace: again.trace }) satisfies Report);
	})().catch((error: Error) => {
		// Or it would be waited for for ever.
		process.stderr.write(`${error.stack}\n`, () => process.exit(1));
	});
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
