import { coreRows } from '../flows/core.ts';
import { ourRows } from '../flows/own.ts';
import { helperAlone, rowsAlone } from '../flows/alone.ts';
import type { Scenario } from '../measure.ts';
import type { Stage } from '../stage.ts';

const rowCount = 50_000;
const ours = 'this node';
const pagination = "HTTP Request's pagination";

/** Return All of a long list, one row per document. */
export async function rows(stage: Stage): Promise<Scenario> {
	const account = await stage.account();
	const { service } = account;
	await service.control.seed({ documents: rowCount });
	const place = { n8n: stage.n8n, account, count: rowCount };

	return {
		title: '50,000 rows, Return All',
		prepare: async () => await service.control.clearRequests(),
		roundsForOne: 3,
		unit: 'seconds',
		contenders: [
			{ name: ours, ...(await ourRows({ ...place, name: 'rows' })) },
			{ name: pagination, ...(await coreRows({ ...place, name: 'core rows' })) },
			...rowsAlone(service, rowCount),
		],
		goals: [
			{ of: pagination, by: ours, atLeast: 5 },
			{ of: helperAlone, by: ours, atLeast: 0.8 },
		],
	};
}
