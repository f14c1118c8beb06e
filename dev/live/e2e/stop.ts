import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../machine/until.ts';
import { chain, extractionNode, manualTrigger, type WorkflowFile } from '../../n8n/workflow.ts';
import type { Operation } from '../../service/operations.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type Stage } from '../stage/live.ts';
import { samples } from '../stage/samples.ts';

const reactsWithinMs = 2_000;

const readingFlow = chain('Extraction results', [
	manualTrigger,
	extractionNode({ resource: 'extraction', operation: 'getAll', returnAll: true }),
]);

/** Presses Stop once the node is waiting; fails unless that ends it soon, and for good. */
async function assertStopped(
	{ n8n, service, importWorkflow }: Stage,
	workflow: WorkflowFile,
	waitsFor: Operation,
) {
	const id = await n8n.startManually(await importWorkflow(workflow));
	await until(async () => (await service.control.requests(waitsFor)).length > 0);
	await sleep(1_000);
	const pressed = Date.now();
	await n8n.stopExecution(id);
	assert.equal((await n8n.execution(id)).status, 'canceled');
	assert.ok(Date.now() - pressed < reactsWithinMs);
	const sent = (await service.control.requests()).length;
	await sleep(reactsWithinMs);
	assert.equal((await service.control.requests()).length, sent, 'the node goes on asking');
}

// The time limit of an execution ends it in the same way: test/reliability/stopping.test.ts.
live('ends a request whose response stalls', async (stage) => {
	const { control } = stage.service;
	await control.faults([{ fault: { type: 'stallMidBody', bytes: 10 } }]);
	await assertStopped(stage, readingFlow, 'getExtractions');
	assert.equal((await control.requests()).length, 1);
});

live('ends the wait for an extraction soon', async (stage) => {
	await stage.service.control.settings({ extractionMs: 600_000 });
	await assertStopped(stage, emailsThrough(samples), 'extractBulk');
});
