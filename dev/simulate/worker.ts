/** A process that runs episodes for run.ts. */
import { runEpisode } from './episode.ts';
import type { Figures } from './figures.ts';
import { loadNode, type Patch } from './node.ts';
import { openStage } from './stage.ts';
import { watchProcess } from './watch.ts';

export interface Order {
	seed: number;
	number: number;
	isTraced?: boolean;
	/** From now on the node is broken in these places only. */
	patches?: Patch[];
}

export interface Report {
	number: number;
	figures: Figures;
	/** Of the episode, where something was wrong in it or the order wants it. */
	trace: string[];
}

// To map every stack of the thousands of errors that are made here takes longer than to make them.
process.setSourceMapsEnabled(false);

const stage = await openStage();
const watch = watchProcess(stage);

process.on('message', (order: Order) => {
	void (async () => {
		if (order.patches) stage.node = loadNode(order.patches);
		const { figures, trace } = await runEpisode(stage, order);
		const isWrong = figures.violations.length > 0;
		// It happens again in the same way, and then its requests are written down.
		const again =
			isWrong && !order.isTraced
				? await runEpisode(stage, { ...order, isTraced: true })
				: undefined;
		watch.report(figures);
		const report = { number: order.number, figures, trace: again?.trace ?? trace };
		process.send?.(report satisfies Report);
	})().catch((error: Error) => {
		// Or it would be waited for for ever.
		console.error(error);
		process.exit(1);
	});
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
