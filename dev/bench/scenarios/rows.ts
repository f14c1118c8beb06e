import type { Scenario } from '../../measure/measure.ts';
import { countNode } from '../flows/coreNodes.ts';
import type { Flow } from '../flows/flow.ts';
import { coreRows, ourRows } from '../flows/rows.ts';
import { openRawClient } from '../rawClient.ts';
import type { Stage } from '../stage.ts';
import { secondsFor } from '../timing.ts';
import { concurrency } from './uploads.ts';

const rowCount = 50_000;

export const savedExecution = 'this node, execution saved';

async function readAll(flow: Flow) {
	const run = await flow.run();
	const counted = JSON.stringify(run.answer);
	if (counted !== JSON.stringify({ unique_count_document_id: rowCount })) {
		throw new Error(`${countNode} gave ${counted} of ${rowCount} rows.`);
	}
	return run;
}

/** Return All of a long list, one row per document. */
export async function rows(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	await service.control.seed({ documents: rowCount });
	const ours = await ourRows(stage.n8n, account, 'rows this node');
	const saved = await ourRows(stage.n8n, account, 'rows saved', { savesExecutions: true });
	const core = await coreRows(stage.n8n, account, 'rows pagination');
	const raw = openRawClient(service, concurrency);

	return {
		id: 'rows',
		title: '50,000 rows, Return All',
		prepare: async () => await service.control.clearRequests(),
		roundsForOne: 3,
		quantity: 'seconds',
		unit: 's',
		contenders: [
			{
				name: 'this node',
				nodes: 1,
				run: async () => {
					const { seconds, wholeSeconds, cpuSeconds } = await readAll(ours);
					return { seconds, wholeSeconds, cpuSeconds };
				},
			},
			{
				name: savedExecution,
				nodes: 1,
				run: async () => {
					const { seconds, wholeSeconds, cpuSeconds } = await readAll(saved);
					return { seconds, wholeSeconds, cpuSeconds };
				},
			},
			{
				name: "HTTP Request's pagination",
				nodes: core.nodes,
				run: async () => {
					const { seconds, wholeSeconds, cpuSeconds } = await readAll(core);
					return { seconds, wholeSeconds, cpuSeconds };
				},
			},
			{
				name: `undici alone, ${concurrency} at a time`,
				run: async () => {
					const seconds = await secondsFor(async () => {
						const { length } = await raw.readRows();
						if (length !== rowCount) throw new Error(`undici got ${length} rows.`);
					});
					return { seconds };
				},
			},
		],
		goals: [
			{
				text: "times as fast as HTTP Request's pagination",
				quantity: 'seconds',
				of: "HTTP Request's pagination",
				by: 'this node',
				atLeast: 5,
			},
			{
				text: 'of the speed of undici alone',
				quantity: 'seconds',
				of: `undici alone, ${concurrency} at a time`,
				by: 'this node',
				atLeast: 0.8,
			},
		],
		close: async () => await raw.close(),
	};
}
