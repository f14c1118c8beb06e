import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedCredential } from '../../n8n/editor.ts';
import { dataTableRows } from '../dataTable.ts';
import { type Mailbox, startMailbox } from '../../machine/mailbox.ts';
import { sampleFile, type Stage } from '../stage.ts';

const example = 'email-line-items-to-table';
const reason = 'The file is protected by a password';
const invoice = 'invoice-harbour-supplies.pdf';

/** As the invoice itself says them. */
const lines = [
	['PA-480', 'Copy paper A4, 80 g, box of 2,500', '10', '189.00'],
	['IN-210', 'Ink cartridge, black, high yield', '4', '138.00'],
	['CH-033', 'Desk chair, mesh back, grey', '1', '129.00'],
	['LB-115', 'Shipping labels, roll of 1,000', '8', '78.40'],
];

export default ({ n8n, service, importExample, executionOf }: Stage) => {
	let mailbox: Mailbox;
	let credential: SavedCredential;

	before(async () => {
		mailbox = await startMailbox();
		credential = await n8n.createCredential('imap', 'IMAP account', mailbox.credential);
	});
	after(async () => await mailbox.stop());

	test('writes one row per line item, and no second one for an invoice that comes twice', async () => {
		const created = await n8n.runManually(await importExample(example, {}, [credential]));
		assert.equal(created.status, 'success', created.errorMessage);
		const activated = await importExample(example, {}, [credential]);
		await n8n.activate(activated);
		await mailbox.untilOpened();

		const content = await sampleFile(invoice);
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Our invoice, twice',
			attachments: [invoice, 'sent again.pdf'].map((filename) => ({ filename, content })),
		});
		const execution = await executionOf(activated);

		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.equal(execution.items('One item per line').length, 2 * lines.length);
		const rows = await dataTableRows(n8n, 'Line items');
		assert.deepEqual(
			rows.map((row) => [row.position, row.article, row.description, row.quantity, row.amount]),
			lines.map((cells, index) => [index + 1, ...cells]),
		);
		for (const row of rows) {
			assert.equal(row.document_number, 'HS-2024-0417');
			assert.match(String(row.document), /^[0-9a-f]{64}$/);
		}

		await service.control.faults([
			{
				match: { operation: 'upload', times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Protected',
			attachments: [{ filename: invoice, content }],
		});
		const second = await executionOf(activated, 2);

		assert.equal(second.status, 'success', second.errorMessage);
		const failed = (await dataTableRows(n8n, 'Line items')).filter(({ failure }) => failure);
		assert.deepEqual(
			failed.map(({ document, position }) => [document, position]),
			[[`Protected ${invoice}`, 0]],
		);
		assert.match(String(failed[0].failure), new RegExp(reason));
	});
};
