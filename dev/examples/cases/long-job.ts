import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import { valuesIn } from '../../demo/findings.ts';
import { readExample } from '../example.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertSaid } from '../stated.ts';

/** n8n itself keeps an execution that waits for less than 65 seconds in memory. */
const shortWait = { amount: 1, unit: 'seconds' };

/** The switch of the loop, with another number of rounds. */
async function roundsOf(rounds: number): Promise<INodeParameters> {
	const { nodes } = await readExample('long-job');
	const text = JSON.stringify(nodes.find(({ name }) => name === 'Finished?')?.parameters);
	return JSON.parse(
		text.replaceAll('"rightValue":100', `"rightValue":${rounds}`),
	) as INodeParameters;
}

export default ({ n8n, service, importExample, newFolderWithInbox }: Stage) => {
	const runs = (data: Record<string, unknown[]>, node: string) => data[node]?.length ?? 0;

	test('goes round until the extraction is over, then reads the values', async () => {
		await service.control.settings({ extractionMs: 12_000 });
		const folder = await newFolderWithInbox();
		const workflow = await importExample('long-job', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			Wait: shortWait,
			'Look whether it is finished': { options: { maxWait: 4, onTimeout: 'status' } },
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const { runData } = execution.data.resultData;
		assert.ok(runs(runData, 'Wait') > 1, 'it waited only once');
		assert.equal(runs(runData, 'Upload'), 1);
		const results = execution.items('Get values');
		const uploads = execution.items('Upload');
		for (const name of sampleNames) {
			const index = uploads.findIndex(({ json }) => (json.file as { name: string }).name === name);
			const values = results
				.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index)
				.flatMap(({ json }) => [...valuesIn(json)]);
			await assertSaid(service, name, values);
		}
		const { extractions } = await service.control.ledger();
		assert.equal(extractions.length, 1);
	});

	test('gives up after its last round, and says that the extraction goes on', async () => {
		const folder = await newFolderWithInbox();
		const { id } = service.account.environments.test.workflows.main;
		await service.control.busy(id, 60_000);
		const workflow = await importExample('long-job', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			Wait: { amount: 0, unit: 'seconds' },
			'Look whether it is finished': {
				options: { maxWait: 1, settleTime: 0, onTimeout: 'status' },
			},
			'Finished?': await roundsOf(3),
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'error');
		assert.match(execution.errorMessage ?? '', /not finished after/);
		assert.equal(runs(execution.data.resultData.runData, 'Wait'), 4);
	});
};
