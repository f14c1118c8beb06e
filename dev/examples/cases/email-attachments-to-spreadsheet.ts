import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import readXlsxFile from 'read-excel-file/node';
import type { SavedCredential } from '../../n8n/editor.ts';
import { type Mailbox, startMailbox } from '../mailbox.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid, type Row } from '../stated.ts';

async function spreadsheetRows(file: string): Promise<Row[]> {
	const [sheet] = await readXlsxFile(file);
	const [headings, ...rows] = sheet.data;
	return rows.map((cells) =>
		Object.fromEntries(cells.map((cell, index) => [String(headings[index]), cell])),
	);
}

const logo = { filename: 'logo.png', content: Buffer.from('not a document') };

export default ({ n8n, service, importExample, executionOf, newFolder }: Stage) => {
	let mailbox: Mailbox;
	let credential: SavedCredential;

	before(async () => {
		mailbox = await startMailbox();
		credential = await n8n.createCredential('imap', 'Mailbox', mailbox.credential);
	});
	after(async () => await mailbox.stop());

	test('writes the values of the attachments of an email to a spreadsheet', async () => {
		const table = join(await newFolder(), 'values.xlsx');
		const workflow = await importExample(
			'email-attachments-to-spreadsheet',
			{ 'Save spreadsheet': { fileName: table } },
			[credential],
		);
		await n8n.activate(workflow);
		await mailbox.untilOpened();

		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Our documents – Nørrebro',
			text: 'Please find them attached.',
			attachments: [
				logo,
				...(await Promise.all(
					sampleNames.map(async (filename) => ({ filename, content: await sampleFile(filename) })),
				)),
			],
		});
		const execution = await executionOf(workflow);

		assert.equal(execution.status, 'success', execution.errorMessage);
		const rows = await spreadsheetRows(table);
		await assertAllSaid(service, rows);
		for (const { from, subject } of rows) {
			assert.match(String(from), /supplier@example\.com/);
			assert.equal(subject, 'Our documents – Nørrebro');
		}
	});
};
