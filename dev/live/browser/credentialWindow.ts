import assert from 'node:assert/strict';
import { shownAddress } from '../editor/editorPage.ts';
import { live } from '../stage/live.ts';

/** The page beside the picture names the fields by their numbers. */
const numbered = `
[data-test-id="credential-connection-parameter"] { counter-increment: field; }
[data-test-id="credential-connection-parameter"] label [class*="_title_"] > :first-child::before {
	content: counter(field) '.\u00a0';
}
`;

const windowSize = { width: 1280, height: 1300 };

live(
	'the credential window has five fields, takes a pasted text, and its test helps',
	async (stage) => {
		const { service, book } = stage;
		const editor = await stage.openEditor();
		const { test } = service.account.environments;
		const right = {
			baseUrl: service.url,
			apiKey: test.keys.full,
			workflowId: test.workflows.main.id,
			apiDetails: 'Upload File Field: file',
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

		// Five fields to fill in, and where their values come from.
		const text = await editor.credentialWindow().innerText();
		for (const label of [
			'Environment',
			'Base URL',
			'API Key',
			'Service Workflow ID',
			'API Details',
		])
			assert.ok(text.includes(label), label);
		assert.match(
			text,
			/From your account team[\s\S]*From the API settings[\s\S]*From the workflow's page/,
		);
		assert.match(text, /execute the node with its operation Workflow › Check Setup: it writes/);

		// There is no more than a newcomer scrolls through.
		await editor.resizeWindow({ width: 1280, height: 800 });
		const height = await editor
			.credentialWindow()
			.evaluate((window) =>
				Math.max(...[...window.querySelectorAll('*')].map(({ scrollHeight }) => scrollHeight)),
			);
		assert.ok(height <= 1.75 * 570, `${height} px`);
		await editor.resizeWindow(windowSize);

		// What its test says of everything else that can be wrong: dev/live/e2e/credentialTest.ts.
		await editor.fillCredential({ ...right, apiKey: test.keys.revoked, apiDetails: '' });
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /The API key was refused \(401\)/);
		await pictureOf(
			'credential-wrong-key',
			editor.credentialFailure(),
			editor.credentialField('apiKey'),
		);

		// A line that nobody can read is named, with the one that was meant.
		await editor.fillCredential({ ...right, apiDetails: 'Uplod File Field: file' });
		await editor.saveCredential();
		assert.match(await editor.credentialVerdict(), /Did you mean 'Upload File Field: …'\?/);

		await editor.fillCredential(right);
		await editor.saveCredential();
		await editor.credentialWindow().waitFor({ state: 'hidden' });
		await editor.reopenCredential();
		assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
		const [top, bottom] = ['environment', 'apiDetails'].map((name) => editor.credentialField(name));
		const numbers = await editor.page.addStyleTag({ content: numbered });
		await pictureOf('credential', top, bottom);
		await numbers.evaluate((element) => element.parentNode?.removeChild(element));

		await editor.resizeWindow();
	},
);
