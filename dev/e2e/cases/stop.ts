import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emailsThrough } from '../../demo/emails.ts';
import type { Service } from '../../../test/support/service.ts';
import { samples, type Stage } from '../stage.ts';

const pollMs = 100;
const reactsWithinMs = 2_000;

async function untilExtractionStarted({ control }: Service) {
	while ((await control.requests('extractBulk')).length === 0) await sleep(pollMs);
}

export default ({ n8n, account }: Stage) => {
	test('ends the wait for an extraction soon', { timeout: 60_000 }, async () => {
		const { service, credential } = await account();
		await service.control.settings({ extractionMs: 600_000 });
		const workflow = emailsThrough(samples, { binaryPropertyName: 'attachment_*' });
		const id = await n8n.startManually(await n8n.importWorkflow(workflow, [credential]));
		await untilExtractionStarted(service);
		await sleep(1_000);

		const pressed = Date.now();
		await n8n.stopExecution(id);
		const { status } = await n8n.execution(id);

		assert.equal(status, 'canceled');
		assert.ok(Date.now() - pressed < reactsWithinMs);
		const sent = (await service.control.requests()).length;
		await sleep(reactsWithinMs);
		assert.equal((await service.control.requests()).length, sent, 'the node goes on asking');
	});
};
