import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
} from '../../../nodes/DocumentExtraction/api/details/apiDetails.ts';
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
const switches = Object.values(DETAIL_GROUPS).map((group) => group.switch);
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
			says: /The API key was refused \(401\)|The service refused access \(403\)/,
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
			await editor.addAction('Extract values from files with your service');
			await editor.openNewCredential();
		});
		after(async () => await editor.resizeWindow());

		test('shows a newcomer six fields to fill in, and where their values come from', async () => {
			const text = await editor.credentialWindow().innerText();
			const placeholders = await editor.credentialPlaceholders();
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
				placeholders.join('\n'),
				/From your account team.*\nFrom the API settings.*\nFrom the workflow's page/,
			);
			assert.match(text, /Workflow › Check Setup then finds this field/);
		});

		test('with all groups open, a newcomer scrolls through three screens at most', async () => {
			for (const name of switches) await editor.switchOn(name);
			await editor.parameter('confirmMethod').waitFor();
			await editor.resizeWindow({ width: 1280, height: 800 });
			const height = await editor.credentialHeight();
			await editor.resizeWindow(windowSize);
			for (const name of switches) await editor.switchOff(name);
			assert.ok(height <= 3 * 570, `${height} px`);
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
				margin,
			});
		});

		test('the API Details appear when they are wanted, and with the field that gives them a use', async () => {
			for (const name of switches) await editor.switchOn(name);
			for (const [name, text] of [
				['columnNameField', 'name'],
				['uploadUrlEndpoint', 'POST /uploads'],
			] as const) {
				const later = ALL_DETAILS.filter((detail) => API_DETAILS[detail].neededWith === name);
				assert.ok(later.length > 0);
				for (const field of later) assert.ok(!(await editor.parameter(field).isVisible()), field);
				await editor.fillCredential([[name, text]]);
				for (const field of later) await editor.parameter(field).waitFor();
			}
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
				margin,
			});
		});
	});
};
