import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import type { Email } from 'postal-mime';
import type { Entries } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { live } from '../stage/live.ts';
import { assertAllSaid, sampleFile, sampleNames } from '../stage/samples.ts';
import { dataTableRows, keptColumns } from '../stage/tables.ts';

const example = 'check-by-human';
const trigger = 'When clicking ‘Execute workflow’';
const table = 'Checked documents';
/** It names neither a total nor a currency. */
const incomplete = 'delivery-note-brightwell.pdf';
/** Its line items are 534.40 in all, its total with tax is 641.28. */
const contradictory = 'invoice-harbour-supplies.pdf';

const attachedFiles = ({ attachments }: Email) =>
	attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]);

live('complete documents pass; a form asks for the others', async (stage) => {
	const { n8n, importMailing, openPage } = stage;
	const { workflow, firstMail, received } = await importMailing(example);
	const started = await n8n.startManually(workflow, trigger);
	const mail = await firstMail();
	assert.match(mail.subject ?? '', new RegExp(incomplete));
	assert.match(mail.text ?? '', /Why you are asked: No value for 'Total', 'Currency'\./);
	assert.deepEqual(attachedFiles(mail), [[incomplete, await sampleFile(incomplete)]]);

	const complete = sampleNames.filter((name) => name !== incomplete);
	assertAllSaid(await dataTableRows(n8n, table), complete, keptColumns);

	const page = await openPage();
	const [link] = /http\S+/.exec(mail.text ?? '') ?? [];
	await page.goto(link ?? '');
	await page.getByText(`Check ${incomplete}`).first().waitFor();
	await page.getByText("Why you are asked: No value for 'Total', 'Currency'.").waitFor();
	assert.equal(await page.getByLabel('Document number').inputValue(), 'DN-90442');
	assert.equal(await page.getByLabel('Supplier').inputValue(), 'Brightwell Packaging Inc.');
	await page.getByLabel('Total').fill('12.5');
	await page.getByLabel('Currency').fill('USD');
	await page.getByRole('button', { name: 'Submit' }).click();

	succeeded(await n8n.execution(started));
	assert.equal(received.length, 1);
	const rows = await dataTableRows(n8n, table);
	assertAllSaid(rows, sampleNames, keptColumns);
	const corrected = rows.find(({ fileName }) => fileName === incomplete);
	assert.deepEqual([corrected?.total, corrected?.currency], [12.5, 'USD']);
	assert.match(String(corrected?.in_question), /^Checked: No value for 'Total'/);
});

live('contradictory totals and a low confidence are asked about, too', async (stage) => {
	const { n8n, folder, importMailing } = stage;
	const entries: Entries = {
		'Read PDFs': { fileSelector: `${folder}/inbox/${contradictory}` },
		// As if the service had read a line too many, and said how sure it is.
		'Sum of the line items': ({ assignments }) => {
			const [sum] = (assignments as { assignments: INodeParameters[] }).assignments;
			const more = { ...sum, value: String(sum.value).replace('}}', '+ 1000 }}') };
			const confidence = { id: 'confidence', name: 'lowestConfidence', value: 0.3, type: 'number' };
			return { assignments: { assignments: [more, confidence] } };
		},
	};
	const { workflow, firstMail } = await importMailing(example, entries);
	const started = await n8n.startManually(workflow, trigger);
	const mail = await firstMail();
	await n8n.stopExecution(started);

	assert.match(
		mail.text ?? '',
		/Why you are asked: Total 641\.28 is less than the line items, 1534\.4; The lowest confidence is 0\.3\./,
	);
	assert.deepEqual(
		mail.to?.map(({ address }) => address),
		['expert@example.com'],
	);
});

live('a file that fails does not stop the others, and its row says why', async (stage) => {
	const { n8n, folder, importMailing, run, refuse } = stage;
	await refuse('upload', 'The file is not a PDF');
	const fileSelector = `${folder}/inbox/{invoice,rechnung}*.pdf`;
	const { workflow } = await importMailing(example, { 'Read PDFs': { fileSelector } });

	const execution = await run(workflow, trigger);

	const [failed, ...more] = execution
		.items('Choose columns')
		.filter(({ json }) => json.in_question)
		.map(({ json }) => json);
	assert.deepEqual(more, []);
	const rows = await dataTableRows(n8n, table);
	const row = rows.find(({ document }) => document === failed.document);
	assert.equal(row?.fileName, failed.file_name);
	assert.match(
		String(row?.in_question),
		/^Not extracted: The service did not accept .+ \(400\)\. The service says: The file is not a PDF/,
	);
});
