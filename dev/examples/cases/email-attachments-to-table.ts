import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedCredential } from '../../n8n/editor.ts';
import { dataTableRows, keptColumns } from '../dataTable.ts';
import { type Mailbox, startMailbox } from '../../machine/mailbox.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const reason = 'The file is protected by a password';
const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

export default ({ n8n, service, importExample, executionOf }: Stage) => {
	let mailbox: Mailbox;
	let credential: SavedCredential;

	before(async () => {
		mailbox = await startMailbox();
		credential = await n8n.createCredential('imap', 'IMAP account', mailbox.credential);
	});
	after(async () => await mailbox.stop());

	test('writes one row per attachment, and one row for a document that comes twice', async () => {
		const workflow = await importExample('email-attachments-to-table', {}, [credential]);
		const created = await n8n.runManually(workflow);
		assert.equal(created.status, 'success', created.errorMessage);
		const activated = await importExample('email-attachments-to-table', {}, [credential]);
		await n8n.activate(activated);
		await mailbox.untilOpened();

		const again = { filename: 'sent again.pdf', content: await sampleFile(sampleNames[0]) };
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Our documents – Nørrebro',
			text: 'Please find them attached.',
			attachments: [
				logo,
				again,
				...(await Promise.all(
					sampleNames.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
				)),
			],
		});
		const execution = await executionOf(activated);

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.equal(execution.items('Extract values').length, sampleNames.length + 1);
		const rows = await dataTableRows(n8n, 'Documents');
		assert.equal(rows.length, sampleNames.length);
		await assertAllSaid(service, rows, sampleNames, keptColumns);
		for (const { sender, subject } of rows) {
			assert.match(String(sender), /supplier@example\.com/);
			assert.equal(subject, 'Our documents – Nørrebro');
		}

		await service.control.faults([
			{
				match: { operation: 'upload', times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Two more',
			attachments: await Promise.all(
				sampleNames
					.slice(0, 2)
					.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
			),
		});
		const second = await executionOf(activated, 2);

		assert.equal(second.status, 'success', second.errorMessage);
		const failed = (await dataTableRows(n8n, 'Documents')).filter(({ failure }) => failure);
		assert.deepEqual(
			failed.map(({ document, subject, fileName }) => [document, subject, fileName]),
			[[`Two more ${String(failed[0]?.fileName)}`, 'Two more', failed[0]?.fileName]],
		);
		assert.ok(sampleNames.slice(0, 2).includes(String(failed[0].fileName)));
		assert.match(String(failed[0].failure), new RegExp(reason));
	});
};
