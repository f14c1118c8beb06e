import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '../stage.ts';

const whatBuildersType = [
	'document extraction',
	'invoice',
	'receipt',
	'bill',
	'contract',
	'form',
	'scan',
	'ocr',
	'idp',
	'pdf',
	'attachment',
	'extract',
	'extract data',
	'extract invoice',
	'extract pdf',
	'read pdf',
	'upload file',
];

export default ({ editor }: Stage) => {
	test('the node panel offers the node for what builders type', async () => {
		await editor.openNewWorkflow();
		for (const text of whatBuildersType) {
			const entry = await editor.searchNodes(text);
			await entry.waitFor().catch(() => assert.fail(`Nobody finds the node by “${text}”.`));
		}
	});

	test('it lists all actions by what they do', async () => {
		await editor.openNewWorkflow();
		await (await editor.searchNodes('document extraction')).click();
		const panel = editor.nodePanel();
		await panel.getByText('Extract values from files with your service', { exact: true }).waitFor();
		assert.match(
			await panel.innerText(),
			/Actions \(12\)[\s\S]*COLLECTION ACTIONS[\s\S]*DOCUMENT ACTIONS[\s\S]*EXTRACTION ACTIONS\s+Extract documents uploaded earlier\s+Extract values from files with your service[\s\S]*WORKFLOW ACTIONS\s+Check setup of credential/,
		);
	});
};
