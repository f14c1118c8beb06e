import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { live } from '../stage/live.ts';
import { assertAllSaid, sampleNames, samples } from '../stage/samples.ts';
import { csvRows } from '../stage/tables.ts';

live('sends no file again that it knows, whatever its name', async (stage) => {
	const { service, importExample, run, folder } = stage;
	const [first, ...others] = sampleNames;
	const copyAs = async (name: string) =>
		await copyFile(join(samples, first), join(folder, 'inbox', name));
	const workflow = await importExample('skip-duplicates');

	await run(workflow);

	const rows = await csvRows(folder, 'values');
	assert.equal(rows.length, sampleNames.length);
	const ofOthers = rows.filter(({ fileName }) => fileName !== first);
	assertAllSaid(ofOthers, others);

	await copyAs('another copy.pdf');
	const again = await run(workflow);
	assert.ok(again.items('Extract values').every(({ json }) => json.skipped));

	const { uploads } = await service.control.ledger();
	assert.equal(uploads.length, sampleNames.length);
});
