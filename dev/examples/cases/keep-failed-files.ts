import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { brokenFile, prepareOwnFiles } from '../../demo/ownFiles.ts';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleFile, sampleNames, samples, type Stage } from '../stage.ts';
import { assertAllSaid, csvRows } from '../stated.ts';

const reason = 'The file is protected by a password';

export default ({ n8n, service, importExample, newFolder, newFolderWithInbox }: Stage) => {
	test('keeps the file that failed, its reason beside it, and extracts the others', async () => {
		await service.control.faults([
			{
				match: { operation: 'upload', skip: 1, times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		const folder = await newFolderWithInbox();
		const failed = join(folder, 'failed');
		const workflow = await importExample('keep-failed-files', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			'Save table': { fileName: join(folder, 'values.csv') },
			'Keep failed file': { fileName: `=${failed}/{{ $binary.data.fileName }}` },
			'Save reasons': { fileName: join(folder, 'reasons.csv') },
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const [kept, ...more] = await readdir(failed);
		assert.equal(more.length, 0);
		assert.deepEqual(await readFile(join(failed, kept)), await sampleFile(kept));
		const [listed, ...others] = await csvRows(join(folder, 'reasons.csv'));
		assert.equal(others.length, 0);
		assert.equal(listed.file, kept);
		assert.match(String(listed.reason), new RegExp(reason));
		const extracted = sampleNames.filter((name) => name !== kept);
		await assertAllSaid(service, await csvRows(join(folder, 'values.csv')), extracted);
	});

	test('keeps the file of the demo that is no PDF', async () => {
		await service.control.settings({ checksPdfs: true });
		const folder = await newFolder();
		await prepareOwnFiles(folder, samples);
		const workflow = await importExample('keep-failed-files', {
			'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
			'Save table': { fileName: join(folder, 'values.csv') },
			'Keep failed file': { fileName: `=${folder}/failed/{{ $binary.data.fileName }}` },
			'Save reasons': { fileName: join(folder, 'reasons.csv') },
		});

		const execution = await n8n.runManually(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.deepEqual(await readdir(join(folder, 'failed')), [brokenFile]);
		const reasons = await csvRows(join(folder, 'reasons.csv'));
		assert.deepEqual(
			reasons.map(({ file }) => file),
			[brokenFile],
		);
		assert.match(String(reasons[0].reason), /The service says: The file is not a PDF/);
		await assertAllSaid(service, await csvRows(join(folder, 'values.csv')));
	});
};
