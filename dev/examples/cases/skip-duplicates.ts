import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { csvRows } from '../rows.ts';
import { samples, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

export default ({ service, importExample, run, folder }: Stage) => {
	test('uploads each content once, under whatever names it comes, in one run and the next', async () => {
		const [first, ...others] = sampleNames;
		const copyAs = async (name: string) =>
			await copyFile(join(samples, first), join(folder(), 'inbox', name));
		await copyAs('zz copy.pdf');
		const workflow = await importExample('skip-duplicates');

		await run(workflow);

		const rows = await csvRows(folder(), 'values');
		assert.equal(rows.length, sampleNames.length);
		const ofOthers = rows.filter(({ fileName }) => fileName !== first);
		await assertAllSaid(service, ofOthers, others);

		await copyAs('another copy.pdf');
		await run(workflow);

		const { uploads } = await service.control.ledger();
		assert.equal(uploads.length, sampleNames.length);
	});
};
