import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { until } from '../../machine/until.ts';
import { readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertSaid } from '../stated.ts';

const called = 'Extract in a sub-workflow';
const restsWithinMs = 90_000;

/** The switch of the loop, with another number of rounds. */
async function roundsOf(rounds: number): Promise<INodeParameters> {
	const { nodes } = await readExample('long-job');
	const text = JSON.stringify(nodes.find(({ name }) => name === 'Finished?')?.parameters);
	return JSON.parse(
		text.replaceAll('"rightValue":100', `"rightValue":${rounds}`),
	) as INodeParameters;
}

export default ({ n8n, service, importExample, run, executionOf }: Stage) => {
	/** The calling execution is the first of the workflow, the called one the second. */
	const runsOf = async (workflow: string, node: string) => {
		const { data } = await executionOf(workflow, 2);
		return data.resultData.runData[node]?.length ?? 0;
	};

	async function assertAllReturned(results: Array<Record<string, unknown>>) {
		const { uploads } = await service.control.ledger();
		assert.deepEqual(uploads.map(({ fileName }) => fileName).sort(), sampleNames);
		for (const { fileName, documentId } of uploads) {
			const values = results.filter((result) => result.documentId === documentId);
			await assertSaid(service, fileName, values.flatMap(Object.values));
		}
	}

	async function untilAllWait(workflow: string) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow }));
		const doAllWait = async () => {
			const { results } = await n8n.rest.get<{ results: Array<{ status: string }> }>(
				`/executions?filter=${filter}`,
			);
			return results.length === 2 && results.every(({ status }) => status === 'waiting');
		};
		await until(doAllWait, { timeoutMs: restsWithinMs, message: 'The executions do not rest.' });
	}

	test('goes round until the extraction is finished, and hands the values to the caller', async () => {
		await service.control.settings({ extractionMs: 12_000 });
		// n8n itself keeps an execution that waits for less than 65 seconds in memory.
		const workflow = await importExample('long-job', {
			Wait: { amount: 1, unit: 'seconds' },
			'Check if finished': { options: { maxWait: 4, onTimeout: 'status' } },
		});

		const execution = await run(workflow);

		assert.ok((await runsOf(workflow, 'Wait')) > 1, 'it waited only once');
		assert.equal(await runsOf(workflow, 'Upload'), 1);
		await assertAllReturned(execution.items(called).map(({ json }) => json));
		const { extractions } = await service.control.ledger();
		assert.equal(extractions.length, 1);
	});

	test('neither the caller nor the called one is busy while they wait', async () => {
		const workflow = await importExample('long-job', { Wait: { amount: 66, unit: 'seconds' } });
		const started = await n8n.startManually(workflow);

		await untilAllWait(workflow);

		const execution = succeeded(await n8n.execution(started));
		await assertAllReturned(execution.items(called).map(({ json }) => json));
	});

	test('gives up after its last round, and says that the extraction goes on', async () => {
		const { id } = service.account.environments.test.workflows.main;
		await service.control.busy(id, 60_000);
		const workflow = await importExample('long-job', {
			Wait: { amount: 0, unit: 'seconds' },
			'Check if finished': {
				options: { maxWait: 1, settleTime: 0, onTimeout: 'status' },
			},
			'Finished?': await roundsOf(3),
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'error');
		assert.match(execution.errorMessage ?? '', /not finished after/);
		assert.equal(await runsOf(workflow, 'Wait'), 4);
	});
};
