import { test } from 'node:test';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { Stage } from '../stage.ts';

export default ({ editor, service, n8n }: Stage) => {
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
			.getByText(/'Workflow Endpoint', which is empty.*Fill it in, or/)
			.filter({ visible: true });
		await editor.complaints().locator('svg').hover();
		await advice.first().waitFor();
		await editor.page.mouse.move(0, 0);
		await advice.first().waitFor({ state: 'hidden' });
		await editor.openCollectionList();
		await advice.first().waitFor();
	});
};
