import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

export default ({ editor, service, n8n, credential }: Stage) => {
	const { collections, columns } = service.account.environments.test.workflows.main;

	describe('dropdowns', () => {
		before(async () => {
			await credential();
			await editor.openNewWorkflow();
			await editor.addAction('Extract values from files with your service');
		});

		test('list the collections of the workflow by their names', async () => {
			const listed = await editor.openCollectionList();
			await listed.first().waitFor();
			const names = (await listed.allInnerTexts()).map((text) => text.trim());
			assert.deepEqual(names.sort(), collections.map(({ name }) => name).sort());
			await editor.page.keyboard.press('Escape');
		});

		test('list the columns of the workflow with their type', async () => {
			await editor.addOption('Column Names or IDs');
			const texts = await editor.dropdownTexts('columnIds');
			assert.deepEqual(texts.sort(), columns.map(({ name, type }) => `${name} (${type})`).sort());
		});
	});

	test('without the Workflow Endpoint, a list says how to get it and how to do without', async () => {
		const newcomer = await n8n.createCredential(
			credentialType,
			'Four fields',
			service.credential({ workflowEndpoint: '' }),
		);
		const workflow = chain('Lists', [
			manualTrigger,
			extractionNode({ options: { columnIds: [] } }),
		]);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [newcomer]));
		await editor.openNode(extractionNodeName);

		const advice = editor.page
			.getByText(/'Workflow Endpoint', which is empty.*enter an ID/)
			.filter({ visible: true });
		await editor.complaints().locator('svg').hover();
		await advice.first().waitFor();
		await editor.page.mouse.move(0, 0);
		await advice.first().waitFor({ state: 'hidden' });
		await editor.openCollectionList();
		await advice.first().waitFor();
	});
};
