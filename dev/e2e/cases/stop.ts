import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emailsThrough } from '../../demo/emails.ts';
import type { Service } from '../../../test/support/service.ts';
import { until } from '../../machine/until.ts';
import { chain, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import type { Operation } from '../../service/operations.ts';
import { samples, type Stage } from '../stage.ts';

const reactsWithinMs = 2_000;

const readingFlow = chain('Extraction results', [
	manualTrigger,
	extractionNode({ resource: 'extraction', operation: 'getAll', returnAll: true }),
]);

export default ({ n8n, account }: Stage) => {
	/** Presses Stop once the node is waiting; fails unless that ends it soon, and for good. */
	async function assertStopped(service: Service, id: string, waitsFor: Operation) {
		await until(async () => (await service.control.requests(waitsFor)).length > 0);
		await sleep(1_000);
		const pressed = Date.now();
		await n8n.stopExecution(id);
		const { status } = await n8n.execution(id);
		assert.equal(status, 'canceled');
		assert.ok(Date.now() - pressed < reactsWithinMs);
		await assertSilent(service);
	}

	async function assertSilent({ control }: Service) {
		const sent = (await control.requests()).length;
		await sleep(reactsWithinMs);
		assert.equal((await control.requests()).length, sent, 'the node goes on asking');
		await control.clearFaults();
	}

	test('ends a request whose response stalls', { timeout: 60_000 }, async () => {
		const { service, credential } = await account();
		await service.control.faults([{ fault: { type: 'stallMidBody', bytes: 10 } }]);
		const id = await n8n.startManually(await n8n.importWorkflow(readingFlow, [credential]));

		await assertStopped(service, id, 'getExtractions');
		assert.equal((await service.control.requests()).length, 1);
	});

	test("ends a request whose response stalls at the workflow's own time limit", {
		timeout: 60_000,
	}, async () => {
		const { service, credential } = await account();
		await service.control.faults([{ fault: { type: 'stallBefore' } }]);
		const limited = {
			...readingFlow,
			settings: { ...readingFlow.settings, executionTimeout: 3 },
		};
		const start = Date.now();

		const { status } = await n8n.runManually(await n8n.importWorkflow(limited, [credential]));

		assert.equal(status, 'canceled');
		assert.ok(Date.now() - start < 3_000 + 3 * reactsWithinMs);
		await assertSilent(service);
		assert.equal((await service.control.requests()).length, 1);
	});

	test('ends the wait for an extraction soon', { timeout: 60_000 }, async () => {
		const { service, credential } = await account();
		await service.control.settings({ extractionMs: 600_000 });
		const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*' });
		const id = await n8n.startManually(await n8n.importWorkflow(workflow, [credential]));

		await assertStopped(service, id, 'extractBulk');
	});
};
