import assert from 'node:assert/strict';
import { live } from '../stage/live.ts';
import { sampleFile } from '../stage/samples.ts';
import { dataTableRows } from '../stage/tables.ts';

const reason = 'The file is protected by a password';
const invoice = 'invoice-harbour-supplies.pdf';

/** As the invoice itself says them. */
const lines = [
	['PA-480', 'Copy paper A4, 80 g, box of 2,500', '10', '189.00'],
	['IN-210', 'Ink cartridge, black, high yield', '4', '138.00'],
	['CH-033', 'Desk chair, mesh back, grey', '1', '129.00'],
	['LB-115', 'Shipping labels, roll of 1,000', '8', '78.40'],
];

live('writes one row per line item, also of an invoice that comes twice', async (stage) => {
	const { n8n, refuse, onEmails } = stage;
	const receive = await onEmails('email-line-items-to-table');
	const content = await sampleFile(invoice);
	const attachments = [invoice, 'sent again.pdf'].map((filename) => ({ filename, content }));

	const execution = await receive({ subject: 'Our invoice, twice', attachments });

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

	const again = await receive({ subject: 'Once more', attachments });

	assert.deepEqual(
		again.items('Extract values').map(({ json }) => json.skipped),
		[true, true],
	);
	assert.deepEqual(await dataTableRows(n8n, 'Line items'), rows);

	await refuse('upload', reason);
	const other = { filename: invoice, content: Buffer.concat([content, Buffer.from('\n')]) };
	await receive({ subject: 'Protected', attachments: [other] });

	const failed = (await dataTableRows(n8n, 'Line items')).filter(({ failure }) => failure);
	assert.deepEqual(
		failed.map(({ document, position }) => [document, position]),
		[[`Protected ${invoice}`, 0]],
	);
	assert.match(String(failed[0].failure), new RegExp(reason));

	const terms = { filename: 'terms.zip', content: 'PK' };
	await receive({ subject: 'Nothing to read', attachments: [terms] });
	const unread = (await dataTableRows(n8n, 'Line items')).filter(({ document }) =>
		String(document).startsWith('Nothing to read'),
	);
	assert.match(String(unread[0].failure), /^No file of this email was extracted/);
});
