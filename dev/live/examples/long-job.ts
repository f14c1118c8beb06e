import assert from 'node:assert/strict';
import { replacing } from '../../n8n/example.ts';
import type { Execution } from '../../n8n/execution.ts';
import { live, type Stage } from '../stage/live.ts';
import { assertSaid, sampleNames } from '../stage/samples.ts';

/** In the called execution. */
async function runsOf({ n8n }: Stage, workflow: string, node: string) {
	const executions = await n8n.executionsOf(workflow);
	const called = executions.find(({ mode }) => mode === 'integrated');
	const { data } = await n8n.execution(called?.id ?? '');
	return data.resultData.runData[node]?.length ?? 0;
}

async function assertAllReturned({ service }: Stage, execution: Execution) {
	const results = execution.items('Extract in a sub-workflow').map(({ json }) => json);
	const { uploads, extractions } = await service.control.ledger();
	assert.deepEqual(uploads.map(({ fileName }) => fileName).sort(), sampleNames);
	for (const { fileName, documentId } of uploads) {
		const own = results.filter((result) => result.documentId === documentId);
		assertSaid(fileName, own);
	}
	assert.equal(extractions.length, 1);
}

live('goes round until all is extracted, and hands back the values', async (stage) => {
	await stage.service.control.settings({ extractionMs: 12_000 });
	// n8n itself keeps an execution that waits for less than 65 seconds in memory.
	const workflow = await stage.importExample('long-job', {
		Wait: { amount: 1, unit: 'seconds' },
		'Check if finished': { options: { maxWait: 4, onTimeout: 'status' } },
	});

	const execution = await stage.run(workflow);

	assert.ok((await runsOf(stage, workflow, 'Wait')) > 1, 'it waited only once');
	assert.equal(await runsOf(stage, workflow, 'Upload'), 1);
	await assertAllReturned(stage, execution);
});

live('gives up after its last round, and says that the extraction goes on', async (stage) => {
	await stage.service.control.busy(stage.workflow.id, 60_000);
	const workflow = await stage.importExample('long-job', {
		Wait: { amount: 0, unit: 'seconds' },
		'Check if finished': { options: { maxWait: 1, settleTime: 0, onTimeout: 'status' } },
		'Finished?': replacing('"rightValue":100', '"rightValue":3'),
	});

	const execution = await stage.n8n.runManually(workflow);

	assert.equal(execution.status, 'error');
	assert.match(execution.errorMessage ?? '', /not finished after/);
	assert.equal(await runsOf(stage, workflow, 'Wait'), 4);
});
