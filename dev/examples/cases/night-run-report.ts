import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid, csvRows } from '../stated.ts';

const reason = 'The file is protected by a password';

export default ({ n8n, service, importExample, newFolderWithInbox }: Stage) => {
	let mailServer: MailServer;
	let credential: SavedCredential;

	before(async () => {
		mailServer = await startMailServer();
		credential = await n8n.createCredential('smtp', 'SMTP account', mailServer.credential);
	});
	after(async () => await mailServer.stop());

	const run = async (folder: string) => {
		const workflow = await importExample(
			'night-run-report',
			{
				'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') },
				'Save table': { fileName: join(folder, 'values.csv') },
			},
			[credential],
		);
		const execution = await n8n.runManually(workflow, { trigger: 'Every night' });
		assert.equal(execution.status, 'success', execution.errorMessage);
	};

	test('sends no message when nothing fails', async () => {
		const folder = await newFolderWithInbox();
		await run(folder);

		assert.deepEqual(mailServer.received, []);
		await assertAllSaid(service, await csvRows(join(folder, 'values.csv')));
	});

	test('sends one message that says which files failed and why; the others are in the table', async () => {
		await service.control.faults([
			{
				match: { operation: 'upload', skip: 1, times: 2 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		const folder = await newFolderWithInbox();
		await run(folder);

		const [mail, ...more] = mailServer.received;
		assert.equal(more.length, 0);
		assert.equal(mail.subject, `2 of ${sampleNames.length} files failed`);
		const failed = sampleNames.filter((name) => mail.text?.includes(`${name}: `));
		assert.equal(failed.length, 2);
		assert.equal(mail.text?.split(reason).length, 3);
		const extracted = sampleNames.filter((name) => !failed.includes(name));
		await assertAllSaid(service, await csvRows(join(folder, 'values.csv')), extracted);
	});
};
