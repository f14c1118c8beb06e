import assert from 'node:assert/strict';
import type { Attachment } from 'nodemailer/lib/mailer/index.js';
import { live } from '../stage/live.ts';
import { assertAllSaid, sampleFile, sampleNames } from '../stage/samples.ts';
import { dataTableRows, keptColumns } from '../stage/tables.ts';

const example = 'email-attachments-to-table';
const reason = 'The file is protected by a password';
const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

/** @param more what makes other files of them: those of other cases are in the table, and known */
const attached = async (names: string[], more = '') =>
	await Promise.all(
		names.map(async (filename) => ({
			filename,
			content: Buffer.concat([await sampleFile(filename), Buffer.from(more)]),
		})),
	);

live('writes one row per attachment, and sends no file that it knows', async (stage) => {
	const { n8n, refuse, onEmails, service } = stage;
	const receive = await onEmails(example);
	const again = { filename: 'sent again.pdf', content: await sampleFile(sampleNames[0]) };

	const execution = await receive({
		subject: 'Our documents – Nørrebro',
		attachments: [logo, again, ...(await attached(sampleNames))],
	});

	assert.equal(execution.items('Extract values').length, sampleNames.length + 1);
	const rows = await dataTableRows(n8n, 'Email attachments');
	assert.equal(rows.length, sampleNames.length);
	assertAllSaid(rows, sampleNames, keptColumns);
	for (const { sender, subject } of rows) {
		assert.match(String(sender), /supplier@example\.com/);
		assert.equal(subject, 'Our documents – Nørrebro');
	}

	const uploads = async () => (await service.control.ledger()).uploads.length;
	const paid = await uploads();
	const comesAgain = await receive({
		subject: 'Our documents, once more',
		attachments: await attached(sampleNames),
	});

	assert.ok(comesAgain.items('Extract values').every(({ json }) => json.skipped));
	assert.equal(await uploads(), paid);
	assert.deepEqual(await dataTableRows(n8n, 'Email attachments'), rows);

	await refuse('upload', reason);
	const [known] = await attached(sampleNames.slice(0, 1));
	const [other] = await attached(sampleNames.slice(1, 2), '  ');
	await receive({ subject: 'Two more', attachments: [known, other] });

	const later = await dataTableRows(n8n, 'Email attachments');
	assert.equal(later.length, sampleNames.length + 1);
	const [failed, ...more] = later.filter(({ failure }) => failure);
	assert.deepEqual([failed.subject, more], ['Two more', []]);
	assert.match(
		String(failed.failure),
		new RegExp(`^The service did not accept .+ \\(400\\)\\. The service says: ${reason}\\.`),
	);
});

live('takes files as mail programs send them, and shows emails with others', async (stage) => {
	const { n8n, onEmails } = stage;
	const receive = await onEmails(example);
	const rowsAfter = async (subject: string, attachments: Attachment[]) => {
		await receive({ subject, attachments });
		const rows = await dataTableRows(n8n, 'Email attachments');
		return rows.filter((row) => row.subject === subject);
	};
	const [first, second, third] = await attached(sampleNames, ' ');

	const taken = await rowsAfter('As mail programs send them', [
		{ ...first, filename: 'OCTETS.PDF', contentType: 'application/octet-stream' },
		{ ...second, contentDisposition: 'inline', cid: 'shown@in.mail' },
		{ ...third, filename: 'scan', contentType: 'application/octet-stream' },
		{ ...logo, contentDisposition: 'inline' },
	]);
	const names = taken.map(({ file_name: name }) => name);
	assert.deepEqual(names.sort(), ['OCTETS.PDF', second.filename, 'scan.pdf'].sort());
	for (const { failure } of taken) assert.ok(!failure, String(failure));

	const forwarded = {
		filename: 'forwarded.eml',
		contentType: 'message/rfc822',
		contentDisposition: 'attachment' as const,
		content: 'Subject: Invoice\r\n\r\nPlease find it attached.',
	};
	const [skipped, ...more] = await rowsAfter('Fwd: Invoice', [logo, forwarded]);
	assert.deepEqual(more, []);
	assert.match(String(skipped.file_name), /logo\.png, forwarded\.eml/);
	assert.match(String(skipped.failure), /^No file of this email was extracted/);
	assert.match(String(skipped.sender), /supplier@example\.com/);
	// By what it brings, not by the logo that each of a sender's emails has.
	const [other] = await rowsAfter('Fwd: Another invoice', [
		logo,
		{ ...forwarded, content: `${forwarded.content} Again.` },
	]);
	assert.notEqual(other.document, skipped.document);

	assert.deepEqual(await rowsAfter('Newsletter', [logo]), []);
	assert.deepEqual(await rowsAfter('Only text', []), []);
});

live('a file that failed gets its values when it comes again', async (stage) => {
	const { n8n, refuse, onEmails } = stage;
	const receive = await onEmails(example);
	// Other cases have the file itself in the table.
	const content = Buffer.concat([
		await sampleFile('invoice-harbour-supplies.pdf'),
		Buffer.from('\n'),
	]);
	const corrected = Buffer.concat([content, Buffer.from('\n')]);
	const rowsAfter = async (subject: string, file: Buffer) => {
		await receive({ subject, attachments: [logo, { filename: 'comes again.pdf', content: file }] });
		const rows = await dataTableRows(n8n, 'Email attachments');
		return rows
			.filter(({ fileName }) => fileName === 'comes again.pdf')
			.map((row) => [row.subject, row.document_number, Boolean(row.failure)]);
	};
	await refuse('upload', reason);

	assert.deepEqual(await rowsAfter('Fails', content), [['Fails', null, true]]);
	assert.deepEqual(await rowsAfter('Again', content), [['Again', 'HS-2024-0417', false]]);
	assert.deepEqual(await rowsAfter('Corrected', corrected), [
		['Again', 'HS-2024-0417', false],
		['Corrected', 'HS-2024-0417', false],
	]);
});
