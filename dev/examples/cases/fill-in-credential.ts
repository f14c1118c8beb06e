import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import {
	ALL_DETAILS,
	API_DETAILS,
	DETAIL_GROUPS,
} from '../../../nodes/DocumentExtraction/api/details/apiDetails.ts';
import { credentialType } from '../../n8n/workflow.ts';
import { settingsOf } from '../../n8n/example.ts';
import type { Stage } from '../stage.ts';

export default ({ n8n, service, profile, importExample, run }: Stage) => {
	const newcomer = async () => {
		const { environment, baseUrl, apiKey, workflowId } = service.credential();
		return await n8n.createCredential(credentialType, 'Newcomer', {
			environment,
			baseUrl,
			apiKey,
			workflowId,
			// As the credential's window begins.
			documentIdField: 'document_id',
		});
	};

	const n8nApi = async () => {
		const { rawApiKey } = await n8n.rest.post<{ rawApiKey: string }>('/api-keys', {
			label: 'Fill in the credential',
			scopes: ['credential:update'],
			expiresAt: null,
		});
		return await n8n.createCredential('n8nApi', 'n8n API', {
			apiKey: rawApiKey,
			baseUrl: `${n8n.url}/api/v1`,
		});
	};

	test('writes what Check Setup finds into the credential, which then gives rows', async () => {
		// Somebody has tried the service: there are results of several documents to look at.
		const { columns } = service.account.environments.test.workflows.main;
		const extractionsPerDocument = profile === 'borealis' ? columns.length : 1;
		await service.control.seed({ documents: 2, extractionsPerDocument });
		const credential = await newcomer();
		const setup: INodeParameters = { openApiDocument: service.account.openApiUrl };
		const workflowId = await importExample(
			'fill-in-credential',
			{
				'Check Setup': setup,
				'Check again': setup,
				Settings: await settingsOf('fill-in-credential', {
					n8n: n8n.url,
					credentialId: credential.id,
				}),
			},
			[await n8nApi(), credential],
		);
		const execution = await run(workflowId);

		const after = execution.items('Check again').map(({ json }) => json);
		const open = after.filter(({ todo }) => ['enter', 'empty', 'choose'].includes(String(todo)));
		assert.deepEqual(open, []);
		const held = Object.fromEntries(
			after.map(({ credentialField, inCredential }) => [credentialField, inCredential]),
		);
		const { apiDetails } = service.account;
		for (const detail of ALL_DETAILS) {
			const { group } = API_DETAILS[detail];
			if (group && DETAIL_GROUPS[group].unneeded) continue;
			assert.equal(held[detail], apiDetails[detail] || '–', detail);
		}
	});
};
