import assert from 'node:assert/strict';
import { windowSize } from '../editor/editorPage.ts';
import { extractionNodeName } from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';

const whatBuildersType = [
	...[
		'document extraction',
		'invoice',
		'receipt',
		'bill',
		'contract',
		'form',
		'scan',
		'ocr',
		'idp',
	],
	...['pdf', 'attachment', 'extract', 'extract data', 'extract invoice', 'extract pdf', 'read pdf'],
	'upload file',
];
const actions = [
	/Actions \(12\)/,
	/COLLECTION ACTIONS/,
	/DOCUMENT ACTIONS/,
	/EXTRACTION ACTIONS\s+Extract documents uploaded earlier\s+Extract values from files with your service/,
	/WORKFLOW ACTIONS\s+Check setup of credential/,
];
const mainAction = 'Extract values from files with your service';

live('the node panel offers the node for what builders type, and its actions', async (stage) => {
	const editor = await stage.openEditor();
	await editor.openNewWorkflow();
	for (const text of whatBuildersType) {
		const entry = await editor.searchNodes(text);
		await entry.waitFor().catch(() => assert.fail(`Nobody finds the node by “${text}”.`));
	}

	await (await editor.searchNodes(extractionNodeName)).click();
	const panel = editor.page.getByTestId('node-creator');
	await panel.getByText(mainAction, { exact: true }).waitFor();
	assert.match(
		await panel.innerText(),
		new RegExp(actions.map(({ source }) => source).join(String.raw`[\s\S]*`)),
	);
});

// n8n offers no search among the actions of a community node.
live('after a trigger, the action for files is in view without scrolling', async (stage) => {
	const editor = await stage.openEditor();
	await editor.openNewWorkflow();
	await editor.page.getByTestId('canvas-add-button').click();
	await editor.panelEntry('Trigger manually').click();
	await editor.page.getByTestId('canvas-handle-plus').first().click();
	await editor.page.getByTestId('node-creator-search-bar').waitFor();
	await (await editor.searchNodes('extract invoice')).click();
	const action = editor.page.getByTestId('node-creator').getByText(mainAction, { exact: true });
	await action.waitFor();
	const { y, height } = (await action.boundingBox()) ?? assert.fail('The action is not shown.');
	assert.ok(y + height < windowSize.height, `It ends at ${y + height}.`);
});
