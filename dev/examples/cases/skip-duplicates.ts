import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { samples, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid, csvRows } from '../stated.ts';

export default ({ n8n, service, importExample, newFolderWithInbox }: Stage) => {
	test('uploads each content once, under whatever names it comes, in one run and the next', async () => {
		const [first, ...others] = sampleNames;
		const folder = await newFolderWithInbox();
		const table = join(folder, 'values.csv');
		await copyFile(join(samples, first), join(folder, 'inbox', 'zz copy.pdf'));
		const workflow = await importExample('skip-duplicates', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			'Save table': { fileName: table },
		});

		const firstRun = await n8n.runManually(workflow);

		assert.equal(firstRun.status, 'success', firstRun.errorMessage);
		const rows = await csvRows(table);
		assert.equal(rows.length, sampleNames.length);
		await assertAllSaid(
			service,
			rows.filter(({ fileName }) => fileName !== first),
			others,
		);

		await copyFile(join(samples, first), join(folder, 'inbox', 'another copy.pdf'));
		const secondRun = await n8n.runManually(workflow);

		assert.equal(secondRun.status, 'success', secondRun.errorMessage);
		const { uploads } = await service.control.ledger();
		assert.equal(uploads.length, sampleNames.length);
	});
};
