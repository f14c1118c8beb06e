import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entries } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import type { Attachment } from 'nodemailer/lib/mailer/index.js';
import { dataTableRows, keptColumns } from '../rows.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const example = 'email-attachments-to-table';
const reason = 'The file is protected by a password';
const from = 'supplier@example.com';
const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

const attached = async (names: string[]) =>
	await Promise.all(
		names.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
	);

export default ({ n8n, service, importExample, refuse, executionOf, openMailbox }: Stage) => {
	test('writes one row per attachment, and one row for a file that comes twice', async () => {
		const mailbox = await openMailbox();
		const activated = await importExample(example, {}, [mailbox.account]);
		await n8n.activate(activated);
		await mailbox.untilOpened();

		const again = { filename: 'sent again.pdf', content: await sampleFile(sampleNames[0]) };
		await mailbox.deliver({
			from,
			subject: 'Our documents – Nørrebro',
			text: 'Please find them attached.',
			attachments: [logo, again, ...(await attached(sampleNames))],
		});
		const execution = succeeded(await executionOf(activated));

		assert.equal(execution.items('Extract values').length, sampleNames.length + 1);
		const rows = await dataTableRows(n8n, 'Documents');
		assert.equal(rows.length, sampleNames.length);
		await assertAllSaid(service, rows, sampleNames, keptColumns);
		for (const { sender, subject } of rows) {
			assert.match(String(sender), /supplier@example\.com/);
			assert.equal(subject, 'Our documents – Nørrebro');
		}

		await refuse('upload', reason);
		const two = sampleNames.slice(0, 2);
		await mailbox.deliver({ from, subject: 'Two more', attachments: await attached(two) });
		succeeded(await executionOf(activated, 2));

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

	test('takes files as mail programs send them, and shows emails with others', async () => {
		const mailbox = await openMailbox();
		const workflow = await importExample(example, {}, [mailbox.account]);
		await n8n.activate(workflow);
		await mailbox.untilOpened();
		let delivered = 0;
		const rowsAfter = async (subject: string, attachments: Attachment[]) => {
			await mailbox.deliver({ from, subject, text: 'Hello', attachments });
			succeeded(await executionOf(workflow, ++delivered));
			const rows = await dataTableRows(n8n, 'Documents');
			return rows.filter((row) => row.subject === subject);
		};
		const [first, second, third] = await attached(sampleNames);

		const taken = await rowsAfter('As mail programs send them', [
			{ ...first, filename: 'OCTETS.PDF', contentType: 'application/octet-stream' },
			{ ...second, contentDisposition: 'inline', cid: 'shown@in.mail' },
			{ ...third, filename: 'scan', contentType: 'application/octet-stream' },
			{ ...logo, contentDisposition: 'inline' },
		]);
		const names = taken.map(({ file_name: name }) => name);
		assert.deepEqual(names.sort(), ['OCTETS.PDF', second.filename, 'scan'].sort());
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

	test('whatever the columns are, a file that failed gets its values when it comes again', async () => {
		const table = 'My documents';
		const field = (name: string, value: string) => ({ id: name, name, value, type: 'string' });
		const entries: Entries = {
			'Choose columns': {
				assignments: {
					assignments: [
						field('reference', '={{ $json.Reference }}'),
						field('sender', "={{ $('New email').item.json.from.text }}"),
						field('subject', "={{ $('New email').item.json.subject }}"),
						field('file_name', '={{ $json.fileName }}'),
						field('failure', ''),
						field('document', '={{ $json.fileHash }}'),
					],
				},
			},
			'Save row': { dataTableId: { __rl: true, mode: 'name', value: table } },
		};
		const mailbox = await openMailbox();
		const workflow = await importExample(example, entries, [mailbox.account]);
		await n8n.activate(workflow);
		await mailbox.untilOpened();
		const content = await sampleFile('invoice-harbour-supplies.pdf');
		const corrected = Buffer.concat([content, Buffer.from('\n')]);
		const deliver = async (subject: string, file: Buffer, ordinal: number) => {
			await mailbox.deliver({
				from,
				subject,
				attachments: [logo, { filename: 'scan.pdf', content: file }],
			});
			succeeded(await executionOf(workflow, ordinal));
			const rows = await dataTableRows(n8n, table);
			return rows.map((row) => [row.subject ?? null, row.reference, Boolean(row.failure)]);
		};
		await refuse('upload', reason);

		assert.deepEqual(await deliver('Fails', content, 1), [['Fails', null, true]]);
		assert.deepEqual(await deliver('Again', content, 2), [['Again', 'PO-77120', false]]);
		assert.deepEqual(await deliver('Corrected', corrected, 3), [
			['Again', 'PO-77120', false],
			['Corrected', 'PO-77120', false],
		]);
	});
};
