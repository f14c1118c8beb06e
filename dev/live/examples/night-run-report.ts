import assert from 'node:assert/strict';
import { live, type Stage } from '../stage/live.ts';
import { assertAllSaid, sampleNames } from '../stage/samples.ts';
import { csvRows } from '../stage/tables.ts';

const reason = 'The file is protected by a password';

/** The emails that the example sends. */
async function sentAtNight({ importMailing, run }: Stage) {
	const { workflow, received } = await importMailing('night-run-report');
	await run(workflow, 'Every night');
	return received;
}

live('sends no message when nothing fails', async (stage) => {
	assert.deepEqual(await sentAtNight(stage), []);
	assertAllSaid(await csvRows(stage.folder, 'values'));
});

live('sends one message that says which files failed and why', async (stage) => {
	await stage.refuse('upload', reason, { skip: 1, times: 2 });

	const [mail, ...more] = await sentAtNight(stage);

	assert.equal(more.length, 0);
	assert.equal(mail.subject, `2 of ${sampleNames.length} files failed`);
	const failed = sampleNames.filter((name) => mail.text?.includes(`${name}: `));
	assert.equal(failed.length, 2);
	assert.equal(mail.text?.split(reason).length, 3);
	const extracted = sampleNames.filter((name) => !failed.includes(name));
	assertAllSaid(await csvRows(stage.folder, 'values'), extracted);
});
