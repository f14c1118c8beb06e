import assert from 'node:assert/strict';
import { test } from 'node:test';
import { succeeded } from '../../n8n/execution.ts';
import { dataTableRows } from '../rows.ts';
import { sampleFile, type Stage } from '../stage.ts';

const example = 'email-line-items-to-table';
const reason = 'The file is protected by a password';
const invoice = 'invoice-harbour-supplies.pdf';
const from = 'supplier@example.com';

/** As the invoice itself says them. */
const lines = [
	['PA-480', 'Copy paper A4, 80 g, box of 2,500', '10', '189.00'],
	['IN-210', 'Ink cartridge, black, high yield', '4', '138.00'],
	['CH-033', 'Desk chair, mesh back, grey', '1', '129.00'],
	['LB-115', 'Shipping labels, roll of 1,000', '8', '78.40'],
];

export default ({ n8n, importExample, refuse, executionOf, openMailbox }: Stage) => {
	test('writes one row per line item, and no second one for an invoice that comes twice', async () => {
		const mailbox = await openMailbox();
		const activated = await importExample(example, {}, [mailbox.account]);
		await n8n.activate(activated);
		await mailbox.untilOpened();

		const content = await sampleFile(invoice);
		const attachments = [invoice, 'sent again.pdf'].map((filename) => ({ filename, content }));
		await mailbox.deliver({ from, subject: 'Our invoice, twice', attachments });
		const execution = succeeded(await executionOf(activated));

		assert.equal(execution.items('Extract values').length, 2 * lines.length);
		const rows = await dataTableRows(n8n, 'Line items');
		assert.deepEqual(
			rows.map((row) => [row.position, row.article, row.description, row.quantity, row.amount]),
			lines.map((cells, index) => [index + 1, ...cells]),
		);
		for (const row of rows) {
			assert.equal(row.document_number, 'HS-2024-0417');
			assert.match(String(row.document), /^[0-9a-f]{64}$/);
		}

		await refuse('upload', reason);
		await mailbox.deliver({ from, subject: 'Protected', attachments: attachments.slice(0, 1) });
		succeeded(await executionOf(activated, 2));

		const failed = (await dataTableRows(n8n, 'Line items')).filter(({ failure }) => failure);
		assert.deepEqual(
			failed.map(({ document, position }) => [document, position]),
			[[`Protected ${invoice}`, 0]],
		);
		assert.match(String(failed[0].failure), new RegExp(reason));

		const terms = { filename: 'terms.zip', content: 'PK' };
		await mailbox.deliver({ from, subject: 'Nothing to read', attachments: [terms] });
		succeeded(await executionOf(activated, 3));
		const unread = (await dataTableRows(n8n, 'Line items')).filter(({ document }) =>
			String(document).startsWith('Nothing to read'),
		);
		assert.match(String(unread[0].failure), /^No file of this email was extracted/);
	});
};
