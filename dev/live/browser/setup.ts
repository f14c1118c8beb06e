import assert from 'node:assert/strict';
import { PROFILES } from '../../../test/support/serviceContract.ts';
import type { Service } from '../../../test/support/service.ts';
import {
	chain,
	credentialType,
	extractionNode,
	extractionNodeName,
	manualTrigger,
} from '../../n8n/workflow.ts';
import type { EditorPage, TableRow } from '../editor/editorPage.ts';
import { accountWithResults } from '../stage/accounts.ts';
import { emailsThrough } from '../stage/emails.ts';
import { live, type Stage } from '../stage/live.ts';
import { samples } from '../stage/samples.ts';

/** The first of the files by name, and the number in it. */
const firstFile = 'delivery-note-brightwell.pdf';
const firstNumber = 'DN-90442';
/** The number in the file that has the most values, whose row Check Setup shows. */
const shownNumber = 'HS-2024-0417';

const firstColumns = ['apiDetail', 'enter', 'choices'];

/** Further columns would be cut at the edge, and make the rows high. */
const withoutFurtherColumns = `
[data-test-id="output-panel"] table {
	width: calc(100% - 16px) !important;
	border-right: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
}
[data-test-id="output-panel"] :is(th, td):nth-child(n + ${firstColumns.length + 1}) { display: none }
`;

const hintsIn = (editor: EditorPage) => editor.output().getByTestId('node-hint');

/** The first rows of Check Setup, with what stands above them, down to the second way to read results. */
async function takePicture(editor: EditorPage, rows: TableRow[], book: Stage['book']) {
	assert.deepEqual(Object.keys(rows[0]).slice(0, firstColumns.length), firstColumns);
	await editor.resizeWindow({ width: 2080, height: 1000 });
	const cell = (row: number, column: number) =>
		editor.output().locator('tbody tr').nth(row).locator('td').nth(column);
	const style = await editor.page.addStyleTag({ content: withoutFurtherColumns });
	await book.take('check-setup', {
		elements: [
			hintsIn(editor).first(),
			cell(0, 0),
			cell(0, 2),
			cell(1, 2).locator('.n8n-tree > div').nth(1),
		],
		within: editor.output(),
	});
	await style.evaluate((element) => element.parentNode?.removeChild(element));
	await editor.resizeWindow();
}

/**
 * What to paste: the cell of the first item as it is, and the lines to choose, of which one has the row with
 * the first document's number.
 */
function textFrom(rows: TableRow[], { account }: Service): string {
	const choices = rows.find(({ apiDetail }) => apiDetail === 'Rows')?.choices ?? '';
	const own = choices.split('\n').find((line) => line.includes(shownNumber));
	assert.ok(own, choices);
	const { documentIdField } = account.apiDetails;
	const id = documentIdField === 'document_id' ? [] : [`Document ID Field: ${documentIdField}`];
	return [rows[0].enter, own, ...id].join('\n');
}

// What large files need, and what makes waiting faster: test/operations/checkSetup.test.ts.
live('Check Setup leads a new user to values', { everyProfile: true }, async (stage) => {
	const { n8n, keep, profile } = stage;
	const editor = await stage.openEditor();
	const service = await keep(accountWithResults(profile));
	const credential = await n8n.createCredential(credentialType, `Account of ${profile}`, {
		...service.credential(),
		apiDetails: '',
	});
	const openAlone = async (parameters: { resource: string; operation: string }) => {
		const workflow = chain(parameters.operation, [manualTrigger, extractionNode(parameters)]);
		await editor.openWorkflow(await n8n.importWorkflow(workflow, [credential]));
		await editor.openNode(extractionNodeName);
	};

	await openAlone({ resource: 'workflow', operation: 'checkSetup' });
	await editor.fillParameter('openApiDocument', service.account.openApiUrl);
	await editor.executeStep();
	await editor
		.output()
		.getByText(/^\d+ items$/)
		.waitFor();
	const rows = await editor.outputTable();
	assert.equal(rows[0].apiDetail, 'All Entries');
	// n8n marks what is empty or missing in red; the table ends with a column without a head.
	for (const [column, text] of rows.flatMap((row) => Object.entries(row))) {
		if (column !== '') assert.doesNotMatch(text, /^\[?(empty|undefined|null)\]?$|^$/, column);
	}
	await editor.showOutputAs('Schema');
	await editor.output().getByText('why', { exact: true }).first().waitFor();
	assert.match(
		await editor.output().innerText(),
		/apiDetail\s+All Entries\s+(\w\s+)?enter\s+[^]+\s+(\w\s+)?choices\s+[^]+\s+(\w\s+)?why/,
	);
	await editor.showOutputAs('Table');
	if (profile === PROFILES[0]) await takePicture(editor, rows, stage.book);
	// Rows are theirs to choose: below the lines to paste, a line for each way to read the results. Only
	// where results name their document otherwise, that comes first.
	const below = rows.slice(1).filter(({ apiDetail }) => apiDetail !== 'Document ID Field');
	assert.equal(below[0].apiDetail, 'Rows');
	assert.match(below[0].choices, /Rows: .+ → /);

	// Beside raw results stands how they can be read, one way on each line.
	await openAlone({ resource: 'extraction', operation: 'getAll' });
	await editor.executeStep();
	const hint = await hintsIn(editor).filter({ hasText: 'You are getting raw JSON' }).innerText();
	const ways = hint.match(/^Rows: .+ → .+: /gm) ?? [];
	assert.equal(ways.length, 3, hint);

	// One more visit to the credential is enough, with one text to paste.
	await editor.reopenCredential();
	await editor.fillCredential({ apiDetails: textFrom(rows, service) });
	await editor.saveCredential();
	assert.match(await editor.credentialVerdict(), /Connection tested successfully/);

	await editor.openWorkflow(await n8n.importWorkflow(emailsThrough(samples), [credential]));
	await editor.executeWorkflow();
	// For values that stay null the node waits half a minute, where nothing but results tells the end.
	await editor.nodesThatSucceeded().nth(3).waitFor({ timeout: 60_000 });
	await editor.openNode(extractionNodeName);
	const [row] = await editor.outputTable();
	assert.deepEqual([row['Document number'], row.fileName], [firstNumber, firstFile]);
});
