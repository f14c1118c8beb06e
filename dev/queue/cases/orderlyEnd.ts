import { until } from '../../machine/until.ts';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';
import { assertNothingLost, tallyOf } from '../tally.ts';

const documentCount = 30;
const atOnce = 20;
const extractionMs = 3_000;

export const orderlyEnd: Case = {
	title: 'a worker that is replaced finishes what it has in hand',

	run: async ({ cluster, service, intake, record }) => {
		await service.control.settings({ extractionMs });
		const before = (await intake.executions()).length;
		const sent = documents(documentCount);
		const [leaving] = cluster.workers;
		const taken = (await leaving.executionIds()).length;

		const answering = intake.sendAll(sent, atOnce);
		await until(async () => (await leaving.executionIds()).length > taken);
		await leaving.end();
		await cluster.addWorker();
		const answers = await answering;

		const tally = tallyOf(sent, answers, await service.control.ledger());
		record((await intake.executions()).length - before, tally);
		assertNothingLost(tally, answers);
	},
};
