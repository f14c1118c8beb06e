import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readdir, readFile } from 'node:fs/promises';
import { type Mailbox, startMailbox } from '../../machine/mailbox.ts';
import { type MailServer, startMailServer } from '../../machine/mailServer.ts';
import { until } from '../../machine/until.ts';
import { type Entries, readExample } from '../../n8n/example.ts';
import type { SavedCredential } from '../../n8n/editor.ts';
import { samples, type Stage } from '../stage.ts';

/** All columns of a table find room in it. */
const large = { width: 1800, height: 900 };

const shownColumns = ['supplier', 'document_number', 'document_date', 'total', 'currency'];

export default ({ editor, n8n, service, credential, picture }: Stage) => {
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

	const importExample = async (name: string, other: SavedCredential, entries?: Entries) =>
		await n8n.importWorkflow(await readExample(name, entries), [await credential(), other]);

	const statusOf = async (execution: string) =>
		(await n8n.rest.get<{ status: string }>(`/executions/${execution}`)).status;

	const run = async (workflow: string, trigger: string) => {
		const { status, errorMessage } = await n8n.runManually(workflow, { trigger });
		assert.equal(status, 'success', errorMessage);
	};

	test('the attachments of an email become rows of a table', async () => {
		const account = await n8n.createCredential('imap', 'IMAP account', mailbox.credential);
		const workflow = await importExample('email-attachments-to-table', account);
		await run(workflow, 'Once: create the table');
		await editor.openWorkflow(workflow);
		await editor.executeFrom('New email');
		await mailbox.untilOpened();
		const names = (await readdir(samples)).filter((name) => name.endsWith('.pdf'));
		await mailbox.deliver({
			from: 'supplier@example.com',
			subject: 'Our documents',
			text: 'Please find them attached.',
			attachments: await Promise.all(
				names.sort().map(async (filename) => ({
					filename,
					content: await readFile(join(samples, filename)),
				})),
			),
		});
		await editor.page.getByTestId('canvas-node-status-success').nth(3).waitFor();
		await picture('flow', {
			elements: [
				editor.node('New email'),
				editor.node('Extract values').getByText('extract from files'),
				editor.node('Save row').getByTestId('canvas-handle-plus'),
			],
			margin: 14,
		});

		await editor.resizeWindow(large);
		await editor.openDataTable('Documents');
		await editor.fitColumns(shownColumns);
		await picture('table', {
			elements: [
				...shownColumns.map((name) => editor.columnHead(name)),
				editor.page.getByRole('gridcell', { name: 'EUR' }),
			],
		});
		await editor.resizeWindow();
	});

	test('somebody corrects values in a form', async () => {
		const account = await n8n.createCredential('smtp', 'SMTP account', mailServer.credential);
		const workflow = await importExample('check-by-human', account, {
			'Read PDFs': { fileSelector: join(samples, '*.pdf') },
		});
		await run(workflow, 'Once: create the table');
		const execution = await n8n.startManually(workflow, 'When clicking ‘Execute workflow’');
		const { text = '' } = await mailServer.firstMail();
		await until(async () => (await statusOf(execution)) === 'waiting');
		const form = await editor.page.context().newPage();
		await form.goto(/http\S+/.exec(text)?.[0] ?? '');
		await form.getByLabel('Total').fill('12.5');
		await form.getByLabel('Currency').fill('USD');
		await picture('check-form', { elements: [form.locator('form')], appearances: ['light'] });
		await form.getByRole('button', { name: 'Submit' }).click();
		assert.equal((await n8n.execution(execution)).status, 'success');
		await form.close();
	});
};
