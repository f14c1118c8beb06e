import assert from 'node:assert/strict';
import { documents } from '../documents.ts';
import type { Case } from '../stage.ts';

const executionCount = 200;
const atOnce = 20;
/** Above the size from which the node uploads by signed URL. */
const largeFileBytes = 11_000_000;

export const sharing: Case = {
	title: `${executionCount} executions are shared by two workers: nothing lost, nothing doubled`,

	run: async ({ cluster, service, intake, assertAllOnce }) => {
		const sent = [...documents(executionCount - 1), ...documents(1, largeFileBytes)];

		const answers = await intake.sendAll(sent, atOnce);

		await assertAllOnce(sent, answers);
		const { uploads } = await service.control.ledger();
		const executions = await intake.executions();
		assert.equal(executions.length, executionCount);
		assert.deepEqual([...new Set(executions.map(({ status }) => status))], ['success']);

		const taken = await Promise.all(
			cluster.workers.map(async (worker) => await worker.executionIds()),
		);
		assert.deepEqual(
			taken
				.flat()
				.map(Number)
				.sort((a, b) => a - b),
			executions.map(({ id }) => Number(id)),
			'each execution ran on one worker, once',
		);
		for (const ids of taken) assert.ok(ids.length > executionCount / 4, `${ids.length} executions`);

		const signed = uploads.filter(({ method }) => method === 'signed');
		assert.deepEqual(
			signed.map(({ sha256, confirmed }) => ({ sha256, confirmed })),
			[{ sha256: sent.at(-1)?.sha256, confirmed: true }],
			'the large file was streamed to storage by a worker',
		);
	},
};
