import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid, csvRows } from '../stated.ts';

const reason = 'The file is protected by a password';

export default ({ n8n, service, importExample, newFolderWithInbox }: Stage) => {
	test('writes the values of every document of a folder to a table', async () => {
		const folder = await newFolderWithInbox();
		const table = join(folder, 'values.csv');
		const workflow = await importExample('folder-of-pdfs', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			'Save table': { fileName: table },
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		await assertAllSaid(service, await csvRows(table));
	});

	test('lists the file that fails, with the reason, and writes the others to the table', async () => {
		await service.control.faults([
			{
				match: { operation: 'upload', times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		const folder = await newFolderWithInbox();
		const table = join(folder, 'values.csv');
		const workflow = await importExample('folder-of-pdfs', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			'Save table': { fileName: table },
			'Save reasons': { fileName: join(folder, 'reasons.csv') },
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const [failed, ...more] = await csvRows(join(folder, 'reasons.csv'));
		assert.deepEqual(more, []);
		assert.match(String(failed.reason), new RegExp(reason));
		const others = sampleNames.filter((name) => name !== failed.file);
		assert.equal(others.length, sampleNames.length - 1);
		await assertAllSaid(service, await csvRows(table), others);
	});
};
