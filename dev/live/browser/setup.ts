import assert from 'node:assert/strict';
import { PROFILES } from '../../../test/support/serviceContract.ts';
import { chain, credentialType, extractionNode, manualTrigger } from '../../n8n/workflow.ts';
import type { EditorPage, TableRow } from '../editor/editorPage.ts';
import { accountWithResults } from '../stage/accounts.ts';
import { live, type Stage } from '../stage/live.ts';

const firstColumns = ['apiDetail', 'enter', 'choices'];

/** Further columns would be cut at the edge, and make the rows high. */
const withoutFurtherColumns = `
[data-test-id="output-panel"] table {
	width: calc(100% - 16px) !important;
	border-right: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
}
[data-test-id="output-panel"] :is(th, td):nth-child(n + ${firstColumns.length + 1}) { display: none }
`;

/** The first rows of Check Setup, with what stands above them, down to the second way to read results. */
async function takePicture(editor: EditorPage, rows: TableRow[], book: Stage['book']) {
	assert.deepEqual(Object.keys(rows[0]).slice(0, firstColumns.length), firstColumns);
	await editor.resizeWindow({ width: 2080, height: 1000 });
	const cell = (row: number, column: number) =>
		editor.output().locator('tbody tr').nth(row).locator('td').nth(column);
	const style = await editor.page.addStyleTag({ content: withoutFurtherColumns });
	await book.take('check-setup', {
		elements: [
			editor.output().getByTestId('node-hint').first(),
			cell(0, 0),
			cell(0, 2),
			cell(1, 2).locator('.n8n-tree > div').nth(1),
		],
		within: editor.output(),
	});
	await style.evaluate((element) => element.parentNode?.removeChild(element));
	await editor.resizeWindow();
}

// What its user does then, step by step: firstRow.ts.
live('Check Setup shows lines to paste and rows to choose', async (stage) => {
	const { n8n, keep } = stage;
	const editor = await stage.openEditor();
	const service = await keep(accountWithResults(PROFILES[0]));
	const data = { ...service.credential(), apiDetails: '' };
	const credential = await n8n.createCredential(credentialType, 'Newcomer', data);
	const node = extractionNode({
		resource: 'workflow',
		operation: 'checkSetup',
		openApiDocument: service.account.openApiUrl,
	});
	const flow = chain('Check Setup', [manualTrigger, node]);
	await editor.openWorkflow(await n8n.importWorkflow(flow, [credential]));
	await editor.openNode(node.name);
	await editor.executeStep();
	const rows = await editor.outputTable();
	assert.equal(rows[0].apiDetail, 'All Entries');
	assert.equal(rows[1].apiDetail, 'Rows');
	assert.match(rows[1].choices, /Rows: .+ → /);
	// n8n marks what is empty or missing in red; the table ends with a column without a head.
	for (const [column, text] of rows.flatMap((row) => Object.entries(row))) {
		if (column !== '') assert.doesNotMatch(text, /^\[?(empty|undefined|null)\]?$|^$/, column);
	}
	await takePicture(editor, rows, stage.book);
});
