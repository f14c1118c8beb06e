import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
} from '../../../nodes/DocumentExtraction/account/apiDetails.ts';
import { shownAddress } from '../address.ts';
import type { Stage } from '../stage.ts';

/** The window's own white stands around its fields. */
const margin = 16;
const switches = Object.values(DETAIL_GROUPS).map((group) => group.switch);
const windowSize = { width: 1280, height: 1300 };

export default ({ editor, service, picture }: Stage) => {
	const { test: testEnvironment } = service.account.environments;
	const right = {
		baseUrl: shownAddress,
		apiKey: testEnvironment.keys.full,
		workflowId: testEnvironment.workflows.main.id,
	};

	describe('the credential window', () => {
		before(async () => {
			await editor.resizeWindow(windowSize);
			await editor.openNewWorkflow();
			await editor.addAction('Extract values from files with your service');
			await editor.openNewCredential();
		});
		after(async () => await editor.resizeWindow());

		test('shows a newcomer six fields to fill in, and where their values come from', async () => {
			const text = await editor.credentialWindow().innerText();
			for (const label of [
				'Environment',
				'Base URL',
				'API Key',
				'Service Workflow ID',
				'Upload File Field',
				'Document ID Field',
			]) {
				assert.ok(text.includes(label), label);
			}
			assert.ok(!(await editor.parameter('workflowEndpoint').isVisible()));
			assert.match(
				text,
				/From your account team[\s\S]*From the API settings[\s\S]*From the workflow's page/,
			);
			assert.match(text, /Workflow › Check Setup then finds this field/);
		});

		test('with all groups open, a newcomer scrolls through three and a quarter screens at most', async () => {
			for (const name of switches) await editor.switchOn(name);
			await editor.parameter('confirmMethod').waitFor();
			await editor.resizeWindow({ width: 1280, height: 800 });
			const height = await editor.credentialHeight();
			await editor.resizeWindow(windowSize);
			for (const name of switches) await editor.switchOff(name);
			// Column Value Field works without Column Name Field, so it is always there.
			assert.ok(height <= 3.25 * 570, `${height} px`);
		});

		// What it says of everything else that can be wrong: dev/e2e/cases/credentialTest.ts.
		test('its test says what is the matter with a wrong key', async () => {
			const wrong = { ...right, apiKey: testEnvironment.keys.revoked };
			await editor.fillCredential(Object.entries(wrong));
			await editor.saveCredential();
			assert.match(await editor.credentialVerdict(), /The API key was refused \(401\)/);
			await picture('credential-wrong-key', {
				elements: [editor.credentialFailure(), editor.credentialField('apiKey')],
				within: editor.credentialWindow(),
				margin,
			});
		});

		test('its test accepts right settings', async () => {
			await editor.fillCredential(Object.entries({ ...right, uploadFileField: 'file' }));
			await editor.saveCredential();
			await editor.credentialWindow().waitFor({ state: 'hidden' });
			await editor.reopenCredential();
			assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
			await picture('credential', {
				elements: [
					editor.credentialField('environment'),
					editor.credentialField('documentIdField'),
				],
				within: editor.credentialWindow(),
				margin,
			});
		});

		test('the API Details appear when they are wanted, and with the field that gives them a use', async () => {
			for (const name of switches) await editor.switchOn(name);
			const later = ALL_DETAILS.filter(
				(detail) => API_DETAILS[detail].shownWith === 'uploadUrlEndpoint',
			);
			assert.ok(later.length > 0);
			for (const field of later) assert.ok(!(await editor.parameter(field).isVisible()), field);
			await editor.fillCredential([['uploadUrlEndpoint', 'POST /uploads']]);
			for (const field of later) await editor.parameter(field).waitFor();
			assert.ok(!(await editor.parameter('confirmBody').isVisible()));
			await editor.choose('confirmMethod', 'PUT');
			await editor.parameter('confirmBody').waitFor();
			// As docs/api-details.md says for its reference page.
			await editor.fillCredential([
				['columnNameField', 'column.heading'],
				['columnValueField', 'value'],
				['workflowEndpoint', 'GET /workflows/{workflow_id}/metadata'],
				['finishedStatuses', 'DONE, ERROR'],
			]);
			const firstGroup = editor.credentialField('useResponseFields');
			await firstGroup.evaluate((field) => field.scrollIntoView());
			await picture('credential-groups', {
				elements: [firstGroup, editor.credentialField('finishedStatuses')],
				within: editor.credentialWindow(),
				margin,
			});
		});
	});
};
