import { test } from 'node:test';
import { readCoreFlow, withoutFrame } from '../../bench/flows/core.ts';
import {
	chain,
	columnWidth,
	extractionNode,
	readFiles,
	type WorkflowFile,
} from '../../n8n/workflow.ts';
import { shownAddress } from '../address.ts';
import { openComposed, partOf } from '../composed.ts';
import type { Stage } from '../stage.ts';

const css = `
#frame > p { margin: 0 0 8px; }
#frame > picture + p { margin-top: 24px; }
`;

/** A row of ten nodes is too wide to be read. */
const nodesPerRow = 5;
const rowHeight = 260;

const inRows = (workflow: WorkflowFile): WorkflowFile => ({
	...workflow,
	nodes: workflow.nodes.map((node, index) => ({
		...node,
		position: [(index % nodesPerRow) * columnWidth, Math.floor(index / nodesPerRow) * rowHeight],
	})),
});

export default ({ editor, n8n, service, credential, picture, workFolder }: Stage) => {
	test('the same job with core nodes and with this node', async () => {
		const account = { service, credential: await credential() };

		const show = async (name: string, workflow: WorkflowFile, width: number) => {
			// The picture shows nodes with their addresses; nobody runs them.
			const text = JSON.stringify(workflow).replaceAll(service.url, shownAddress);
			const shown = JSON.parse(text) as WorkflowFile;
			await editor.openWorkflow(await n8n.importWorkflow(shown, [account.credential]));
			const elements = shown.nodes.map((node) => editor.node(node.name));
			return await partOf(name, { elements, margin: 50 }, width);
		};

		const flow = await readCoreFlow('extract-direct', account);
		const job = withoutFrame(flow({ path: '', folder: workFolder }));
		const core = await show('core', inRows(job), 880);
		const files = readFiles(`${workFolder}/*.pdf`, 'Files');
		const node = extractionNode({ binaryPropertyName: 'data' });
		const own = await show('own', chain('This node', [files, node]), 332);

		const page = await openComposed(
			editor.page.context(),
			css,
			`<p>HTTP Request and other core nodes</p>${core}<p>This node</p>${own}`,
		);
		await picture('comparison', { elements: [page.locator('#frame')] });
		await page.close();
	});
};
