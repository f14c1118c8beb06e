import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { live } from '../stage/live.ts';
import { brokenFile, prepareOwnFiles } from '../stage/ownFiles.ts';
import { assertAllSaid } from '../stage/samples.ts';
import { csvRows } from '../stage/tables.ts';

live('keeps the file that fails, its reason beside it, and extracts the others', async (stage) => {
	const { service, folder, importExample, run } = stage;
	await service.control.settings({ checksPdfs: true });
	// As the demo does: a file among them is no PDF.
	await prepareOwnFiles(folder);

	await run(await importExample('keep-failed-files'));

	const failed = join(folder, 'failed');
	const kept = (await readdir(failed)).filter((name) => name.endsWith('.pdf'));
	assert.deepEqual(kept, [brokenFile]);
	assert.deepEqual(
		await readFile(join(failed, brokenFile)),
		await readFile(join(folder, 'inbox', brokenFile)),
	);
	const [{ file, reason }, ...more] = await csvRows(failed, 'reasons');
	assert.deepEqual([file, more], [brokenFile, []]);
	assert.match(String(reason), /The service says: The file is not a PDF/);
	assertAllSaid(await csvRows(folder, 'values'));
});
