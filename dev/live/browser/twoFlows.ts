import { extractionFlow } from '../../bench/flows/core.ts';
import {
	chain,
	columnWidth,
	extractionNode,
	readFiles,
	type WorkflowFile,
} from '../../n8n/workflow.ts';
import { openComposed, partOf } from '../editor/composed.ts';
import { shownAddress } from '../editor/editorPage.ts';
import { live } from '../stage/live.ts';

const css = `
#frame > p { margin: 0 0 8px; }
#frame > picture + p { margin-top: 24px; }
`;

live('the same job with core nodes and with this node', async (stage) => {
	const { service, folder, importWorkflow, book } = stage;
	const editor = await stage.openEditor();
	const show = async (name: string, workflow: WorkflowFile) => {
		// The picture shows nodes with their addresses; nobody runs them.
		const text = JSON.stringify(workflow).replaceAll(service.url, shownAddress);
		const shown = JSON.parse(text) as WorkflowFile;
		await editor.openWorkflow(await importWorkflow(shown));
		const elements = shown.nodes.map((node) => editor.node(node.name));
		return await partOf(name, { elements, margin: 50 }, 880);
	};

	const core = await show('core', extractionFlow(service, folder));
	const files = readFiles(`${folder}/*.pdf`, 'Files');
	// Below the node with which the other flow ends: it takes the place of all between.
	const node = extractionNode({ binaryPropertyName: 'data' }, { position: [4 * columnWidth, 0] });
	const own = await show('own', chain('This node', [files, node]));

	const page = await openComposed(
		editor.page.context(),
		css,
		`<p>HTTP Request and other core nodes</p>${core}<p>This node</p>${own}`,
	);
	await book.take('comparison', { elements: [page.locator('#frame')] });
	await page.close();
});
