import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Email } from 'postal-mime';
import { startChromium } from '../../machine/chromium.ts';
import { type Entries, readExample } from '../../n8n/example.ts';
import { succeeded } from '../../n8n/execution.ts';
import { dataTableRows, keptColumns } from '../rows.ts';
import { sampleFile, sampleNames, type Stage } from '../stage.ts';
import { assertAllSaid } from '../stated.ts';

const example = 'check-by-human';
const trigger = 'When clicking ‘Execute workflow’';
const table = 'Checked documents';
/** It names neither a total nor a currency. */
const incomplete = 'delivery-note-brightwell.pdf';
/** Its line items are 534.40 in all, its total with tax is 641.28. */
const contradictory = 'invoice-harbour-supplies.pdf';

const attachedFiles = ({ attachments }: Email) =>
	attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]);

export default (stage: Stage) => {
	const { n8n, service, importExample, run, refuse, folder, openMailServer } = stage;
	let mailServer: Awaited<ReturnType<typeof openMailServer>>;
	before(async () => {
		mailServer = await openMailServer();
	});
	const importWith = async (entries?: Entries) =>
		await importExample(example, entries, [mailServer.account]);
	const only = (pattern: string) => ({
		'Read PDFs': { fileSelector: `${folder()}/inbox/${pattern}` },
	});

	test('complete documents pass; a form with the values filled in asks for the others', async (context) => {
		const workflow = await importWith();
		const started = await n8n.startManually(workflow, trigger);
		const mail = await mailServer.firstMail();
		assert.match(mail.subject ?? '', new RegExp(incomplete));
		assert.match(mail.text ?? '', /In question: No value for 'Total', 'Currency'\./);
		assert.deepEqual(attachedFiles(mail), [[incomplete, await sampleFile(incomplete)]]);

		const complete = sampleNames.filter((name) => name !== incomplete);
		await assertAllSaid(service, await dataTableRows(n8n, table), complete, keptColumns);

		const browser = await startChromium();
		context.after(async () => await browser.close());
		const page = await browser.newPage();
		const [link] = /http\S+/.exec(mail.text ?? '') ?? [];
		await page.goto(link ?? '');
		await page.getByText(`Check ${incomplete}`).first().waitFor();
		await page.getByText("In question: No value for 'Total', 'Currency'.").waitFor();
		assert.equal(await page.getByLabel('Document number').inputValue(), 'DN-90442');
		assert.equal(await page.getByLabel('Supplier').inputValue(), 'Brightwell Packaging Inc.');
		await page.getByLabel('Total').fill('12.5');
		await page.getByLabel('Currency').fill('USD');
		await page.getByRole('button', { name: 'Submit' }).click();

		succeeded(await n8n.execution(started));
		assert.equal(mailServer.received.length, 1);
		const rows = await dataTableRows(n8n, table);
		await assertAllSaid(service, rows, sampleNames, keptColumns);
		const corrected = rows.find(({ fileName }) => fileName === incomplete);
		assert.deepEqual([corrected?.total, corrected?.currency], [12.5, 'USD']);
		assert.match(String(corrected?.in_question), /^Checked: No value for 'Total'/);
	});

	test('totals that contradict each other and a low confidence are asked about, too', async () => {
		mailServer.received.length = 0;
		const sumNode = 'Sum of the line items';
		const { nodes } = await readExample(example);
		const parameters = nodes.find(({ name }) => name === sumNode)?.parameters;
		const { assignments } = parameters?.assignments as { assignments: IDataObject[] };
		const [sum] = assignments;
		const workflow = await importWith({
			...only(contradictory),
			// As if the service had read a line too many, and its workflow had the column.
			[sumNode]: {
				assignments: {
					assignments: [
						{ ...sum, value: String(sum.value).replace('}}', '+ 1000 }}') },
						{ id: 'confidence', name: 'Confidence', value: 'Low', type: 'string' },
					],
				} as INodeParameters,
			},
		});
		const started = await n8n.startManually(workflow, trigger);
		const mail = await mailServer.firstMail();
		await n8n.stopExecution(started);

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
		await refuse('upload', 'The file is not a PDF');

		const execution = await run(await importWith(only('{invoice,rechnung}*.pdf')), trigger);

		const failed = execution
			.items('Choose columns')
			.map(({ json }) => json)
			.filter(({ in_question }) => in_question);
		assert.equal(failed.length, 1);
		const rows = await dataTableRows(n8n, table);
		assert.ok(rows.some(({ fileName }) => fileName === failed[0].file_name));
		assert.match(
			String(rows.find(({ document }) => document === failed[0].document)?.in_question),
			/^Not extracted: The service did not accept .+ \(400\)\. The service says: The file is not a PDF/,
		);
	});
};
