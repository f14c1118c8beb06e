import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startChromium } from '../../machine/chromium.ts';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SavedCredential } from '../../n8n/editor.ts';
import { readExample } from '../../n8n/example.ts';
import { dataTableRows, keptColumns } from '../dataTable.ts';
import type { Email } from 'postal-mime';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const table = 'Checked documents';
/** It names neither a total nor a currency. */
const incomplete = 'delivery-note-brightwell.pdf';
/** Its line items are 534.40 in all, its total with tax is 641.28. */
const contradictory = 'invoice-harbour-supplies.pdf';

const attachedFiles = ({ attachments }: Email) =>
	attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]);

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
		assert.match(mail.text ?? '', /In question: Currency is missing; Total is missing\./);
		assert.deepEqual(attachedFiles(mail), [[incomplete, await sampleFile(incomplete)]]);

		const complete = sampleNames.filter((name) => name !== incomplete);
		await assertAllSaid(service, await dataTableRows(n8n, table), complete, keptColumns);

		const browser = await startChromium();
		context.after(async () => await browser.close());
		const page = await browser.newPage();
		const [link] = /http\S+/.exec(mail.text ?? '') ?? [];
		await page.goto(link ?? '');
		await page.getByText(`Check ${incomplete}`).first().waitFor();
		await page.getByText('In question: Currency is missing; Total is missing.').waitFor();
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
		assert.match(String(corrected?.in_question), /^Checked: Currency is missing/);
	});

	test('totals that contradict each other and a low confidence are asked about, too', async () => {
		mailServer.received.length = 0;
		const folder = await newFolderWithInbox();
		const sumNode = 'Sum of the line items';
		const { nodes } = await readExample('check-by-human');
		const parameters = nodes.find(({ name }) => name === sumNode)?.parameters;
		const { assignments } = parameters?.assignments as { assignments: IDataObject[] };
		const [sum] = assignments;
		const workflow = await importExample(
			'check-by-human',
			{
				'Read PDFs': { fileSelector: join(folder, 'inbox', contradictory) },
				// As if the service had read a line too many, and its workflow had the column.
				[sumNode]: {
					assignments: {
						assignments: [
							{ ...sum, value: String(sum.value).replace('}}', '+ 1000 }}') },
							{ id: 'confidence', name: 'Confidence', value: 'Low', type: 'string' },
						],
					} as INodeParameters,
				},
			},
			[credential],
		);
		const run = await n8n.startManually(workflow, 'When clicking ‘Execute workflow’');
		const mail = await mailServer.firstMail();
		await n8n.stopExecution(run);

		assert.match(
			mail.text ?? '',
			/In question: Total 641\.28 is less than the line items, 1534\.4; Confidence is Low\./,
		);
		assert.deepEqual(
			mail.to?.map(({ address }) => address),
			['expert@example.com'],
		);
	});

	test('a file that fails does not stop the others, and its row says why', async () => {
		const folder = await newFolderWithInbox();
		await service.control.faults([
			{
				match: { operation: 'upload', times: 1 },
				fault: { type: 'status', status: 400, body: { detail: 'The file is not a PDF' } },
			},
		]);
		const workflow = await importExample(
			'check-by-human',
			{ 'Read PDFs': { fileSelector: join(folder, 'inbox', '{invoice,rechnung}*.pdf') } },
			[credential],
		);

		const execution = await n8n.runManually(workflow, {
			trigger: 'When clicking ‘Execute workflow’',
		});

		assert.equal(execution.status, 'success', execution.errorMessage);
		const failed = execution.items('What failed and why').map(({ json }) => json);
		assert.equal(failed.length, 1);
		const rows = await dataTableRows(n8n, table);
		const row = rows.find(({ fileName }) => fileName === failed[0].file_name);
		assert.match(
			String(rows.find(({ document }) => document === failed[0].document)?.in_question),
			/^Not extracted: The service did not accept .+ \(400\)\. The service says: The file is not a PDF/,
		);
		assert.ok(row);
	});
};
