import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokenFile, prepareOwnFiles } from '../../demo/ownFiles.ts';
import { csvRows } from '../rows.ts';
import { sampleFile, sampleNames, samples, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const example = 'keep-failed-files';
const reason = 'The file is protected by a password';

export default ({ service, importExample, run, refuse, folder }: Stage) => {
	/** The one file that is kept, and the one reason that stands beside it. */
	const kept = async () => {
		const failed = join(folder(), 'failed');
		const [file, ...more] = (await readdir(failed)).filter((name) => name.endsWith('.pdf'));
		const [listed, ...others] = await csvRows(failed, 'reasons');
		assert.deepEqual([...more, ...others], []);
		assert.equal(listed.file, file);
		return { file, path: join(failed, file), reason: String(listed.reason) };
	};

	test('keeps the file that failed, its reason beside it, and extracts the others', async () => {
		await refuse('upload', reason, { skip: 1 });

		await run(await importExample(example));

		const failed = await kept();
		assert.deepEqual(await readFile(failed.path), await sampleFile(failed.file));
		assert.match(failed.reason, new RegExp(reason));
		const extracted = sampleNames.filter((name) => name !== failed.file);
		await assertAllSaid(service, await csvRows(folder(), 'values'), extracted);
	});

	test('keeps the file of the demo that is no PDF', async () => {
		await service.control.settings({ checksPdfs: true });
		await prepareOwnFiles(folder(), samples);

		await run(await importExample(example));

		const failed = await kept();
		assert.equal(failed.file, brokenFile);
		assert.match(failed.reason, /The service says: The file is not a PDF/);
		await assertAllSaid(service, await csvRows(folder(), 'values'));
	});
};
