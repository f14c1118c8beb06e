import assert from 'node:assert/strict';
import type { SavedCredential } from '../../n8n/editor.ts';
import { chain, credentialType, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import { live, type Stage } from '../stage/live.ts';

/** Opens a node that has a list of collections and one of columns. */
async function openNodeWith({ n8n, openEditor }: Stage, credential: SavedCredential) {
	const editor = await openEditor();
	const node = extractionNode({ options: { columnIds: [] } });
	const flow = chain('Lists', [manualTrigger, node]);
	await editor.openWorkflow(await n8n.importWorkflow(flow, [credential]));
	await editor.openNode(node.name);
	const openCollections = async () => {
		const list = editor.page.getByTestId('resource-locator-collection');
		await list.getByTestId('rlc-input-container').click();
	};
	return { editor, openCollections };
}

live("a list shows the workflow's collections, and one of columns works", async (stage) => {
	const { editor, openCollections } = await openNodeWith(stage, await stage.credential());
	await openCollections();
	for (const { name } of stage.workflow.collections) {
		await editor.page.getByTestId('rlc-item').filter({ hasText: name }).first().waitFor();
	}
	assert.equal(await editor.complaints().count(), 0);
});

live('a list that lacks the Workflow Endpoint says what to do', async (stage) => {
	const data = stage.service.credential({ workflowEndpoint: '' });
	const newcomer = await stage.n8n.createCredential(credentialType, 'Four fields', data);
	const { editor, openCollections } = await openNodeWith(stage, newcomer);

	const advice = editor.page
		.getByText(
			/This list needs the line 'Workflow Endpoint' .*what to enter\. To do without the list/,
		)
		.filter({ visible: true });
	await editor.complaints().locator('svg').hover();
	await advice.first().waitFor();
	await editor.page.mouse.move(0, 0);
	await advice.first().waitFor({ state: 'hidden' });
	await openCollections();
	await advice.first().waitFor();
});
