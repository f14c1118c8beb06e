import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { until } from '../../machine/until.ts';
import type { RunningN8n } from '../../n8n/server.ts';
import { live, type StageInN8n } from '../stage/live.ts';
import { assertSaid, sampleFile, sampleNames } from '../stage/samples.ts';

const schedule = 'Every 10 minutes';
/** Each case runs it by hand: a run of the schedule beside that would upload the same files. */
const onLeapDays = { rule: { interval: [{ field: 'cronExpression', expression: '0 0 29 2 *' }] } };
/** So long that it goes on while n8n is started again. */
const extractionMs = 20_000;

async function publish({ n8n, importExample, activate }: StageInN8n): Promise<string> {
	const n8nApi = await n8n.createApiCredential(['execution:read', 'execution:list']);
	const entries = { [schedule]: onLeapDays };
	const workflow = await importExample('run-again-what-crashed', entries, [n8nApi]);
	await activate(workflow);
	return workflow;
}

async function sendFile({ url }: RunningN8n, name: string): Promise<number> {
	const body = new FormData();
	body.append('data', new Blob([await sampleFile(name)], { type: 'application/pdf' }), name);
	const response = await fetch(`${url}/webhook/document`, { method: 'POST', body });
	await response.arrayBuffer();
	return response.status;
}

async function assertNothingLeft({ run }: StageInN8n, workflow: string) {
	const execution = await run(workflow, schedule);
	assert.deepEqual(execution.items('Get its execution'), [], 'nothing is left to be done');
}

live('tries a file again whose extraction failed, without stopping for it', async (stage) => {
	const { n8n, service, refuse, executionOf, run } = stage;
	await refuse('upload', 'Not now');
	const workflow = await publish(stage);
	await until(async () => (await sendFile(n8n, sampleNames[0])) === 200);
	assert.equal((await executionOf(workflow)).items('Note failure').length, 1);

	const execution = await run(workflow, schedule);

	assert.equal(execution.items('Try again').length, 1);
	assert.equal(execution.items('Done').length, 1);
	assert.equal((await service.control.ledger()).uploads.length, 1);
	await assertNothingLeft(stage, workflow);
});

live('takes files to the end after a crash, and uploads none twice', async (stage) => {
	const { control } = stage.service;
	const userFolder = await temporaryFolder('n8n-that-crashes');
	const [uploaded, notUploaded] = sampleNames;

	const first = await stage.inN8n({ userFolder });
	const workflow = await publish(first);
	await control.settings({ extractionMs });
	await until(async () => (await sendFile(first.n8n, uploaded)) === 200);
	await until(async () => (await control.ledger()).extractions.length === 1);
	await control.faults([{ match: { operation: 'upload' }, fault: { type: 'stallBefore' } }]);
	assert.equal(await sendFile(first.n8n, notUploaded), 200);
	await until(async () => (await control.requests('upload')).length === 2);
	await first.n8n.end('SIGKILL');
	await control.clearFaults();

	const port = Number(new URL(first.n8n.url).port);
	const second = await stage.inN8n({ userFolder, port });
	const execution = await second.run(workflow, schedule);

	const values = execution.data.resultData.runData['Use the values'].flatMap(
		({ data }) => data?.main[0] ?? [],
	);
	for (const name of [uploaded, notUploaded]) {
		const own = values.filter(({ json }) => JSON.stringify(json).includes(`-${name}"`));
		assertSaid(
			name,
			own.map(({ json }) => json),
		);
	}
	const { uploads, extractions } = await control.ledger();
	assert.equal(uploads.length, 2, 'each file was uploaded once');
	assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, 2);
	assert.equal((await readdir(join(stage.folder, 'kept'))).length, 2);
	await assertNothingLeft(second, workflow);
});
