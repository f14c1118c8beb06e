import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailsThrough } from '../../demo/emails.ts';
import { extractionNodeName, type NodeSettings } from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

const large = { width: 1800, height: 900 };
const panelSize = { width: 1700, height: 640 };

const errorSize = { width: 1900, height: 520 };

const reason = 'The file is protected by a password';

export default ({ editor, service, n8n, credential, picture, workFolder }: Stage) => {
	const execute = async (settings?: NodeSettings) => {
		await service.control.reset();
		// One upload after the other, so that it is always the same file that is refused.
		const options = { maxConcurrency: 1 };
		const workflow = emailsThrough(
			workFolder,
			{ binaryPropertyName: 'attachment_*', options },
			settings,
		);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [await credential()]));
	};

	const refuseOneUpload = async () =>
		await service.control.faults([
			{
				match: { operation: 'upload', skip: 1, times: 1 },
				fault: { type: 'status', status: 400, body: { detail: reason } },
			},
		]);

	test('the panel shows what it is told, and beside it what comes out', async () => {
		await execute();
		await editor.executeWorkflow();
		await editor.page.getByTestId('canvas-node-status-success').nth(3).waitFor();
		await editor.resizeWindow(panelSize);
		await editor.openNode(extractionNodeName);
		await editor.showOutputAs('Schema');
		await editor.output().getByText('BW-50217').first().waitFor();
		// Without the line around the window.
		await picture('panel', { elements: [editor.panel(), editor.output()], margin: -1 });
		await editor.resizeWindow();
	});

	test('a failure says what happened and what to do', async () => {
		await execute();
		await refuseOneUpload();
		await editor.executeWorkflow();
		await editor.page.getByTestId('canvas-node-status-mark-error').waitFor();
		await editor.openNode(extractionNodeName);
		const output = editor.output();
		await output.getByText(reason).first().waitFor();
		const text = await output.innerText();
		assert.match(text, /did not accept .+ \(400\)[^]*at the service already\. Remove /);
		assert.match(text, /Already uploaded, do not upload again/);
		await editor.resizeWindow(large);
		await picture('failure', { elements: [editor.failureMessage()] });
		await editor.resizeWindow();
	});

	test('a failed item leaves through the error output, with its reason and its file', async () => {
		await execute({ onError: 'continueErrorOutput' });
		await refuseOneUpload();
		await editor.executeWorkflow();
		await editor.page.getByTestId('canvas-node-status-success').nth(3).waitFor();
		await editor.openNode(extractionNodeName);
		const output = editor.output();
		await output.getByText('Error Branch (1 item)').click();
		await editor.showOutputAs('Binary');
		await output.getByText(/\.pdf$/).waitFor();
		await editor.showInputAs('Schema');
		await editor.showOutputAs('JSON');
		await output.getByText(reason).first().waitFor();
		await editor.resizeWindow(errorSize);
		await picture('error-branch', { elements: [output], margin: -1 });
		await editor.resizeWindow();
	});
};
