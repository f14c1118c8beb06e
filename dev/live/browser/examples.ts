import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { until } from '../../machine/until.ts';
import { readExample } from '../../n8n/example.ts';
import type { WorkflowFile } from '../../n8n/workflow.ts';
import { imageOfPage, openComposed, partOf } from '../editor/composed.ts';
import { invoicesIn } from '../stage/invoices.ts';
import { live } from '../stage/live.ts';
import { inFolder } from '../stage/ownFiles.ts';

const shownColumns = ['supplier', 'document_number', 'document_date', 'total', 'currency'];

const heroStyle = `
#top { display: flex; gap: 28px; }
#paper, #rows { overflow: hidden; border: 1px solid var(--edge); border-radius: 8px; }
#paper { width: 330px; height: 400px; flex: none; }
p { margin: 0 0 8px; }
#top + p { margin-top: 16px; }
#rows { width: fit-content; }
#rows.empty { clip-path: inset(0 0 72.6% 0); }
`;

/** The editor shows the nodes of a workflow without notes larger. */
const withoutNotes = (example: WorkflowFile): WorkflowFile => ({
	...example,
	nodes: example.nodes.filter(({ name }) => !name.startsWith('Sticky note')),
});

live('the attachments of an email become rows of a table', async (stage) => {
	const { n8n, service, importWorkflow, book } = stage;
	const editor = await stage.openEditor();
	const { files } = await invoicesIn(stage.folder);
	const mailbox = await stage.openMailbox();
	const example = withoutNotes(await readExample('email-attachments-to-table'));
	const workflow = await importWorkflow(example, [mailbox.account]);
	await editor.openWorkflow(workflow);
	const flowNow = async () => {
		const elements = [
			editor.node('New email'),
			editor.node('Create table'),
			editor.node('Extract values').getByText('extract from files'),
			editor.node('Save row'),
			editor.node('What failed and why').getByText('manual'),
		];
		// The bolt of the trigger, which is gone after the run, stays outside.
		return await partOf('flow', { elements, margin: 12 }, 560);
	};
	const waiting = await flowNow();
	await service.control.faults([
		{ match: { operation: 'upload', times: 3 }, fault: { type: 'delay', ms: 10_000 } },
	]);
	await editor.node('New email').hover();
	await editor.page.getByTestId('execute-workflow-button-New email').click();
	await mailbox.untilOpened();
	const attachments = files.map(async (file) => ({
		filename: basename(file),
		content: await readFile(file),
	}));
	await mailbox.deliver({
		from: 'supplier@example.com',
		subject: 'Our invoices',
		text: 'Please find them attached.',
		attachments: await Promise.all(attachments),
	});
	await editor.node('New email').getByTestId('canvas-node-status-success').waitFor();
	const extracting = await flowNow();
	await editor.nodesThatSucceeded().nth(5).waitFor();
	const done = await flowNow();

	// All columns of a table find room in it.
	await editor.resizeWindow({ width: 1800, height: 900 });
	await editor.page.goto(`${n8n.url}/home/datatables`);
	await editor.page.getByText('Email attachments', { exact: true }).click();
	const grid = editor.page.getByTestId('data-table-grid');
	const lastCell = grid.getByRole('gridcell', { name: 'USD' });
	// A column becomes as wide as the rows that are there.
	await lastCell.waitFor();
	const heads = shownColumns.map((name) =>
		grid.locator('.ag-header-cell').filter({ has: editor.page.getByText(name, { exact: true }) }),
	);
	for (const head of heads) await head.locator('.ag-header-cell-resize').dispatchEvent('dblclick');
	const rows = await partOf('rows', { elements: [...heads, lastCell] }, 918);
	await editor.resizeWindow();
	const paper = await imageOfPage(files[0], 330);
	const scene = async (nodes: string, ms: number, state = '') => {
		const page = await openComposed(
			editor.page.context(),
			heroStyle,
			`<div id="top">
				<div><p>One of the three invoices in an email</p><div id="paper">${paper}</div></div>
				<div><p>The workflow: <em>Extract values</em> is this node</p>${nodes}</div>
			</div>
			<p>A table row for each</p><div id="rows" class="${state}">${rows}</div>`,
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
	await book.film('from-pdf-to-row', scenes);
	for (const { subject } of scenes) await subject.elements[0].page().close();
});

live('a file that fails is kept, and the others become rows', async (stage) => {
	await stage.refuse('upload', 'The file is protected by a password', { skip: 1 });
	const editor = await stage.openEditor();
	const { folder } = await invoicesIn(stage.folder);
	const entries = { 'Read PDFs': { fileSelector: join(folder, '*.pdf') } };
	const example = withoutNotes(
		inFolder(await readExample('keep-failed-files', entries), stage.folder),
	);
	await editor.openWorkflow(await stage.importWorkflow(example));
	await editor.executeWorkflow();
	await editor
		.nodesThatSucceeded()
		.nth(example.nodes.length - 1)
		.waitFor();
	await stage.book.take('keep-failed-files', {
		elements: [
			editor.node('When clicking ‘Execute workflow’').getByText('When clicking'),
			editor.node('Save table'),
			editor.node('Save reasons').getByText('Write File'),
		],
		margin: 14,
	});
});

// What becomes of it: dev/live/examples/check-by-human.ts.
live('a form asks for values', async (stage) => {
	const { n8n, importMailing, book } = stage;
	const { workflow, firstMail } = await importMailing('check-by-human');
	const execution = await n8n.startManually(workflow, 'When clicking ‘Execute workflow’');
	const { text = '' } = await firstMail();
	await until(async () => (await n8n.executionsOf(workflow))[0].status === 'waiting');
	const form = await (await stage.openEditor()).page.context().newPage();
	await form.goto(/http\S+/.exec(text)?.[0] ?? '');
	// As it comes: what is missing is empty. n8n's forms are light, whatever the reader prefers.
	const part = await partOf('form', { elements: [form.locator('form')] }, 448);
	const page = await openComposed(form.context(), '', part);
	await book.take('check-form', { elements: [page.locator('#frame')] });
	await page.close();
	await form.close();
	await n8n.stopExecution(execution);
});
