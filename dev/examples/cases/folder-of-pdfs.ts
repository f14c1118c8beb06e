import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRows } from '../rows.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const reason = 'The file is protected by a password';

export default ({ service, importExample, run, refuse, folder }: Stage) => {
	test('writes the values of every document of a folder to a table', async () => {
		await run(await importExample('folder-of-pdfs'));

		await assertAllSaid(service, await csvRows(folder(), 'values'));
	});

	test('lists the file that fails, with the reason, and writes the others to the table', async () => {
		await refuse('upload', reason);

		await run(await importExample('folder-of-pdfs'));

		const [failed, ...more] = await csvRows(folder(), 'reasons');
		assert.deepEqual(more, []);
		assert.match(String(failed.reason), new RegExp(reason));
		const others = sampleNames.filter((name) => name !== failed.file);
		assert.equal(others.length, sampleNames.length - 1);
		await assertAllSaid(service, await csvRows(folder(), 'values'), others);
	});
};
