import assert from 'node:assert/strict';
import { chain, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import { live } from '../stage/live.ts';

// What a list says that cannot be had: test/dropdowns.test.ts.
live("a list shows the workflow's collections, and one of columns works", async (stage) => {
	const { workflow, openEditor, importWorkflow } = stage;
	const editor = await openEditor();
	const node = extractionNode({ options: { columnIds: [] } });
	await editor.openWorkflow(await importWorkflow(chain('Lists', [manualTrigger, node])));
	await editor.openNode(node.name);
	const list = editor.page.getByTestId('resource-locator-collection');
	await list.getByTestId('rlc-input-container').click();
	for (const { name } of workflow.collections) {
		await editor.page.getByTestId('rlc-item').filter({ hasText: name }).first().waitFor();
	}
	const complaints = editor.page.getByTestId('ndv').getByTestId('parameter-issues');
	assert.equal(await complaints.count(), 0);
});
