import type { Contender, Scenario } from '../../measure/measure.ts';
import { coreRows } from '../flows/core.ts';
import type { Flow } from '../flows/flow.ts';
import { ourRows } from '../flows/own.ts';
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
		throw new Error(`The flow gave ${counted} of ${rowCount} rows.`);
	}
	const { seconds, wholeSeconds, cpuSeconds } = run;
	return { seconds, wholeSeconds, cpuSeconds };
}

const contender = (name: string, flow: Flow): Contender => ({
	name,
	nodes: flow.nodes,
	run: async () => await readAll(flow),
});

/** Return All of a long list, one row per document. */
export async function rows(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	await service.control.seed({ documents: rowCount });
	const place = (name: string) => ({ n8n: stage.n8n, account, name: `rows ${name}` });
	const raw = openRawClient(service, concurrency);

	return {
		id: 'rows',
		title: '50,000 rows, Return All',
		prepare: async () => await service.control.clearRequests(),
		roundsForOne: 3,
		quantity: 'seconds',
		unit: 's',
		contenders: [
			contender('this node', await ourRows(place('this node'))),
			contender(savedExecution, await ourRows(place('saved'), { savesExecutions: true })),
			contender("HTTP Request's pagination", await coreRows(place('pagination'))),
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
