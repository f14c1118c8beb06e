import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { SavedCredential } from '../../n8n/editor.ts';
import { dataTableRows, keptColumns } from '../dataTable.ts';
import type { Entries } from '../../n8n/example.ts';
import { type Mailbox, startMailbox } from '../../machine/mailbox.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const reason = 'The file is protected by a password';
const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

export default ({ n8n, service, importExample, executionOf }: Stage) => {
	let mailbox: Mailbox;
	let credential: SavedCredential;

	beforeEach(async () => {
		mailbox = await startMailbox();
		credential = await n8n.createCredential('imap', 'IMAP account', mailbox.credential);
	});
	afterEach(async () => await mailbox.stop());

	test('writes one row per attachment, and one row for a file that comes twice', async () => {
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
		const sentAgain = await Promise.all(
			sampleNames
				.slice(0, 2)
				.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
		);
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Two more',
			attachments: sentAgain,
		});
		const second = await executionOf(activated, 2);

		assert.equal(second.status, 'success', second.errorMessage);
		const later = await dataTableRows(n8n, 'Documents');
		assert.equal(later.length, sampleNames.length);
		await assertAllSaid(service, later, sampleNames, keptColumns);
		const [failed, ...more] = later.filter(({ failure }) => failure);
		assert.deepEqual([failed.subject, more], ['Two more', []]);
		assert.match(
			String(failed.failure),
			new RegExp(`^The service did not accept .+ \\(400\\)\\. The service says: ${reason}\\.`),
		);
	});

	test('whatever the columns are, a file that failed gets its values when it comes again', async () => {
		const table = 'My documents';
		const example = 'email-attachments-to-table';
		const field = (name: string, value: string) => ({ id: name, name, value, type: 'string' });
		const entries: Entries = {
			'Choose columns': {
				assignments: {
					assignments: [field('reference', '={{ $json.Reference }}'), field('failure', '')],
				},
			},
			'Create table': {
				tableName: table,
				columns: {
					column: ['reference', 'sender', 'subject', 'file_name', 'failure', 'document'].map(
						(name) => ({ name, type: 'string' }),
					),
				},
			},
			'Save row': { dataTableId: { __rl: true, mode: 'name', value: table } },
		};
		const created = await n8n.runManually(await importExample(example, entries, [credential]));
		assert.equal(created.status, 'success', created.errorMessage);
		const workflow = await importExample(example, entries, [credential]);
		await n8n.activate(workflow);
		await mailbox.untilOpened();
		const content = await sampleFile('invoice-harbour-supplies.pdf');
		const corrected = Buffer.concat([content, Buffer.from('\n')]);
		const deliver = async (subject: string, file: Buffer, ordinal: number) => {
			await mailbox.deliver({
				from: 'supplier@example.com',
				subject,
				attachments: [logo, { filename: 'scan.pdf', content: file }],
			});
			const { status, errorMessage } = await executionOf(workflow, ordinal);
			assert.equal(status, 'success', errorMessage);
			const rows = await dataTableRows(n8n, table);
			return rows.map((row) => [row.subject ?? null, row.reference, Boolean(row.failure)]);
		};
		await service.control.faults([
			{
				match: { operation: 'upload', times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);

		assert.deepEqual(await deliver('Fails', content, 1), [['Fails', null, true]]);
		assert.deepEqual(await deliver('Again', content, 2), [['Fails', 'PO-77120', false]]);
		assert.deepEqual(await deliver('Corrected', corrected, 3), [
			['Fails', 'PO-77120', false],
			[null, 'PO-77120', false],
		]);
	});
};
