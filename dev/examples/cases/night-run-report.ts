import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { csvRows } from '../rows.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const reason = 'The file is protected by a password';

export default ({ service, importExample, run, refuse, folder, openMailServer }: Stage) => {
	let mailServer: Awaited<ReturnType<typeof openMailServer>>;
	before(async () => {
		mailServer = await openMailServer();
	});

	const runAtNight = async () =>
		await run(await importExample('night-run-report', {}, [mailServer.account]), 'Every night');

	test('sends no message when nothing fails', async () => {
		await runAtNight();

		assert.deepEqual(mailServer.received, []);
		await assertAllSaid(service, await csvRows(folder(), 'values'));
	});

	test('sends one message that says which files failed and why; the others are in the table', async () => {
		await refuse('upload', reason, { skip: 1, times: 2 });

		await runAtNight();

		const [mail, ...more] = mailServer.received;
		assert.equal(more.length, 0);
		assert.equal(mail.subject, `2 of ${sampleNames.length} files failed`);
		const failed = sampleNames.filter((name) => mail.text?.includes(`${name}: `));
		assert.equal(failed.length, 2);
		assert.equal(mail.text?.split(reason).length, 3);
		const extracted = sampleNames.filter((name) => !failed.includes(name));
		await assertAllSaid(service, await csvRows(folder(), 'values'), extracted);
	});
};
