import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../machine/temporaryFolder.ts';
import { until } from '../../machine/until.ts';
import { valuesIn } from '../../demo/findings.ts';
import { signalGroup } from '../../n8n/n8nProcess.ts';
import { type RunningN8n, startN8n } from '../../n8n/server.ts';
import { succeeded } from '../../n8n/execution.ts';
import { credentialType } from '../../n8n/workflow.ts';
import { readExample } from '../../n8n/example.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertSaid } from '../stated.ts';

const example = 'run-again-what-crashed';
const schedule = 'Every 10 minutes';
/** So long that it goes on while n8n is started again. */
const extractionMs = 20_000;

/** An n8n of its own, with the example in it: it is to be killed. */
async function startOwn(userFolder: string, kept: string, port?: number) {
	return await startN8n({ userFolder, port, env: { N8N_RESTRICT_FILE_ACCESS_TO: kept } });
}

async function importInto(n8n: RunningN8n, stage: Stage, kept: string): Promise<string> {
	const { rawApiKey } = await n8n.rest.post<{ rawApiKey: string }>('/api-keys', {
		label: 'Run again',
		scopes: ['execution:read', 'execution:list'],
		expiresAt: null,
	});
	const api = { apiKey: rawApiKey, baseUrl: `${n8n.url}/api/v1` };
	const credentials = [
		await n8n.createCredential(credentialType, 'Service', stage.service.credential()),
		await n8n.createCredential('n8nApi', 'n8n API', api),
	];
	const workflow = await readExample(example, {
		'Keep file': { fileName: `=${kept}/{{ $execution.id }}-{{ $binary.data.fileName }}` },
	});
	const workflowId = await n8n.importWorkflow(workflow, credentials);
	await n8n.activate(workflowId);
	return workflowId;
}

async function sendFile(url: string, name: string): Promise<number> {
	const body = new FormData();
	body.append('data', new Blob([await sampleFile(name)], { type: 'application/pdf' }), name);
	const response = await fetch(`${url}/webhook/document`, { method: 'POST', body });
	await response.arrayBuffer();
	return response.status;
}

export default (stage: Stage) => {
	test('tries a file again whose extraction failed, without stopping for it', async () => {
		const { n8n, service } = stage;
		await stage.refuse('upload', 'Not now');
		const workflowId = await importInto(n8n, stage, join(stage.folder(), 'kept'));
		await until(async () => (await sendFile(n8n.url, sampleNames[0])) === 200);
		const failed = succeeded(await stage.executionOf(workflowId));
		assert.equal(failed.items('Note failure').length, 1);

		const execution = await stage.run(workflowId, schedule);

		assert.equal(execution.items('Try again').length, 1);
		assert.equal(execution.items('Done').length, 1);
		const { uploads } = await service.control.ledger();
		assert.equal(uploads.length, 1);
		const again = await stage.run(workflowId, schedule);
		assert.deepEqual(again.items('Get its execution'), [], 'nothing is left to be done');
	});

	test('takes files to the end whose execution died with n8n, and uploads none twice', async (context) => {
		const { service } = stage;
		const kept = join(await temporaryFolder('examples-kept'), 'kept');
		await mkdir(kept);
		const userFolder = await temporaryFolder('examples-n8n');
		const [uploaded, notUploaded] = sampleNames;

		const first = await startOwn(userFolder, kept);
		context.after(first.stop);
		const workflowId = await importInto(first, stage, kept);
		await service.control.settings({ extractionMs });
		await until(async () => (await sendFile(first.url, uploaded)) === 200);
		await until(async () => (await service.control.ledger()).extractions.length === 1);
		await service.control.faults([
			{ match: { operation: 'upload' }, fault: { type: 'stallBefore' } },
		]);
		assert.equal(await sendFile(first.url, notUploaded), 200);
		await until(async () => (await service.control.requests('upload')).length === 2);
		signalGroup(first.pid, 'SIGKILL');
		await first.ended;
		await service.control.clearFaults();

		const second = await startOwn(userFolder, kept, Number(new URL(first.url).port));
		context.after(second.stop);
		const execution = succeeded(await second.runManually(workflowId, { trigger: schedule }));

		const values = execution.data.resultData.runData['Use the values'].flatMap(
			({ data }) => data?.main[0] ?? [],
		);
		for (const name of [uploaded, notUploaded]) {
			const own = values.filter(({ json }) => JSON.stringify(json).includes(`-${name}"`));
			assert.ok(own.length > 0, `${name} has no values`);
			await assertSaid(
				service,
				name,
				own.flatMap(({ json }) => [...valuesIn(json)]),
			);
		}
		const { uploads, extractions } = await service.control.ledger();
		assert.equal(uploads.length, 2, 'each file was uploaded once');
		assert.equal(extractions.flatMap(({ documentIds }) => documentIds).length, 2);
		assert.equal((await readdir(kept)).length, 2);

		const again = succeeded(await second.runManually(workflowId, { trigger: schedule }));
		assert.deepEqual(again.items('Get its execution'), [], 'nothing is left to be done');
	});
};
