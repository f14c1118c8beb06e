import assert from 'node:assert/strict';
import { live } from '../stage/live.ts';
import { assertAllSaid, sampleNames } from '../stage/samples.ts';
import { csvRows } from '../stage/tables.ts';

const reason = 'The file is protected by a password';

live('writes the values of a folder to a table, and lists the file that fails', async (stage) => {
	const { importExample, run, refuse, folder } = stage;
	const workflow = await importExample('folder-of-pdfs');
	await run(workflow);
	assertAllSaid(await csvRows(folder, 'values'));

	await refuse('upload', reason);
	await run(workflow);

	const [failed, ...more] = await csvRows(folder, 'reasons');
	assert.deepEqual(more, []);
	assert.match(String(failed.reason), new RegExp(reason));
	const others = sampleNames.filter((name) => name !== failed.file);
	assert.equal(others.length, sampleNames.length - 1);
	assertAllSaid(await csvRows(folder, 'values'), others);
});
