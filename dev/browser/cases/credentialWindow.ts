import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FaultRule } from '../../service/faults.ts';
import { shownAddress } from '../address.ts';
import type { Stage } from '../stage.ts';

interface Situation {
	name: string;
	/** What is typed in place of the right value. */
	wrong: { baseUrl?: string; apiKey?: string; workflowId?: string };
	fault?: FaultRule;
	says: RegExp;
	picture?: string;
}

const webPage: FaultRule = {
	match: { operation: 'getExtractions' },
	fault: { type: 'html', status: 200, title: 'Company gateway' },
};

/** The window's own white stands around its fields. */
const margin = 16;
const windowSize = { width: 1280, height: 1300 };

export default ({ editor, service, picture }: Stage) => {
	const { test: testEnvironment, live } = service.account.environments;
	const right = {
		baseUrl: shownAddress,
		apiKey: testEnvironment.keys.full,
		workflowId: testEnvironment.workflows.main.id,
	};

	const situations: Situation[] = [
		{
			name: 'a wrong key',
			wrong: { apiKey: testEnvironment.keys.revoked },
			says: /The API key was refused \(40[13]\)/,
			picture: 'credential-wrong-key',
		},
		{
			name: 'a key of the other environment',
			wrong: { apiKey: live.keys.full },
			says: /'API Key' is a live key, but its 'Environment' is test/,
		},
		{
			name: 'a workflow of the other environment',
			wrong: { workflowId: live.workflows.main.id },
			says: /does not know this workflow \(404\)\. Check 'Service Workflow ID'/,
		},
		{
			name: 'an address where nobody answers',
			wrong: { baseUrl: 'http://127.0.0.1:9' },
			says: /ECONNREFUSED/,
		},
		{
			name: 'a web page where the service should be',
			wrong: { baseUrl: `${shownAddress}/` },
			fault: webPage,
			says: /not as the extraction service does: probably a web page or a proxy/,
		},
	];

	describe('the credential window', () => {
		before(async () => {
			await editor.resizeWindow(windowSize);
			await editor.openNewWorkflow();
			await editor.addAction('Extract from files');
			await editor.openNewCredential();
		});
		after(async () => await editor.resizeWindow());

		test('shows a newcomer five fields to fill in, and where their values come from', async () => {
			const text = await editor.credentialWindow().innerText();
			for (const label of [
				'Environment',
				'Base URL',
				'API Key',
				'Service Workflow ID',
				'Upload File Field',
			]) {
				assert.ok(text.includes(label), label);
			}
			assert.ok(!(await editor.parameter('workflowEndpoint').isVisible()));
			assert.match(
				text,
				/From your account team[\s\S]*From the API settings[\s\S]*workflow's page/,
			);
		});

		for (const { name, wrong, fault, says, picture: pictureName } of situations) {
			test(`its test says what is the matter with ${name}`, async () => {
				await service.control.clearFaults();
				if (fault) await service.control.faults([fault]);
				await editor.fillCredential(Object.entries({ ...right, ...wrong }));
				await editor.saveCredential();
				assert.match(await editor.credentialVerdict(), says);
				if (pictureName) {
					await picture(pictureName, {
						elements: [editor.credentialFailure(), editor.credentialField('apiKey')],
						margin,
					});
				}
			});
		}

		test('its test accepts right settings', async () => {
			await service.control.clearFaults();
			await editor.fillCredential(Object.entries(right));
			await editor.saveCredential();
			await editor.credentialWindow().waitFor({ state: 'hidden' });
			await editor.reopenCredential();
			assert.match(await editor.credentialVerdict(), /Connection tested successfully/);
		});

		test('the API Details appear when they are wanted, each with where to look', async () => {
			await editor.switchOn('useWaitingAndLists');
			await editor.fillCredential([
				['uploadFileField', 'documents'],
				['workflowEndpoint', 'GET /workflows/{workflow_id}/metadata'],
				['finishedStatuses', 'DONE, ERROR'],
			]);
			const firstGroup = editor.credentialField('useWaitingAndLists');
			await firstGroup.evaluate((field) => field.scrollIntoView());
			await picture('credential-groups', {
				elements: [firstGroup, editor.credentialField('useResponseFields')],
				margin,
			});
			for (const name of ['useSignedUploads', 'useResponseFields']) await editor.switchOn(name);
			const text = await editor.credentialWindow().innerText();
			assert.equal(text.match(/Look at: /g)?.length, 12);
		});
	});
};
