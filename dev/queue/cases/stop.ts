import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../machine/until.ts';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';

const soonMs = 3_000;
/** So long that only Stop can end the wait. */
const extractionMs = 120_000;
/** By then the node looks at growing intervals. */
const waitedMs = 5_000;

export const stop: Case = {
	title: 'Stop, pressed at the main, ends the wait that goes on in a worker',

	run: async ({ cluster, service, intake }, context) => {
		await service.control.settings({ extractionMs });
		const answer = intake.send(documents(1)[0]);
		await until(async () => (await service.control.ledger()).extractions.length === 1);
		await sleep(waitedMs);
		const execution = (await intake.executions()).at(-1);
		assert.equal(execution?.status, 'running');
		assert.equal(await cluster.redis.activeJobs(), 1);

		const pressedAt = Date.now();
		await cluster.main.rest.post(`/executions/${execution.id}/stop`, {});
		await until(async () => (await cluster.redis.activeJobs()) === 0);
		const tookMs = Date.now() - pressedAt;

		context.diagnostic(`the worker was free after ${tookMs} ms`);
		assert.ok(tookMs < soonMs, `the worker went on for ${tookMs} ms`);
		assert.equal((await intake.executions()).at(-1)?.status, 'canceled');
		assert.equal((await answer).status, 500, 'whoever sent the document is told');
	},
};
