import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startChromium } from '../../machine/chromium.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { dataTableRows, keptColumns } from '../dataTable.ts';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import { sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const table = 'Checked documents';
/** It names neither a total nor a currency. */
const incomplete = 'delivery-note-brightwell.pdf';

export default ({ n8n, service, importExample, newFolderWithInbox }: Stage) => {
	let mailServer: MailServer;
	let credential: SavedCredential;

	before(async () => {
		mailServer = await startMailServer();
		credential = await n8n.createCredential('smtp', 'SMTP account', mailServer.credential);
	});
	after(async () => await mailServer.stop());

	test('complete documents pass; a form with the values filled in asks for the others', async (context) => {
		const folder = await newFolderWithInbox();
		const workflow = await importExample(
			'check-by-human',
			{ 'Read PDFs': { fileSelector: join(folder, 'inbox', '*.pdf') } },
			[credential],
		);
		const created = await n8n.runManually(workflow, { trigger: 'Once: create the table' });
		assert.equal(created.status, 'success', created.errorMessage);
		const run = await n8n.startManually(workflow, 'When clicking ‘Execute workflow’');
		const mail = await mailServer.firstMail();
		assert.match(mail.subject ?? '', new RegExp(incomplete));

		const complete = sampleNames.filter((name) => name !== incomplete);
		await assertAllSaid(service, await dataTableRows(n8n, table), complete, keptColumns);

		const browser = await startChromium();
		context.after(async () => await browser.close());
		const page = await browser.newPage();
		const [link] = /http\S+/.exec(mail.text ?? '') ?? [];
		await page.goto(link ?? '');
		await page.getByText(`Check ${incomplete}`).first().waitFor();
		assert.equal(await page.getByLabel('Document number').inputValue(), 'DN-90442');
		assert.equal(await page.getByLabel('Supplier').inputValue(), 'Brightwell Packaging Inc.');
		await page.getByLabel('Total').fill('12.5');
		await page.getByLabel('Currency').fill('USD');
		await page.getByRole('button', { name: 'Submit' }).click();

		const execution = await n8n.execution(run);
		assert.equal(execution.status, 'success', execution.errorMessage);
		assert.equal(mailServer.received.length, 1);
		const rows = await dataTableRows(n8n, table);
		await assertAllSaid(service, rows, sampleNames, keptColumns);
		const corrected = rows.find(({ fileName }) => fileName === incomplete);
		assert.deepEqual([corrected?.total, corrected?.currency], [12.5, 'USD']);
	});
};
