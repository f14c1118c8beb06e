import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Stage } from '../stage.ts';
import { assertAllSaid, csvRows } from '../stated.ts';

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
};
