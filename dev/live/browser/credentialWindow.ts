import assert from 'node:assert/strict';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
} from '../../../nodes/DocumentExtraction/account/apiDetails.ts';
import { shownAddress } from '../editor/editorPage.ts';
import { live } from '../stage/live.ts';

const switches = Object.values(DETAIL_GROUPS).map((group) => group.switch);
/** The page beside the picture names the fields by their numbers. */
const numbered = `
[data-test-id="credential-connection-parameter"] { counter-increment: field; }
[data-test-id="credential-connection-parameter"] label [class*="_title_"] > :first-child::before {
	content: counter(field) '.\u00a0';
}
`;

const windowSize = { width: 1280, height: 1300 };

live('the credential window leads from six fields to all, and its test helps', async (stage) => {
	const { service, book } = stage;
	const editor = await stage.openEditor();
	const { test } = service.account.environments;
	const right = {
		baseUrl: service.url,
		apiKey: test.keys.full,
		workflowId: test.workflows.main.id,
		uploadFileField: 'file',
	};
	const pictureOf = async (
		name: string,
		...elements: ReturnType<typeof editor.credentialField>[]
	) => {
		await editor.showInField('baseUrl', shownAddress, async () => {
			// The window's own white stands around its fields.
			await book.take(name, { elements, within: editor.credentialWindow(), margin: 16 });
		});
	};
	await editor.resizeWindow(windowSize);
	await editor.openNewWorkflow();
	await editor.addAction('Extract values from files with your service');
	await editor.openNewCredential();

	// Six fields to fill in, and where their values come from.
	const text = await editor.credentialWindow().innerText();
	const first = [
		...['Environment', 'Base URL', 'API Key', 'Service Workflow ID'],
		...['Upload File Field', 'Document ID Field'],
	];
	for (const label of first) assert.ok(text.includes(label), label);
	assert.ok(!(await editor.parameter('workflowEndpoint').isVisible()));
	assert.match(
		text,
		/From your account team[\s\S]*From the API settings[\s\S]*From the workflow's page/,
	);
	assert.match(text, /execute the node with its operation Workflow › Check Setup: it says what/);

	// With all groups open there is no more than a newcomer scrolls through.
	for (const name of switches) await editor.switchOn(name);
	await editor.parameter('confirmMethod').waitFor();
	await editor.resizeWindow({ width: 1280, height: 800 });
	const height = await editor
		.credentialWindow()
		.evaluate((window) =>
			Math.max(...[...window.querySelectorAll('*')].map(({ scrollHeight }) => scrollHeight)),
		);
	assert.ok(height <= 3.25 * 570, `${height} px`);
	await editor.resizeWindow(windowSize);
	for (const name of switches) await editor.switchOn(name, false);

	// What its test says of everything else that can be wrong: dev/live/e2e/credentialTest.ts.
	await editor.fillCredential({ ...right, apiKey: test.keys.revoked, uploadFileField: '' });
	await editor.saveCredential();
	assert.match(await editor.credentialVerdict(), /The API key was refused \(401\)/);
	await pictureOf(
		'credential-wrong-key',
		editor.credentialFailure(),
		editor.credentialField('apiKey'),
	);

	await editor.fillCredential(right);
	await editor.saveCredential();
	await editor.credentialWindow().waitFor({ state: 'hidden' });
	await editor.reopenCredential();
	assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
	const [top, bottom] = ['environment', 'documentIdField'].map((name) =>
		editor.credentialField(name),
	);
	const numbers = await editor.page.addStyleTag({ content: numbered });
	await pictureOf('credential', top, bottom);
	await numbers.evaluate((element) => element.parentNode?.removeChild(element));

	// API Details appear when they are wanted, and with the field that gives them a use.
	for (const name of switches) await editor.switchOn(name);
	const later = ALL_DETAILS.filter(
		(detail) => API_DETAILS[detail].shownWith === 'uploadUrlEndpoint',
	);
	assert.ok(later.length > 0);
	for (const field of later) assert.ok(!(await editor.parameter(field).isVisible()), field);
	await editor.fillCredential({ uploadUrlEndpoint: 'POST /uploads' });
	for (const field of later) await editor.parameter(field).waitFor();
	assert.ok(!(await editor.parameter('confirmBody').isVisible()));
	await editor.choose('confirmMethod', 'PUT');
	await editor.parameter('confirmBody').waitFor();
	// As docs/api-details.md says for its reference page.
	await editor.fillCredential({
		columnNameField: 'column.heading',
		columnValueField: 'value',
		workflowEndpoint: 'GET /workflows/{workflow_id}/metadata',
		finishedStatuses: 'DONE, ERROR',
	});
	const firstGroup = editor.credentialField('useResponseFields');
	await firstGroup.evaluate((field) => field.scrollIntoView());
	await pictureOf('credential-groups', firstGroup, editor.credentialField('finishedStatuses'));
	await editor.resizeWindow();
});
