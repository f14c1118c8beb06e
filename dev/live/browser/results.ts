import assert from 'node:assert/strict';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import { emailsThrough } from '../stage/emails.ts';
import { invoicesIn } from '../stage/invoices.ts';
import { live, type Stage } from '../stage/live.ts';

const reason = 'The file is protected by a password';

/** Executes the main job in the editor: one upload after the other, so that the same one is refused. */
async function execute(stage: Stage, settings?: NodeSettings) {
	const { folder } = await invoicesIn(stage.folder);
	const workflow = emailsThrough(folder, { options: { maxConcurrency: 1 } }, settings);
	const editor = await stage.openEditor();
	await editor.openWorkflow(await stage.importWorkflow(workflow));
	await editor.executeWorkflow();
	return editor;
}

live('the panel shows what it is told, and beside it what comes out', async (stage) => {
	const editor = await execute(stage);
	await editor.nodesThatSucceeded().nth(3).waitFor();
	await editor.resizeWindow({ width: 1700, height: 640 });
	await editor.openNode(extractionNodeName);
	await editor.showOutputAs('Schema');
	await editor.output().getByText('BW-50217').first().waitFor();
	// Without the line around the window.
	await stage.book.take('panel', {
		elements: [editor.page.getByTestId('node-parameters').first(), editor.output()],
		margin: -1,
	});
	await editor.resizeWindow();
});

live('a failure says what happened and what to do', async (stage) => {
	await stage.refuse('upload', reason, { skip: 1 });
	const editor = await execute(stage);
	await editor.page.getByTestId('canvas-node-status-mark-error').waitFor();
	await editor.openNode(extractionNodeName);
	const output = editor.output();
	await output.getByText(reason).first().waitFor();
	const text = await output.innerText();
	const said = [
		String.raw`did not accept .+ \(400\)`,
		'Already uploaded; do not upload again',
		'Do not upload the files that are listed',
	];
	assert.match(text, new RegExp(said.join('[^]*')));
	await editor.resizeWindow({ width: 1800, height: 900 });
	await stage.book.take('failure', {
		elements: [editor.output().locator('.node-error-view__header')],
	});
	await editor.resizeWindow();
});

live('a failed item leaves by the error output, with its reason and its file', async (stage) => {
	await stage.refuse('upload', reason, { skip: 1 });
	const editor = await execute(stage, { onError: 'continueErrorOutput' });
	await editor.nodesThatSucceeded().nth(3).waitFor();
	await editor.openNode(extractionNodeName);
	const output = editor.output();
	await output.getByText('Error Branch (1 item)').click();
	await editor.showOutputAs('Binary');
	await output.getByText(/\.pdf$/).waitFor();
	const input = editor.page.getByTestId('ndv-input-panel');
	await input.getByRole('radio', { name: 'Schema' }).click();
	await editor.showOutputAs('JSON');
	await output.getByText(reason).first().waitFor();
	await editor.resizeWindow({ width: 1900, height: 520 });
	await stage.book.take('error-branch', { elements: [output], margin: -1 });
	await editor.resizeWindow();
});
