import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { mkdir, readFile } from 'node:fs/promises';
import { type Mailbox, startMailbox } from '../../machine/mailbox.ts';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import { until } from '../../machine/until.ts';
import { readExample } from '../../n8n/example.ts';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import { imageOfPage, openComposed, partOf } from '../composed.ts';
import { samples, type Stage } from '../stage.ts';

/** All columns of a table find room in it. */
const large = { width: 1800, height: 900 };

const shownColumns = ['supplier', 'document_number', 'document_date', 'total', 'currency'];

const heroStyle = `
#top { display: flex; align-items: center; gap: 28px; }
#top > :first-child { width: 330px; height: 400px; flex: none; overflow: hidden; border: 1px solid var(--edge); border-radius: 8px; }
#rows { margin-top: 20px; width: fit-content; border: 1px solid var(--edge); border-radius: 8px; overflow: hidden; }
#rows.empty { clip-path: inset(0 0 72.6% 0); }
`;

const reason = 'The file is protected by a password';

/** The editor shows the nodes of a workflow without notes larger. */
const withoutNotes = (example: WorkflowFile): WorkflowFile => ({
	...example,
	nodes: example.nodes.filter(({ name }) => !name.startsWith('Sticky note')),
});

export default ({
	editor,
	n8n,
	service,
	credential,
	picture,
	film,
	invoices,
	workFolder,
}: Stage) => {
	let mailbox: Mailbox;
	let mailServer: MailServer;

	before(async () => {
		[mailbox, mailServer] = await Promise.all([startMailbox(), startMailServer()]);
		await service.control.reset();
	});
	after(async () => {
		await mailbox.stop();
		await mailServer.stop();
	});

	const statusOf = async (execution: string) =>
		(await n8n.rest.get<{ status: string }>(`/executions/${execution}`)).status;

	test('the attachments of an email become rows of a table', async () => {
		const account = await n8n.createCredential('imap', 'IMAP account', mailbox.credential);
		const example = withoutNotes(await readExample('email-attachments-to-table'));
		const workflow = await n8n.importWorkflow(example, [await credential(), account]);
		await editor.openWorkflow(workflow);
		const flow = {
			elements: [
				editor.node('New email'),
				editor.node('Create table'),
				editor.node('Extract values').getByText('extract from files'),
				editor.node('Save row'),
				editor.node('What failed and why').getByText('manual'),
			],
			// The bolt of the trigger, which is gone after the run, stays outside.
			margin: 12,
		};
		const flowNow = async () => await partOf('flow', flow, 560);
		const waiting = await flowNow();
		await service.control.faults([
			{ match: { operation: 'upload', times: 3 }, fault: { type: 'delay', ms: 10_000 } },
		]);
		await editor.executeFrom('New email');
		await mailbox.untilOpened();
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Our invoices',
			text: 'Please find them attached.',
			attachments: await Promise.all(
				invoices.map(async (file) => ({
					filename: basename(file),
					content: await readFile(file),
				})),
			),
		});
		await editor.node('New email').getByTestId('canvas-node-status-success').waitFor();
		const extracting = await flowNow();
		await editor.page.getByTestId('canvas-node-status-success').nth(5).waitFor();
		const done = await flowNow();

		await editor.resizeWindow(large);
		await editor.openDataTable('Documents');
		// A column becomes as wide as the rows that are there.
		await editor.page.getByRole('gridcell', { name: 'USD' }).waitFor();
		await editor.fitColumns(shownColumns);
		const rows = await partOf(
			'rows',
			{
				elements: [
					...shownColumns.map((name) => editor.columnHead(name)),
					editor.page.getByRole('gridcell', { name: 'USD' }),
				],
			},
			918,
		);
		await editor.resizeWindow();
		const paper = await imageOfPage(invoices[0], 330);
		const scene = async (nodes: string, ms: number, state = '') => {
			const page = await openComposed(
				editor.page.context(),
				heroStyle,
				`<div id="top"><div>${paper}</div>${nodes}</div><div id="rows" class="${state}">${rows}</div>`,
			);
			return { subject: { elements: [page.locator('#frame')] }, ms };
		};
		// What comes of it first: a reader who does not wait has seen it.
		const scenes = [
			await scene(done, 5000),
			await scene(waiting, 1500, 'empty'),
			await scene(extracting, 1500, 'empty'),
			await scene(done, 1000, 'empty'),
		];
		await film('from-pdf-to-row', scenes);
		for (const { subject } of scenes) await subject.elements[0].page().close();
	});

	test('a file that fails is kept, and the others become rows', async () => {
		await service.control.reset();
		await service.control.faults([
			{
				match: { operation: 'upload', skip: 1, times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);
		await mkdir(join(workFolder, 'failed'), { recursive: true });
		const example = await readExample('keep-failed-files', {
			'Read PDFs': { fileSelector: join(workFolder, '*.pdf') },
			'Save table': { fileName: join(workFolder, 'values.csv') },
			'Keep failed file': { fileName: `=${workFolder}/failed/{{ $binary.data.fileName }}` },
			'Save reasons': { fileName: join(workFolder, 'failed', 'reasons.csv') },
		});
		const workflow = withoutNotes(example);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [await credential()]));
		await editor.executeWorkflow();
		await editor.page
			.getByTestId('canvas-node-status-success')
			.nth(workflow.nodes.length - 1)
			.waitFor();
		await picture('keep-failed-files', {
			elements: [
				editor.node('When clicking ‘Execute workflow’').getByText('When clicking'),
				editor.node('Save table'),
				editor.node('Save reasons').getByText('Write File'),
			],
			margin: 14,
		});
	});

	test('somebody corrects values in a form', async () => {
		const account = await n8n.createCredential('smtp', 'SMTP account', mailServer.credential);
		const example = await readExample('check-by-human', {
			'Read PDFs': { fileSelector: join(samples, '*.pdf') },
		});
		const workflow = await n8n.importWorkflow(example, [await credential(), account]);
		const execution = await n8n.startManually(workflow, 'When clicking ‘Execute workflow’');
		const { text = '' } = await mailServer.firstMail();
		await until(async () => (await statusOf(execution)) === 'waiting');
		const form = await editor.page.context().newPage();
		await form.goto(/http\S+/.exec(text)?.[0] ?? '');
		// As it comes: what is missing is empty.
		await picture('check-form', { elements: [form.locator('form')], appearances: ['light'] });
		await form.getByLabel('Total').fill('12.50');
		await form.getByLabel('Currency').fill('USD');
		await form.getByRole('button', { name: 'Submit' }).click();
		assert.equal((await n8n.execution(execution)).status, 'success');
		await form.close();
	});
};
